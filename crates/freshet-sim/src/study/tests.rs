//! Studies as a family: names, pages, and what is said when traces lack.

use super::*;

#[test]
fn names_are_unique_and_missing_traces_are_named() {
    let mut names: Vec<_> = STUDIES.iter().map(|study| study.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), STUDIES.len());
    let empty = tempfile::tempdir().unwrap();
    let error = Traces::open(empty.path()).unwrap_err().to_string();
    assert!(error.contains("`a1_us_congress_tweets.tsv.zst`") && error.contains("--traces"), "{error}");
}

#[test]
fn a_page_is_markdown_with_plots_beside_it() {
    let mut page = Page::new("example", "Example");
    page.section("Numbers");
    page.text("  A paragraph.\n");
    page.table(&["name", "#count"], [vec!["a".to_owned(), "1".to_owned()]]);
    let lines = vec![("a".to_owned(), vec![(1.0, 2.0), (2.0, 3.0)])];
    let (x, y) = (("x", crate::plot::Scale::Linear), ("y", crate::plot::Scale::Linear));
    page.plot("example", &crate::plot::Plot { title: "T", x, y, lines });
    page.plot("nothing", &crate::plot::Plot { title: "T", x, y, lines: Vec::new() });
    let expected = "# Example\n\n## Numbers\n\nA paragraph.\n\n| name | count |\n|---|--:|\n| a | 1 |\n\n![T](example.svg)\n";
    assert_eq!(page.markdown(), expected);
    assert_eq!(page.plots.len(), 1);
}

#[test]
fn what_has_no_mean_has_none() {
    assert_eq!(page::geometric_mean(&[]), None);
    assert_eq!(page::geometric_mean(&[1.0, 0.0]), None);
    assert!((page::geometric_mean(&[2.0, 8.0]).unwrap() - 4.0).abs() < 1e-12);
    assert_eq!(page::gain(1.0, 0.0), "-");
    assert_eq!(page::hours(None), "-");
}

#[test]
fn midnights_are_utc() {
    assert_eq!(traces::midnight((2019, 2, 1)).secs(), 1_548_979_200);
    assert_eq!(traces::midnight((2019, 2, 30)).secs(), 0);
}
