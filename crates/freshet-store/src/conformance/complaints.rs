//! Behaviours of complaints: what could not be used of answers is counted, sampled, bounded and forgotten.

use freshet_types::{Complaint, Span, VisitId};

use super::kit::{Must, account, accounts, add, apply, at, network, post, posts, timeline};
use crate::api::Store;
use crate::row::{ComplaintRow, OnDelete, Upload};

/// An upload of this visit that complains.
fn complaining(visit: u64, secs: i64, complaints: impl IntoIterator<Item = Complaint>) -> Upload {
    Upload { visit: VisitId(visit), complaints: complaints.into_iter().collect(), ..posts(secs, []) }
}

fn no_time(value: &str) -> Complaint {
    Complaint::new("/items/2", format!("`{value}` is not a time"))
        .with_sample(format!("{{\"at\":\"{value}\"}}"))
}

fn all(store: &dyn Store) -> Vec<ComplaintRow> {
    store.complaints(None, 1000, 20).must()
}

/// Kind, count and samples of each.
fn summed(store: &dyn Store) -> Vec<(String, u64, usize)> {
    all(store).into_iter().map(|row| (row.what, row.count, row.samples.len())).collect()
}

pub(super) fn complaints_are_counted_by_kind_with_samples(store: &mut dyn Store) {
    let source = add(store, &timeline("a"));
    let by = |upload: Upload| Upload { source: Some(source.clone()), ..upload };
    apply(
        store,
        by(complaining(1, 100, [no_time("soon"), no_time("later"), Complaint::new("body", "no id")])),
    );
    apply(store, by(complaining(2, 200, [no_time("never")])));
    let rows = all(store);
    assert_eq!(rows.len(), 2);
    let times = &rows[0];
    assert_eq!(
        (times.what.as_str(), times.count, times.endpoint.as_str()),
        ("`…` is not a time", 3, "statuses")
    );
    assert_eq!((&times.network, times.first_at, times.last_at), (&network(), at(100), at(200)));
    let newest = &times.samples[0];
    assert_eq!(
        (newest.source, newest.seen_at, &newest.complaint),
        (Some(source.id), at(200), &no_time("never"))
    );
    assert_eq!(times.samples.len(), 3);
    assert_eq!((rows[1].what.as_str(), rows[1].count), ("no id", 1));
    let some = store.complaints(Some("mastodon"), 1, 1).must();
    assert_eq!((some.len(), some[0].samples.len()), (1, 1));
    assert_eq!(store.complaints(Some("bluesky"), 10, 1).must(), []);
}

pub(super) fn an_upload_complains_once(store: &mut dyn Store) {
    let many: Vec<_> = (0..30).map(|n| no_time(&n.to_string())).collect();
    for _ in 0..2 {
        apply(store, complaining(1, 100, many.clone()));
    }
    assert_eq!(summed(store), [("`…` is not a time".to_owned(), 30, 20)]);
    apply(store, complaining(1, 101, many.clone()));
    apply(store, complaining(2, 100, many));
    assert_eq!(summed(store), [("`…` is not a time".to_owned(), 90, 20)], "another page, another visit");
}

pub(super) fn kinds_of_complaints_are_bounded(store: &mut dyn Store) {
    let letters =
        |n: u64| n.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect::<String>();
    for n in 0..510 {
        apply(store, complaining(n, 100 + n as i64, [Complaint::new("/0", letters(n))]));
    }
    let rows = all(store);
    assert_eq!((rows.len(), rows[0].what.as_str(), rows[499].what.as_str()), (500, "faj", "ba"));
}

pub(super) fn samples_go_with_whom_they_may_show(store: &mut dyn Store) {
    apply(store, accounts(100, [account("7", "@ada@a.example")]));
    apply(store, complaining(1, 100, [no_time("soon")]));
    assert_eq!(summed(store), [("`…` is not a time".to_owned(), 1, 1)]);
    store.forget("mastodon:a.example/account/7").must();
    assert_eq!(summed(store), [("`…` is not a time".to_owned(), 1, 0)], "the count names nobody");
    let shown = |sample: &str| Complaint::new("/0", "no id").with_sample(sample);
    let samples =
        [r#"{"by":"7"}"#, r#"{"by":"8"}"#, r#"{"u":"https://a.example/@ada@a.example/1"}"#, r#"{"by":7}"#];
    apply(store, complaining(2, 200, samples.map(shown)));
    let mut kept: Vec<_> = all(store)[0].samples.iter().map(|it| it.complaint.sample.clone()).collect();
    kept.sort();
    assert_eq!(kept, ["", "", "", r#"{"by":"8"}"#]);
    let beside = Upload { complaints: vec![no_time("later")], ..posts(300, [post("1", "7", 10, "x")]) };
    apply(store, beside);
    let row = &all(store)[0];
    assert_eq!(
        (row.count, row.samples[0].complaint.sample.as_str()),
        (2, ""),
        "the page shows who is forgotten"
    );
    assert_eq!(row.samples[0].complaint.what, "`…` is not a time");
}

pub(super) fn samples_go_with_time_and_deleted_posts(store: &mut dyn Store) {
    store.set_on_delete(&network(), OnDelete::Redact).must();
    let brief = freshet_types::Source { retention: Some(Span::from_secs(50)), ..timeline("a") };
    let source = add(store, &brief);
    apply(store, Upload { source: Some(source), ..complaining(1, 100, [no_time("soon")]) });
    apply(store, complaining(2, 100, [Complaint::new("/0", "no id")]));
    store.expire(at(140)).must();
    assert_eq!(summed(store).iter().map(|it| it.2).collect::<Vec<_>>(), [1, 1]);
    store.expire(at(160)).must();
    assert_eq!(summed(store).iter().map(|it| it.2).sum::<usize>(), 1, "what the source keeps for less");
    apply(store, posts(200, [post("1", "b", 10, "x")]));
    apply(store, Upload { deleted: vec![("post".into(), "1".into())], ..posts(300, []) });
    assert_eq!(summed(store).iter().map(|it| it.2).sum::<usize>(), 0, "a deleted post may be in one");
    apply(store, complaining(3, 400, [no_time("soon")]));
    store.expire(at(400 + 31 * 24 * 3600)).must();
    assert_eq!(summed(store).iter().map(|it| (it.1, it.2)).collect::<Vec<_>>(), [(1, 0), (1, 0), (1, 0)]);
}

pub(super) fn complaints_of_a_forgotten_source_are_dropped(store: &mut dyn Store) {
    let source = add(store, &timeline("a"));
    store.forget(&source.id.0.to_string()).must();
    apply(store, Upload { source: Some(source), ..complaining(1, 100, [no_time("soon")]) });
    assert_eq!(summed(store), []);
}
