//! The words of a snapshot's README.

use freshet_report::snapshot::CoverageSums;
use freshet_types::Timestamp;

use super::readme::Facts;

fn facts(coverage: CoverageSums) -> Facts {
    Facts {
        version: 1,
        freshet: "0.1.0",
        title: None,
        made_at: Timestamp::from_secs(1_770_000_000),
        since: None,
        until: None,
        network: None,
        format: "parquet",
        days: Some(("2026-01-05".to_owned(), "2026-02-01".to_owned())),
        counts: vec![("posts".to_owned(), 1234), ("accounts".to_owned(), 5)],
        deleted_count: 0,
        constraints: Vec::new(),
        focus: None,
        definitions: Vec::new(),
        coverage,
    }
}

fn check(facts: &Facts, has: &[&str], lacks: &[&str]) {
    let text = facts.text();
    for words in has {
        assert!(text.contains(words), "`{words}` is not in\n{text}");
    }
    for words in lacks {
        assert!(!text.contains(words), "`{words}` is in\n{text}");
    }
}

#[test]
fn holes_are_told() {
    let whole = CoverageSums { lists_count: 3, complete_count: 3, ..CoverageSums::default() };
    check(
        &facts(whole.clone()),
        &["Of 3 lists that were watched, 3 are proven complete", "1,234 posts made between"],
        &["hole may", "never visited"],
    );
    let holed =
        CoverageSums { complete_count: 1, unvisited_count: 1, holes_count: 2, uncloseable_count: 1, ..whole };
    check(
        &facts(holed),
        &["2 holes may hide posts; 1 of them cannot be closed", "1 list was never visited"],
        &[],
    );
    check(&facts(CoverageSums::default()), &["nothing is proven"], &[]);
}

#[test]
fn what_was_left_out_is_told() {
    let all = facts(CoverageSums::default());
    check(&all, &["Nothing that was collected is left out"], &["Think before"]);
    let since = Some(Timestamp::from_secs(1_760_000_000));
    let some = Facts { since, network: Some("mastodon".to_owned()), deleted_count: 7, ..all };
    check(
        &some,
        &["created since 2025-10-09", "of `mastodon` only", "7 posts", "Think before"],
        &["Nothing that was"],
    );
    check(&some, &[], &["inside this focus"]);
    let coverage = CoverageSums { lists_count: 1, complete_count: 1, ..CoverageSums::default() };
    let only = Facts { focus: Some("tag weather".to_owned()), coverage, ..some.clone() };
    check(&only, &["Only posts inside this focus were stored: `tag weather`"], &[]);
    assert_eq!(serde_json::to_value(only.report()).unwrap()["focus"], "tag weather");
    let json = serde_json::to_value(some.report()).unwrap();
    assert_eq!((&json["counts"]["posts_count"], &json["since"]), (&1234.into(), &1_760_000_000.into()));
}
