//! Which hub tells us of which feed, and what is to be asked of whom next: a state machine without clock, socket or store.
//!
//! A hub is asked (`asked`), asks back whether we meant it (`verify`), and then tells of the feed until its lease ends (`receive`); it is asked again
//! before that. Invariants: a hub is asked about a feed once in [`ASK_GAP`] at most; nothing is taken of a feed that is not under a
//! lease, nor what was not signed by the secret of that feed; what waits to be read is at most [`PUSHES_MAX`].

use std::collections::{BTreeMap, VecDeque};

use freshet_fetch::hub::{self, HubSecret};
use freshet_report::hubs::HubLine;
use freshet_report::time::UnixNumber;
use freshet_types::{SourceId, Span, Timestamp};

/// Feeds that hubs tell us of at most.
pub(super) const FEEDS_MAX: usize = 1000;
/// What hubs brought and nobody has read yet; a hub that brings more is told to come back.
const PUSHES_MAX: usize = 64;
/// Between two questions to a hub about one feed, however short its leases are.
const ASK_GAP: Span = Span::MINUTE;
/// How long we ask to be told.
pub(super) const LEASE_S: u32 = 864_000;
/// Longest lease that is believed: a hub that has forgotten us is asked again.
const LEASE_S_MAX: u32 = 30 * 86_400;
/// Share of a lease after which it is renewed.
const RENEWED_AFTER: f64 = 0.8;
/// Within which a hub asks back; else it cannot reach us.
const VERIFIED_WITHIN: Span = Span::from_secs(300);
/// First wait after a hub failed; it doubles.
const RETRY_MIN: Span = Span::from_secs(600);
/// Longest such wait, and how long a hub is left alone that said no.
const RETRY_MAX: Span = Span::DAY;
/// Longest challenge that is answered.
const CHALLENGE_BYTES_MAX: usize = 1024;
/// Longest reason that is told.
const WHY_CHARS_MAX: usize = 200;

/// A feed that names a hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Feed {
    pub(super) source: SourceId,
    /// As people know it.
    pub(super) label: String,
    pub(super) definition: String,
    pub(super) hub: String,
    /// The address under which the hub knows it.
    pub(super) topic: String,
    pub(super) allow_private: bool,
}

/// What a hub asks when it asks back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    pub mode: String,
    pub topic: String,
    pub challenge: String,
    pub lease_s: Option<u32>,
    pub reason: String,
}

/// What became of what a hub brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is read soon.
    Yes,
    /// It is not signed, or not by that hub: nothing is done with it.
    Unsigned,
    /// Nobody asked for it, or not any more.
    Unasked,
    /// Too much waits to be read.
    Busy,
}

/// What a hub brought.
#[derive(Debug)]
pub(super) struct Push {
    pub(super) path: String,
    pub(super) source: SourceId,
    pub(super) content_type: String,
    pub(super) body: Vec<u8>,
}

/// What is to be asked of a hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Errand {
    pub(super) path: String,
    pub(super) feed: Feed,
    /// Not to be told any more.
    pub(super) is_leaving: bool,
}

#[derive(Debug)]
struct Entry {
    feed: Feed,
    secret: HubSecret,
    asked_at: Timestamp,
    /// It was asked, and has not asked back.
    is_waited_for: bool,
    live_until: Option<Timestamp>,
    /// When it is asked next.
    ask_at: Timestamp,
    failures: i32,
    is_leaving: bool,
    why: Option<String>,
    taken_count: u64,
    refused_count: u64,
}

impl Entry {
    fn is_live(&self, now: Timestamp) -> bool {
        !self.is_leaving && self.live_until.is_some_and(|until| until > now)
    }

    fn rest(&mut self, why: &str, wait: Span, now: Timestamp) {
        self.is_waited_for = false;
        self.why = Some(why.chars().take(WHY_CHARS_MAX).collect());
        self.ask_at = now + wait;
    }

