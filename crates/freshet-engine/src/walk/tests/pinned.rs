//! Pinned posts, and pages in other orders: what is called complete is complete.

use std::collections::BTreeSet;

use super::*;
use crate::walk::marks::Run;

/// A number below `below`, the same in every run [Marsaglia 2003].
fn random(state: &mut u64, below: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as usize % below.max(1)
}

/// A list of posts with some of them pinned to its top; ids rise with time.
#[derive(Debug)]
struct World {
    ids: Vec<i64>,
    pinned: Vec<i64>,
    /// A pinned post is shown in its place too.
    is_doubled: bool,
    size: usize,
    is_by_offset: bool,
}

impl World {
    /// A page: pinned posts first, the others by time; the cursor speaks of the others alone.
    fn page(&self, intent: &Intent) -> Page {
        let is_free = |id: &&i64| self.is_doubled || !self.pinned.contains(id);
        let all: Vec<i64> = self.ids.iter().rev().filter(is_free).copied().collect();
        let (pins_read, begin) = match intent {
            Intent::Next(cursor) => {
                let (pins, place) = cursor.split_once('/').unwrap();
                let place: i64 = place.parse().unwrap();
                let below = all.iter().position(|&id| id < place).unwrap_or(all.len());
                (pins.parse().unwrap(), if self.is_by_offset { place as usize } else { below })
            }
            _ => (0, 0),
        };
        let pins: Vec<i64> = self.pinned.iter().skip(pins_read).take(self.size).copied().collect();
        let rest = all.iter().skip(begin).take(self.size - pins.len()).copied();
        let shown: Vec<i64> = pins.iter().copied().chain(rest).collect();
        let end = begin + shown.len() - pins.len();
        let has_more = pins_read.saturating_add(pins.len()) < self.pinned.len() || end < all.len();
        let last = if end == 0 { i64::MAX } else { all[end - 1] };
        let place = if self.is_by_offset { end as i64 } else { last };
        // Below the last of them nothing is pinned, whatever is pinned later.
        let is_past = pins_read.saturating_add(pins.len()) >= self.pinned.len();
        let pins_read = if is_past { usize::MAX } else { pins_read + pins.len() };
        let next = has_more.then(|| format!("{pins_read}/{place}"));
        posts(&shown, next)
    }
}

fn posts(ids: &[i64], next: Option<String>) -> Page {
    let post = |id: &i64| Post {
        id: id.to_string(),
        created_at: Some(Timestamp::from_secs(*id)),
        ..Post::default()
    };
    let observation = Observation { posts: ids.iter().map(post).collect(), ..Observation::default() };
    Page { next, observation, ..Page::default() }
}

/// One list that lives for a while under visits that are cut short anywhere; how often it was complete.
fn live(seed: u64) -> usize {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut pick = |below| random(&mut state, below);
    let size = 1 + pick(6);
    let order = if pick(2) == 0 { IdOrder::Numeric } else { IdOrder::None };
    let endpoint = Endpoint { id_order: order, ..endpoint(PageKind::Posts, true) };
    let mut source = source(RobotKind::Status, "posts");
    let (is_doubled, is_by_offset) = (pick(2) == 0, pick(2) == 0);
    let mut world = World { ids: Vec::new(), pinned: Vec::new(), is_doubled, size, is_by_offset };
    let (mut stored, mut promised, mut complete_count) = (BTreeSet::new(), Vec::new(), 0);
    for round in 0..60 {
        let last = world.ids.last().copied().unwrap_or(0);
        let more = if pick(3) == 0 { pick(3 * size) } else { pick(2) } as i64;
        world.ids.extend(last + 1..=last + more);
        // What leaves its place for the top while history is read would pass by unseen.
        if pick(4) == 0 && (is_doubled || source.coverage.is_complete()) {
            // A page that shows nothing but pinned posts is noticed if none of them is the newest that is known, and the next page
            // shows others.
            let count = pick(2 * size);
            let newest = source.coverage.newest().map_or(0, |newest| newest.id.parse().unwrap());
            let is_free = |id: &&i64| count < size || **id < newest;
            let ids: Vec<i64> = world.ids.iter().filter(is_free).copied().collect();
            world.pinned = (0..count).filter_map(|_| ids.get(pick(ids.len())).copied()).collect();
            world.pinned.sort_unstable_by_key(|id| (id % 3, -id));
            world.pinned.dedup();
        }
        let aim = if pick(2) == 0 { Aim::News } else { Aim::History };
        let mut walk = Walk::start(&source, &endpoint, aim);
        for _ in 0..=pick(9) {
            let page = world.page(&walk.intent);
            if walk.intent == Intent::First {
                promised.clone_from(&world.ids);
            }
            stored.extend(page.observation.posts.iter().map(|post| post.id.parse::<i64>().unwrap()));
            let at_s = 100_000 + round * 600;
            if !walk.read_page(&mut source, &endpoint, &page, seen(at_s)).goes_on {
                break;
            }
        }
        if source.coverage.is_complete() {
            complete_count += 1;
            let lost: Vec<_> = promised.iter().filter(|id| !stored.contains(id)).collect();
            assert!(
                lost.is_empty(),
                "seed {seed}, round {round}: {lost:?} of {world:?}\n{:?}",
                source.coverage
            );
        }
    }
    complete_count
}

