//! The part of the core that knows servers: their keys, their answers, and who leaves them alone until when.
//!
//! Politeness is the frontier's, quotas are the ledger's; how an outage or an unreadable page changes what is known here
//! stands in `core/health.rs` and `core/unread.rs`.

use std::collections::BTreeSet;
use std::sync::Arc;

use freshet_types::{Instance, Map, NetworkName, RobotKind, ServerKey, Timestamp};

use super::health::Health;
use super::unread::Unread;

#[derive(Debug)]
struct Server {
    instance: Arc<Instance>,
    health: Health,
    unread: Unread,
}

/// All servers, by their keys.
#[derive(Debug, Default)]
pub(super) struct Servers {
    keys: Map<NetworkName, ServerKey>,
    list: Vec<Server>,
    /// Those that did not answer when they were last asked.
    unwell: BTreeSet<ServerKey>,
    /// Until when a robot leaves a server alone, for want of quota or because nothing can be read there.
    rests: Map<(ServerKey, RobotKind), Timestamp>,
}

impl Servers {
    /// Knows a server; gives its key where it is a new one.
    pub(super) fn add(&mut self, instance: Instance) -> Option<ServerKey> {
        if let Some(key) = self.key_of(&instance.network) {
            self.list[key.index()].instance = Arc::new(instance);
            return None;
        }
        let number = u32::try_from(self.list.len()).expect("servers are numbered like sources, in 32 bits");
        self.keys.insert(instance.network.clone(), ServerKey(number));
        let (health, unread) = (Health::default(), Unread::default());
        self.list.push(Server { instance: Arc::new(instance), health, unread });
        Some(ServerKey(number))
    }

    pub(super) fn key_of(&self, network: &NetworkName) -> Option<ServerKey> {
        self.keys.get(network).copied()
    }

    /// Every key; not to be called for each event.
    pub(super) fn keys(&self) -> impl Iterator<Item = ServerKey> + use<> {
        (0..self.list.len()).map(|at| ServerKey(at as u32))
    }

    pub(super) fn instance(&self, key: ServerKey) -> &Arc<Instance> {
        &self.list[key.index()].instance
    }

    pub(super) fn network(&self, key: ServerKey) -> &NetworkName {
        &self.instance(key).network
    }

    pub(super) fn health(&self, key: ServerKey) -> &Health {
        &self.list[key.index()].health
    }

    pub(super) fn health_mut(&mut self, key: ServerKey) -> &mut Health {
        &mut self.list[key.index()].health
    }

    pub(super) fn unread(&self, key: ServerKey) -> &Unread {
        &self.list[key.index()].unread
    }

    pub(super) fn unread_mut(&mut self, key: ServerKey) -> &mut Unread {
        &mut self.list[key.index()].unread
    }

    /// It did not answer when it was last asked, or did.
    pub(super) fn set_unwell(&mut self, key: ServerKey, is_unwell: bool) {
        if is_unwell {
            self.unwell.insert(key);
        } else {
            self.unwell.remove(&key);
        }
    }

    pub(super) fn unwell(&self) -> &BTreeSet<ServerKey> {
        &self.unwell
    }

    /// A robot leaves a server alone until then.
    pub(super) fn rest(&mut self, key: ServerKey, robot: RobotKind, until: Timestamp) {
        self.rests.insert((key, robot), until);
    }

    /// All robots leave a server alone until then.
    pub(super) fn rest_all(&mut self, key: ServerKey, until: Timestamp) {
        for robot in RobotKind::ALL {
            self.rest(key, robot, until);
        }
    }

    /// No robot leaves it alone any longer.
    pub(super) fn end_rests(&mut self, key: ServerKey) {
        for robot in RobotKind::ALL {
            self.rests.remove(&(key, robot));
        }
    }

    pub(super) fn rests_until(&self, key: ServerKey, robot: RobotKind) -> Option<Timestamp> {
        self.rests.get(&(key, robot)).copied()
    }
}
