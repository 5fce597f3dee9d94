//! `freshet simulate`: the report that scripts read, plots, and what is said about bad input.

use serde_json::Value;

use crate::support::freshet::Freshet;

/// Two users: one posts every hour, one every second day; 12 days from 1970-01-01.
fn with_trace() -> Freshet {
    let freshet = Freshet::new();
    let busy = (0..12 * 24).map(|hour| format!("0\t{}\n", hour * 3600 + 60));
    let quiet = (0..6).map(|visit| format!("1\t{}\n", visit * 172_800 + 7200));
    std::fs::write(freshet.folder().join("t.tsv"), busy.chain(quiet).collect::<String>())
        .expect("the folder is ours");
    std::fs::write(freshet.folder().join("odd.tsv"), "0\t1\t2\n").expect("the folder is ours");
    freshet
}

fn simulate<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["simulate", "--from", "1970-01-01", "--warm-days", "6", "--eval-days", "6"];
    args.extend(more);
    args
}

#[test]
fn report() {
    let freshet = with_trace();
    let more =
        ["--trace", "t.tsv", "--policies", "rr,freshet,bound", "--calls-per-hour", "1,2", "--plots", "plots"];
    let report = freshet.json(&simulate(&more));
    let policies = report["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 6);
    assert_eq!(report["trace"], "t.tsv");
    assert_eq!((&report["window"]["sources"], &report["window"]["posts"]), (&2.into(), &147.into()));
    for key in [
        "policy",
        "calls",
        "posts_total",
        "captured",
        "coverage",
        "mean_delay_s",
        "median_delay_s",
        "p90_delay_s",
        "posts_per_call",
        "useful_call_share",
        "wall_ms",
    ] {
        assert!(policies.iter().all(|policy| policy.get(key).is_some()), "{key}");
    }
    let mean = |at: usize| policies[at]["mean_delay_s"].as_f64().unwrap();
    assert!(mean(1) < mean(0), "freshet is better than round robin: {policies:#?}");
    assert!(mean(3) < mean(0), "twice the calls are better: {policies:#?}");
    for name in ["delays.svg", "calls.svg", "prices.svg", "budgets.svg"] {
        let svg = std::fs::read_to_string(freshet.folder().join("plots").join(name)).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("freshet") && !svg.contains("NaN"), "{name}: {svg}");
    }
    let text = freshet.ok(&simulate(&["--trace", "t.tsv", "--calls-per-hour", "0"]));
    assert!(text.contains("2 sources, 147 posts") && text.contains("0.0 %"), "{text}");
    assert_eq!(report["policies"][0]["policy"], Value::from("rr"));
}

#[test]
fn bad_input_is_named() {
    let freshet = with_trace();
    let on = |more: &[&'static str]| simulate(&[&["--trace", "t.tsv"], more].concat());
    for (args, words) in [
        (simulate(&["--calls-per-hour", "5"]), &["--trace"][..]),
        (on(&["--calls-per-hour", "5", "--policies", "rr,nonsense"]), &["`nonsense`", "hash", "clairvoyant"]),
        (on(&["--calls-per-hour=-1"]), &["-1"]),
        (on(&["--calls-per-hour", "NaN"]), &["between 0"]),
        (on(&["--calls-per-hour", "5", "--page-size", "0"]), &["page-size"]),
        (on(&["--calls-per-hour", "5", "--objective", "nonsense"]), &["nonsense", "capture"]),
        (
            vec!["simulate", "--trace", "t.tsv", "--from", "7d", "--calls-per-hour", "5"],
            &["span back", "2024-02-01"],
        ),
        (on(&["--calls-per-hour", "5", "--weights", "odd.tsv"]), &["odd.tsv:1"]),
        (simulate(&["--trace", "odd.tsv", "--calls-per-hour", "5"]), &["line 1", "odd.tsv", "3 columns"]),
        (simulate(&["--trace", "absent.tsv", "--calls-per-hour", "5"]), &["absent.tsv"]),
        (
            vec!["simulate", "--trace", "t.tsv", "--from", "2024-02-01", "--calls-per-hour", "5"],
            &["nobody posts", "2024-02-01", "1970-01-12"],
        ),
    ] {
        let said = freshet.say(&args);
        let all = format!("{}\n{}", said.out, said.err);
        assert!(
            said.code == 1 || said.code == 2,
            "`freshet {}` ended with {}\n{all}",
            args.join(" "),
            said.code
        );
        for word in words {
            assert!(all.contains(word), "`freshet {}` does not say `{word}`\n{all}", args.join(" "));
        }
        assert!(!all.contains("panicked"), "{all}");
    }
}

#[test]
fn a_store_without_posts_has_nothing_to_test_on() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let said = freshet.say(&simulate(&["--from-store", "--calls-per-hour", "5"]));
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("no posts were collected"), "{}", said.err);
}

