//! A reader over a WebSocket as a subscriber: a batch is one text frame, taken when the reader says so.
//!
//! Here both sides meet, in memory: the thread of the subscription offers a batch ([`Socket`]), whoever holds the connection
//! takes it away and brings the word of the reader back ([`Reader`]); the connection itself, and who may come, is the
//! dashboard's business. Invariants: the cursor moves by the reader's word alone; a subscription has one reader at most; a
//! batch that was offered and not taken ends the connection, so that no late word can be held for one about another batch.
//!
//! The one who came first stays: of two programs that were started by mistake each would else throw the other out for ever,
//! and every batch would come twice. One whose line is dead is noticed by whoever holds the connection.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::Duration;

use freshet_types::Map;
use tokio::sync::Notify;

use super::{Ack, Batch, Outlet, Stop};

/// How often somebody who waits for a reader's word looks whether anybody still wants it.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Looks after which a reader that says nothing is given up: 30 seconds, as a web address has. Who works for longer says that
/// it has the batch first.
const LOOKS_MAX: u32 = 300;

/// Who reads which subscription at the moment; shared by whoever delivers and whoever holds the connections.
#[derive(Clone, Default)]
pub struct Readers(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// A batch was taken, or a reader has left.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    number_next: u64,
    /// By the names of their subscriptions.
    places: Map<String, Place>,
    /// Threads that found no reader, and are to look again when one comes.
    waiting: Map<String, Thread>,
}

/// Where a reader sits.
struct Place {
    /// Whose place it is, lest two be taken for each other.
    number: u64,
    offer: Option<Offer>,
    /// Why it is to leave.
    leave: Option<String>,
    news: Arc<Notify>,
}

struct Offer {
    cursor: u64,
    /// Until it is on its way.
    text: Option<String>,
}

impl fmt::Debug for Readers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readers").finish_non_exhaustive()
    }
}

