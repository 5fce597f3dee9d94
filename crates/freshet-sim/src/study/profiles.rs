//! The first days of a crawl: what it is worth that a profile says how much an account posts.
//!
//! The engine is given accounts by their handles, as a person adds them, and knows nothing of them. With *counts*, the look-up shows
//! how many posts an account has and since when; without, the same world is crawled by the same definition, which does not read the count.
//! Twice: where lists show the four weeks before, as they do at an account's own server, and where they show nothing of them, as those of
//! accounts that a server does not host and has just heard of. Not here: what comes after the first days, when looks know better.

use super::StudyError;
use super::page::{Page, geometric_mean, hours};
use super::traces::{CHAT, CONGRESS, FIGURES, Stretch, Traces, midnight, stretch};
use crate::experiment::{Profiles, Setup, run as experiment};
use crate::trace::{By, History, Window};

/// The days that count, from the first call on.
const DAYS: u32 = 3;
/// Who posted in so many days before is crawled.
const BEFORE_DAYS: u32 = 28;
/// First day of the four weeks before, and calls an hour.
const WINDOWS: [Stretch; 7] = [
    stretch(FIGURES, (2013, 10, 1), 5.0),
    stretch(FIGURES, (2016, 2, 1), 5.0),
    stretch(CHAT, (2018, 3, 1), 10.0),
    stretch(CHAT, (2020, 2, 1), 10.0),
    stretch(CHAT, (2024, 2, 1), 10.0),
    stretch(CONGRESS, (2019, 2, 1), 60.0),
    stretch(CONGRESS, (2020, 5, 1), 120.0),
];

pub(super) fn run(traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let mut page = Page::new("profiles", "The first days of a crawl");
    page.text(&format!(
        "`live` crawls accounts that were added by their handles, from the first call on, for {DAYS} days that all count; mean delays in hours. With *counts* a profile \
         says how many posts its account has and since when, which is what the engine expects of it before any look; without, the mean of all sources \
         is. Profiles count all posts of the trace before that day. Whoever posted in the {BEFORE_DAYS} days before is crawled. Both crawls spend the same calls, look-ups among them."
    ));
    for (title, shows_before) in
        [("Lists show the four weeks before", true), ("Lists show nothing of the time before", false)]
    {
        page.section(title);
        let (mut rows, mut ratios) = (Vec::new(), Vec::new());
        for window in &WINDOWS {
            let delays_s = delays_s(&read(window, traces)?, window.calls_per_hour, shows_before)?;
            let ratio = delays_s[1].unwrap_or(0.0) / delays_s[0].unwrap_or(1.0);
            ratios.push(ratio);
            let [without, with] = delays_s.map(hours);
            rows.push(vec![window.name(), without, with, format!("{ratio:.3}")]);
        }
        page.table(&["window", "#without counts", "#with counts", "#ratio"], rows);
        let mean = geometric_mean(&ratios).unwrap_or(0.0);
        page.text(&format!("Geometric mean of the ratios: {mean:.3}."));
    }
    Ok(vec![page])
}

fn read(window: &Stretch, traces: &Traces) -> Result<History, StudyError> {
    let stretch = Window { from: midnight(window.from), warm_days: BEFORE_DAYS, eval_days: DAYS };
    traces.read(window.trace, stretch, By::Author)
}

/// Mean delays without counts and with them.
fn delays_s(
    history: &History,
    calls_per_hour: f64,
    shows_before: bool,
) -> Result<[Option<f64>; 2], StudyError> {
    let history = if shows_before { history.clone() } else { history.clone().told_from_start() };
    let mut delays_s = [None; 2];
    for (delay_s, profiles) in delays_s.iter_mut().zip([Profiles::Uncounted, Profiles::Shown]) {
        let setup = Setup { profiles, is_cold: true, ..Setup::new(calls_per_hour) };
        *delay_s = experiment(&history, "live", &setup)?.mean_delay_s;
    }
    Ok(delays_s)
}