/// Two boards of which threads of four posts are started every eight hours, for 40 days from 1970-01-01; a line without a board.
fn with_forum() -> Freshet {
    let freshet = Freshet::new();
    let posts = (0..120).flat_map(|thread| {
        (0..4).map(move |post| {
            let at_s = thread * 28_800 + post * post * 1_800 + 60;
            format!("{}\t{thread}\t{at_s}\t{}\n", thread % 2, thread % 7)
        })
    });
    let text: String = posts.collect();
    let packed = zstd::encode_all(text.as_bytes(), 3).expect("it fits into memory");
    for (name, bytes) in [
        ("f.tsv", text.as_bytes()),
        ("f.tsv.zst", &packed),
        ("two.tsv", b"0\t5\n"),
        ("odd.tsv", b"0\t1\tsoon\t3\n"),
        ("empty.tsv", b""),
    ] {
        std::fs::write(freshet.folder().join(name), bytes).expect("the folder is ours");
    }
    freshet
}

fn forum<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["simulate", "--from", "1970-01-15", "--warm-days", "10", "--eval-days", "10"];
    args.extend(more);
    args
}

#[test]
fn forums_are_compared() {
    let freshet = with_forum();
    let names = "bound-based,lws+gap,freshet,oracle,live";
    let asked = |trace| {
        forum(&["--forum", trace, "--pages-per-day", "20,200", "--policies", names, "--plots", "plots"])
    };
    let report = freshet.json(&asked("f.tsv"));
    assert_eq!(report["trace"], "f.tsv");
    for (key, value) in
        [("boards", 2), ("threads", 102), ("archived_posts", 168), ("posts", 120), ("page_size", 20)]
    {
        assert_eq!(report["window"][key], Value::from(value), "{key}");
    }
    let policies = report["policies"].as_array().expect("a list");
    let got: Vec<&str> = policies.iter().filter_map(|policy| policy["policy"].as_str()).collect();
    assert_eq!(got[..5].join(","), names);
    assert_eq!(got[..5], got[5..]);
    let delay = |at: usize| policies[at]["posts"]["mean_delay_s"].as_f64().expect("posts were made");
    assert!(delay(7) < delay(2), "ten times the pages are better: {policies:#?}");
    assert!(delay(8) <= delay(7) && delay(7) < delay(5), "knowing more is better: {policies:#?}");
    for name in ["year-use", "year-coverage", "year-timeliness", "bandwidth-use", "bandwidth-timeliness"] {
        let svg = std::fs::read_to_string(freshet.folder().join(format!("plots/{name}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("freshet") && !svg.contains("NaN"), "{name}: {svg}");
    }
    let packed = freshet.json(&asked("f.tsv.zst"));
    assert_eq!(packed["policies"], report["policies"], "packed or not, the same");
    let text = freshet.ok(&forum(&["--forum", "f.tsv", "--pages-per-day", "50"]));
    assert!(text.contains("2 boards, 102 threads") && text.contains("lws+bc"), "{text}");
}

#[test]
fn bad_input_about_a_forum_is_named() {
    let freshet = with_forum();
    let on = |more: &[&'static str]| forum(&[&["--forum", "f.tsv"], more].concat());
    let of = |trace: &'static str| forum(&["--forum", trace, "--pages-per-day", "50"]);
    for (args, words) in [
        (on(&[]), &["--pages-per-day"][..]),
        (on(&["--pages-per-day", "0"]), &["between 1 and", "without a page"]),
        (on(&["--pages-per-day", "many"]), &["many", "pages a day"]),
        (on(&["--pages-per-day", "50", "--policies", "freshet,rr"]), &["`rr`", "lws+bc", "live"]),
        (on(&["--pages-per-day", "50", "--page-size", "5"]), &["10 to 50", "5"]),
        (on(&["--pages-per-day", "50", "--calls-per-hour", "5"]), &["--calls-per-hour"]),
        (on(&["--pages-per-day", "50", "--trace", "f.tsv"]), &["--trace"]),
        (vec!["simulate", "--forum", "f.tsv", "--from", "7d", "--pages-per-day", "9"], &["span back"]),
        (
            vec!["simulate", "--forum", "f.tsv", "--from", "2024-02-01", "--pages-per-day", "9"],
            &["nobody posts", "1970-02-09", "--from"],
        ),
        (of("two.tsv"), &["line 1", "two.tsv", "4 columns"]),
        (of("odd.tsv"), &["line 1", "odd.tsv", "`soon`"]),
        (of("empty.tsv"), &["nobody posts", "is empty"]),
        (of("absent.tsv"), &["absent.tsv"]),
        (
            vec![
                "simulate",
                "--forum",
                "f.tsv",
                "--from",
                "1969-12-01",
                "--warm-days",
                "30",
                "--eval-days",
                "9",
                "--pages-per-day",
                "9",
                "--policies",
                "live",
            ],
            &["`live` cannot crawl", "leave `live` out"],
        ),
    ] {
        let said = freshet.say(&args);
        let all = format!("{}\n{}", said.out, said.err);
        assert!(said.code == 1 || said.code == 2, "`{}` ended with {}\n{all}", args.join(" "), said.code);
        for word in words {
            assert!(all.contains(word), "`freshet {}` does not say `{word}`\n{all}", args.join(" "));
        }
        assert!(!all.contains("panicked"), "{all}");
    }
}
