//! Conditions over time in a crawl: a window that says no, and later yes, because posts came or because time went by; and no again.
//!
//! What the engine decided is compared with what the store knew at that time: every row says when it was first seen. A decision falls a
//! little before or after the page that it follows from, so all comparisons leave [`MARGIN`].

use freshet_engine::constrain::setting::{Rule, set_rules};
use freshet_network::constraint::Purpose;
use freshet_types::RobotState::Running;

use super::*;
use crate::Chances;

/// Between a page and what follows from it: a few visits, and the feeding of the robots.
const MARGIN: Span = Span::from_secs(300);
/// The window of all rules here, and how many posts in it make an account busy.
const WINDOW: Span = Span::HOUR;
const MANY: usize = 3;
const BUSY: &str = "account.posts.within('1h').size() > 3";
/// After a refusal by a rule about time an object is judged again within this.
const AGAIN: Span = Span::HOUR;
const COUNT: usize = 12;
const CEILING: Span = Span::HOUR;

/// Nobody vanishes, so that a crawl can be exact.
const STILL: Chances = Chances { reply_share: 0.2, repost_share: 0.1, ..Chances::NONE };

fn scene(posts_per_day: f64) -> Scene {
    let history = Span::DAY * 2.0;
    let options = WorldOptions {
        seed: 7,
        accounts: 40,
        posts_per_day,
        history,
        chances: STILL,
        ..WorldOptions::default()
    };
    Scene::new(options, CEILING)
}

/// Sources of the first accounts, all by their ids.
fn sources(scene: &Scene, change: impl Fn(Source) -> Source) -> Vec<Source> {
    let connector = scene.networks.connector("mastodon").unwrap();
    let mut sources = Vec::new();
    for id in scene.accounts(COUNT) {
        for kind in [RobotKind::Status, RobotKind::User] {
            let own = robot::sources_for(&*connector, &Scene::network(), kind, "account", &id, 0);
            sources.extend(own.into_iter().map(&change));
        }
    }
    sources
}

fn crawl(scene: &Scene, sources: &[Source], purpose: Purpose, text: &str) -> Driver<Box<dyn Store>> {
    let mut store: Box<dyn Store> = furnish(testing::memory(), sources);
    set_rules(&mut store, &[Rule { purpose, ..Rule::new("account", text) }]).unwrap();
    scene.start(store)
}

/// Of each author: when posts were first seen and when they were made, by the former.
type Known = BTreeMap<String, Vec<(Timestamp, Timestamp)>>;

/// What is stored of each author.
fn known<S: Store>(store: &S) -> Known {
    let mut known = Known::new();
    for row in posts(store) {
        let (Some(author), Some(at)) = (row.post.author, row.post.created_at) else { continue };
        known.entry(author).or_default().push((row.seen_at, at));
    }
    for all in known.values_mut() {
        all.sort_unstable();
    }
    known
}

/// Posts known by then of which so many were made since.
fn count(known: &[(Timestamp, Timestamp)], seen_by: Timestamp, since: Timestamp) -> usize {
    known.iter().filter(|(seen, at)| *seen <= seen_by && *at > since).count()
}

/// Whether somebody was busy when judged at about `now`: surely, and perhaps.
fn busy(known: &[(Timestamp, Timestamp)], now: Timestamp) -> (bool, bool) {
    let surely = count(known, now - MARGIN, now - WINDOW + MARGIN) > MANY;
    (surely, count(known, now + MARGIN, now - WINDOW - MARGIN) > MANY)
}

/// Posts of somebody: each with two instants, of which the first is when it was seen.
type Spans = [(Timestamp, Timestamp)];

/// Who must and who may have been judged busy up to `end`: judgements fall when a page shows a post.
fn ever_busy(known: &Known, end: Timestamp) -> [Set<String>; 2] {
    let who = |is_meant: &dyn Fn(&Spans, Timestamp) -> bool| {
        let is_ever =
            |own: &[(Timestamp, Timestamp)]| own.iter().any(|(seen, _)| *seen <= end && is_meant(own, *seen));
        known.iter().filter(|(_, own)| is_ever(own)).map(|(id, _)| id.clone()).collect()
    };
    let surely = |own: &[(Timestamp, Timestamp)], at: Timestamp| count(own, at, at - WINDOW + MARGIN) > MANY;
    [who(&surely), who(&|own, at| busy(own, at).1)]
}

/// Compares who was let in with who had to be and who may have been; gives how many.
fn check_let_in(found: &Set<String>, known: &Known, end: Timestamp) -> usize {
    let [must, may] = ever_busy(known, end);
    let (late, early): (Vec<_>, Vec<_>) =
        (must.difference(found).collect(), found.difference(&may).collect());
    assert!(late.is_empty() && early.is_empty(), "not let in: {late:?}; let in too early: {early:?}");
    assert!(found.len() < known.len(), "the rule keeps nobody out: choose another seed");
    found.len()
}

/// The window grows with time: whoever is let in by an early look and by a late one.
fn check_twice(
    scene: &Scene,
    driver: &mut Driver<Box<dyn Store>>,
    found: impl Fn(&Driver<Box<dyn Store>>) -> Set<String>,
) {
    let own = scene.accounts(COUNT);
    let mut look = |span: Span| {
        driver.run_for(span).unwrap();
        let mut known = known(&driver.store);
        known.retain(|id, _| own.contains(id));
        let found = found(driver).into_iter().filter(|id| own.contains(id)).collect();
        check_let_in(&found, &known, scene.now() - MARGIN)
    };
    let early = look(Span::HOUR * 3.0);
    let late = look(Span::DAY);
    assert!(late > early, "{late} after {early}: nobody became busy; choose another seed");
}

