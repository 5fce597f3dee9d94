//! What a run shows of itself: the live report, and the recent past for charts.
//!
//! A report needs what only the shell sees (what fetchers and subscribers are at): the runner says when one is due, the shell
//! looks, and the runner draws. Nothing is decided by drawing.

use freshet_report::RunStatus;

use super::{Look, Output, RunOptions, Runner, ms};
use crate::core::Moment;
use crate::history::History;
use crate::report::{self, Setting};
use crate::writer::Job;

/// How often the live report is written to the store, at most, in milliseconds of wall time; whoever draws may want it more
/// often.
const REPORT_EVERY_MS: u64 = 500;

/// What is kept for reports.
#[derive(Debug)]
pub(super) struct View {
    pub(super) setting: Setting,
    history: History,
    every_ms: u64,
    began_ms: u64,
    drawn_ms: u64,
    written_ms: u64,
    is_first: bool,
}

impl View {
    pub(super) fn new(setting: Setting, history: History, options: &RunOptions, moment: Moment) -> Self {
        let every_ms =
            if options.report_every.is_zero() { REPORT_EVERY_MS } else { ms(options.report_every) };
        let began_ms = moment.wall_ms;
        Self {
            setting,
            history,
            every_ms,
            began_ms,
            drawn_ms: began_ms,
            written_ms: began_ms,
            is_first: true,
        }
    }
}

impl Runner {
    /// Everything is loaded: whoever asks for the status now sees this run, not the last one.
    pub(super) fn draw_first(&mut self) {
        self.want(Output::Look);
    }

    /// Draws a report when it is time.
    pub(super) fn tend_view(&mut self) {
        if self.is_time(self.view.drawn_ms, self.view.every_ms) {
            self.view.drawn_ms = self.moment.wall_ms;
            self.want(Output::Look);
        }
    }

    /// Draws what is seen now, for whoever watches; and now and then for the store.
    pub(super) fn draw(&mut self, look: Look) {
        let report = self.report(look);
        let every_ms = REPORT_EVERY_MS.max(self.view.every_ms);
        if self.is_time(self.view.written_ms, every_ms) || std::mem::take(&mut self.view.is_first) {
            self.view.written_ms = self.moment.wall_ms;
            self.give(Job::Report(report.to_text()));
        }
        let elapsed = std::time::Duration::from_millis(self.moment.wall_ms - self.view.began_ms);
        if self.view.history.add_point(self.core.tally(), self.moment.now, elapsed) {
            self.give(Job::History(self.view.history.to_text()));
        }
        self.want(Output::Report(Box::new(report)));
    }

    pub(super) fn report(&mut self, look: Look) -> RunStatus {
        self.view.setting.fetchers = look.fetchers;
        let mut report = report::report(&self.core, &self.view.setting, self.moment.now);
        report.work.trouble = self.troubles.view();
        report.work.subscribers = look.subscribers;
        report
    }
}
