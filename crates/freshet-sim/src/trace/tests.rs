//! What a trace may hold, and what is said about the rest.

use super::*;

const WINDOW: Window = Window { from: Timestamp::from_secs(0), warm_days: 1, eval_days: 1 };

fn read(name: &str, bytes: &[u8], by: By) -> Result<History, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    History::read(&path, WINDOW, by)
        .map_err(|error| error.to_string().replace(dir.path().to_str().unwrap(), ""))
}

/// `user:second,second user:…`
fn show(history: &History) -> String {
    let posts =
        |poster: &Poster| poster.posts.iter().map(|at| at.secs().to_string()).collect::<Vec<_>>().join(",");
    history.posters.iter().map(|it| format!("{}:{}", it.user, posts(it))).collect::<Vec<_>>().join(" ")
}

fn check(text: &str, by: By, expected: &str) {
    for (name, bytes) in
        [("t.tsv", text.as_bytes().to_vec()), ("t.tsv.zst", zstd::encode_all(text.as_bytes(), 3).unwrap())]
    {
        let got =
            read(name, &bytes, by).map_or_else(|error| error.replace(name, "t"), |history| show(&history));
        assert!(got.contains(expected), "{text:?} as {name}: {got}");
    }
}

#[test]
fn lines_in_any_order_are_a_history() {
    let author = By::Author;
    check("1\t5\n0\t90000\n0\t7\n", author, "0:7,90000 1:5");
    check("0\t5\n0\t5\n0\t5\n", author, "0:5,5,5");
    // Before the window, after it, before 1970: known to the trace, not to the window.
    check("0\t5\n0\t-9\n0\t999999999999\n7\t90000\n", author, "line 3");
    check("0\t5\n0\t-9\n0\t99999999999\n7\t90000\n", author, "0:5");
    check("0\t5\r\n\n0\t6", author, "0:5,6");
    let forum = "3\t30\t5\t8\n3\t31\t6\t9\n";
    check(forum, author, "8:5 9:6");
    check(forum, By::Thread, "30:5 31:6");
    check(forum, By::Board, "3:5,6");
}

#[test]
fn what_is_no_trace_is_named() {
    let author = By::Author;
    check("0\t5\t6\n", author, "line 1 of the trace `/t` has 3 columns; a trace has 2");
    check("0\t5\n1\t2\t3\t4\n", author, "line 2 of the trace `/t` has 4 columns, the lines before it have 2");
    check("user\tseconds\n", author, "`user` where a whole number is expected");
    check("0\t5.5\n", author, "`5.5`");
    check("-1\t5\n", author, "`-1`");
    check("0\t5\n", By::Board, "has no thread");
    check(&"9".repeat(400), author, "longer than a line");
    check(
        "",
        author,
        "nobody posts in the warm-up from 1970-01-01T00:00:00Z to 1970-01-02T00:00:00Z; the trace `/t` is empty",
    );
    check("0\t90000\n", author, "has posts from 1970-01-02T01:00:00Z to 1970-01-02T01:00:00Z");
}

#[test]
fn truncated_compression_is_told() {
    let lines: Vec<_> = (0..50_000).map(|post| format!("{}\t{post}", post * 7919 % 977)).collect();
    let text = lines.join("\n");
    let whole = zstd::encode_all(text.as_bytes(), 3).unwrap();
    assert!(read("t", &whole, By::Author).is_ok());
    let error = read("t", &whole[..whole.len() / 2], By::Author).unwrap_err();
    assert!(error.contains("middle of its compression"), "{error}");
    let mut broken = whole.clone();
    let middle = broken.len() / 2;
    broken[middle..middle + 50].fill(0xff);
    assert!(read("t", &broken, By::Author).is_err());
}
