//! From a subscription in the store to a subscriber at work: which outlet its way leads to, and what is opened for it.
//!
//! Nothing is opened before there is something to deliver, so one that cannot be opened is tried again like one that takes
//! nothing, and says so in the same place.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use freshet_fetch::LiveVault;
use freshet_fetch::hook::{Hook, HookTarget};
use freshet_fetch::nats::{Nats, NatsTarget};
use freshet_network::networks::Networks;
use freshet_store::subscription::{SubscriptionRow, Way};
use freshet_types::Clock;

use super::bus::Bus;
use super::command::Program;
use super::socket::{Readers, Socket};
use super::webhook::Webhook;
use super::{DeliverError, Outlet, Stop, Subscriber, file};

/// What is written to where a run has its standard output.
const STDOUT: &str = "/dev/stdout";

/// What outlets are opened with.
#[derive(Clone, Debug)]
pub struct Means {
    pub networks: Arc<Networks>,
    /// Whom a receiver can write to.
    pub contact: String,
    pub clock: Arc<dyn Clock>,
    /// What has the secrets that sign.
    pub vault: LiveVault,
    /// Variables that no program may see.
    pub hidden: Vec<OsString>,
    /// Where those who read over a WebSocket come.
    pub readers: Readers,
}

impl Means {
    /// A subscriber of this subscription, which is to run.
    pub fn subscriber(&self, row: &SubscriptionRow) -> Result<Subscriber, String> {
        let stop = Stop::default();
        let (means, it, heard) = (self.clone(), row.clone(), stop.clone());
        let open = Box::new(move || means.open(&it, &heard));
        Ok(Subscriber { stop, ..Subscriber::of(row, &self.networks, open)? })
    }

    /// Opens the way of a subscription once.
    pub fn open(&self, row: &SubscriptionRow, stop: &Stop) -> Result<Box<dyn Outlet>, DeliverError> {
        let (name, way) = (row.subscription.name.as_str(), &row.subscription.way);
        let refused = |why: String| DeliverError::Refused { name: name.to_owned(), why };
        match way {
            Way::File(path) => file::open(Path::new(path), file::Lines::Told),
            Way::Stdout => file::open(Path::new(STDOUT), file::Lines::Told),
            Way::Command(line) => {
                let started = Program::start(line, &self.hidden, stop.clone());
                let name = line.first().map_or("", String::as_str);
                started
                    .map(|program| -> Box<dyn Outlet> { Box::new(program) })
                    .map_err(|error| refused(format!("`{name}` cannot be started: {error}")))
            }
            Way::Webhook { url, allow_private, secret } => {
                let target =
                    HookTarget { url: url.clone(), allow_private: *allow_private, secret: secret.clone() };
                let hook = Hook::open(&self.contact, &self.clock, &self.vault, target);
                let hook = hook.map_err(|error| refused(error.to_string()))?;
                Ok(Box::new(Webhook { name: name.to_owned(), hook }))
            }
            Way::Nats { url, subject, stream, login } => {
                let target = NatsTarget {
                    url: url.clone(),
                    subject: subject.clone(),
                    stream: stream.clone(),
                    login: login.clone(),
                };
                let nats = Nats::open(&self.vault, name, target).map_err(|fault| refused(fault.message))?;
                Ok(Box::new(Bus { name: name.to_owned(), generation: row.standing.generation, nats }))
            }
            Way::Websocket => Ok(Box::new(Socket::new(&self.readers, name, stop))),
        }
    }
}