    fn state(&self, now: Timestamp) -> &'static str {
        match (self.is_leaving, self.is_live(now), self.is_waited_for) {
            (true, ..) => "leaving",
            (_, true, _) => "live",
            (.., true) => "asked",
            _ => "resting",
        }
    }
}

/// All of them, by the last part of the address at which each hub reaches us.
#[derive(Debug, Default)]
pub(super) struct Desk {
    all: BTreeMap<String, Entry>,
    pushes: VecDeque<Push>,
}

impl Desk {
    /// From now on these feeds are meant: whoever is gone or has another hub is taken leave of.
    pub(super) fn follow(&mut self, feeds: Vec<Feed>, now: Timestamp) {
        for entry in self.all.values_mut() {
            if !feeds.contains(&entry.feed) && !entry.is_leaving {
                (entry.is_leaving, entry.ask_at, entry.is_waited_for) = (true, now, false);
            }
        }
        // Whoever never told us anything need not be told.
        self.all.retain(|_, it| !it.is_leaving || it.live_until.is_some());
        let is_known = |feed: &Feed| self.all.values().any(|it| !it.is_leaving && it.feed == *feed);
        let new: Vec<Feed> = feeds.into_iter().filter(|feed| !is_known(feed)).collect();
        for feed in new.into_iter().take(FEEDS_MAX.saturating_sub(self.all.len())) {
            let (Ok(path), Ok(secret)) = (hub::new_path(), HubSecret::new()) else { return };
            let entry = Entry {
                feed,
                secret,
                asked_at: Timestamp::MIN,
                is_waited_for: false,
                live_until: None,
                ask_at: now,
                failures: 0,
                is_leaving: false,
                why: None,
                taken_count: 0,
                refused_count: 0,
            };
            self.all.insert(path, entry);
        }
    }

    /// What time brings: hubs that did not ask back, leases that ended, leaves that nobody confirmed.
    pub(super) fn pass(&mut self, now: Timestamp, public: &str) {
        self.all.retain(|_, it| !(it.is_leaving && it.is_waited_for && now - it.asked_at > VERIFIED_WITHIN));
        for entry in self.all.values_mut().filter(|it| !it.is_leaving) {
            if entry.is_waited_for && now - entry.asked_at > VERIFIED_WITHIN {
                entry.failures += 1;
                let why = format!("the hub did not ask back: can it reach `{public}`?");
                tracing::warn!("{}: {why}", entry.feed.label);
                entry.rest(&why, wait(entry.failures), now);
            }
            if entry.live_until.is_some_and(|until| until <= now) {
                entry.live_until = None;
                entry.why = entry.why.take().or_else(|| Some("the lease has ended".to_owned()));
            }
        }
    }

    /// What is to be asked now, one at a time.
    pub(super) fn next_errand(&self, now: Timestamp) -> Option<Errand> {
        let is_due = |it: &&Entry| !it.is_waited_for && it.ask_at <= now;
        let (path, entry) = self.all.iter().find(|(_, it)| is_due(it))?;
        Some(Errand { path: path.clone(), feed: entry.feed.clone(), is_leaving: entry.is_leaving })
    }

    /// The secret by which the hub of this errand signs.
    pub(super) fn secret(&self, path: &str) -> Option<&HubSecret> {
        self.all.get(path).map(|entry| &entry.secret)
    }

    /// A hub did not take the request.
    pub(super) fn on_failed(&mut self, path: &str, why: &str, now: Timestamp) {
        let Some(entry) = self.all.get_mut(path) else { return };
        if entry.is_leaving {
            self.all.remove(path);
            return;
        }
        entry.failures += 1;
        entry.rest(why, wait(entry.failures), now);
    }

    /// The request did not leave: there was no room for it.
    pub(super) fn on_put_off(&mut self, path: &str, now: Timestamp) {
        if let Some(entry) = self.all.get_mut(path) {
            (entry.is_waited_for, entry.ask_at) = (false, now + ASK_GAP);
        }
    }

