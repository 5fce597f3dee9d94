//! Care on the dashboard: what is kept, what was erased, and which exports have to hear of it.

use freshet_store::keeping::{Erasure, ErasureKind, ExportRow};
use freshet_store::testing;
use freshet_types::{Span, Timestamp};

use super::{SCRIPT, Visitor};

#[tokio::test]
async fn care_says_what_is_kept_and_who_has_to_hear() {
    let served = Visitor::start(None, None).await;
    let page = served.text("/care", 200).await;
    assert!(page.contains("a person watches it") && page.contains("No export is remembered"), "{page}");
    let mut store = testing::open(&served.folder.path().join("store.sqlite"));
    let at = Timestamp::from_secs;
    let erasure = Erasure {
        number: 0,
        kind: ErasureKind::Forgotten,
        first_at: at(2_000),
        last_at: at(2_000),
        posts: 37,
        others: 1,
        receipt: None,
    };
    let number = store.note_erasure(&erasure).unwrap();
    store.note_erasure(&Erasure { number, receipt: Some("abc123".to_owned()), ..erasure }).unwrap();
    let export = |path: String| ExportRow {
        path,
        is_snapshot: false,
        made_at: at(1_000),
        up_to: 9,
        heard_at: at(1_000),
    };
    let there = served.folder.path().display().to_string();
    store.note_export(&export(there.clone())).unwrap();
    store.note_export(&export(format!("/gone/{SCRIPT}"))).unwrap();
    store.retain_network(&"mastodon:a.example".into(), Some(Span::DAY * 90.0)).unwrap();
    let page = served.text("/care", 200).await;
    for words in ["abc123", "--apply-deletions", "not there any more", "freshet care drop", ">37<"] {
        assert!(page.contains(words), "`{words}` is not in {page}");
    }
    assert!(!page.contains(SCRIPT), "{page}");
    let report: serde_json::Value =
        serde_json::from_str(&served.text("/api/v1/care", 200).await).expect("a report");
    let overdue =
        report["exports"].as_array().unwrap().iter().find(|it| it["path"] == there.as_str()).unwrap();
    assert_eq!((&overdue["is_overdue"], &overdue["erasures_count"]), (&true.into(), &1.into()), "{report}");
    assert_eq!(report["within_s"], 2_592_000.0);
    assert_eq!(report["erasures"][0]["posts_count"], 37);
}
