//! Hubs of feeds (`WebSub`): a run that can be reached asks them to be told of news, and stores what they bring.
//!
//! Only where a person says under which address hubs reach the dashboard (`run --websub-at`). A hub is a hint, whatever it brings: nothing of it
//! proves that nothing was left out. So what it brings is stored at once, as a guest's look is, and the visits that were planned
//! stay; where it brings nothing that can be read, the feed is due. A subscription lives as long as its run: the next one
//! asks anew under other addresses, and whatever still comes to the old ones is told that nobody wants it.
//!
//! Rooms: what is asked when (`hubs/desk.rs`); requests and what is stored (`hubs/keeper.rs`); the web's side is `freshet_web`'s. Every
//! request is granted like that of a guest ([`crate::guest`]). Secrets live in `freshet_fetch` ([`freshet_fetch::hub`]).

mod desk;
mod keeper;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use freshet_report::hubs::{HubLine, HubsStatus};
use freshet_store::api::{Store, StoreError};
use freshet_store::setting::{Json, Setting};
use freshet_types::Clock;
use url::Url;

use crate::data::Data;
use crate::failure::Failure;
use desk::Desk;
pub use desk::{Question, Taken};
pub use keeper::HubsKit;
use keeper::Keeper;

/// What hubs tell the run under way.
const HUBS: Setting<Json<Option<HubsStatus>>> = Setting::new("hubs");
/// The first part of the path under which hubs reach the dashboard.
pub const PATH: &str = "/hub/";

/// Where hubs come: what the web hands their words to.
#[derive(Clone, Debug)]
pub struct Hubs {
    desk: Arc<Mutex<Desk>>,
    clock: Arc<dyn Clock>,
    /// Answers whoever asks whether the address leads here: we do.
    proof: Arc<str>,
    wake: SyncSender<()>,
}

impl Hubs {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this is the last part of an address that was given away.
    pub fn knows(&self, path: &str) -> bool {
        self.proves(path) || self.desk().knows(path)
    }

    /// Whether it is we ourselves who ask.
    pub fn proves(&self, path: &str) -> bool {
        *path == *self.proof
    }

    /// A hub asks whether we meant it: what it is to be answered, or nothing where we did not.
    pub fn verify(&self, path: &str, question: &Question) -> Option<String> {
        self.desk().verify(path, question, self.clock.now())
    }

    /// A hub brings something of this type.
    pub fn receive(&self, path: &str, content_type: String, body: Vec<u8>, signature: &str) -> Taken {
        let taken = self.desk().receive(path, (content_type, body), signature, self.clock.now());
        // One who is awake already looks at everything.
        let _ = self.wake.try_send(());
        taken
    }
}

/// The address that a person gives, as hubs are told it.
pub fn public_address(text: &str) -> Result<String, Failure> {
    let url = Url::parse(text).ok().filter(|url| {
        let is_plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
        matches!(url.scheme(), "http" | "https") && url.has_host() && is_plain && url.password().is_none()
    });
    let url = url.ok_or_else(|| {
        Failure::misuse(format!("`{text}` is no address at which hubs reach the dashboard"))
            .hint("write it like https://me.example, without a query or a name")
    })?;
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// Hubs that are kept up; dropping it ends that.
#[derive(Debug)]
pub struct RunningHubs {
    is_over: Arc<AtomicBool>,
    wake: SyncSender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for RunningHubs {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.wake.try_send(());
        // A request under way may take half a minute, and nobody waits for it.
        drop(self.thread.take());
    }
}

/// What the web needs, before there is a run.
#[derive(Debug)]
pub struct Prepared {
    pub hubs: Hubs,
    woken: std::sync::mpsc::Receiver<()>,
}

/// Makes a place where hubs come.
pub fn prepare(clock: Arc<dyn Clock>) -> anyhow::Result<Prepared> {
    let (wake, woken) = sync_channel(1);
    let proof = freshet_fetch::hub::new_path()?.into();
    Ok(Prepared { hubs: Hubs { desk: Arc::default(), clock, proof, wake }, woken })
}

/// Keeps hubs up from now on, on a thread of its own.
pub fn start(prepared: Prepared, kit: HubsKit) -> anyhow::Result<RunningHubs> {
    let is_over = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&is_over);
    let Prepared { hubs, woken } = prepared;
    let wake = hubs.wake.clone();
    let mut keeper = Keeper::new(kit, hubs)?;
    let work = move || {
        keeper.begin();
        while !told.load(Ordering::Relaxed) {
            if let Err(error) = keeper.turn() {
                // A store that is busy is asked again.
                tracing::debug!("hubs wait: {error:#}");
            }
            let _ = woken.recv_timeout(keeper::TURN_EVERY);
        }
        keeper.end();
    };
    let thread = std::thread::Builder::new().name("hubs".to_owned()).spawn(work)?;
    Ok(RunningHubs { is_over, wake, thread: Some(thread) })
}

/// What hubs tell the run under way, if it asks any.
pub(crate) fn status(data: &Data) -> Result<Option<HubsStatus>, StoreError> {
    if data.runner().is_none() {
        return Ok(None);
    }
    stored(&data.store)
}

/// What a run that was killed has left is of no worth to the next one.
pub fn begin_anew(data: &mut Data) -> Result<(), StoreError> {
    if stored(&data.store)?.is_some() { HUBS.put(&mut data.store, &Json(None)) } else { Ok(()) }
}

/// What is written down of it: of the run under way, or of one that was killed.
fn stored(store: &dyn Store) -> Result<Option<HubsStatus>, StoreError> {
    Ok(HUBS.find(store)?.and_then(|Json(status)| status))
}

/// The same, feed by feed.
pub(crate) fn lines(store: &dyn Store) -> Result<Vec<HubLine>, StoreError> {
    Ok(stored(store)?.map(|status| status.feeds).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_understood_or_refused() {
        for (text, expected) in [
            ("https://me.example", Some("https://me.example")),
            ("https://me.example:8640/freshet/", Some("https://me.example:8640/freshet")),
            ("http://127.0.0.1:8640/", Some("http://127.0.0.1:8640")),
            ("me.example", None),
            ("ftp://me.example", None),
            ("https://me:word@me.example", None),
            ("https://me.example/?a=1", None),
        ] {
            assert_eq!(public_address(text).ok().as_deref(), expected, "{text}");
        }
    }
}