#[test]
fn an_account_that_becomes_busy_is_stored() {
    let scene = scene(20.0);
    let mut driver = crawl(&scene, &sources(&scene, |it| it), Purpose::Store, BUSY);
    check_twice(&scene, &mut driver, |driver| {
        let rows = stored_accounts(&driver.store).into_iter();
        rows.filter(|row| row.account.handle.is_some()).map(|row| row.account.id).collect()
    });
}

#[test]
fn an_account_that_becomes_busy_is_followed() {
    let scene = scene(20.0);
    let mut driver = crawl(&scene, &sources(&scene, |it| it), Purpose::Follow, BUSY);
    driver.set_robot(RobotKind::Relation, Running).unwrap();
    check_twice(&scene, &mut driver, |driver| {
        let all = all_sources(&driver.store).into_iter();
        all.filter(|it| it.robot == RobotKind::Relation).map(|it| it.root_id).collect()
    });
}

/// When each account was asked for through an endpoint, without the first time.
fn asked_again<S>(driver: &Driver<S>, endpoint: &str) -> BTreeMap<String, Vec<Timestamp>> {
    let mut asked: BTreeMap<String, Vec<Timestamp>> = BTreeMap::new();
    for exchange in driver.journal.iter().filter(|exchange| &*exchange.endpoint == endpoint) {
        asked.entry(exchange.root.clone()).or_default().push(exchange.sent_at);
    }
    // The pages of a first visit follow each other at once.
    for times in asked.values_mut() {
        let first = times[0] + MARGIN;
        times.retain(|at| *at > first);
    }
    asked
}

#[test]
fn a_profile_is_visited_while_its_account_is_busy_and_held_when_it_calms_down() {
    let scene = scene(20.0);
    // Somebody has to tell that an account is busy: its posts are read whatever the rule says.
    let pin = |it: Source| {
        let pinned = (it.robot == RobotKind::Status).then_some(Span::MINUTE * 15.0);
        Source { pinned, ..it }
    };
    let mut driver = crawl(&scene, &sources(&scene, pin), Purpose::Revisit, BUSY);
    let began = scene.now();
    driver.run_for(Span::DAY * 2.0).unwrap();
    let (known, asked) = (known(&driver.store), asked_again(&driver, "account"));
    let (mut returns, mut spells) = (0, 0);
    for id in scene.accounts(COUNT) {
        let own = known.get(&id).map(Vec::as_slice).unwrap_or_default();
        let visits = asked.get(&id).map(Vec::as_slice).unwrap_or_default();
        for at in visits {
            assert!(busy(own, *at).1, "the profile of {id} was visited at {at}, though it was calm");
        }
        // Held for hours, and let in again.
        returns += visits.windows(2).filter(|pair| pair[1] - pair[0] > CEILING * 3.0).count();
        // A spell that outlasts every wait for the next look has one.
        let (mut at, mut busy_since) = (began + CEILING * 2.0, None);
        while at < scene.now() {
            busy_since = if busy(own, at).0 { busy_since.or(Some(at)) } else { None };
            if let Some(since) = busy_since.filter(|since| at - *since > CEILING + MARGIN * 6.0) {
                spells += 1;
                let is_visited = visits.iter().any(|visit| *visit >= since && *visit <= at);
                assert!(is_visited, "{id} was busy from {since} to {at}, and its profile was not visited");
                busy_since = None;
            }
            at = at + MARGIN;
        }
    }
    assert!(returns > 0 && spells > 0, "{returns} returns, {spells} spells: choose another seed");
}

#[test]
fn what_is_refused_for_its_news_is_visited_again_when_time_has_passed() {
    let scene = scene(3.0);
    let rest = Span::HOUR * 6.0;
    let quiet = "account.posts.within('6h').size() == 0";
    let mut driver = crawl(&scene, &sources(&scene, |it| it), Purpose::Revisit, quiet);
    driver.run_for(Span::DAY * 2.0).unwrap();
    let (known, asked) = (known(&driver.store), asked_again(&driver, "posts"));
    let (mut held, mut returns) = (0, 0);
    for id in scene.accounts(COUNT) {
        let own = known.get(&id).map(Vec::as_slice).unwrap_or_default();
        let newest_by =
            |at: Timestamp| own.iter().filter(|(seen, _)| *seen <= at - MARGIN).map(|(_, made)| *made).max();
        let visits = asked.get(&id).map(Vec::as_slice).unwrap_or_default();
        for at in visits {
            let newest = newest_by(*at).unwrap_or(Timestamp::MIN);
            assert!(newest <= *at - rest + MARGIN, "{id} was visited at {at}, and had posted at {newest}");
        }
        for pair in visits.windows(2) {
            // What the first of them saw decides when the second may come.
            let free_at =
                newest_by(pair[0] + MARGIN * 2.0).map_or(pair[0], |newest| newest + rest).max(pair[0]);
            if free_at - pair[0] > CEILING + AGAIN {
                held += 1;
            }
            let latest = free_at.max(pair[0] + CEILING) + AGAIN + MARGIN;
            assert!(pair[1] <= latest, "{id} was free at {free_at}, and visited at {} only", pair[1]);
            returns += 1;
        }
    }
    assert!(held > 0 && returns > held, "{held} of {returns} were held: choose another seed");
}
