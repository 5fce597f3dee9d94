//! Behaviours of reading in pages and of asking for many things at once.

use freshet_types::{SourceId, SourceState};

use super::kit::{
    Must, account, accounts, add, all_accounts, all_posts, all_relations, apply, at, network, post, posts,
    relation, relations, timeline,
};
use crate::api::{Rows, Store, StoreError};
use crate::row::{Filter, Parked};

/// Rows of each kind.
const ROWS: usize = 7;

/// Reads to the end in pages of so many rows; no page is larger, and the last one says that it is.
#[track_caller]
fn read<T, Position>(
    first: Position,
    limit: usize,
    page: impl Fn(&Position, usize) -> Result<Rows<T, Position>, StoreError>,
) -> Vec<T> {
    let (mut all, mut position) = (Vec::new(), first);
    loop {
        let found = page(&position, limit).must();
        assert!(found.rows.len() <= limit, "{} rows in a page of {limit}", found.rows.len());
        all.extend(found.rows);
        let Some(next) = found.next else { return all };
        position = next;
        assert!(all.len() <= ROWS, "reading comes to an end");
    }
}

pub(super) fn pages_of_any_size_give_every_row_once(store: &mut dyn Store) {
    let names: Vec<String> = (0..ROWS).map(|n| n.to_string()).collect();
    apply(store, accounts(1, names.iter().map(|name| account(name, name))));
    apply(store, posts(2, names.iter().map(|name| post(name, name, 5, "x"))));
    apply(store, relations(3, (1..=ROWS).map(|n| relation(&names[n % ROWS], &names[n - 1]))));
    let sources: Vec<SourceId> = names.iter().map(|name| add(store, &timeline(name)).id).collect();
    let parked: Vec<Parked> = names.iter().map(|name| park(name)).collect();
    store.park(&parked).must();
    let all = Filter::default();
    for limit in [1, 2, 3, ROWS - 1, ROWS, ROWS + 1, 1000] {
        assert_eq!(read(0, limit, |above, limit| store.posts(&all.from(*above), limit)), all_posts(store));
        let found = read(0, limit, |above, limit| store.accounts(&all.from(*above), limit));
        assert_eq!(found, all_accounts(store));
        let found = read(0, limit, |above, limit| store.relations(&all.from(*above), limit));
        assert_eq!(found, all_relations(store));
        let found = read(SourceId(0), limit, |above, limit| store.sources_above(*above, limit));
        assert_eq!(found.iter().map(|source| source.id).collect::<Vec<_>>(), sources);
        let found = read(String::new(), limit, |above, limit| store.parked_above(above, limit));
        assert_eq!(found, parked);
        let slots = store.slots_above(sources[0], limit).must();
        let ids: Vec<SourceId> = slots.iter().map(|slot| slot.id).collect();
        assert_eq!(ids, sources[1..ROWS.min(1 + limit)]);
    }
    assert_eq!(store.lists(&all, 10).must(), Rows::default());
}

fn park(name: &str) -> Parked {
    Parked {
        address: format!("n/post/{name}"),
        missing: "likes".into(),
        parked_at: at(1),
        object: "{}".into(),
        source: None,
    }
}

pub(super) fn what_is_written_while_somebody_reads_is_met_above(store: &mut dyn Store) {
    apply(store, posts(1, (0..4).map(|n| post(&n.to_string(), "a", 5, "x"))));
    let first = store.posts(&Filter::default(), 2).must();
    apply(store, posts(2, [post("4", "a", 6, "y")]));
    let above = first.next.expect("there are more");
    let rest = store.posts(&Filter::default().from(above), 10).must();
    let ids: Vec<&str> = first.rows.iter().chain(&rest.rows).map(|row| row.post.id.as_str()).collect();
    assert_eq!(ids, ["0", "1", "2", "3", "4"]);
    assert_eq!(rest.next, None);
}

pub(super) fn many_things_are_answered_in_the_order_asked_for(store: &mut dyn Store) {
    apply(store, posts(1, [post("1", "a", 5, "one"), post("2", "b", 6, "two")]));
    let one = add(store, &timeline("a"));
    let other = add(store, &timeline("b"));
    store.set_state(&[other.id], SourceState::Removed).must();
    let texts = |found: Vec<Option<crate::row::PostRow>>| -> Vec<Option<String>> {
        found.into_iter().map(|row| row.map(|row| row.post.text)).collect()
    };
    let expected = [Some("two".to_owned()), None, Some("one".to_owned()), Some("two".to_owned())];
    assert_eq!(
        texts(store.posts_of(&network(), &["2", "9", "1", "2"].map(|id| ("post", id))).must()),
        expected
    );
    let number = |id: &str| store.post_of(&network(), "post", id).must().expect("it is there").object;
    let numbers = [number("2"), 1 << 40, number("1"), number("2")];
    assert_eq!(texts(store.posts_numbered(&numbers).must()), expected);
    let objects = store.objects(&numbers).must();
    assert_eq!(objects.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, true, true]);
    assert_eq!(objects[2].as_ref().map(|row| row.id.as_str()), Some("1"));
    let found = store.accounts_of(&network(), &["b", "z", "a"]).must();
    let ids: Vec<Option<String>> = found.into_iter().map(|row| row.map(|row| row.account.id)).collect();
    assert_eq!(ids, [Some("b".to_owned()), None, Some("a".to_owned())]);
    let found = store.sources(&[other.id, SourceId(77), one.id]).must();
    let ids: Vec<Option<SourceId>> = found.iter().map(|it| it.as_ref().map(|it| it.id)).collect();
    assert_eq!(ids, [Some(other.id), None, Some(one.id)]);
    let states = store.states_of(&[timeline("b"), timeline("z"), timeline("a"), timeline("")]).must();
    assert_eq!(states, [Some(SourceState::Removed), None, Some(SourceState::Active), None]);
    let times = store.posting_times_of(&[one, other, timeline("z")]).must();
    assert_eq!(times, [vec![at(5)], vec![at(6)], vec![]]);
    store.park(&[park("1"), park("2")]).must();
    let addresses = ["n/post/2", "n/post/9", "n/post/1"].map(str::to_owned);
    assert_eq!(store.parked_of(&addresses).must(), [Some(park("2")), None, Some(park("1"))]);
}
