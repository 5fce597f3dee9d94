//! Which plots a comparison gives, and where they are written.

use std::path::Path;

use anyhow::Context as _;
use freshet_sim::experiment::Outcome;
use freshet_sim::plot::{Plot, Scale};

const HOUR_S: f64 = 3600.0;

/// Writes the plots of a comparison into a directory, made if need be.
pub fn write(dir: &Path, outcomes: &[Outcome]) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir)
        .with_context(|| format!("the directory `{}` cannot be made", dir.display()))?;
    for (name, plot) in plots(outcomes) {
        let Some(svg) = plot.svg() else { continue };
        let path = dir.join(name);
        std::fs::write(&path, svg).with_context(|| format!("`{}` cannot be written", path.display()))?;
    }
    Ok(())
}

/// The plots that a comparison gives, with the names of their files.
pub fn plots(outcomes: &[Outcome]) -> Vec<(&'static str, Plot<'static>)> {
    let has_budgets =
        outcomes.windows(2).any(|pair| pair[0].calls_per_hour.total_cmp(&pair[1].calls_per_hour).is_ne());
    let name = |outcome: &Outcome| {
        if has_budgets {
            format!("{} {}/h", outcome.policy, outcome.calls_per_hour)
        } else {
            outcome.policy.clone()
        }
    };
    let each = |points: &dyn Fn(&Outcome) -> Vec<(f64, f64)>| {
        let lines = outcomes.iter().map(|outcome| (name(outcome), points(outcome)));
        lines.filter(|(_, points)| !points.is_empty()).collect::<Vec<_>>()
    };
    let by_day = |values: &[f64]| (1..).map(f64::from).zip(values.iter().copied()).collect::<Vec<_>>();
    let delays = each(&|outcome| {
        outcome.series.delay_shares.iter().map(|(upper_s, share)| (upper_s / HOUR_S, *share)).collect()
    });
    let calls = each(&|outcome| {
        by_day(&outcome.series.calls_by_day.iter().map(|calls| *calls as f64).collect::<Vec<_>>())
    });
    let prices = each(&|outcome| by_day(&outcome.series.prices_by_day));
    let mut plots = vec![
        (
            "delays.svg",
            plot(
                "Share of posts seen within a delay",
                ("delay, hours", Scale::Logarithmic),
                ("share", Scale::Linear),
                delays,
            ),
        ),
        ("calls.svg", plot("Calls a day", ("day", Scale::Linear), ("calls", Scale::Linear), calls)),
        (
            "prices.svg",
            plot(
                "Price of a visit, in each policy's own unit",
                ("day", Scale::Linear),
                ("price", Scale::Logarithmic),
                prices,
            ),
        ),
    ];
    if has_budgets {
        let x = ("calls an hour", Scale::Logarithmic);
        let y = ("mean delay, hours", Scale::Logarithmic);
        plots.push(("budgets.svg", plot("Mean delay against budget", x, y, against_budget(outcomes))));
    }
    plots
}

fn plot(
    title: &'static str,
    x: (&'static str, Scale),
    y: (&'static str, Scale),
    lines: Vec<(String, Vec<(f64, f64)>)>,
) -> Plot<'static> {
    Plot { title, x, y, lines }
}

/// One line for each policy, a point for each budget.
fn against_budget(outcomes: &[Outcome]) -> Vec<(String, Vec<(f64, f64)>)> {
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for outcome in outcomes {
        let Some(mean_s) = outcome.mean_delay_s else { continue };
        if !lines.iter().any(|(name, _)| *name == outcome.policy) {
            lines.push((outcome.policy.clone(), Vec::new()));
        }
        if let Some((_, points)) = lines.iter_mut().find(|(name, _)| *name == outcome.policy) {
            points.push((outcome.calls_per_hour, mean_s / HOUR_S));
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
    }
    lines
}
