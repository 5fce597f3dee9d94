//! Which hosts may keep connections open: so many in all, since each takes a file descriptor.
//!
//! The client bounds idle connections for each host only, and a crawl may know thousands. So a host is admitted for as many
//! connections as it has had in use at once, while there is room in all; what is not admitted goes over a connection that
//! is closed afterwards. An admission ends when the client has certainly closed what it had. Time is that of the wall.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use freshet_types::Map;

/// Wall time between two looks for admissions that ended.
const FORGET_EVERY: Duration = Duration::from_secs(1);

pub(super) struct Idle {
    max: usize,
    /// When the client has closed what nobody used.
    after: Duration,
    admitted: Mutex<Admitted>,
}

#[derive(Default)]
struct Admitted {
    hosts: Map<String, Host>,
    total: usize,
    forgot_at: Option<Instant>,
}

struct Host {
    admitted: usize,
    in_use: usize,
    used_at: Instant,
}

/// A connection of an admitted host in use; it may be kept open when this is dropped.
pub(super) struct Kept<'a> {
    idle: &'a Idle,
    host: String,
}

impl Idle {
    /// Room for so many; `after` that time without use they are closed.
    pub(super) fn new(max: usize, after: Duration) -> Self {
        Self { max, after, admitted: Mutex::default() }
    }

    /// Takes a connection of this host into use that may be kept open afterwards, if there is room for it.
    pub(super) fn enter(&self, host: &str, now: Instant) -> Option<Kept<'_>> {
        let mut admitted = self.admitted.lock().unwrap_or_else(PoisonError::into_inner);
        let has_spare = admitted.hosts.get(host).is_some_and(|host| host.in_use < host.admitted);
        if !has_spare && admitted.total >= self.max {
            self.forget_closed(&mut admitted, now);
        }
        let is_full = admitted.total >= self.max;
        if !has_spare && is_full {
            return None;
        }
        let fresh = || Host { admitted: 0, in_use: 0, used_at: now };
        let known = admitted.hosts.entry(host.to_owned()).or_insert_with(fresh);
        known.in_use += 1;
        known.admitted += usize::from(!has_spare);
        admitted.total += usize::from(!has_spare);
        Some(Kept { idle: self, host: host.to_owned() })
    }

    /// Ends the admissions of hosts whose connections were closed long ago.
    fn forget_closed(&self, admitted: &mut Admitted, now: Instant) {
        if admitted.forgot_at.is_some_and(|at| now.saturating_duration_since(at) < FORGET_EVERY) {
            return;
        }
        admitted.forgot_at = Some(now);
        let is_open =
            |host: &Host| host.in_use > 0 || now.saturating_duration_since(host.used_at) < self.after;
        admitted.hosts.retain(|_, host| is_open(host));
        admitted.total = admitted.hosts.values().map(|host| host.admitted).sum();
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        let mut admitted = self.idle.admitted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = admitted.hosts.get_mut(&self.host) {
            host.in_use -= 1;
            host.used_at = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_admitted_while_there_is_room_and_make_room_in_time() {
        let idle = Idle::new(3, Duration::from_mins(1));
        let now = Instant::now();
        let first = idle.enter("a", now);
        let second = idle.enter("a", now);
        let other = idle.enter("b", now);
        assert!(first.is_some() && second.is_some() && other.is_some());
        assert!(idle.enter("c", now).is_none(), "three are kept already");
        drop((first, second));
        assert!(idle.enter("a", now).is_some(), "it has connections to use again");
        assert!(idle.enter("c", now).is_none(), "but they are open");
        let later = Instant::now() + Duration::from_secs(61);
        assert!(idle.enter("c", later).is_some(), "they were closed meanwhile");
        let admitted = idle.admitted.lock().unwrap();
        assert_eq!((admitted.hosts.len(), admitted.total), (2, 2), "one in use is kept, however long");
    }
}
