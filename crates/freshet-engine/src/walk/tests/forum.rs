//! Walks through a forum that lives on: boards whose threads move up, threads that grow and shrink.

use std::collections::BTreeSet;

use freshet_types::Lead;

use super::*;

const PAGE: usize = 5;

fn forum_endpoint(kind: PageKind, order: ListOrder) -> Endpoint {
    Endpoint { order, id_order: IdOrder::None, ..endpoint(kind, true) }
}

fn board() -> (Endpoint, Source) {
    let source = Source::new(&NetworkName::from("forum"), "threads", RobotKind::Status, "board", "/b/1");
    (forum_endpoint(PageKind::Lists, ListOrder::NewestFirst), source)
}

fn thread() -> (Endpoint, Source) {
    let source = Source::new(&NetworkName::from("forum"), "posts", RobotKind::Comment, "thread", "/t/1");
    (forum_endpoint(PageKind::Comments, ListOrder::OldestFirst), source)
}

fn number_of(intent: &Intent) -> usize {
    match intent {
        Intent::Next(cursor) => cursor.parse().unwrap(),
        _ => 1,
    }
}

fn chunk<T: Clone>(all: &[T], intent: &Intent) -> (Vec<T>, Option<String>) {
    let number = number_of(intent);
    let shown = all.iter().skip((number - 1) * PAGE).take(PAGE).cloned().collect();
    (shown, (all.len() > number * PAGE).then(|| (number + 1).to_string()))
}

/// Pages of a board: pinned threads first, then by last activity.
fn board_page(pinned: &[(u32, i64)], threads: &[(u32, i64)], intent: &Intent) -> Page {
    let is_free = |it: &&(u32, i64)| !pinned.iter().any(|pin| pin.0 == it.0);
    let mut rest: Vec<_> = threads.iter().filter(is_free).copied().collect();
    rest.sort_by_key(|(_, at)| -at);
    let (shown, next) = chunk(&[pinned, &rest].concat(), intent);
    let leads = shown.into_iter().map(|(id, at)| Lead {
        endpoint: "posts".into(),
        robot: RobotKind::Comment,
        root_kind: "thread".into(),
        title: None,
        root_id: format!("/t/{id}"),
        active_at: Some(Timestamp::from_secs(at)),
        grain: Span::SECOND,
    });
    let observation = Observation { leads: leads.collect(), ..Observation::default() };
    Page { observation, next, ..Page::default() }
}

fn thread_page(ids: &[u32], intent: &Intent) -> Page {
    let (shown, next) = chunk(ids, intent);
    let posts = shown.iter().map(|&id| Post {
        id: id.to_string(),
        created_at: Some(Timestamp::from_secs(i64::from(id))),
        ..Post::default()
    });
    let observation = Observation { posts: posts.collect(), ..Observation::default() };
    Page { observation, next, ..Page::default() }
}

/// Page numbers that were asked for, what was seen, and what was found deleted.
type Told = (Vec<usize>, BTreeSet<String>, Vec<String>);

fn visit(source: &mut Source, endpoint: &Endpoint, page: &dyn Fn(&Intent) -> Page) -> Told {
    let aim = if source.coverage.holes().is_empty() { Aim::News } else { Aim::History };
    let mut walk = Walk::start(source, endpoint, aim);
    let (mut asked, mut shown, mut deleted) = (Vec::new(), BTreeSet::new(), Vec::new());
    loop {
        asked.push(number_of(&walk.intent));
        let page = page(&walk.intent);
        shown.extend(page.observation.leads.iter().map(|lead| lead.root_id.clone()));
        shown.extend(page.observation.posts.iter().map(|post| post.id.clone()));
        let meaning = walk.read_page(source, endpoint, &page, seen(100_000));
        deleted.extend(meaning.deleted);
        if !meaning.goes_on {
            return (asked, shown, deleted);
        }
    }
}

#[test]
fn a_board_is_read_down_to_what_is_known() {
    let (endpoint, mut source) = board();
    let mut threads: Vec<(u32, i64)> = (1..=17).map(|id| (id, i64::from(id) * 10)).collect();
    let (asked, shown, _) = visit(&mut source, &endpoint, &|intent| board_page(&[], &threads, intent));
    assert_eq!((asked, shown.len()), (vec![1, 2, 3, 4], 17));
    assert!(source.coverage.is_complete());
    let (asked, ..) = visit(&mut source, &endpoint, &|intent| board_page(&[], &threads, intent));
    assert_eq!(asked, [1], "nothing happened");
    for (at, thread) in threads.iter_mut().take(7).enumerate() {
        thread.1 = 1_000 + at as i64;
    }
    let (asked, shown, _) = visit(&mut source, &endpoint, &|intent| board_page(&[], &threads, intent));
    assert_eq!(asked, [1, 2], "seven threads moved up");
    assert!((1..=7).all(|id| shown.contains(&format!("/t/{id}"))));
}

#[test]
fn pinned_threads_stop_nobody() {
    let (endpoint, mut source) = board();
    let mut threads: Vec<(u32, i64)> = (1..=17).map(|id| (id, i64::from(id) * 10)).collect();
    for pinned in [vec![(1, 10), (2, 20)], (1..=6).map(|id| (id, i64::from(70 - id))).collect()] {
        source.coverage = Coverage::default();
        let (_, shown, _) = visit(&mut source, &endpoint, &|intent| board_page(&pinned, &threads, intent));
        assert_eq!(shown.len(), 17, "{pinned:?}");
        threads[8].1 += 1_000;
        let (_, shown, _) = visit(&mut source, &endpoint, &|intent| board_page(&pinned, &threads, intent));
        assert!(shown.contains("/t/9"), "below {pinned:?}");
    }
}

