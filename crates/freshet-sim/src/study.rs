//! Studies: each asks one question of many experiments and answers with a page of docs/results.
//!
//! A study is a pure function from traces to pages: fixed windows, fixed seeds, no clock but for
//! the one page that is about speed. Whoever runs it again gets the same bytes, so that a change
//! of a policy shows in the diff of its results. `cargo xtask experiments` runs them; the traces
//! themselves are not part of the project. What a study does not do: judge. Where figures fall
//! short of a paper's, the page says so and why.

mod calendar;
mod capture;
mod cases;
mod cuvim;
mod focus;
mod forums;
mod groups;
mod known;
mod live;
mod lookahead;
mod mispredictions;
pub mod page;
mod profiles;
mod reference;
mod refresh;
mod refresh_live;
mod rules;
mod synthetic;
pub mod traces;

use freshet_engine::calendar::CalendarError;
use freshet_policy::refresh::TooManyInstants;

use crate::experiment::ExperimentError;
use crate::forum::live::LiveError;
use crate::trace::TraceError;

pub use page::Page;
pub use traces::Traces;

/// What can keep a study from its answer.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// Traces are not there.
    #[error(
        "the traces folder `{dir}` lacks {lacking}; the traces are not part of the project: name their folder \
         with `--traces DIR`"
    )]
    Lacking {
        /// Where they were sought.
        dir: String,
        lacking: String,
    },
    /// A trace cannot be used.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// An experiment cannot be run.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// A calendar of ours cannot be used: the system has no time zones.
    #[error("the calendar of the study cannot be used: {0}")]
    Calendar(CalendarError),
    /// The engine cannot crawl a forum.
    #[error(transparent)]
    Forum(#[from] LiveError),
    /// A refresh plan over too fine a grid.
    #[error(transparent)]
    Refresh(#[from] TooManyInstants),
}

/// One question.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    /// Its name, and that of its page.
    pub name: &'static str,
    /// What it shows, for the index.
    pub about: &'static str,
    /// Where its chance comes from.
    pub seed: &'static str,
    run: fn(&Traces) -> Result<Vec<Page>, StudyError>,
}

impl Study {
    /// Asks it.
    pub fn run(&self, traces: &Traces) -> Result<Vec<Page>, StudyError> {
        (self.run)(traces)
    }
}

/// All studies, in the order of the index.
pub const STUDIES: &[Study] = &[
    Study {
        name: "reference",
        about: "the reference experiment: mean delay of every policy in six windows of real histories, learned \
                online; what was tuned on them, and twelve windows that nobody tuned on; delays and budgets in one of them; the work and time of all that (`speed.md`)",
        seed: "0 (policy `random`); otherwise no chance",
        run: reference::run,
    },
    Study {
        name: "live",
        about: "the engine of `run` beside the experiment: round robin and `freshet` as policies and as crawls of a simulated server, in nine windows",
        seed: "1 (the simulated server)",
        run: live::run,
    },
    Study {
        name: "groups",
        about: "one call that asks about many sources: round robin, `freshet` and one that knows who has news, with groups of 40 and without, in nine windows",
        seed: "no chance",
        run: groups::run,
    },
    Study {
        name: "profiles",
        about: "the first three days of a crawl: what it is worth that profiles say how many posts an account has, in seven windows",
        seed: "1 (the simulated server)",
        run: profiles::run,
    },
    Study {
        name: "known-rates",
        about: "what rules lose apart from learning: known rates against the dual lower bound with a price for \
                every slot",
        seed: "20080414",
        run: known::run,
    },
    Study {
        name: "capture",
        about: "distinct posts behind pages of 20: learned rates at budgets where round robin sees about 30, 50 and \
                65 %; known rates against the optimum",
        seed: "20080414 (synthetic part)",
        run: capture::run,
    },
    Study {
        name: "cuvim",
        about: "the figures and tables of CUVIM: kinds of account (figures 1 to 4), organ pipes against round robin, Hash weights under \
                two readings (tables 1 and 2), partitions of up to 80,000 accounts (tables 3 and 4)",
        seed: "1 (random orders, pools and partitions)",
        run: cuvim::run,
    },
    Study {
        name: "calendar",
        about: "weekends, holidays and the clock on the wall: what each changes for `hash-week` and `cuvim` in two windows of a1",
        seed: "no chance",
        run: calendar::run,
    },
    Study {
        name: "mispredictions",
        about: "SocWeb's figure 4b: posts that the change rate expected too early, by month",
        seed: "no chance",
        run: mispredictions::run,
    },
    Study {
        name: "cases",
        about: "SocWeb's use-cases: what its spider brings home (table 2), posts of each user (figure 3), bytes a second as fetchers grow (figures 6a and 6b)",
        seed: "1 (the simulated networks)",
        run: cases::run,
    },
    Study {
        name: "refresh",
        about: "Liu's accuracy against share of refreshes: uniform, least similar (R1), most accurate (R2), settled; on pages where the \
                paper's share is hard, and on those where it is not",
        seed: "no chance",
        run: refresh::run,
    },
    Study {
        name: "refresh-live",
        about: "what refresh plans save a crawl: single pages against even looks, old pages of threads against a wait that doubles",
        seed: "20260917",
        run: refresh_live::run,
    },
    Study {
        name: "focus",
        about: "wanted posts a call: a focus with personalised PageRank against breadth-first and random discovery, with exploring shares of 0, 10 and \
                30 %, in worlds with and without communities; what is never found",
        seed: "1 to 5 (the simulated worlds)",
        run: focus::run,
    },
    Study {
        name: "forums",
        about: "the list-wise paper's experiments on five forums: bandwidth utilisation, coverage and timeliness of every policy at \
                three bandwidths, from the portal through a year; floors of its regression, and models chosen by two losses",
        seed: "no chance",
        run: forums::run,
    },
];

#[cfg(test)]
mod tests;
