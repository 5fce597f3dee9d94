//! One run of the engine without input or output: everything that is decided around the core.
//!
//! The runner owns the [`Core`] and decides what a run does beside visiting: it obeys people (`runner/control.rs`), outlives
//! trouble (`runner/trouble.rs`), looks after forums, shared weights and importance (`runner/forums.rs`, `runner/fits.rs`, `runner/importance.rs`, and
//! `runner/work.rs` for what takes long), tells the writer how much may come out of the rings, draws reports
//! (`runner/view.rs`), drains and ends (`runner/end.rs`).
//!
//! It has one door, [`Runner::handle`]: an [`Input`] and the [`Moment`] go in, [`Output`]s come out (`runner/message.rs`).
//! There is no thread, channel, socket, clock, sleep or store behind it: reading is a [`Question`] that comes back as a reply,
//! writing a [`Job`] for the [`Writer`](crate::writer::Writer). `drive` carries outputs out with tokio, the simulator's driver
//! on a virtual clock; both run the same decisions.

mod control;
mod end;
mod fits;
mod forums;
mod importance;
mod message;
mod revisit;
mod trouble;
mod view;
mod work;

pub use message::{Input, Look, Output};
pub use work::Work;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use freshet_network::networks::Networks;
use freshet_policy::Policy;
use freshet_store::api::{Store, StoreError};
use freshet_store::setting::Json;
use freshet_types::{SourceId, Span, Timestamp};

use crate::constrain::setting::SettingError;
use crate::core::{
    Core, CoreOptions, CredentialChoice, Effect, Event, Moment, RECHECKS, Restored, VISITS_RESERVED,
};
use crate::feed::{AHEAD_MAX, FeedError};
use crate::history::History;
use crate::price::PRICES;
use crate::question::{Question, Reply};
use crate::quota::{LEDGER, LEDGER_BEFORE, Ledger};
use crate::relearn::RELEARN;
use crate::report::Setting;
use crate::writer::{Job, Told};
use control::Controls;
use end::Stage;
use fits::Fits;
use forums::Forums;
use importance::Interest;
use revisit::Revisits;
use trouble::Troubles;
use view::View;

/// How often people's wishes are looked for, in milliseconds: they are seen within a second.
const POLL_EVERY_MS: u64 = 250;
/// Wall time between two ticks of the core, however busy it is: leases end, prices are told.
const TICK_EVERY_MS: u64 = 250;
/// Wall time between two times of writing the prices down: whoever is killed loses little by it.
const PRICES_EVERY_MS: u64 = 10_000;

/// Why a run ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The writer failed.
    #[error(transparent)]
    Writer(#[from] FeedError),
    /// A constraint cannot be used.
    #[error(transparent)]
    Constraints(#[from] SettingError),
    /// The budgets cannot be used.
    #[error("the budgets cannot be read: {0}; `freshet budget clear` removes all of them")]
    Budgets(String),
    /// The store took nothing until the end.
    #[error(
        "the run ended while the store could not be written ({why}): {uploads_count} pages and ends of visits were not \
         stored; nothing is lost, the next `freshet run` visits their sources again"
    )]
    Unwritten {
        /// Uploads that were not written.
        uploads_count: usize,
        /// What was wrong with the store, as far as it said.
        why: String,
    },
    /// The writer thread died.
    #[error("the writer thread ended unexpectedly; the store is unharmed, start again")]
    WriterGone,
}

/// Choices of one run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// End by itself after so long on the wall.
    pub lasts: Option<Duration>,
    /// Steps from what a person added that robots may go.
    pub depth_max: u16,
    /// Answers are kept as received.
    pub keeps_raw: bool,
    /// The core's limits.
    pub core: CoreOptions,
    /// Wall time between two reports; zero takes the usual.
    pub report_every: Duration,
    /// Longest that a graceful stop lasts; zero takes the usual.
    pub drain_max: Duration,
}

/// Who plans, and with what.
#[derive(Clone)]
pub struct RunnerKit {
    pub networks: Arc<Networks>,
    /// When to look again.
    pub policy: Arc<dyn Policy>,
    /// Which credential a robot uses.
    pub credential: CredentialChoice,
}

impl std::fmt::Debug for RunnerKit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunnerKit").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// What the store has set aside for one run, and for no other.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// The epoch under which it leases its sources.
    pub epoch: u64,
    /// The first numbers of its visits.
    pub visits: std::ops::Range<u64>,
}

impl Numbers {
    /// Has them set aside.
    pub fn reserve(store: &mut dyn Store) -> Result<Self, StoreError> {
        let epoch = store.begin_epoch()?;
        let first = store.reserve_visits(VISITS_RESERVED)?;
        Ok(Self { epoch, visits: first..first + VISITS_RESERVED })
    }
}

/// What an earlier process left in the store.
#[derive(Debug)]
pub struct Past {
    restored: Restored,
    history: History,
    control_seen: u64,
}

