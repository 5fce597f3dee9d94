//! The page of a forum: titles, completeness, and what was learned anew.

use freshet_engine::report::STATUS;
use freshet_store::row::{ListPage, Upload};
use freshet_store::testing;
use freshet_types::list::{BOARD, THREAD};
use freshet_types::{Lead, NetworkName, RobotKind, Source, Timestamp, VisitId};
use serde_json::json;

use super::{FORUM, SCRIPT, Visitor};

/// A board that calls a thread this, one look at it, and what the run says of the forum.
fn fill_forum(path: &std::path::Path, title: &str) {
    let mut store = testing::open(path);
    let network = NetworkName::from(FORUM);
    let board = Source::new(&network, "threads", RobotKind::Status, BOARD, "/b/1");
    store.add_sources(&[board]).unwrap();
    let lead = Lead {
        endpoint: "posts".into(),
        robot: RobotKind::Comment,
        root_kind: THREAD.into(),
        root_id: "/t/7".to_owned(),
        title: Some(title.to_owned()),
        active_at: None,
        grain: freshet_types::Span::ZERO,
    };
    let mut upload = Upload::new(VisitId(2), network, Timestamp::from_secs(1_700_000_200));
    upload.observation.leads = vec![lead];
    upload.page = Some(ListPage { kind: BOARD.into(), id: "/b/1".to_owned(), ..ListPage::default() });
    store.apply(&[upload], |_, _| None).unwrap();
    let note = json!({ "network": FORUM, "at": 1_700_000_000, "is_accepted": true, "what": SCRIPT });
    STATUS.put(&mut store, &json!({ "relearnt": [note] })).unwrap();
}

#[tokio::test]
async fn a_forum_shows_titles_what_is_complete_and_when_it_was_learned_anew() {
    let served = Visitor::start(None, None).await;
    fill_forum(&served.folder.path().join("store.sqlite"), &format!("Bread {SCRIPT}"));
    let page = format!("/forums/{FORUM}");
    for asked in [page.clone(), format!("{page}?only=lacking")] {
        let text = served.text(&asked, 200).await;
        for words in
            ["Bread &lt;script&gt;", "/t/7</bdi></small>", "not visited yet", "learned anew", "“Bread"]
        {
            assert!(text.contains(words), "`{words}` is missing at {asked}\n{text}");
        }
        assert!(!text.contains("<script>alert"), "{text}");
    }
    let text = served.text(&format!("{page}?only=odd"), 400).await;
    assert!(text.contains("proven complete"), "{text}");
    let source = served.text("/sources/4", 200).await;
    assert!(source.contains("Bread &lt;script&gt;") && !source.contains("<script>alert"), "{source}");
}
