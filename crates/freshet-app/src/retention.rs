//! How long posts are kept, as a person sets it: of sources, and of networks.
//!
//! A shorter span erases what is too old at once, and that cannot be undone: one that can only be a mistake is refused unless
//! the person insists. A run that is under way obeys within the hour by itself.

use freshet_report::care::RetentionReport;
use freshet_store::control::Control;
use freshet_types::{NetworkName, SourceId, Span};

use crate::config::Globals;
use crate::data::Data;
use crate::failure::Failure;
use crate::networks::servers_meant;
use crate::remove::with_lists;
use crate::sources::all_meant;
use crate::viewers;

/// Spans below this are asked about: `--retention 1` means one second.
const USUAL_MIN: Span = Span::DAY;

/// Refuses a span that erases nearly everything, unless the person insists.
pub fn check(span: Option<Span>, is_sure: bool) -> anyhow::Result<()> {
    let Some(span) = span.filter(|span| *span < USUAL_MIN && !is_sure) else { return Ok(()) };
    let message = format!("a retention of {span} erases every post that is older than that, for good");
    Err(Failure::misuse(message).hint("write a unit, as in 90d; say --yes if it is meant").into())
}

/// What these sources bring is kept so long, a forum's with all its lists; what is too old is erased.
pub fn keep_sources(
    globals: &Globals,
    references: &[String],
    span: Option<Span>,
    is_sure: bool,
) -> anyhow::Result<RetentionReport> {
    check(span, is_sure)?;
    let mut data = Data::open(globals)?;
    let sources = all_meant(globals, &data.store, references)?;
    let sources = with_lists(&data.store, sources)?;
    let ids: Vec<SourceId> = sources.iter().map(|source| source.id).collect();
    data.store.retain(&ids, span)?;
    let erased_count = expire(&mut data)?;
    Ok(RetentionReport {
        retention_s: span.map(Span::secs_f64),
        networks: Vec::new(),
        sources: ids,
        erased_count,
    })
}

/// Posts of a network, or of all servers of a definition, are kept so long, whatever brings them.
pub fn keep_network(
    globals: &Globals,
    name: &str,
    span: Option<Span>,
    is_sure: bool,
) -> anyhow::Result<RetentionReport> {
    check(span, is_sure)?;
    let mut data = Data::open(globals)?;
    let meant = servers_meant(&*data.store, name)?;
    for network in &meant {
        data.store.retain_network(network, span)?;
    }
    let networks = meant.iter().map(NetworkName::to_string).collect();
    let erased_count = expire(&mut data)?;
    Ok(RetentionReport { retention_s: span.map(Span::secs_f64), networks, sources: Vec::new(), erased_count })
}

/// Erases what is too old, by the clock of the crawl.
fn expire(data: &mut Data) -> anyhow::Result<u64> {
    data.store.push_control(&Control::Settings("retention".to_owned()))?;
    let now = data.now()?;
    viewers::share_rules(data)?;
    let mut count = data.store.expire(now)?;
    viewers::each(data, |_, own, _| {
        count += own.expire(now)?;
        Ok(())
    })?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_that_can_only_be_a_mistake_is_asked_about() {
        for (secs, is_sure, is_taken) in [
            (Some(1), false, false),
            (Some(86_399), false, false),
            (Some(86_400), false, true),
            (Some(1), true, true),
            (None, false, true),
        ] {
            let span = secs.map(Span::from_secs);
            assert_eq!(check(span, is_sure).is_ok(), is_taken, "{secs:?} {is_sure}");
        }
    }
}