impl Readers {
    /// A place for a reader of this subscription; `None` while somebody else has it.
    pub fn connect(&self, name: &str) -> Option<Reader> {
        let mut state = self.lock();
        if state.places.contains_key(name) {
            return None;
        }
        state.number_next += 1;
        let (number, news) = (state.number_next, Arc::new(Notify::new()));
        let place = Place { number, offer: None, leave: None, news: Arc::clone(&news) };
        state.places.insert(name.to_owned(), place);
        if let Some(thread) = state.waiting.remove(name) {
            thread.unpark();
        }
        Some(Reader { readers: self.clone(), name: name.to_owned(), number, news })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a reader is told next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Everything up to this change, as one JSON object.
    Batch { cursor: u64, text: String },
    /// The place is gone, and why.
    Leave(String),
}

/// A reader's side of a place, which is free again when this is dropped.
pub struct Reader {
    readers: Readers,
    name: String,
    number: u64,
    news: Arc<Notify>,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Reader {
    /// What comes next. Giving up the wait loses nothing.
    pub async fn told(&self) -> Told {
        loop {
            if let Some(told) = self.look() {
                return told;
            }
            self.news.notified().await;
        }
    }

    fn look(&self) -> Option<Told> {
        let mut state = self.readers.lock();
        let place = state.places.get_mut(&self.name).filter(|place| place.number == self.number)?;
        if let Some(why) = place.leave.clone() {
            return Some(Told::Leave(why));
        }
        let offer = place.offer.as_mut()?;
        let text = offer.text.take()?;
        Some(Told::Batch { cursor: offer.cursor, text })
    }

    /// It has everything up to this change; a word about a batch that is not under way changes nothing.
    pub fn takes(&self, cursor: u64) {
        let mut state = self.readers.lock();
        if let Some(place) = state.places.get_mut(&self.name).filter(|place| place.number == self.number) {
            place.offer.take_if(|offer| offer.cursor == cursor && offer.text.is_none());
            self.readers.0.changed.notify_all();
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.readers.lock();
        if state.places.get(&self.name).is_some_and(|place| place.number == self.number) {
            state.places.remove(&self.name);
            self.readers.0.changed.notify_all();
        }
    }
}

/// A subscription's side.
pub(super) struct Socket {
    readers: Readers,
    name: String,
    stop: Stop,
}

impl Socket {
    pub(super) fn new(readers: &Readers, name: &str, stop: &Stop) -> Self {
        Self { readers: readers.clone(), name: name.to_owned(), stop: stop.clone() }
    }

    /// Whether the reader of this number still has to say something.
    fn is_open(&self, state: &State, number: u64) -> bool {
        let place = state.places.get(&self.name).filter(|place| place.number == number);
        place.is_some_and(|place| place.offer.is_some())
    }
}

impl Outlet for Socket {
    fn deliver(&mut self, batch: &Batch) -> Result<Ack, String> {
        let mut state = self.readers.lock();
        let Some(place) = state.places.get_mut(&self.name).filter(|place| place.leave.is_none()) else {
            state.waiting.insert(self.name.clone(), std::thread::current());
            return Err("no reader is connected".to_owned());
        };
        place.offer = Some(Offer { cursor: batch.cursor, text: Some(frame(batch)) });
        place.news.notify_one();
        let number = place.number;
        let mut looks = 0;
        while self.is_open(&state, number) && looks < LOOKS_MAX && !self.stop.is_stopped() {
            let waited = self.readers.0.changed.wait_timeout_while(state, LOOK_EVERY, |state| {
                self.is_open(state, number) && !self.stop.is_stopped()
            });
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            looks += 1;
        }
        let Some(place) = state.places.get_mut(&self.name).filter(|place| place.number == number) else {
            return Err("the reader left before it acknowledged".to_owned());
        };
        if place.offer.take().is_none() {
            return Ok(Ack::Taken);
        }
        let (why, told) = if self.stop.is_stopped() {
            ("it was stopped", "the subscription was stopped or changed; connect again")
        } else {
            ("it has not acknowledged for 30 seconds", "not acknowledged within 30 seconds")
        };
        place.leave = Some(told.to_owned());
        place.news.notify_one();
        Err(why.to_owned())
    }
}

/// `{"cursor": …, "records": […]}`.
fn frame(batch: &Batch) -> String {
    format!(r#"{{"cursor":{},"records":[{}]}}"#, batch.cursor, batch.lines.join(","))
}

#[cfg(test)]
mod tests {
    use std::thread::JoinHandle;

    use super::*;

    const NAME: &str = "live";

    fn batch(cursor: u64) -> Batch {
        Batch { cursor, lines: vec!["{\"a\":1}".into(), "{\"b\":2}".into()] }
    }

    /// Delivers this batch on a thread of its own.
    fn delivering(readers: &Readers, stop: &Stop, cursor: u64) -> JoinHandle<Result<Ack, String>> {
        let mut socket = Socket::new(readers, NAME, stop);
        std::thread::spawn(move || socket.deliver(&batch(cursor)))
    }

    fn wait(reader: &Reader) -> Told {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(reader.told())
    }

    #[test]
    fn a_batch_is_taken_by_the_readers_word_alone() {
        let (readers, stop) = (Readers::default(), Stop::default());
        let reader = readers.connect(NAME).unwrap();
        let delivery = delivering(&readers, &stop, 7);
        let text = r#"{"cursor":7,"records":[{"a":1},{"b":2}]}"#.to_owned();
        assert_eq!(wait(&reader), Told::Batch { cursor: 7, text });
        for other in [0, 6, 8] {
            reader.takes(other);
        }
        assert!(!delivery.is_finished(), "none of these is its cursor");
        reader.takes(7);
        assert_eq!(delivery.join().unwrap(), Ok(Ack::Taken));
    }

    #[test]
    fn a_word_before_the_batch_was_sent_means_nothing() {
        let readers = Readers::default();
        let reader = readers.connect(NAME).unwrap();
        let delivery = delivering(&readers, &Stop::default(), 7);
        while readers.lock().places[NAME].offer.is_none() {
            std::thread::yield_now();
        }
        reader.takes(7);
        assert!(readers.lock().places[NAME].offer.is_some());
        drop(reader);
        assert_eq!(delivery.join().unwrap(), Err("the reader left before it acknowledged".to_owned()));
    }

    #[test]
    fn a_subscription_has_one_reader_and_the_first_stays() {
        let readers = Readers::default();
        let first = readers.connect(NAME).unwrap();
        assert!(readers.connect(NAME).is_none() && readers.connect("other").is_some());
        drop(first);
        assert!(readers.connect(NAME).is_some());
    }

    #[test]
    fn whoever_finds_no_reader_is_woken_by_the_next() {
        let (readers, stop) = (Readers::default(), Stop::default());
        let (on_failed, failed) = std::sync::mpsc::channel();
        let mut socket = Socket::new(&readers, NAME, &stop);
        let thread = std::thread::spawn(move || {
            on_failed.send(socket.deliver(&batch(1))).unwrap();
            // Without being woken this would last for ever.
            std::thread::park();
        });
        assert_eq!(failed.recv().unwrap(), Err("no reader is connected".to_owned()));
        let _reader = readers.connect(NAME).unwrap();
        thread.join().unwrap();
    }

    #[test]
    fn one_that_is_stopped_sends_its_reader_away() {
        let (readers, stop) = (Readers::default(), Stop::default());
        let reader = readers.connect(NAME).unwrap();
        let delivery = delivering(&readers, &stop, 7);
        assert!(matches!(wait(&reader), Told::Batch { .. }));
        stop.stop();
        assert_eq!(delivery.join().unwrap(), Err("it was stopped".to_owned()));
        assert!(matches!(wait(&reader), Told::Leave(why) if why.contains("connect again")));
        assert!(
            Socket::new(&readers, NAME, &stop).deliver(&batch(9)).is_err(),
            "who is leaving is given nothing"
        );
    }
}
