//! Where the numbers inside `freshet` come from, as far as the repository tells.
//!
//! A list by hand, beside the study it qualifies: whoever changes one of these constants after looking at a history says so
//! here. Constants that follow from something else (sizes of vectors, bounds against overflow, steps of a search) are not in it.

use crate::study::page::Page;

/// Constant, value, file below `crates/freshet-policy/src`, where it comes from.
const ORIGINS: &[[&str; 4]] = &[
    [
        "`USUAL`",
        "11 × 6 weights, from 0.35 of the month and 0.2 of the burst (next quarter hour) to 0.7 of the month and none of the burst (a week ahead)",
        "`mixture.rs`",
        "fits on development histories, what they have in common, rounded",
    ],
    [
        "`SCATTERS_USUAL`",
        "2, 1, 0.6, 0.5, 0.4; 1, 3 for silent sources",
        "`mixture.rs`",
        "fits on development histories, rounded",
    ],
    ["`SILENT_USUAL`", "0.5, 0.8", "`mixture.rs`", "fits on development histories, rounded"],
    [
        "`SILENT_SHARE`, `SILENT_EXPECTED_MIN`, `QUICK`",
        "0.2, 3 posts, levels of 2 days and 16 hours",
        "`mixture.rs`",
        "chosen by one window, a1 2021-03 ([capture](capture.md))",
    ],
    [
        "`WEIGHT_MAX`",
        "2",
        "`mixture/fit.rs`",
        "set against weights that ran away; the ratio to the reference fell from 0.915 to 0.906 with it, measured on these six windows",
    ],
    [
        "`HALF_LIVES_H`, `BURST_HALF_LIFE_H`, `PSEUDO_COUNTS`",
        "28 d, 7 d, 2 d, 16 h; 0.35 h; 1, 1, 0.1, 0.1",
        "`rhythm/sums.rs`",
        "by hand; no fit is recorded, the development histories were at hand",
    ],
    [
        "`DAY_SHARE`, `NEIGHBOUR_SHARE`, `PSEUDO_COUNT`",
        "0.3, 0.2, 20 posts",
        "`rhythm/week.rs`, `rhythm/shape.rs`, `change/levels.rs`",
        "by hand; no fit is recorded, the development histories were at hand",
    ],
    [
        "`CLASS_EDGES`, `EDGES_H`",
        "1.2, 4, 15, 60 posts; ¼ h to 168 h",
        "`mixture.rs`",
        "by hand; no fit is recorded, the development histories were at hand",
    ],
    [
        "`PRIOR_POSTS`, `PRIOR_MIN`, `PRIOR_LAST`, `POSTS_MAX`, `POSTS_SHARE_MAX`, `AFTER_POST_H`",
        "30; 0.03, 0.003; 0.4 and 0.5 of the slow levels; 8; 1.5; 3 h",
        "`mixture/fit.rs`",
        "by hand; no fit is recorded, the development histories were at hand",
    ],
    [
        "`FIT_DAYS`, `GAP_ROUNDS`, `PRICE_SHIFT_MAX`, `PLAN_AGE_MAX`",
        "3 d, 4 rounds, 4 %, 36 h",
        "`policies/freshet/roster.rs`",
        "by hand; no fit is recorded, the development histories were at hand",
    ],
    [
        "`GAIN`, `FACTOR_MIN`, `FACTOR_MAX`",
        "0.2; 0.2 to 3",
        "`price/hours.rs`",
        "by hand; no fit is recorded, the development histories were at hand",
    ],
    [
        "`SLACK_SHARE`, `SLACK_MAX`",
        "0.5, 20",
        "`policies/freshet.rs`",
        "by hand, for the engine alone; measured over nine windows ([live](live.md)), the three *checked* ones below among them",
    ],
    [
        "`NODE_COUNT`, `STEPS`, `REACH_UNITS`",
        "32 nodes; steps of 1 to 16; 6 gaps",
        "`lookahead/grid.rs`",
        "as few as did equally well on these six windows and on [known rates](known-rates.md)",
    ],
];

pub(super) fn write(page: &mut Page) {
    page.section("What was tuned, and on what");
    page.text(
        "`freshet` fits its weights on what its own visits returned, from the warm-up on and every three days. What it begins with, and what no fit changes, was set while it was \
         developed. The *development histories* are the six windows above: they were the only ones in use when these numbers were written down, and commits of that time quote their mean. Which \
         of the six a fit was made on is not recorded, so all six count as seen, and the ratios above are those of a policy on the histories it was made with.",
    );
    page.table(
        &["constant", "value", "file, in `crates/freshet-policy/src`", "from"],
        ORIGINS.iter().map(|row| row.map(str::to_owned).to_vec()),
    );
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_constant_is_where_the_list_says() {
        let policy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../freshet-policy/src");
        for [names, _, files, _] in ORIGINS {
            let text: String = files
                .split(", ")
                .map(|file| {
                    std::fs::read_to_string(policy.join(file.trim_matches('`')))
                        .unwrap_or_else(|error| panic!("{file}: {error}"))
                })
                .collect();
            for name in names.split(", ") {
                assert!(text.contains(&format!("const {}:", name.trim_matches('`'))), "{name} in {files}");
            }
        }
    }
}
