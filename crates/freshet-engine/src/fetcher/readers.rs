//! Step 6 of 10 on threads of its own: a page that takes long to read holds up nobody.
//!
//! The tasks of the runtime carry requests, the dashboard and signals; whoever computes there for a minute stops them
//! all. So pages are read by a few threads, and an order whose page is not read within the deadline gets a fault. A thread
//! cannot be stopped from outside: it goes on until it is done, is counted as stuck meanwhile, and another takes its
//! place, up to [`STUCK_MAX`] of them. These are plain threads and none of the runtime's blocking ones, because the runtime
//! waits for those when it ends; a process may end while a plain thread is busy.
//!
//! Reads that are under way share one budget of memory: each takes what a body of its length may need at most, and
//! waits until that is free. What it does not do: read ([`crate::order::Order::read`]), or bound the work of reading: the
//! limits of `network` and `forum` do, and this is the net below them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, mpsc};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// Longest that a page may be read. The largest that are allowed take a second or two.
const READ_DEADLINE: Duration = Duration::from_secs(20);
/// Longest wait for a thread and memory; with the deadline it stays below the time of a lease.
const WAIT_MAX: Duration = Duration::from_mins(1);
/// Pages read at once, at most; fewer where the machine has fewer cores.
const READERS_MAX: usize = 8;
/// Stuck threads that are replaced. Each may take a core until it is done, so there is an end to that.
const STUCK_MAX: usize = 8;
/// Memory of all reads under way, in KiB: five of the largest at once, or hundreds of usual ones.
const MEMORY_KIB_MAX: u32 = 512 << 10;
/// What a byte of a body may become while it is read, beyond the body itself: the measured worst case of small bodies, in
/// which every element is as short as can be.
const GROWTH: usize = 64;
/// Where that ends: trees, pages and their parts are bounded in number.
const GROWTH_KIB_MAX: usize = 80 << 10;
/// Copies of a body in a text of its own: decoded, as texts of the tree, as texts of the page.
const COPIES: usize = 4;

/// Why a page was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// It took too long.
    #[error("was not read within {READ_DEADLINE:?}; it is left alone until the next try")]
    Late,
    /// Other pages took all threads or all memory for too long.
    #[error("could not be read: all readers are busy with other pages; if that stays so, start again")]
    Busy,
    /// The reader panicked.
    #[error("could not be read: reading it failed in a way that nobody has foreseen; please report it")]
    Failed,
}

/// The threads that read.
#[derive(Clone, Debug)]
pub struct Readers {
    pool: Arc<Pool>,
    deadline: Duration,
}

impl Default for Readers {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(READERS_MAX, usize::from);
        Self::new(cores.min(READERS_MAX), MEMORY_KIB_MAX)
    }
}

#[derive(Debug)]
struct Pool {
    turns: Arc<Semaphore>,
    memory: Arc<Semaphore>,
    memory_kib: u32,
    readers_max: usize,
    idle: Mutex<Vec<mpsc::Sender<Errand>>>,
    stuck_count: Arc<AtomicUsize>,
}

/// Reads something, and gives what tells of it: by then the thread is free for the next.
type Job = Box<dyn FnOnce() -> Box<dyn FnOnce()> + Send>;

impl Readers {
    /// So many at once, with so much memory together.
    pub fn new(readers_max: usize, memory_kib: u32) -> Self {
        let pool = Pool {
            turns: Arc::new(Semaphore::new(readers_max.max(1))),
            memory: Arc::new(Semaphore::new(memory_kib.max(1) as usize)),
            memory_kib: memory_kib.max(1),
            readers_max,
            idle: Mutex::default(),
            stuck_count: Arc::default(),
        };
        Self { pool: Arc::new(pool), deadline: READ_DEADLINE }
    }

    /// The same threads with another deadline.
    #[cfg(test)]
    pub(super) fn within(&self, deadline: Duration) -> Self {
        Self { deadline, ..self.clone() }
    }

    /// Threads that are busy with a page that was given up.
    pub(crate) fn stuck_count(&self) -> usize {
        self.pool.stuck_count.load(Ordering::Relaxed)
    }