impl Past {
    /// Reads it.
    pub fn read(store: &dyn Store, now: Timestamp) -> Result<Self, StoreError> {
        let ledger = Ledger::from_settings(LEDGER.all(store)?, LEDGER_BEFORE.get(store)?.as_deref(), now);
        let prices = PRICES.get(store)?;
        let mut relearnt = RELEARN.get(store)?.unwrap_or_default();
        let rechecks = RECHECKS.find(store)?.map(|Json(ages)| ages).unwrap_or_default();
        // Written by a clock that was ahead of today's: the next try is not put off for longer than usual.
        relearnt.0.values_mut().for_each(|note| note.at = note.at.min(now));
        Ok(Self {
            restored: Restored { ledger, prices, relearnt, rechecks },
            history: History::from_store(store)?,
            control_seen: store.controls_above(0)?.last().map_or(0, |control| control.number),
        })
    }
}

/// A run under way.
#[derive(Debug)]
pub struct Runner {
    core: Core,
    /// Under which it leases sources.
    epoch: u64,
    networks: Arc<Networks>,
    policy: Arc<dyn Policy>,
    /// The instant of the input that is being handled.
    moment: Moment,
    /// How far the clock of the crawl was ahead when it was last told.
    clock_ahead: Span,
    /// Sources that the core wants and that were not asked for yet.
    loads: Vec<SourceId>,
    controls: Controls,
    troubles: Troubles,
    forums: Forums,
    fits: Fits,
    interest: Interest,
    revisits: Revisits,
    view: View,
    stage: Stage,
    /// Wall time after which it ends by itself.
    lasts_ms: Option<u64>,
    /// Sources that may come out of the rings, as the writer was last told.
    room: usize,
    ticked_ms: u64,
    polled_ms: u64,
    priced_ms: u64,
    outputs: VecDeque<Output>,
}

impl Runner {
    /// A run that goes on from `past`. It begins with [`Input::Start`].
    pub fn new(kit: RunnerKit, options: &RunOptions, past: Past, numbers: Numbers, moment: Moment) -> Self {
        let (networks, policy) = (Arc::clone(&kit.networks), Arc::clone(&kit.policy));
        let core = Core::new(
            kit.networks,
            kit.policy,
            kit.credential,
            options.core.clone(),
            numbers.visits,
            moment.now,
        );
        let mut runner = Self {
            view: View::new(Setting::new(moment.now, policy.name()), past.history, options, moment),
            core,
            epoch: numbers.epoch,
            networks,
            policy,
            moment,
            clock_ahead: Span::ZERO,
            loads: Vec::new(),
            controls: Controls::new(past.control_seen),
            troubles: Troubles::default(),
            forums: Forums::default(),
            fits: Fits::default(),
            interest: Interest::default(),
            revisits: Revisits::default(),
            stage: Stage::new(options),
            lasts_ms: options.lasts.map(ms),
            room: AHEAD_MAX,
            ticked_ms: moment.wall_ms,
            polled_ms: moment.wall_ms,
            priced_ms: moment.wall_ms,
            outputs: VecDeque::new(),
        };
        runner.feed_core(Event::Restored(Box::new(past.restored)));
        runner
    }

    /// Takes in one input; what follows from it is added to `outputs`. An error ends the run.
    pub fn handle(
        &mut self,
        input: Input,
        moment: Moment,
        outputs: &mut VecDeque<Output>,
    ) -> Result<(), RunError> {
        self.moment = moment;
        match input {
            Input::Start => self.load_all(),
            Input::Tick(clock_ahead) => {
                self.clock_ahead = clock_ahead;
                self.tick();
            }
            Input::Event(event) => self.feed_core(event),
            Input::Told(told) => self.on_told(told)?,
            Input::Reply(question, reply) => match reply {
                Ok(reply) => self.on_reply(reply)?,
                Err(error) => self.on_unread(question, &error).map_err(|()| error)?,
            },
            Input::Wish => self.look_for_wishes(),
            Input::Looked(look) => self.draw(look),
            Input::Stop => self.begin_end(),
            Input::Parted(look) => self.close(look),
            Input::WriterEnded => self.on_writer_ended()?,
        }
        if self.controls.is_loaded() {
            self.tend();
        }
        self.go_on_ending()?;
        self.ask_for_loads();
        outputs.append(&mut self.outputs);
        Ok(())
    }

    /// The core, to look at.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Whether everything that the store knew at the start is loaded.
    pub fn is_loaded(&self) -> bool {
        self.controls.is_loaded()
    }

    /// When it must be woken though nothing happened, by the clock of the crawl.
    pub fn wake_at(&self) -> Option<Timestamp> {
        self.core.wake_at()
    }

