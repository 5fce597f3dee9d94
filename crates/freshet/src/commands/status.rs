//! `freshet status`: what is here, what happens now, and what fails.
//!
//! What is reported is made by [`freshet_app::status`]; here are the words.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::data::Data;
use freshet_app::{status, storing};
use freshet_engine::price::POLITENESS;
use freshet_report::run::{
    ListModel, PriceStatus, QuotaStatus, Relearnt, ServerStatus, StreamStatus, Unreadable,
};
use freshet_report::status::{FailedSource, ForumLists, StatusReport};
use freshet_report::subscriptions::SubscriptionLine;
use freshet_types::{Span, Timestamp, Transport};

use crate::args::ReportArgs;
use crate::output::{self, COLUMNS, Report, relative, shorten};

/// Characters of a failure shown in a table.
const FAILURE_CHARS_MAX: usize = 200;
/// Hubs that do not tell, of which a line is shown.
const HUBS_MAX: usize = 20;

/// Merges and prints.
pub(crate) fn execute(globals: &Globals, args: ReportArgs) -> anyhow::Result<ExitCode> {
    let data = Data::look(globals)?;
    let noted_at = status::live_report(&data.store)?.map(|run| run.now.0);
    output::print(args, &status::whole(&data, data.now_for_report(noted_at))?)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for StatusReport {
    fn text(&self) -> String {
        let parts = [
            Some(headline(self)),
            Some(numbers(self)),
            trouble(self),
            self.not_kept.as_ref().map(|it| output::wrapped(&storing::sentence(it), COLUMNS - 2, "  ")),
            self.focus.as_ref().map(|it| output::wrapped(&format!("focus: {it}"), COLUMNS - 2, "  ")),
            subscriptions(self),
            quotas(self),
            prices(self),
            forums(self),
            streams(self),
            hubs(self),
            servers(self),
            unreadable(self),
            relearnt(self),
            failures(self),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }
}

/// When it was reported, where a run is under way: what an earlier run left says nothing of today.
fn running_at(report: &StatusReport) -> Option<Timestamp> {
    report.now.filter(|_| report.is_running).map(|now| now.0)
}

fn headline(report: &StatusReport) -> String {
    let data = &report.data;
    let since = match (report.now, &report.run) {
        (Some(now), Some(run)) => format!(", started {}", relative(run.started_at.0, now.0)),
        _ => String::new(),
    };
    match (report.is_running, report.pid) {
        (true, Some(pid)) => format!("{data}: running (process {pid}{since})"),
        (true, None) => format!("{data}: running{since}"),
        (false, _) => format!("{data}: not running"),
    }
}

fn numbers(report: &StatusReport) -> String {
    let mut rows = vec![
        ("posts".to_owned(), report.posts_count.to_string()),
        ("  deleted".to_owned(), report.deleted_count.to_string()),
        ("accounts".to_owned(), report.accounts_count.to_string()),
        ("relations".to_owned(), report.relations_count.to_string()),
        ("changes".to_owned(), report.changes_count.to_string()),
        ("sources".to_owned(), report.sources_count.to_string()),
    ];
    rows.extend(
        report.sources.iter().map(|(state, count)| (format!("  {}", state.name()), count.to_string())),
    );
    rows.push(("visits of this run".to_owned(), report.visits_count.to_string()));
    rows.push(("fetches of this run".to_owned(), report.fetches_count.to_string()));
    rows.push(("refused by a limit".to_owned(), report.rate_limited_count.to_string()));
    let complaints_count = report.run.as_ref().map_or(0, |run| run.complaints_count);
    if complaints_count > 0 {
        rows.push(("complaints".to_owned(), complaints_count.to_string()));
    }
    if let Some(lag) = report.lag_s {
        rows.push(("lag, median".to_owned(), Span::from_secs_f64(lag.median).to_string()));
        rows.push(("lag, 9 of 10 below".to_owned(), Span::from_secs_f64(lag.p90).to_string()));
    }
    let lines = rows.into_iter().map(|(name, value)| format!("{name:<22}{value:>12}"));
    let mut lines: Vec<_> = lines.collect();
    if complaints_count > 0 {
        lines.push("(`freshet complaints` shows what could not be used)".to_owned());
    }
    lines.join("\n")
}

fn quotas(report: &StatusReport) -> Option<String> {
    let row = |it: &QuotaStatus| {
        let limits = [it.limit.to_string(), format!("{:.0}", it.ready)];
        [it.network.to_string(), it.rule.clone(), it.holder.clone()].into_iter().chain(limits).collect()
    };
    let quotas = &report.work().quotas;
    let header = ["network", "quota", "holder", "#limit", "#ready"];
    (!quotas.is_empty()).then(|| output::fitted(&header, quotas.iter().map(row)))
}

/// What a call of each quota is worth now; those that have enough for all cost nothing.
fn prices(report: &StatusReport) -> Option<String> {
    // What could not be counted is no number.
    let known = |number: f64| if number.is_finite() { number } else { 0.0 };
    let row = |it: &PriceStatus| {
        let mut cells = vec![it.network.to_string(), it.rule.clone()];
        let calls = [it.budget_per_h, it.news_per_h, it.others_per_h];
        cells.extend(calls.map(|number| format!("{:.0}", known(number))));
        cells.push(Span::from_secs_f64(known(it.saved_post_s_per_h)).to_string());
        cells
    };
    let is_shown = |it: &&PriceStatus| it.rule != POLITENESS || it.price_post_s > 0.0;
    let rows: Vec<_> = report.work().prices.iter().filter(is_shown).map(row).collect();
    let header = ["network", "price of", "#calls/h", "#news/h", "#others/h", "#one more saves"];
    let note = "(one more saves: waiting of posts, summed, that one more call would end)";
    (!rows.is_empty()).then(|| format!("{}\n{note}", output::fitted(&header, rows)))
}

/// Forums: what is complete, and which models foretell their lists.
fn forums(report: &StatusReport) -> Option<String> {
    let name = |model: Option<&ListModel>| model.map_or("ordinary", |it| &it.model).to_owned();
    let row = |it: &ForumLists| {
        let models = report.work().forums.iter().find(|forum| forum.network == it.network);
        vec![
            it.network.to_string(),
            format!("{} of {}", it.complete_boards_count, it.boards_count),
            format!("{} of {}", it.complete_threads_count, it.threads_count),
            it.pages_count.to_string(),
            name(models.and_then(|it| it.boards.as_ref())),
            name(models.and_then(|it| it.threads.as_ref())),
        ]
    };
    let forums = report.forum_lists.as_deref().filter(|forums| !forums.is_empty())?;
    let header = ["forum", "#complete boards", "#threads", "#pages", "model of boards", "of threads"];
    Some(output::fitted(&header, forums.iter().map(row)))
}

/// What servers send by themselves.
fn streams(report: &StatusReport) -> Option<String> {
    let now = running_at(report)?;
    let shown = report.work().streams.iter().filter(|it| !(it.messages_count == 0 && is_unwatched(it)));
    let line = |it: &StreamStatus| {
        let state = match (it.connected_at, &it.why) {
            (Some(at), _) if it.transport == Transport::Poll.name() => {
                format!("asked for again and again for {}", now - at.0)
            }
            (Some(at), _) => format!("connected for {}", now - at.0),
            (None, Some(why)) => format!("not connected: {why}"),
            (None, None) => "not connected yet".to_owned(),
        };
        let lag = it.lag_s.map_or(String::new(), |lag| format!(", lag {}", Span::from_secs_f64(lag)));
        let figures = format!(
            "{}, {} new, {} dropped, {}{lag}",
            output::count(it.messages_count, "message"),
            output::count(it.posts_count, "post"),
            it.dropped_count,
            output::count(it.reconnects_count, "reconnect"),
        );
        format!("stream `{}` of {}: {state} ({figures})", it.name, it.network)
    };
    let lines: Vec<String> = shown.map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Hubs that tell of feeds: how many do, and a line for each that does not.
fn hubs(report: &StatusReport) -> Option<String> {
    let status = report.hubs.as_ref()?;
    let live = status.feeds.iter().filter(|it| it.state == "live").count();
    let taken: u64 = status.feeds.iter().map(|it| it.taken_count).sum();
    let refused: u64 = status.feeds.iter().map(|it| it.refused_count).sum();
    let why = status.why.as_ref().map_or_else(String::new, |why| format!("; they do not reach it: {why}"));
    let of = output::count(status.feeds.len() as u64, "feed");
    let said = output::count(taken, "time");
    let first = format!("hubs tell of {live} of {of} at {}: {said}, {refused} not signed{why}", status.at);
    let silent = status.feeds.iter().filter(|it| it.state != "live").take(HUBS_MAX).map(|it| {
        let why =
            it.why.as_ref().map_or_else(String::new, |why| format!(": {}", shorten(why, FAILURE_CHARS_MAX)));
        format!("hub {} of {} is {}{why}", it.hub, it.feed, it.state)
    });
    lines(std::iter::once(first).chain(silent).map(|line| output::wrapped(&line, COLUMNS - 2, "  ")))
}

/// Whether nobody misses it: nothing that is watched is covered.
fn is_unwatched(stream: &StreamStatus) -> bool {
    stream.connected_at.is_none() && stream.why.as_deref().is_some_and(|why| why.starts_with("nothing"))
}

/// What is wrong with the store or its files, and subscribers that take nothing.
fn trouble(report: &StatusReport) -> Option<String> {
    let now = running_at(report)?;
    let trouble = report
        .work()
        .trouble
        .iter()
        .map(|it| format!("in trouble for {}: {}; {}", now - it.since.0, it.what, it.advice));
    let stalled = report.work().subscribers.iter().filter_map(|it| {
        let lasted = now - it.stalled_since?.0;
        let behind = output::count(it.behind.unwrap_or(0), "change");
        Some(format!("{} has taken nothing for {lasted}: {behind} behind", it.name))
    });
    lines(trouble.chain(stalled).map(|line| output::wrapped(&line, COLUMNS - 2, "  ")))
}

/// Who gets changes, a line each.
fn subscriptions(report: &StatusReport) -> Option<String> {
    let line = |it: &SubscriptionLine| {
        let some =
            |count: u64, what: &str| if count == 0 { String::new() } else { format!(", {count} {what}") };
        let lost = some(it.dropped_count, "dropped") + &some(it.lost_count, "without their content");
        let failed = it.failure.as_ref().filter(|_| it.behind > 0 || it.state == "ended");
        let failed = failed.map(|why| format!(": {}", shorten(why, FAILURE_CHARS_MAX))).unwrap_or_default();
        let delivered = output::count(it.delivered_count, "record");
        let line = format!(
            "subscription {} is {}: {} behind, {delivered} delivered{lost}{failed}",
            it.name,
            it.state,
            output::count(it.behind, "change")
        );
        output::wrapped(&line, COLUMNS - 2, "  ")
    };
    lines(report.subscriptions.iter().map(line))
}

/// Servers that do not answer, a line each.
fn servers(report: &StatusReport) -> Option<String> {
    let now = running_at(report)?;
    let line = |it: &ServerStatus| {
        let lasts = (now - it.since.0).max(Span::ZERO);
        let what = if it.is_down { "is down" } else { "does not answer" };
        let next = match it.next_at {
            Some(at) if at.0 > now => format!("; it is asked again {}", relative(at.0, now)),
            Some(_) => "; it is being asked again".to_owned(),
            None => String::new(),
        };
        let waits = match it.sources_count {
            0 => String::new(),
            1 => "; 1 source waits for it".to_owned(),
            count => format!("; {count} sources wait for it"),
        };
        let said = shorten(&it.said, FAILURE_CHARS_MAX);
        let line = format!("{}: {what} for {lasts}: {said}{next}{waits}", it.network);
        output::wrapped(&line, COLUMNS - 2, "  ")
    };
    let shown = &report.work().servers;
    let more = report.work().servers_count.saturating_sub(shown.len() as u64);
    let more = (more > 0).then(|| format!("and {} more", output::count(more, "server")));
    lines(shown.iter().map(line).chain(more))
}

/// Servers whose pages cannot be read, and what to do.
fn unreadable(report: &StatusReport) -> Option<String> {
    let line = |it: &Unreadable| {
        let pages = output::count(u64::from(it.pages_count), "page");
        let waits = if it.until.is_none() { "" } else { "; it is left alone for now" };
        format!("{}: nothing can be read of its last {pages}{waits}; {}", it.network, it.advice)
    };
    lines(report.work().unreadable.iter().map(line))
}

/// Forums whose layout was learned anew, or not, and when.
fn relearnt(report: &StatusReport) -> Option<String> {
    let now = report.now?.0;
    let line = |it: &Relearnt| {
        let Relearnt { network, what, .. } = it;
        let ago = relative(it.at.0, now);
        match (it.is_under_way, it.is_accepted) {
            (true, _) => format!("{network}: its layout is being learned anew"),
            (false, true) => format!("{network}: its layout was learned anew {ago}: {what}"),
            (false, false) => format!("{network}: learning anew was tried {ago}: {what}"),
        }
    };
    lines(report.work().relearnt.iter().map(|it| output::wrapped(&line(it), COLUMNS - 2, "  ")))
}

fn failures(report: &StatusReport) -> Option<String> {
    let shown = |it: &FailedSource| {
        let why = shorten(it.why.as_deref().unwrap_or_default(), FAILURE_CHARS_MAX);
        let label = shorten(&it.label, COLUMNS - 8);
        format!("failed: {label}\n  {}", output::wrapped(&why, COLUMNS - 2, "  "))
    };
    lines(report.failed_sources.iter().map(shown))
}

/// All of them, where there are any.
fn lines(lines: impl Iterator<Item = String>) -> Option<String> {
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use freshet_report::time::UnixNumber;
    use freshet_types::{SourceId, SourceState};
    use serde_json::Value;

    use super::*;

    fn report(live: &Value, is_running: bool) -> String {
        let why = Some("no\nanswer".to_owned());
        let failed = FailedSource { source: SourceId(3), label: "x (posts)".to_owned(), why };
        let mut report = StatusReport {
            data: "d".to_owned(),
            now: UnixNumber::of(Timestamp::from_secs(1000)),
            is_running,
            pid: Some(77),
            sources: [(SourceState::Active, 2), (SourceState::Failed, 1)].into_iter().collect(),
            failed_sources: vec![failed],
            ..StatusReport::default()
        };
        report.add_run(serde_json::from_value(live.clone()).unwrap());
        report.text()
    }

    #[test]
    fn people_see_what_matters() {
        let live = serde_json::json!({ "prices": [
            { "network": "n", "rule": "api", "price_post_s": 90.0, "saved_post_s_per_h": 90.0, "budget_per_h": 3060.4 },
            { "network": "n", "rule": "manners", "price_post_s": 0.0 },
        ], "servers_count": 3, "servers": [
            { "network": "social", "is_down": true, "since": 940, "said": "no connection", "next_at": 1008.0, "sources_count": 7 },
        ]});
        let text = report(&live, false);
        assert!(!text.contains("manners"), "what costs nothing is not shown:\n{text}");
        assert!(!text.contains("is down"), "nobody knows today what the last run met:\n{text}");
        let others = ["d: not running", "failed", "no answer", "fetches of this run", "3060", "1m 30s"];
        check(&text, &others);
        let servers =
            ["social: is down for 1m 00s: no connection", "in 8.0s", "wait for it", "and 2 servers more"];
        check(&report(&live, true), &servers);
    }

    fn check(text: &str, expected: &[&str]) {
        for words in expected {
            assert!(text.contains(words), "`{words}` is missing in\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "wider than a terminal:\n{text}");
    }
}