    /// A request is about to leave: the hub may ask back before it answers.
    pub(super) fn on_asking(&mut self, path: &str, now: Timestamp) {
        if let Some(entry) = self.all.get_mut(path) {
            (entry.asked_at, entry.is_waited_for, entry.ask_at) = (now, true, now + ASK_GAP);
        }
    }

    /// A hub asks whether we meant it: what it is to be answered, or that we did not.
    pub(super) fn verify(&mut self, path: &str, question: &Question, now: Timestamp) -> Option<String> {
        let entry = self.all.get_mut(path).filter(|it| it.feed.topic == question.topic)?;
        let challenge = || Some(question.challenge.clone()).filter(|it| it.len() <= CHALLENGE_BYTES_MAX);
        match question.mode.as_str() {
            "subscribe" if entry.is_waited_for && !entry.is_leaving => {
                let challenge = challenge()?;
                let lease = Span::from_secs(question.lease_s.unwrap_or(LEASE_S).min(LEASE_S_MAX).into());
                entry.live_until = Some(now + lease);
                entry.ask_at = (now + lease * RENEWED_AFTER).max(entry.asked_at + ASK_GAP);
                (entry.is_waited_for, entry.failures, entry.why) = (false, 0, None);
                Some(challenge)
            }
            "unsubscribe" if entry.is_leaving => {
                let challenge = challenge()?;
                self.all.remove(path);
                Some(challenge)
            }
            "denied" => {
                let reason = question.reason.split_whitespace().collect::<Vec<_>>().join(" ");
                entry.live_until = None;
                let why = if reason.is_empty() {
                    "the hub says no".to_owned()
                } else {
                    format!("the hub says no: {reason}")
                };
                entry.rest(&why, RETRY_MAX, now);
                Some(String::new())
            }
            _ => None,
        }
    }

    /// Whether this is an address that was given to a hub.
    pub(super) fn knows(&self, path: &str) -> bool {
        self.all.contains_key(path)
    }

    /// A hub brings something.
    pub(super) fn receive(
        &mut self,
        path: &str,
        brought: (String, Vec<u8>),
        signature: &str,
        now: Timestamp,
    ) -> Taken {
        let is_full = self.pushes.len() >= PUSHES_MAX;
        let Some(entry) = self.all.get_mut(path).filter(|it| it.is_live(now)) else { return Taken::Unasked };
        let (content_type, body) = brought;
        if !entry.secret.has_signed(&body, signature) {
            entry.refused_count += 1;
            return Taken::Unsigned;
        }
        if is_full {
            return Taken::Busy;
        }
        entry.taken_count += 1;
        self.pushes.push_back(Push { path: path.to_owned(), source: entry.feed.source, content_type, body });
        Taken::Yes
    }

    /// The next thing to read.
    pub(super) fn next_push(&mut self) -> Option<Push> {
        self.pushes.pop_front()
    }

    /// Something was brought that is no page of the feed.
    pub(super) fn on_useless(&mut self, path: &str, why: &str) {
        if let Some(entry) = self.all.get_mut(path) {
            entry.why = Some(why.chars().take(WHY_CHARS_MAX).collect());
        }
    }

    /// All of them, as they are told.
    pub(super) fn lines(&self, now: Timestamp) -> Vec<HubLine> {
        let line = |entry: &Entry| HubLine {
            source: entry.feed.source,
            feed: entry.feed.label.clone(),
            hub: entry.feed.hub.clone(),
            state: entry.state(now).to_owned(),
            until: entry.live_until.and_then(UnixNumber::of),
            taken_count: entry.taken_count,
            refused_count: entry.refused_count,
            why: entry.why.clone(),
        };
        self.all.values().map(line).collect()
    }
}

/// How long a hub is left alone that failed so often.
fn wait(failures: i32) -> Span {
    (RETRY_MIN * f64::from(failures.clamp(1, 20) - 1).exp2()).min(RETRY_MAX)
}

#[cfg(test)]
mod tests;
