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
