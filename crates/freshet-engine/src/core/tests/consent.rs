//! An owner who asks not to be collected while one of their sources is being visited.

use super::*;

/// Whatever a visit was doing when its owner asked to be left alone, its source rests afterwards.
fn check(what: &str, before: impl FnOnce(&mut Bench), after: impl FnOnce(&mut Bench)) {
    let mut bench = Bench::new("change-rate");
    let id = bench.know(1, "7");
    before(&mut bench);
    let rested = Applied { rested: vec![id], ..Applied::default() };
    bench.tell(Event::Applied(vec![(VisitId(999), rested)]));
    after(&mut bench);
    bench.commit_all();
    let slot = bench.slot(id);
    assert!(!slot.is_leased, "{what}");
    assert_eq!(slot.state, SourceState::OptedOut, "{what}");
    assert!(slot.news_at - bench.now >= schedule::REVIVAL_GAP, "{what}: {}", slot.news_at - bench.now);
    assert_eq!(slot.grade, Grade::NONE, "{what}");
}

#[test]
fn a_source_whose_owner_opts_out_rests_whatever_was_under_way() {
    let page = || list("7", [999_000, 999_500]);
    check("nothing answered yet", |_| {}, |bench| bench.answer(page()));
    check("its page is on its way to the store", |bench| bench.answer(page()), |_| {});
    let summary = |bench: &mut Bench| {
        bench.answer(page());
        bench.commit(Applied::default());
    };
    check("its summary is on its way to the store", summary, |_| {});
}

#[test]
fn only_a_visit_that_began_opted_out_may_end_that() {
    for (state, expected) in [(SourceState::Active, false), (SourceState::OptedOut, true)] {
        let mut bench = Bench::new("change-rate");
        bench.know_as(1, "7", state);
        bench.answer(list("7", [999_000]));
        assert_eq!(bench.uploads[0].was_opted_out, expected, "{}", state.name());
    }
}
