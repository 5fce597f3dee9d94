//! `freshet complaints`: what could not be used of answers, with samples to look at.

use std::process::ExitCode;

use freshet_app::complaints::{self, KINDS_MAX, SAMPLES_MAX, Wish};
use freshet_app::config::Globals;
use freshet_app::data::Data;
use freshet_report::complaints::{ComplaintKind, ComplaintSample, ComplaintsReport};
use freshet_types::Timestamp;
use serde::Serialize;

use crate::args::ComplaintsArgs;
use crate::output::{self, COLUMNS, Report, relative, shorten};

/// Characters of a sample that people are shown; JSON has all that is kept.
const SAMPLE_CHARS_MAX: usize = 300;

/// Lists them.
pub(crate) fn execute(globals: &Globals, args: &ComplaintsArgs) -> anyhow::Result<ExitCode> {
    let data = Data::look(globals)?;
    let wish = Wish { network: args.network.clone(), kinds_max: KINDS_MAX, samples_max: SAMPLES_MAX };
    let report = complaints::report(&data, &wish)?;
    if let Some(name) = args.network.as_deref().filter(|_| report.complaints.is_empty()) {
        complaints::check_network(&data, name)?;
    }
    let now = data.now_for_report(None);
    output::print(args.report, &Shown { report, now, samples: args.samples })?;
    Ok(ExitCode::SUCCESS)
}

/// The report, and how much of it people are shown.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown {
    report: ComplaintsReport,
    #[serde(skip)]
    now: Timestamp,
    #[serde(skip)]
    samples: usize,
}

impl Report for Shown {
    fn text(&self) -> String {
        if self.report.complaints.is_empty() {
            return "no complaints: whatever came could be used".to_owned();
        }
        let kinds = self.report.complaints.iter().map(|it| self.kind(it));
        kinds.collect::<Vec<_>>().join("\n\n")
    }
}

impl Shown {
    fn kind(&self, it: &ComplaintKind) -> String {
        let last = it.last_at.map_or(String::new(), |at| format!(", last {}", relative(at.0, self.now)));
        let head = format!("{} × {}", it.count, it.what);
        let head = output::wrapped(&output::one_line(&head), COLUMNS, "");
        let place = format!("  {} {}{last}", it.network, it.endpoint);
        let samples = it.samples.iter().take(self.samples).map(sample);
        [head, place].into_iter().chain(samples).collect::<Vec<_>>().join("\n")
    }
}

fn sample(it: &ComplaintSample) -> String {
    let source = it.source.map_or(String::new(), |source| format!("source {}, ", source.0));
    let what = output::one_line(&it.what);
    let shown = shorten(&output::one_line(&it.sample), SAMPLE_CHARS_MAX);
    let line = format!("    {source}{}: {what}", it.place);
    if shown.is_empty() { line } else { format!("{line}\n      {shown}") }
}

#[cfg(test)]
mod tests {
    use freshet_report::time::UnixNumber;
    use freshet_types::SourceId;

    use super::*;

    #[test]
    fn each_kind_is_told_with_some_samples() {
        let sample = |place: &str| ComplaintSample {
            source: Some(SourceId(7)),
            seen_at: None,
            place: place.to_owned(),
            what: "`soon` is not a time".to_owned(),
            sample: "{\"id\":1,\n\"at\":\"soon\"}".to_owned(),
        };
        let kind = ComplaintKind {
            network: "mastodon:a.example".into(),
            endpoint: "posts".to_owned(),
            what: "`…` is not a time".to_owned(),
            count: 12,
            first_at: None,
            last_at: UnixNumber::of(Timestamp::from_secs(40)),
            samples: vec![sample("/2"), sample("/3")],
        };
        let now = Timestamp::from_secs(100);
        let report = ComplaintsReport { complaints: vec![kind] };
        let text = Shown { report, now, samples: 1 }.text();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "12 × `…` is not a time");
        assert!(lines[1].starts_with("  mastodon:a.example posts, last "), "{text}");
        assert_eq!(lines[2], "    source 7, /2: `soon` is not a time");
        assert_eq!((lines[3].trim(), lines.len()), ("{\"id\":1, \"at\":\"soon\"}", 4));
    }
}
