//! Requests that a command sends itself, each granted before it leaves: by the run that is under way here, or, without one, by the stored
//! ledger, for a moment under the run's lock ([`freshet_engine::guest`]).
//!
//! So `freshet get --online` and `freshet find` never overdraw what a run of the same data directory paces. It decides nothing about what
//! is asked, reads no answer and stores none.

use std::time::Duration;

use freshet_engine::guest::{self, Granted, Purse, Spent};
use freshet_fetch::{Fetch as _, HttpFetch};
use freshet_network::networks::Networks;
use freshet_store::api::Store;
use freshet_types::{Clock, Fault, Outcome, Request, Response, Span, Timestamp};

use crate::data::{Data, RunLock};
use crate::failure::Failure;
use crate::text::brief;

/// Wall time between two looks for the run's answer, and how long it may take.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const ANSWER_MAX: Duration = Duration::from_secs(15);
/// Longest wait for room in a quota, by the clock of the crawl; who must wait longer is told so.
const ROOM_MAX: Span = Span::from_secs(30);

/// Somebody who asks a network beside a run, or without one.
pub(crate) struct Guest<'a> {
    data: &'a mut Data,
    networks: &'a Networks,
    fetch: &'a HttpFetch,
    clock: &'a dyn Clock,
    /// Requests that were sent.
    count: usize,
    /// A run granted some of them.
    is_by_run: bool,
}

impl<'a> Guest<'a> {
    /// One who has not asked yet.
    pub(crate) fn new(
        data: &'a mut Data,
        networks: &'a Networks,
        fetch: &'a HttpFetch,
        clock: &'a dyn Clock,
    ) -> Self {
        Self { data, networks, fetch, clock, count: 0, is_by_run: false }
    }

    /// Requests that were sent.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Whether a run granted some of them.
    pub(crate) fn is_by_run(&self) -> bool {
        self.is_by_run
    }

    /// The clock of the crawl.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Where answers are stored.
    pub(crate) fn store(&mut self) -> &mut dyn Store {
        &mut self.data.store
    }

    /// Sends one request as soon as it may leave. `read` says what an answer means; what the exchange took beyond its grant is
    /// charged. The fault inside says that no answer came.
    pub(crate) async fn send(
        &mut self,
        request: &Request,
        read: impl FnOnce(&Response, Timestamp) -> Outcome,
    ) -> anyhow::Result<Result<(), Fault>> {
        self.pause(request).await;
        self.grant(request).await?;
        self.count += 1;
        let answered = self.fetch.fetch(request).await;
        let now = self.clock.now();
        let mut spent = Spent { extra_count: request.meter.extra_count(), ..Spent::default() };
        let result = answered.map(|response| {
            let outcome = read(&response, now);
            if let Outcome::RateLimited { until } | Outcome::QuotaExhausted { until } = outcome {
                (spent.is_refused, spent.refused_until) = (true, until);
            }
        });
        self.tell_spent(request, spent, now)?;
        Ok(result)
    }

    /// As long as there must be between two requests to a server.
    async fn pause(&self, request: &Request) {
        let connector = self.networks.connector_for(&request.network).filter(|_| self.count > 0);
        let pauses = connector.iter().flat_map(|it| it.endpoints()).map(|it| it.politeness.pause.ms());
        let pause_ms = pauses.max().unwrap_or_default().unsigned_abs();
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
    }

    /// Waits until a request may leave, or says when it might.
    async fn grant(&mut self, request: &Request) -> anyhow::Result<()> {
        let began_at = self.clock.now();
        loop {
            let now = self.clock.now();
            let Granted::NotBefore(until) = self.ask_for_grant(request, now).await? else { return Ok(()) };
            if until - began_at > ROOM_MAX {
                let wait = brief(until - now);
                let what = format!("the quota of `{}` has no room for {wait}", request.network);
                return Err(Failure::new(what)
                    .hint("try again then, or raise the budget: `freshet budget list`")
                    .into());
            }
            let wait_ms = (until - now).ms().clamp(0, 1000).unsigned_abs();
            tokio::time::sleep(Duration::from_millis(wait_ms).max(LOOK_EVERY)).await;
        }
    }

    async fn ask_for_grant(&mut self, request: &Request, now: Timestamp) -> anyhow::Result<Granted> {
        loop {
            if let Some(mut purse) = self.purse(now)? {
                let granted = purse.0.grant(&mut self.data.store, request, now)?;
                purse.0.close(&mut self.data.store, now)?;
                return Ok(granted);
            }
            if let Some(granted) = self.ask_the_run(request).await? {
                self.is_by_run |= granted == Granted::Now;
                return Ok(granted);
            }
            // It has ended meanwhile.
        }
    }

    /// The stored ledger, where no run is under way. No run begins as long as it is in hand, so that is a moment only: what was
    /// granted is written down, and the run that begins next knows of it.
    fn purse(&self, now: Timestamp) -> anyhow::Result<Option<(Purse, RunLock)>> {
        if self.data.runner().is_some() {
            return Ok(None);
        }
        // A run that has just begun has the lock.
        let Ok(lock) = self.data.lock() else { return Ok(None) };
        Ok(Some((Purse::open(&self.data.store, now)?, lock)))
    }

    /// What a request took beyond its grant is charged too.
    fn tell_spent(&mut self, request: &Request, spent: Spent, now: Timestamp) -> anyhow::Result<()> {
        let Some((mut purse, _lock)) = self.purse(now)? else {
            return Ok(guest::spent(&mut self.data.store, request, spent)?);
        };
        purse.charge(&mut self.data.store, (request, spent), now)?;
        Ok(purse.close(&mut self.data.store, now)?)
    }

    /// The run's answer; `None` when it has ended.
    async fn ask_the_run(&mut self, request: &Request) -> anyhow::Result<Option<Granted>> {
        let number = guest::wish(&mut self.data.store, request)?;
        let deadline = tokio::time::Instant::now() + ANSWER_MAX;
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            if let Some(granted) = guest::answer(&self.data.store, number)? {
                return Ok(Some(granted));
            }
            if self.data.runner().is_none() {
                return Ok(None);
            }
            if tokio::time::Instant::now() >= deadline {
                let failure = Failure::new("the run that is under way here does not answer");
                return Err(failure.hint("it may have just begun, or wait for its store: try again").into());
            }
        }
    }
}
