//! What a run does for constraints about visiting again: it has sources that come due judged before they are visited, and remembers
//! who was held back, so that they are judged anew when a page brings something of the object they belong to.
//!
//! Lists that the robot `link` is not to gather are passed over in the same way, until somebody chooses otherwise.

use std::sync::Arc;

use freshet_network::collections::Collections;
use freshet_store::row::Upload;
use freshet_types::{Address, Map, RobotKind, Set, Source, SourceId, Span};

use super::Runner;
use crate::constrain::{Judge, revisit, touched};
use crate::core::Event;
use crate::question::Question;

/// Sources that are remembered as held back; any more are judged again after a while only.
const HELD_MAX: usize = 100_000;

/// A list that is not to be gathered comes due again after this, should nobody have chosen otherwise before.
const UNCHOSEN_GAP: Span = Span::DAY;

/// Who judges, and who was held back.
#[derive(Debug, Default)]
pub(super) struct Revisits {
    judge: Option<Arc<Judge>>,
    /// By the object that they belong to.
    held: Map<Address, Vec<SourceId>>,
    held_count: usize,
    /// What the robot `link` gathers.
    collections: Collections,
    /// Its sources that were passed over.
    unchosen: Vec<SourceId>,
}

impl Runner {
    /// From now on this judge; whoever was held back is judged anew.
    pub(super) fn revisit_by(&mut self, judge: Judge) {
        self.revisits.judge = Some(Arc::new(judge));
        self.revisits.held_count = 0;
        let held: Vec<SourceId> = std::mem::take(&mut self.revisits.held).into_values().flatten().collect();
        self.feed_core(Event::Wake(held));
    }

    /// From now on the robot `link` gathers these; whatever was passed over comes due.
    pub(super) fn gather(&mut self, collections: Collections) {
        if self.revisits.collections != collections {
            self.revisits.collections = collections;
            let unchosen = std::mem::take(&mut self.revisits.unchosen);
            self.feed_core(Event::Wake(unchosen));
        }
    }

    /// Whether this is a list that the robot `link` is not to gather.
    fn is_unchosen(&self, source: &Source) -> bool {
        if source.robot != RobotKind::Link || self.revisits.collections.are_all() {
            return false;
        }
        let connector = self.networks.connector_for(&source.network);
        let endpoint = connector.as_ref().and_then(|connector| connector.endpoint(&source.endpoint));
        endpoint.is_some_and(|endpoint| !self.revisits.collections.include(&source.network, endpoint))
    }

    /// Sources were read that the core is about to visit: those of which a constraint speaks are judged first.
    pub(super) fn on_sources(&mut self, sources: Vec<(SourceId, Option<Box<Source>>)>) {
        let judge = self.revisits.judge.clone();
        let mut judged = Vec::new();
        for (id, mut source) in sources {
            if let Some(leased) = &mut source {
                leased.epoch = self.epoch;
                self.interest.weigh(leased);
            }
            if let Some(passed) = source.take_if(|source| self.is_unchosen(source)) {
                if self.revisits.unchosen.len() < HELD_MAX {
                    self.revisits.unchosen.push(id);
                }
                self.feed_core(Event::Held(passed, self.moment.now + UNCHOSEN_GAP));
                continue;
            }
            match (source, &judge) {
                (Some(source), Some(judge)) if judge.may_hold(&source) => judged.push(source),
                (source, _) => self.feed_core(Event::Loaded(id, source)),
            }
        }
        if let Some(judge) = judge.filter(|_| !judged.is_empty()) {
            self.ask(Question::Revisit(judged, judge, self.moment.now));
        }
    }

    /// They were judged: some are visited, and some held back.
    pub(super) fn on_judged(&mut self, judged: Vec<(Box<Source>, Option<revisit::HeldBack>)>) {
        for (source, held) in judged {
            let Some(held) = held else {
                self.feed_core(Event::Loaded(source.id, Some(source)));
                continue;
            };
            let known = self.revisits.held.entry(revisit::root_of(&source)).or_default();
            if self.revisits.held_count < HELD_MAX && !known.contains(&source.id) {
                self.revisits.held_count += 1;
                known.push(source.id);
            }
            self.feed_core(Event::Held(source, held.until));
        }
    }

    /// These were stored: sources of what they tell something of are judged anew.
    pub(super) fn wake_touched(&mut self, uploads: &[Upload]) {
        if self.revisits.held.is_empty() {
            return;
        }
        let mut touched_now: Set<Address> = Set::default();
        // What was read as a viewer tells nothing to others.
        for upload in uploads.iter().filter(|upload| upload.viewer.is_none()) {
            if let Some(network) = self.networks.snapshot().get(upload.network.definition()) {
                let is_held = |address: &Address| self.revisits.held.contains_key(address);
                touched_now.extend(touched::touched_by(upload, &network.schema).filter(is_held));
            }
        }
        let held = &mut self.revisits.held;
        let woken: Vec<SourceId> = touched_now.iter().filter_map(|it| held.remove(it)).flatten().collect();
        self.revisits.held_count = self.revisits.held_count.saturating_sub(woken.len());
        if !woken.is_empty() {
            self.feed_core(Event::Wake(woken));
        }
    }
}
