//! Policies side by side on one forum: every one of them at every bandwidth, on all cores.
//!
//! The names are those of [`super::policies`], and [`live::NAME`] for the engine itself. What each came to is the same whatever else is asked, and
//! whoever asks again gets the same figures. Names are checked before anything is read.

use super::history::History;
use super::live::{self, LiveError};
use super::measure::Figures;
use super::policies::{FORUM_POLICY_NAMES, forum_policy_named};
use super::run::run;
use super::setup::Setup;
use crate::parallel::on_all_cores;

/// A name that no policy has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no policy for forums is called `{name}`; there are {known}")]
pub struct UnknownForumPolicy {
    pub name: String,
    /// All there are, separated by commas.
    pub known: String,
}

/// Fails where a name is unknown.
pub fn check_names(names: &[String]) -> Result<(), UnknownForumPolicy> {
    let is_known = |name: &&String| *name == live::NAME || FORUM_POLICY_NAMES.contains(&name.as_str());
    let Some(name) = names.iter().find(|name| !is_known(name)) else { return Ok(()) };
    let known: Vec<&str> = FORUM_POLICY_NAMES.iter().copied().chain([live::NAME]).collect();
    Err(UnknownForumPolicy { name: name.clone(), known: known.join(", ") })
}

/// What came of each name at each set-up, in that order: set-up by set-up. Unknown names are left out.
///
/// `done` hears of every result as it comes, in any order. The history is borrowed for ever, since the engine keeps whom it
/// asks: whoever calls leaks it, once.
pub fn compare(
    history: &'static History,
    names: &[String],
    setups: &[Setup],
    done: &(dyn Fn(&Figures) + Sync),
) -> Result<Vec<Figures>, LiveError> {
    let jobs: Vec<_> = setups.iter().flat_map(|setup| names.iter().map(move |name| (setup, name))).collect();
    let results = on_all_cores(&jobs, |&(setup, name)| {
        let result = one(history, name, setup);
        if let Some(Ok(figures)) = &result {
            done(figures);
        }
        result
    });
    results.into_iter().flatten().collect()
}

fn one(history: &'static History, name: &str, setup: &Setup) -> Option<Result<Figures, LiveError>> {
    if name == live::NAME {
        return Some(live::run(history, setup).map(|crawl| crawl.figures));
    }
    let mut policy = forum_policy_named(name, history, setup)?;
    Some(Ok(run(history, setup, policy.as_mut())))
}

#[cfg(test)]
mod tests {
    use freshet_types::Timestamp;

    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn unknown_names_are_refused_with_the_list() {
        assert_eq!(check_names(&names("lws+bc,freshet,oracle,live")), Ok(()));
        let error = check_names(&names("freshet,rr")).unwrap_err().to_string();
        assert!(error.contains("`rr`") && error.contains("lws+bc") && error.contains("live"), "{error}");
    }

    #[test]
    fn results_stand_in_the_order_of_the_questions() {
        let rows = (0..400).map(|post: u32| (0, post / 4, i64::from(post) * 7_000, post % 5)).collect();
        let history: &'static History = Box::leak(Box::new(History::from_rows(rows)));
        let setup = |pages_per_day: f64| Setup {
            start: Timestamp::from_secs(1_000_000),
            days: 12,
            eval_days: 6,
            pages_per_day,
            page_size: 20,
        };
        let asked = names("oracle,freshet,lws+gap");
        let all = compare(history, &asked, &[setup(20.0), setup(200.0)], &|_| {}).unwrap();
        let got: Vec<&str> = all.iter().map(|figures| figures.policy).collect();
        assert_eq!(got, ["oracle", "freshet", "lws+gap", "oracle", "freshet", "lws+gap"]);
        assert!(all[4].posts.charged_s < all[1].posts.charged_s, "ten times the pages are better");
        assert_eq!(all, compare(history, &asked, &[setup(20.0), setup(200.0)], &|_| {}).unwrap());
    }
}
