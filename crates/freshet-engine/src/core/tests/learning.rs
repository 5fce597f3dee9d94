//! What a visit learns, when: after its pages are stored, from what the store found new, however the visit ends.

use freshet_policy::DEFAULT_POLICY;
use freshet_types::Outcome;

use super::*;

/// A page of three posts, with a link below it where the list goes on.
fn page(goes_on: bool) -> Page {
    let mut page = list("7", [999_000, 998_000, 990_000]);
    page.next = goes_on.then(|| "older".to_owned());
    page
}

/// Answers the second question, or lets it go unanswered.
type End = fn(&mut Bench);

/// Visits a source whose first page is `page`, of which the store has these posts already, and which ends so: its summary has this outcome and
/// counts so many new posts, and the model has learned as many.
fn check(what: &str, first: Page, stored: &[i64], end: End, expected: (&str, u32)) {
    let mut bench = Bench::new(DEFAULT_POLICY);
    bench.stored.extend(stored.iter().map(|second| format!("{NETWORK}/{second}")));
    let id = bench.know(1, "7");
    let before = bench.sources[&id].model.clone();
    bench.answer(first);
    end(&mut bench);
    assert!(bench.uploads.iter().all(|upload| upload.summary.is_none()), "{what}: pages are stored first");
    let models = bench.uploads.iter().filter_map(|upload| upload.source.as_ref()).map(|source| &source.model);
    assert!(models.eq(std::iter::repeat_n(&before, bench.uploads.len())), "{what}: nothing is learned yet");
    while bench.uploads.front().is_some_and(|upload| upload.summary.is_none()) {
        bench.commit(Applied::default());
    }
    let summary = bench.uploads.front().and_then(|upload| upload.summary.clone()).expect(what);
    assert_eq!((summary.outcome.as_str(), summary.new_post_count), expected, "{what}");
    bench.commit_all();
    assert!(bench.core.is_idle(), "{what}");
    let rate = |model: &[u8]| {
        let policy = policy_named(DEFAULT_POLICY, Pacing::default()).unwrap();
        policy.rate_per_s(model, &freshet_policy::Market::new(Objective::Delay))
    };
    let learned = &bench.sources[&id].model;
    assert_ne!(learned, &before, "{what}: the summary carries what was learned");
    let mut silent = Bench::new(DEFAULT_POLICY);
    silent.know(1, "7");
    silent.answer(list("7", []));
    silent.commit_all();
    let is_lively = rate(learned) > rate(&silent.sources[&id].model);
    assert_eq!(is_lively, expected.1 > 0, "{what}: it learned from what the store found new");
}

#[test]
fn a_visit_learns_from_what_the_store_found_new_however_it_ends() {
    let nothing: End = |_| {};
    check("all of it is new", page(false), &[], nothing, ("ok", 3));
    check("some came with another source", page(false), &[998_000], nothing, ("ok", 2));
    check("all came with another source", page(false), &[999_000, 998_000, 990_000], nothing, ("ok", 0));
    let refused: End = |bench| {
        let until = Some(bench.now + Span::HOUR);
        bench.answer(Page { outcome: Outcome::RateLimited { until }, ..Page::default() });
    };
    check("the quota ran out below the first page", page(true), &[], refused, ("postponed", 3));
    let failed: End = |bench| bench.answer(Page { outcome: Outcome::BadRequest, ..Page::default() });
    check("the page below it fails", page(true), &[], failed, ("failed", 3));
}

#[test]
fn an_answer_that_comes_when_its_visit_waits_for_the_store_is_too_late() {
    let mut bench = Bench::new("change-rate");
    bench.know(1, "7");
    bench.answer(page(true));
    let visit = bench.orders[0].id.visit;
    // Its lease ends while the store has not confirmed the first page.
    for _ in 0..15 {
        bench.wait(Span::from_secs(10));
    }
    assert_eq!(bench.core.tally().fetches_count, 2);
    bench.answer(list("7", [980_000]));
    assert_eq!(bench.uploads.len(), 1, "it was given up");
    bench.commit_all();
    assert!(bench.core.visits.get(visit).is_none(), "and its visit is over");
}
