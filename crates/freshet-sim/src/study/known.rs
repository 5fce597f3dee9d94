//! Known rates: what rules lose apart from learning, against the dual lower bound.
//!
//! For Poisson sources with known rates feedback is worthless, so the bound holds for every
//! policy that does not know the posts themselves. Visits of rules on known rates are scored by
//! expectation, exactly as the bound is; policies that learn are scored on the posts that were drawn.

use super::StudyError;
use super::lookahead::LookAhead;
use super::page::{Page, hours};
use super::rules::{KNOWN_NAMES, roster_known};
use super::synthetic::{SEED, Synthetic, Visits, expected_posts, synthetic};
use super::traces::Traces;
use crate::experiment::oracle::{SlotPrices, slot_prices};
use crate::experiment::{Setup, run as experiment, run_roster};
use crate::plot::{Plot, Scale};

const BUDGETS: [f64; 4] = [8.0, 20.0, 40.0, 80.0];
const SLOTS_PER_HOUR: f64 = 4.0;
/// Policies that learn, for comparison.
const LEARNED: [&str; 6] = ["rr", "hash", "sia-cho", "index", "index-profile", "freshet"];

/// A row: what it is, and its mean delay in seconds at each budget.
type Row = (String, Vec<f64>);

pub(super) fn run(_traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let world = synthetic(SEED);
    let bounds: Vec<SlotPrices> =
        BUDGETS.iter().map(|calls| slot_prices(&world.curves, (calls / SLOTS_PER_HOUR) as u32)).collect();
    let posts = expected_posts(&world.curves);
    let bound_s: Vec<f64> = bounds.iter().map(|bound| bound.wait_s / posts).collect();
    let mut page = Page::new("known-rates", "Known rates against the lower bound");
    page.text(&format!(
        "Synthetic: {} accounts, lognormal rates (σ = 1.5), a strong daily cycle with a random phase each, Poisson \
         posts, 14 days that count, slots of 15 minutes, so many calls in each; seed {SEED}: {:.0} posts expected, {} \
         drawn. The bound is the dual value with a price for every slot; no policy that knows the rates but not \
         the posts can expect less.",
        world.models.len(),
        posts,
        world.history.eval_count()
    ));
    known(&mut page, &world, &bounds, &bound_s)?;
    learned(&mut page, &world, &bound_s)?;
    Ok(vec![page])
}

fn known(
    page: &mut Page,
    world: &Synthetic,
    bounds: &[SlotPrices],
    bound_s: &[f64],
) -> Result<(), StudyError> {
    let mut rows: Vec<Row> = Vec::new();
    for &name in KNOWN_NAMES.iter().chain(&["look-ahead"]) {
        let mut means_s = Vec::new();
        for (calls, bound) in BUDGETS.iter().zip(bounds) {
            means_s.push(expected_s(world, name, *calls, bound)?);
        }
        rows.push((name.to_owned(), means_s));
    }
    page.section("Rules on known rates");
    page.text("Expected mean delay in hours, and how far it is above the bound.");
    let mut columns = vec!["rule".to_owned()];
    columns.extend(BUDGETS.iter().flat_map(|calls| [format!("#{calls}/h"), "#above".to_owned()]));
    let columns: Vec<_> = columns.iter().map(String::as_str).collect();
    let one_price =
        bounds.iter().map(|bound| bound.wait_s_one_price / expected_posts(&world.curves)).collect();
    let oracles = [("*bound, one price*".to_owned(), one_price), ("*bound*".to_owned(), bound_s.to_vec())];
    let above = |(name, means_s): &Row| {
        let mut row = vec![name.clone()];
        for (mean_s, bound_s) in means_s.iter().zip(bound_s) {
            row.push(hours(Some(*mean_s)));
            row.push(format!("{:+.1} %", (mean_s / bound_s - 1.0) * 100.0));
        }
        row
    };
    page.table(&columns, rows.iter().chain(&oracles).map(above));
    let point = |(calls, (mean_s, bound_s)): (&f64, (&f64, &f64))| (*calls, mean_s / bound_s);
    let line = |(name, means_s): &Row| {
        (name.clone(), BUDGETS.iter().zip(means_s.iter().zip(bound_s)).map(point).collect::<Vec<_>>())
    };
    let (x, y) = (("calls an hour", Scale::Logarithmic), ("times the bound", Scale::Linear));
    let lines = rows.iter().map(line).collect();
    page.plot(
        "known-rates",
        &Plot { title: "Expected delay on known rates, against the bound", x, y, lines },
    );
    Ok(())
}

fn expected_s(world: &Synthetic, name: &str, calls: f64, bound: &SlotPrices) -> Result<f64, StudyError> {
    let setup = Setup::new(calls);
    let kit = setup.kit(&world.history);
    let start = world.history.window.start();
    let roster = roster_known(name, &kit, &world.models)
        .unwrap_or_else(|| Box::new(LookAhead::new(&world.curves, &bound.prices, start)));
    let mut visits = Visits::none();
    run_roster(&world.history, &setup, roster, &mut |slot, source| visits.add(slot, source))?;
    Ok(visits.mean_wait_s(&world.curves))
}

fn learned(page: &mut Page, world: &Synthetic, bound_s: &[f64]) -> Result<(), StudyError> {
    page.section("Policies that learn");
    page.text(
        "The same accounts; rates learned from 28 days before and from the policy's own visits. Mean delay in hours \
         of the posts that were drawn, and how far it is above the bound; chance alone moves these by about a percent.",
    );
    let mut rows = Vec::new();
    for name in LEARNED.iter().chain(&["clairvoyant"]) {
        let mut row = vec![(*name).to_owned()];
        for (calls, bound_s) in BUDGETS.iter().zip(bound_s) {
            let mean_s = experiment(&world.history, name, &Setup::new(*calls))?.mean_delay_s.unwrap_or(0.0);
            row.push(hours(Some(mean_s)));
            row.push(format!("{:+.1} %", (mean_s / bound_s - 1.0) * 100.0));
        }
        rows.push(row);
    }
    let mut columns = vec!["policy".to_owned()];
    columns.extend(BUDGETS.iter().flat_map(|calls| [format!("#{calls}/h"), "#above".to_owned()]));
    let columns: Vec<_> = columns.iter().map(String::as_str).collect();
    page.table(&columns, rows);
    Ok(())
}
