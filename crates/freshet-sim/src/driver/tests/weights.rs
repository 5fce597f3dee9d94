//! Weights and importance under a short quota: who counts more is visited more often, at once and whoever said so, and who counts little
//! is not forgotten.

use freshet_engine::focus::FOCUS;
use freshet_engine::importance::{IMPORTANCE, Switch, day_of};
use freshet_network::focus::Written;
use freshet_store::api::interest::Inquiry;
use freshet_store::setting::Json;

use super::prices::scene;
use super::*;
use crate::world::text;

/// Accounts of the world; their lists share some sixty calls an hour.
const ACCOUNTS: usize = 40;

/// Every other list, by its number and its root.
fn every_other(store: &dyn Store) -> Map<SourceId, String> {
    let lists = all_sources(store).into_iter().filter(|source| source.robot == RobotKind::Status);
    lists.step_by(2).map(|source| (source.id, source.root_id)).collect()
}

/// How many more calls for these lists than for the others were sent in the last hours.
fn ratio<S: Store>(driver: &Driver<S>, scene: &Scene, chosen: &Map<SourceId, String>, hours: f64) -> f64 {
    let from = scene.now() - Span::HOUR * hours;
    let roots: Set<&String> = chosen.values().collect();
    let lists = driver.journal.iter().filter(|it| &*it.endpoint == "posts" && it.sent_at >= from);
    let (chosen, others): (Vec<_>, Vec<_>) = lists.partition(|it| roots.contains(&it.root));
    chosen.len() as f64 / others.len().max(1) as f64
}

#[test]
fn a_weight_is_obeyed_while_the_crawl_runs() {
    let scene = scene("freshet", ACCOUNTS as u32, 8.0);
    let mut driver = scene.start(scene.store(ACCOUNTS));
    driver.run_for(Span::HOUR * 48.0).unwrap();
    let chosen = every_other(&driver.store);
    let before = ratio(&driver, &scene, &chosen, 20.0);
    let light = all_sources(&driver.store)
        .into_iter()
        .find(|source| source.robot == RobotKind::Status && !chosen.contains_key(&source.id))
        .unwrap();
    let heavy: Vec<(SourceId, Timestamp)> = chosen.keys().map(|id| (*id, Timestamp::MAX)).collect();
    driver.store.weigh(&heavy, "16".parse().unwrap()).unwrap();
    driver.store.weigh(&[(light.id, Timestamp::MAX)], "0.001".parse().unwrap()).unwrap();
    let ids = chosen.keys().copied().chain([light.id]).collect();
    driver.wish(&Control::Sources(SourcesChange::Weighed(ids))).unwrap();
    driver.run_for(Span::HOUR * 60.0).unwrap();
    let after = ratio(&driver, &scene, &chosen, 40.0);
    assert!(after > 1.5 * before, "{before} times the visits became {after} times");
    let light = driver.store.source(light.id).unwrap().unwrap();
    let unvisited = scene.now() - light.visited_at.unwrap();
    assert!(unvisited <= scene.ceiling + SLACK, "who counts little was not visited for {unvisited}");
    assert_eq!(light.weight.to_string(), "0.001", "no visit changes a weight");
    assert_eq!(scene.refused_count(), 0);
}

/// The same crawl with inquiries about every other list, four a day; gives the ratio of the visits.
fn asked_about(switch: Switch) -> f64 {
    let scene = scene("freshet", ACCOUNTS as u32, 8.0);
    let mut driver = scene.start(scene.store(ACCOUNTS));
    IMPORTANCE.put(&mut driver.store, &switch).unwrap();
    let mut chosen = Map::default();
    for _ in 0..4 * 4 {
        driver.run_for(Span::HOUR * 6.0).unwrap();
        chosen = every_other(&driver.store);
        let inquiry = Inquiry { sources: chosen.keys().copied().collect(), ..Inquiry::default() };
        driver.store.count_inquiries(day_of(scene.now()), &[inquiry]).unwrap();
    }
    assert!(all_sources(&driver.store).iter().all(|source| source.weight.to_bits() == 1.0_f32.to_bits()));
    ratio(&driver, &scene, &chosen, 40.0)
}

#[test]
fn what_people_ask_about_is_visited_more_often_unless_that_is_switched_off() {
    let (on, off) = (asked_about(Switch::On), asked_about(Switch::Off));
    assert!(
        on > 1.4 * off,
        "asked about: {on} times the visits of the others, and {off} with the switch off"
    );
}

/// The same crawl with a focus, or with a way to go from what was added; gives how many more calls went to lists that rank above the mean than
/// to the others.
fn ranked(switch: Switch, has_focus: bool) -> f64 {
    let mut scene = scene("freshet", ACCOUNTS as u32, 8.0);
    scene.depth_max = u16::from(!has_focus);
    let mut driver = scene.start(scene.store(ACCOUNTS));
    IMPORTANCE.put(&mut driver.store, &switch).unwrap();
    if has_focus {
        let written = Written { tags: vec![text::tag_name(0).to_owned()], ..Written::default() };
        FOCUS.put(&mut driver.store, &Json(written.read().unwrap())).unwrap();
    }
    driver.run_for(Span::HOUR * 96.0).unwrap();
    let ranked = driver.store.ranked().unwrap();
    // Who is met before the handle by which they were added is resolved has two lists.
    let list_count = ranked.list_count as usize;
    assert!(if has_focus { list_count == ACCOUNTS } else { list_count >= ACCOUNTS }, "{list_count} lists");
    let mean = ranked.scores.iter().map(|it| it.1).sum::<f64>() / list_count as f64;
    let high: Set<SourceId> = ranked.scores.iter().filter(|it| it.1 > mean).map(|it| it.0).collect();
    assert!(high.len() >= 4 && high.len() <= ACCOUNTS / 2, "{} rank high", high.len());
    let lists = all_sources(&driver.store).into_iter().filter(|source| high.contains(&source.id));
    ratio(&driver, &scene, &lists.map(|source| (source.id, source.root_id)).collect(), 40.0)
}

#[test]
fn who_posts_what_is_wanted_is_visited_more_often_unless_that_is_switched_off() {
    let (on, off) = (ranked(Switch::On, true), ranked(Switch::Off, true));
    assert!(
        on > 1.2 * off,
        "of high rank: {on} times the visits of the others, and {off} with the switch off"
    );
}

#[test]
fn who_counts_much_among_what_was_added_is_visited_more_often_without_a_focus() {
    let (on, off) = (ranked(Switch::On, false), ranked(Switch::Off, false));
    assert!(
        on > 1.1 * off,
        "of high rank: {on} times the visits of the others, and {off} with the switch off"
    );
}
