//! From a subscription in the store to a subscriber at work: which outlet its way leads to, and what is opened for it.
//!
//! Nothing is opened before there is something to deliver, so one that cannot be opened is tried again like one that takes
//! nothing, and says so in the same place.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use freshet_fetch::LiveVault;
use freshet_fetch::hook::{Hook, HookTarget};
use freshet_network::networks::Networks;
use freshet_store::subscription::{SubscriptionRow, Way};
use freshet_types::Clock;

use super::command::Program;
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
}

impl Means {
    /// A subscriber of this subscription, which is to run.
    pub fn subscriber(&self, row: &SubscriptionRow) -> Result<Subscriber, String> {
        let (it, stop) = (&row.subscription, Stop::default());
        let (means, name, way, heard) = (self.clone(), it.name.clone(), it.way.clone(), stop.clone());
        let open = Box::new(move || means.open(&name, &way, &heard));
        Ok(Subscriber { stop, ..Subscriber::of(row, &self.networks, open)? })
    }

    /// Opens a way once.
    pub fn open(&self, name: &str, way: &Way, stop: &Stop) -> Result<Box<dyn Outlet>, DeliverError> {
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
        }
    }
}
