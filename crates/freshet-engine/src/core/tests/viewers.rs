//! A source that is read as a viewer: with that credential or not at all, and nothing of it for others.

use std::sync::atomic::{AtomicBool, Ordering};

use freshet_types::{Holder, Viewer};

use super::*;

/// A core that has a credential for everybody, and that of the viewer `ada` as long as it is there.
fn bench(is_there: &Arc<AtomicBool>) -> Bench {
    let is_there = Arc::clone(is_there);
    let mut bench = Bench::new("change-rate");
    bench.core.credential = Arc::new(move |_, _, asked_as| match asked_as {
        AskedAs::Everybody { .. } => vec![Holder::alone("shared".into())],
        AskedAs::Viewer("ada") if is_there.load(Ordering::Relaxed) => vec![Holder::alone("ada".into())],
        AskedAs::Viewer(_) => Vec::new(),
    });
    bench
}

/// The credential that a request shows.
fn shown_with(order: &Order) -> Option<String> {
    order.request.auth.as_ref().map(|auth| auth.credential.to_string())
}

fn know(bench: &mut Bench, number: u32, viewer: Option<&str>) {
    let source = Source::new(&NETWORK.into(), "posts", RobotKind::Status, "account", "7");
    let viewer = viewer.map(Viewer::from);
    bench.know_all([Source { id: SourceId(number), viewer, ..source }]);
}

#[test]
fn each_is_asked_about_with_its_own_credential_and_its_pages_are_marked() {
    let mut bench = bench(&Arc::new(AtomicBool::new(true)));
    know(&mut bench, 1, None);
    know(&mut bench, 2, Some("ada"));
    let mut shown = Vec::new();
    while let Some(order) = bench.orders.front() {
        shown.push(shown_with(order));
        bench.answer(Page::default());
    }
    shown.sort();
    shown.dedup();
    assert_eq!(shown, [Some("ada".to_owned()), Some("shared".to_owned())]);
    let viewers: Vec<_> = bench.uploads.iter().map(|it| it.viewer.as_deref()).collect();
    assert!(viewers.contains(&Some("ada")) && viewers.contains(&None), "{viewers:?}");
    for upload in &bench.uploads {
        let source = upload.source.as_ref().expect("each brings its source");
        assert_eq!(upload.viewer.as_deref(), (source.id == SourceId(2)).then_some("ada"));
    }
}

#[test]
fn without_its_credential_a_source_rests_and_says_so() {
    let is_there = Arc::new(AtomicBool::new(false));
    let mut bench = bench(&is_there);
    know(&mut bench, 2, Some("ada"));
    assert!(bench.orders.is_empty(), "nobody is asked as somebody else");
    let upload = bench.uploads.front().expect("the visit ends");
    let source = upload.source.as_ref().expect("with its source");
    assert_eq!((source.state, upload.viewer.as_deref()), (SourceState::AuthRequired, Some("ada")));
    let failure = source.failure.as_deref().unwrap_or_default();
    assert!(failure.contains("`ada`") && failure.contains("missing"), "{failure}");
    bench.commit_all();
    is_there.store(true, Ordering::Relaxed);
    let source = bench.sources[&SourceId(2)].clone();
    bench.know_all([Source { state: SourceState::Active, due_at: Timestamp::MIN, ..source }]);
    bench.wait(Span::MINUTE);
    let order = bench.orders.front().expect("it goes on when the credential is back");
    assert_eq!(shown_with(order).as_deref(), Some("ada"));
}
