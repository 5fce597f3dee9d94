//! The policies that are compared on the platform, one file each.
//!
//! | name | decides by | paper |
//! |---|---|---|
//! | `bound-based`, `curve-fitting` | pages, each for itself | Olston 2008, as adapted in section 4.2 |
//! | `lws` | lists: expected new records ΔI by regression | section 3.4 |
//! | `lws+bc` | the same, bandwidth shared between index and post lists by the ratio rule | section 3.5 |
//! | `lws+gap` | `lws+bc` with the mean gap or the silence so far, whichever is longer, instead of the regression | – |
//! | `lws+choice` | `lws+bc` with the model that wins the backtest on this site by deviance | – |
//! | `lws+rank` | the same by ranking | – |
//! | `freshet` | one price for a page, whatever it is a page of | – |
//! | `freshet+bc` | the same, bandwidth shared by the ratio rule instead of the price | – |
//! | `oracle` | knows every post | section 4.2 |
//!
//! Every policy starts at the portal and fetches a page it has just heard of before it looks again at one it knows, but for
//! `freshet`, which keeps the news waiting for the archive no longer than the price says. Policies learn from sheets alone; `oracle` is
//! given the history.

mod discovery;
mod freshet;
mod lists;
mod oracle;
mod pages;
mod standing;

use freshet_policy::forum::{Loss, ModelKind};

use super::history::History;
use super::run::ForumPolicy;
use super::setup::Setup;

pub use freshet::Freshet;
pub(crate) use lists::Forecaster;
pub use lists::{Lists, Sharing};
pub(crate) use oracle::Oracle;
pub use pages::{BoundBased, CurveFitting, Pages};

/// All names, in the order of tables.
pub(crate) const FORUM_POLICY_NAMES: &[&str] = &[
    "bound-based",
    "curve-fitting",
    "lws",
    "lws+bc",
    "lws+gap",
    "lws+choice",
    "lws+rank",
    "freshet",
    "freshet+bc",
    "oracle",
];

/// A policy by its name.
pub(crate) fn forum_policy_named<'a>(
    name: &str,
    history: &'a History,
    setup: &Setup,
) -> Option<Box<dyn ForumPolicy + 'a>> {
    let bc = |name: &'static str| Lists::new(name, setup, Sharing::Ratio);
    Some(match name {
        "bound-based" => Box::new(Pages::<BoundBased>::new(setup)),
        "curve-fitting" => Box::new(Pages::<CurveFitting>::new(setup)),
        "lws" => Box::new(Lists::new("lws", setup, Sharing::Together)),
        "lws+bc" => Box::new(Lists::new("lws+bc", setup, Sharing::Ratio)),
        "lws+gap" => Box::new(bc("lws+gap").by(Forecaster::Fixed(ModelKind::Gap))),
        "lws+rank" => Box::new(bc("lws+rank").by(Forecaster::Best(Loss::Ranking))),
        "lws+choice" => Box::new(bc("lws+choice").by(Forecaster::Best(Loss::Deviance))),
        "freshet" => Box::new(Freshet::new("freshet", setup, Sharing::Together)),
        "freshet+bc" => Box::new(Freshet::new("freshet+bc", setup, Sharing::Ratio)),
        "oracle" => Box::new(Oracle::new(history, setup)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
