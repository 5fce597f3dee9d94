//! What is known to be untidy: figures that may only fall.
//!
//! Each list is a debt with a name. A rule refuses what is above its figure; whoever pays some of it back writes the
//! lower figure here, and `cargo xtask tidy` says when that was forgotten. An entry that has come to nothing goes.

use super::Finding;

/// Folders of modules in which some know each other in a ring, and how many at most.
pub(super) const CYCLES: &[(&str, usize)] = &[];

/// Packages with items that are `pub` for nobody, and how many at most.
pub(super) const DEAD_PUB: &[(&str, usize)] = &[];

/// Files whose items are offered to others although nothing here needs them, each with its reason.
pub(super) const OFFERED: &[(&str, &str)] = &[
    (
        "crates/freshet-network/src/snapi",
        "the generic API of the founding paper, for programs on this library",
    ),
    ("crates/freshet-fetch/src/recording.rs", "recordings are played back by whoever has them"),
    (
        "crates/freshet-policy/src/refresh/similarity.rs",
        "how alike two pages are, for pages that nobody recorded yet",
    ),
    ("crates/freshet-policy/src/change/estimate.rs", "estimators of papers, to compare others with"),
    (
        "crates/freshet-frontier/src/priority.rs",
        "the interaction rate of the founding paper, for programs that know who asks for what",
    ),
    ("crates/freshet-fetch/src/clock.rs", "whoever runs long by a remote clock corrects what drifted"),
];

/// Packages that look things up in JSON by text, and how many times at most.
pub(super) const TEXT_KEYS: &[(&str, usize)] =
    &[("freshet-fetch", 2), ("freshet-forum", 4), ("freshet-network", 6), ("freshet-web", 1)];

/// Doors to the core beside its own, at most.
pub(super) const DOORS: &[(&str, usize)] = &[];

/// Packages above their share of all lines, and how many hundredths they have at most.
pub(super) const LARGE: &[(&str, usize)] = &[];

/// Refuses a figure above the known one; a package that is not listed may have none.
pub(super) fn at_most(
    figures: &[(&str, usize)],
    package: &str,
    count: usize,
    advice: impl FnOnce(usize) -> String,
    findings: &mut Vec<Finding>,
) {
    let most = figures.iter().find(|(name, _)| *name == package).map_or(0, |(_, most)| *most);
    if count > most {
        findings.push(Finding::new(package, advice(most)));
    }
}

/// Lines that say which figures may be lowered: list, package, figure now.
pub(super) fn slack(list: &str, figures: &[(&str, usize)], count_of: impl Fn(&str) -> usize) -> Vec<String> {
    let lower = figures.iter().filter(|(package, most)| count_of(package) < *most);
    lower
        .map(|(package, most)| {
            format!(
                "{list} of {package}: {} now, {most} in xtask/src/tidy/known.rs; lower it",
                count_of(package)
            )
        })
        .collect()
}
