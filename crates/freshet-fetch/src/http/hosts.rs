//! The last guard of politeness: at most so many exchanges at once with one host.
//!
//! The engine decides the pause between requests; this only keeps a mistake there from
//! becoming a flood. Memory is bounded: hosts that nobody talks to are forgotten.

use std::sync::{Arc, Mutex, PoisonError};

use freshet_types::Map;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Hosts remembered before the idle ones are forgotten.
const HOSTS_MAX: usize = 4096;

pub(super) struct Hosts {
    in_flight_max: usize,
    hosts: Mutex<Map<String, Arc<Semaphore>>>,
}

impl Hosts {
    pub(super) fn new(in_flight_max: usize) -> Self {
        Self { in_flight_max: in_flight_max.clamp(1, Semaphore::MAX_PERMITS), hosts: Mutex::default() }
    }

    /// Waits for a place; it is free again when the permit is dropped.
    pub(super) async fn enter(&self, host: &str) -> OwnedSemaphorePermit {
        let semaphore = self.semaphore(host);
        semaphore.acquire_owned().await.expect("the semaphores are never closed")
    }

    fn semaphore(&self, host: &str) -> Arc<Semaphore> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(semaphore) = hosts.get(host) {
            return Arc::clone(semaphore);
        }
        if hosts.len() >= HOSTS_MAX {
            hosts.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        }
        let semaphore = Arc::new(Semaphore::new(self.in_flight_max));
        hosts.insert(host.to_owned(), Arc::clone(&semaphore));
        semaphore
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_host_has_so_many_places_and_idle_hosts_are_forgotten() {
        let hosts = Hosts::new(2);
        let first = hosts.enter("a").await;
        let _second = hosts.enter("a").await;
        assert_eq!(hosts.semaphore("a").available_permits(), 0);
        drop(first);
        drop(hosts.enter("a").await);
        for number in 0..HOSTS_MAX {
            drop(hosts.enter(&number.to_string()).await);
        }
        assert!(hosts.hosts.lock().unwrap().len() < 10);
        assert_eq!(hosts.semaphore("a").available_permits(), 1, "a host in use is kept");
    }
}