    /// Lets a thread do `work` on a body of so many bytes.
    pub async fn read<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Unread> {
        let pool = &self.pool;
        let enter = async {
            // Memory first: whoever waits for it must not take a thread from others.
            let memory = Arc::clone(&pool.memory).acquire_many_owned(pool.cost_kib(bytes)).await;
            (memory, Arc::clone(&pool.turns).acquire_owned().await)
        };
        let Ok((Ok(memory), Ok(turn))) = tokio::time::timeout(WAIT_MAX, enter).await else {
            return Err(Unread::Busy);
        };
        let state = Mutex::new(SlotState { turn: Some(turn), ..SlotState::default() });
        let slot = Arc::new(ReadSlot { state, stuck_count: Arc::clone(&pool.stuck_count) });
        let (tell, told) = oneshot::channel();
        let leaving = Leaving(Arc::clone(&slot));
        let job = move || {
            let (memory, leaving) = (memory, leaving);
            let result = work();
            let telling = move || {
                drop((memory, leaving));
                drop(tell.send(result));
            };
            Box::new(telling) as Box<dyn FnOnce()>
        };
        pool.start(Box::new(job)).map_err(|_| Unread::Busy)?;
        if let Ok(result) = tokio::time::timeout(self.deadline, told).await {
            return result.map_err(|_| Unread::Failed);
        }
        slot.give_up();
        Err(Unread::Late)
    }
}

impl Pool {
    /// The memory that a body of this length may need; nobody needs more than there is.
    fn cost_kib(&self, bytes: usize) -> u32 {
        let cost = bytes.div_ceil(1024) * COPIES + (bytes.div_ceil(1024) * GROWTH).min(GROWTH_KIB_MAX);
        u32::try_from(cost).unwrap_or(u32::MAX).min(self.memory_kib)
    }

    /// Gives a job to an idle thread, or to a new one.
    fn start(self: &Arc<Self>, mut job: Job) -> std::io::Result<()> {
        while let Some(thread) = self.pop_idle() {
            match thread.clone().send(Errand { job, own: thread }) {
                Ok(()) => return Ok(()),
                Err(mpsc::SendError(errand)) => job = errand.job,
            }
        }
        let (own, todo) = mpsc::channel();
        let pool = Arc::downgrade(self);
        let work = move || work(&pool, Errand { job, own }, &todo);
        std::thread::Builder::new().name("reader".to_owned()).spawn(work).map(drop)
    }

    fn pop_idle(&self) -> Option<mpsc::Sender<Errand>> {
        self.idle().pop()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<mpsc::Sender<Errand>>> {
        // A list of senders is sound whoever panicked beside it.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a thread is to do, with the way to send it more: while it waits, only the pool has that, and the thread
/// ends with the pool.
struct Errand {
    job: Job,
    own: mpsc::Sender<Self>,
}

/// The life of one thread.
fn work(pool: &Weak<Pool>, first: Errand, todo: &mpsc::Receiver<Errand>) {
    let mut errand = first;
    loop {
        // Whoever waits for the answer of a job that panicked learns it from the dropped channel.
        let telling = catch_unwind(AssertUnwindSafe(errand.job)).ok();
        if let Some(pool) = pool.upgrade() {
            let mut idle = pool.idle();
            if idle.len() < pool.readers_max {
                idle.push(errand.own);
            }
        }
        if let Some(tell) = telling {
            tell();
        }
        match todo.recv() {
            Ok(next) => errand = next,
            Err(_) => return,
        }
    }
}

/// The slot of one read among those under way.
#[derive(Debug)]
struct ReadSlot {
    state: Mutex<SlotState>,
    stuck_count: Arc<AtomicUsize>,
}

#[derive(Debug, Default)]
struct SlotState {
    /// Held as long as nobody else may take its place.
    turn: Option<OwnedSemaphorePermit>,
    /// It was given up, and goes on.
    is_stuck: bool,
    is_done: bool,
}

impl ReadSlot {
    fn state(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody waits for it any more: another takes its turn, unless too many are stuck.
    fn give_up(&self) {
        let mut state = self.state();
        if !state.is_done {
            state.is_stuck = true;
            if self.stuck_count.fetch_add(1, Ordering::Relaxed) < STUCK_MAX {
                state.turn = None;
            }
        }
    }
}

/// Ends the stay when the read ends, however it does.
struct Leaving(Arc<ReadSlot>);

impl Drop for Leaving {
    fn drop(&mut self) {
        let was =
            std::mem::replace(&mut *self.0.state(), SlotState { is_done: true, ..SlotState::default() });
        if was.is_stuck {
            self.0.stuck_count.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