#[test]
fn what_is_called_complete_is_stored_whatever_is_pinned() {
    let complete_count: usize = (1..=600).map(live).sum();
    assert!(complete_count > 9_000, "lists do become complete: {complete_count}");
}

#[test]
fn an_old_post_on_top_hides_no_hole_and_is_no_news() {
    let endpoint = endpoint(PageKind::Posts, true);
    let mut source = source(RobotKind::Status, "posts");
    let mut world = World {
        ids: (1..=100).collect(),
        pinned: Vec::new(),
        is_doubled: true,
        size: 40,
        is_by_offset: false,
    };
    let mut stored = BTreeSet::new();
    for aim in [Aim::News, Aim::News] {
        let mut walk = Walk::start(&source, &endpoint, aim);
        loop {
            let page = world.page(&walk.intent);
            stored.extend(page.observation.posts.iter().map(|post| post.id.clone()));
            let meaning = walk.read_page(&mut source, &endpoint, &page, seen(10_000));
            assert!(
                !meaning.news.contains(&Timestamp::from_secs(7)) || world.pinned.is_empty(),
                "{meaning:?}"
            );
            if let Some(lists) = meaning.lists.filter(|_| !world.pinned.is_empty()) {
                assert_eq!(lists.from, Timestamp::from_ms(262_001), "the pinned post is no end of the page");
            }
            if !meaning.goes_on {
                break;
            }
        }
        assert!(source.coverage.is_complete());
        assert_eq!(stored.len(), world.ids.len());
        world.ids = (1..=300).collect();
        world.pinned = vec![7];
    }
}

/// The newest and the oldest post that a first page proves, beside what is known; `?` where more must be seen first.
fn check(ids: &[i64], next: Option<&str>, is_window: bool, known: Option<i64>, expected: &str) {
    let endpoint = Endpoint { is_window, ..endpoint(PageKind::Posts, true) };
    let mut coverage = Coverage::default();
    if let Some(known) = known {
        let mark = Mark { id: known.to_string(), at: Timestamp::from_secs(known) };
        coverage.raise((mark.clone(), mark), false, (Timestamp::from_secs(1), VisitId(1)));
    }
    let marks: Vec<Mark> =
        ids.iter().map(|&id| Mark { id: id.to_string(), at: Timestamp::from_secs(id) }).collect();
    let page = posts(ids, next.map(str::to_owned));
    let run = Run::of(&marks, &coverage, &endpoint, &page);
    let (newest, oldest) = run.ends().unwrap();
    let doubt = if run.is_sure { "" } else { "?" };
    assert_eq!(format!("{}..{}{doubt}", newest.id, oldest.id), expected, "{ids:?} {next:?} {known:?}");
}

#[test]
fn a_page_proves_along_what_stands_in_order() {
    let more = Some("c");
    check(&[9, 8, 7], more, false, Some(8), "9..7");
    check(&[9, 8, 7], more, false, Some(6), "9..7?");
    check(&[3, 9, 8, 7], more, false, Some(8), "9..7");
    check(&[3, 2, 9, 8, 7], more, false, Some(9), "9..7");
    // A repost that carries the time of its original, in the middle.
    check(&[9, 8, 1, 7], more, false, Some(8), "9..7");
    // All of it may be pinned.
    check(&[5, 3], more, false, Some(8), "5..3?");
    check(&[20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10], more, false, Some(8), "20..10");
    // The whole list, in whatever order.
    check(&[3, 9, 1, 8], None, false, Some(2), "9..1");
    // A feed from old to new, and one with a pinned post on top.
    check(&[7, 8, 9], None, true, Some(8), "9..7");
    check(&[7, 8, 9], None, true, None, "9..7");
    check(&[3, 9], None, true, Some(5), "9..9");
    check(&[9, 8, 7], None, true, Some(8), "9..7");
}
