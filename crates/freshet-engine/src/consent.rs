//! Who asks not to be collected is left out of what a page showed, whoever asked for the page.

use freshet_types::Observation;

/// Drops posts of accounts that ask not to be collected, and of one that does so elsewhere; gives
/// the accounts of this page that do.
pub(crate) fn drop_opted_out(observation: &mut Observation, also: Option<&str>) -> Vec<String> {
    let out = observation.accounts.iter().filter(|account| account.opts_out);
    let mut out: Vec<String> = out.map(|account| account.id.clone()).collect();
    out.sort_unstable();
    out.dedup();
    if !out.is_empty() || also.is_some() {
        let is_out = |author: &String| also == Some(author.as_str()) || out.binary_search(author).is_ok();
        observation.posts.retain(|post| !post.author.as_ref().is_some_and(is_out));
    }
    out
}
