//! The reference experiment on real traces: round robin must agree to half a percent, groups must halve delays, and the engine must
//! do what the experiment says.
//!
//! The traces are not part of the project: their folder is `FRESHET_TEST_TRACES`, else
//! `shared/traces` beside the workspace. Without them the test says so and is counted as skipped.

use std::path::{Path, PathBuf};

use freshet_sim::experiment::{Setup, run};
use freshet_sim::trace::{By, History, Window};
use freshet_types::{Span, Timestamp};

use crate::support::skip;

/// Trace, begin (unix seconds at midnight UTC), calls an hour, sources, posts, mean delay in hours.
const WINDOWS: [(&str, i64, f64, usize, u64, f64); 6] = [
    ("a1_us_congress_tweets", 1_548_979_200, 60.0, 948, 68_051, 7.726),
    ("a1_us_congress_tweets", 1_548_979_200, 20.0, 948, 68_051, 22.866),
    ("a1_us_congress_tweets", 1_614_556_800, 60.0, 1006, 40_142, 8.349),
    ("a3_public_figure_tweets", 1_454_284_800, 10.0, 52, 8_257, 2.633),
    ("a5_indieweb_chat", 1_580_515_200, 10.0, 227, 8_640, 12.005),
    ("a5_indieweb_chat", 1_706_745_600, 10.0, 137, 6_231, 6.668),
];
/// What the clairvoyant reaches in the same windows, in hours. The reference's second figure is
/// 4.137: it fetches every post, which costs more calls than to leave some until the end.
const CLAIRVOYANT_H: [f64; 6] = [0.119, 3.815, 0.0, 0.005, 0.001, 0.0];

/// Sources that a call asks about, as networks allow it.
const GROUP: u32 = 40;
/// The most that groups may leave of the delay without them: in geometric mean over the windows, and in each of them.
const GROUPED_MEAN_MAX: f64 = 0.6;
const GROUPED_MAX: f64 = 1.0;
/// The window in which the engine crawls as well: the one with the fewest calls.
const LIVE_WINDOW: usize = 3;
/// The most that the engine may wait, as a share of the experiment.
const LIVE_MAX: f64 = 1.15;

fn traces(test: &str) -> Option<PathBuf> {
    let given = std::env::var_os("FRESHET_TEST_TRACES").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/traces");
    let dir = given.unwrap_or(beside);
    if dir.is_dir() {
        return Some(dir);
    }
    skip(test, "the traces are not here; `FRESHET_TEST_TRACES` names their folder");
    None
}

fn read(dir: &Path, trace: &str, from_s: i64) -> History {
    let window = Window { from: Timestamp::from_secs(from_s), warm_days: 28, eval_days: 28 };
    History::read(&dir.join(format!("{trace}.tsv.zst")), window, By::Author).expect("the trace can be read")
}

fn mean_h(history: &History, name: &str, setup: &Setup) -> f64 {
    run(history, name, setup).expect("a run").mean_delay_s.expect("posts") / Span::HOUR.secs_f64()
}

#[test]
fn the_reference_experiment() {
    let Some(dir) = traces("reference") else { return };
    let mut last: Option<((&str, i64), History)> = None;
    let mut ratios = Vec::new();
    for ((trace, from_s, calls_per_hour, sources, posts, rr_h), clairvoyant_h) in
        WINDOWS.into_iter().zip(CLAIRVOYANT_H)
    {
        if last.as_ref().is_none_or(|(read, _)| *read != (trace, from_s)) {
            last = Some(((trace, from_s), read(&dir, trace, from_s)));
        }
        let history = &last.as_ref().expect("just read").1;
        let at = format!("{trace} from {from_s}");
        assert_eq!((history.posters.len(), history.eval_count()), (sources, posts), "{at}");
        let setup = Setup::new(calls_per_hour);
        let mean_h = |name: &str| mean_h(history, name, &setup);
        let rr = mean_h("rr");
        assert!((rr / rr_h - 1.0).abs() < 0.005, "rr, {at}: {rr} h instead of {rr_h}");
        let clairvoyant = mean_h("clairvoyant");
        assert!((clairvoyant - clairvoyant_h).abs() < 0.002, "{at}: {clairvoyant} h, not {clairvoyant_h}");
        let freshet = mean_h("freshet");
        assert!(freshet < rr, "freshet, {at}: {freshet} h");
        let ratio = self::mean_h(history, "freshet", &Setup { group: GROUP, ..setup.clone() }) / freshet;
        assert!(ratio <= GROUPED_MAX, "{at}: with groups, it waits {ratio:.2} times as long");
        ratios.push(ratio);
    }
    let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
    assert!(mean.exp() <= GROUPED_MEAN_MAX, "groups leave {:.3} of the delay: {ratios:.2?}", mean.exp());
}

#[test]
fn the_engine_crawls_a_real_window_as_the_experiment_does() {
    let Some(dir) = traces("reference, live") else { return };
    let (trace, from_s, calls_per_hour, ..) = WINDOWS[LIVE_WINDOW];
    let history = read(&dir, trace, from_s);
    let alone = Setup::new(calls_per_hour);
    let [alone_h, grouped_h] = [alone.clone(), Setup { group: GROUP, ..alone }].map(|setup| {
        let [live, freshet] = ["live", "freshet"].map(|name| mean_h(&history, name, &setup));
        assert!(
            live <= freshet * LIVE_MAX,
            "asking about {}: {live} h, {freshet} in the experiment",
            setup.group
        );
        live
    });
    let ratio = grouped_h / alone_h;
    assert!(ratio <= GROUPED_MEAN_MAX, "with groups, the engine waits {ratio:.2} times as long");
}