#[test]
fn a_server_that_ignores_page_numbers_is_noticed() {
    let (endpoint, mut source) = board();
    let threads: Vec<(u32, i64)> = (1..=17).map(|id| (id, i64::from(id) * 10)).collect();
    let (asked, ..) = visit(&mut source, &endpoint, &|_| board_page(&[], &threads, &Intent::First));
    assert_eq!(asked, [1, 2]);
    assert!(!source.coverage.is_complete(), "what is missing is told");
    let (endpoint, mut source) = thread();
    let ids: Vec<u32> = (1..=12).collect();
    let (asked, ..) = visit(&mut source, &endpoint, &|_| thread_page(&ids, &Intent::First));
    assert_eq!(asked, [1, 2]);
    assert!(!source.coverage.is_complete());
}

#[test]
fn a_thread_is_read_on_from_its_last_page() {
    let (endpoint, mut source) = thread();
    let mut ids: Vec<u32> = (1..=12).collect();
    let look =
        |source: &mut Source, ids: &[u32]| visit(source, &endpoint, &|intent| thread_page(ids, intent));
    assert_eq!(look(&mut source, &ids).0, [1, 2, 3]);
    assert!(source.coverage.is_complete());
    assert_eq!(look(&mut source, &ids).0, [3]);
    ids.extend(13..=17);
    let (asked, shown, _) = look(&mut source, &ids);
    assert_eq!(asked, [3, 4]);
    assert!((11..=17).all(|id: u32| shown.contains(&id.to_string())));
    assert!(source.coverage.is_complete());
}

#[test]
fn posts_that_shift_are_neither_lost_nor_taken_for_deleted() {
    let (endpoint, mut source) = thread();
    let look =
        |source: &mut Source, ids: &[u32]| visit(source, &endpoint, &|intent| thread_page(ids, intent));
    let without = |ids: &[u32], gone: &[u32]| -> Vec<u32> {
        ids.iter().copied().filter(|id| !gone.contains(id)).collect()
    };
    let all: Vec<u32> = (1..=13).collect();
    look(&mut source, &all);
    // One of the last page is gone, between two that stay.
    assert_eq!(look(&mut source, &without(&all, &[12])).2, ["12"]);
    // Three of the first page are gone: what was the last page is no more, and a new post stands on page 2.
    let mut shorter = without(&all, &[1, 2, 3, 12]);
    shorter.push(14);
    let (asked, shown, deleted) = look(&mut source, &shorter);
    assert!(asked.contains(&1) && shown.contains("14"), "{asked:?} {shown:?}");
    assert!(deleted.is_empty() && source.coverage.is_complete(), "{deleted:?}");
}

#[test]
fn a_long_thread_takes_several_visits() {
    let (endpoint, mut source) = thread();
    let ids: Vec<u32> = (1..=(PAGE as u32 * (PAGES_PER_VISIT_MAX + 3))).collect();
    let mut all = BTreeSet::new();
    for _ in 0..2 {
        assert!(!source.coverage.is_complete());
        all.extend(visit(&mut source, &endpoint, &|intent| thread_page(&ids, intent)).1);
    }
    assert!(source.coverage.is_complete());
    assert_eq!(all.len(), ids.len());
}

#[test]
fn a_list_that_says_it_goes_on_without_a_link_is_not_complete() {
    // The pages of a thread, the last of which says that there are more; on it stands the cursor that is looked at again.
    for (pages, cursor) in [(1_usize, None), (2, Some("2"))] {
        let (endpoint, mut source) = thread();
        let ids: Vec<u32> = (1..=(pages * PAGE) as u32).collect();
        let cut = |intent: &Intent| {
            let page = thread_page(&ids, intent);
            Page { is_broken_off: page.next.is_none(), ..page }
        };
        for look in ["first", "second"] {
            let mut walk = Walk::start(&source, &endpoint, Aim::News);
            let mut meaning = walk.read_page(&mut source, &endpoint, &cut(&walk.intent.clone()), seen(1_000));
            while meaning.goes_on {
                meaning = walk.read_page(&mut source, &endpoint, &cut(&walk.intent.clone()), seen(1_000));
            }
            assert!(
                !source.coverage.is_complete() && !meaning.has_more,
                "{look} look at {pages}: {meaning:?}"
            );
            assert_eq!(meaning.complaint, Some(Obstacle::Unlinked.reason()), "{look} look at {pages}");
            let holes = source.coverage.holes();
            assert_eq!(holes.len(), 1, "{look} look at {pages}");
            assert_eq!(holes[0].cursor, None, "no cursor leads into what is missing");
            assert_eq!(source.coverage.top().and_then(|top| top.below.as_deref()), cursor);
        }
        // A link appears: the rest is read, and then the list is complete.
        let mut walk = Walk::start(&source, &endpoint, Aim::News);
        let longer: Vec<u32> = (1..=(pages * PAGE) as u32 + 2).collect();
        while walk
            .read_page(&mut source, &endpoint, &thread_page(&longer, &walk.intent.clone()), seen(2_000))
            .goes_on
        {}
        assert!(source.coverage.is_complete(), "{pages}: {:?}", source.coverage);
    }
    let (endpoint, mut source) = board();
    let page = Page { is_broken_off: true, ..board_page(&[], &[(1, 10), (2, 20)], &Intent::First) };
    Walk::start(&source, &endpoint, Aim::News).read_page(&mut source, &endpoint, &page, seen(1_000));
    assert!(!source.coverage.is_complete() && source.coverage.holes().len() == 1, "{:?}", source.coverage);
}