    /// The same on the wall.
    pub fn wake_ms(&self) -> Option<u64> {
        [
            self.troubles.reading.retry_ms(),
            self.stage.deadline_ms(),
            self.lasts_ms.filter(|_| self.stage.is_running()),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    fn want(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    fn give(&mut self, job: Job) {
        self.outputs.push_back(Output::Job(job));
    }

    fn ask(&mut self, question: Question) {
        self.outputs.push_back(Output::Ask(question));
    }

    /// Lets the core act on an event, and passes on what it wants. Once the writer was told to stop nothing more is begun.
    fn feed_core(&mut self, event: Event) {
        let effects = self.core.handle(event, self.moment);
        if self.stage.is_closed() {
            return;
        }
        for effect in effects {
            let output = match effect {
                Effect::Load(id) => {
                    self.loads.push(id);
                    continue;
                }
                // It is wanted again as long as it cannot be read.
                Effect::ReadStale(_) if self.troubles.reading.waits(self.moment) => continue,
                Effect::ReadStale(network) => Output::Ask(Question::Stale(network, self.moment.now)),
                Effect::Fetch(fetcher, order) => Output::Fetch(fetcher, order),
                Effect::Cancel(fetcher, order) => Output::Cancel(fetcher, order),
                Effect::Apply(upload) => Output::Job(Job::Apply(upload)),
                Effect::Reserve(reservation) => Output::Job(Job::Ledger(reservation)),
                Effect::ReserveVisits(count) => Output::Job(Job::Reserve(count)),
                Effect::Note(key, text) => Output::Job(Job::Note(key, text)),
                Effect::ReadStream(ask) => Output::Ask(Question::Stream(ask)),
                Effect::OpenStream(order) => Output::OpenStream(order),
                Effect::CloseStream(id) => Output::CloseStream(id),
                Effect::Relearn(network) => Output::Relearn(network),
                Effect::Granted(network) => Output::Granted(network),
            };
            self.outputs.push_back(output);
        }
    }

    fn tick(&mut self) {
        self.ticked_ms = self.moment.wall_ms;
        self.feed_core(Event::Tick);
    }

    fn on_told(&mut self, told: Told) -> Result<(), RunError> {
        match told {
            Told::Event(event) => {
                self.note_progress(&event);
                self.feed_core(event);
            }
            Told::Rings(rings) => self.view.setting.rings = rings,
            Told::Reserved(numbers) => self.feed_core(Event::VisitNumbers(numbers)),
            Told::Trouble(part, what, advice) => self.on_trouble(part, what, advice),
            Told::Mended(part) => self.mend(part),
            Told::Spent(uploads) => {
                self.wake_touched(&uploads);
                self.want(Output::Free(uploads));
            }
            Told::Failed(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn on_reply(&mut self, reply: Reply) -> Result<(), RunError> {
        match reply {
            Reply::Sources(sources) => self.on_sources(sources),
            Reply::Revisit(judged) => self.on_judged(judged),
            Reply::Stale(network, pages) => {
                if !pages.is_empty() {
                    self.feed_core(Event::Stale(network, pages));
                }
            }
            Reply::Lists(lists) => self.train(*lists),
            Reply::Evidence(evidence) => self.add_evidence(evidence),
            Reply::Importance(importance) => self.on_importance(*importance),
            Reply::Stream(found) => self.feed_core(Event::StreamFound(found)),
            Reply::Newest(_) => self.on_readable(),
            reply => self.obey(reply)?,
        }
        Ok(())
    }

    /// Does what is to be done now and then, where it is time.
    fn tend(&mut self) {
        if self.stage.is_closed() {
            return;
        }
        if self.is_time(self.ticked_ms, TICK_EVERY_MS) {
            self.tick();
        }
        if self.is_time(self.polled_ms, POLL_EVERY_MS) {
            self.polled_ms = self.moment.wall_ms;
            self.poll();
        }
        if !self.troubles.reading.waits(self.moment) {
            self.tend_forums();
            self.tend_fits();
            self.tend_importance();
        }
        if self.is_time(self.priced_ms, PRICES_EVERY_MS) {
            self.priced_ms = self.moment.wall_ms;
            self.give(self.prices());
        }
        self.tend_view();
    }

    fn poll(&mut self) {
        self.want(Output::Reload);
        self.compare_clocks();
        self.read_again();
        self.look_for_wishes();
        self.tell_room();
    }

    /// Tells the writer how many sources may come out of the rings: the more wait to be begun, the fewer.
    fn tell_room(&mut self) {
        let (_, due_count, _) = self.core.queue_sizes();
        let room = AHEAD_MAX.saturating_sub(due_count);
        if room != self.room {
            self.room = room;
            self.give(Job::Room(room));
        }
    }

    fn prices(&self) -> Job {
        Job::Prices(self.core.prices().to_text(self.moment.now))
    }

    /// Whether as much wall time has passed since then.
    fn is_time(&self, since_ms: u64, every_ms: u64) -> bool {
        self.moment.wall_ms.saturating_sub(since_ms) >= every_ms
    }
}

/// Milliseconds, as moments count them.
fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
