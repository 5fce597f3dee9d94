//! Providers that serve few connections at once, on the virtual clock: what SocWeb met beyond three of them [SocWeb, section 5.3].
//!
//! Each answer keeps a connection of its provider busy for a round trip and for its bytes; whoever finds no connection free waits in line. The
//! driver asks when the answer arrives that was just made. Nothing is refused here: limits are the world's.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use freshet_fetch::Fetch;
use freshet_types::{Clock, Fault, FaultKind, Request, Response, Span, Timestamp};
use futures::future::{BoxFuture, FutureExt};

use crate::VirtualClock;

/// One network behind its connections.
#[derive(Clone, Debug)]
pub struct Provider {
    /// The name of its definition.
    pub network: &'static str,
    pub fetch: Arc<dyn Fetch>,
    /// Connections that it serves at once.
    pub connections: usize,
    /// From a request to the first byte.
    pub round_trip: Span,
    /// What one connection carries.
    pub bytes_per_s: f64,
}

/// An answer that was served.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Served {
    pub arrives_at: Timestamp,
    pub byte_count: usize,
    /// How long it took in all, and of that, how long it waited for a connection.
    pub took: Span,
    pub waited: Span,
}

/// Providers, and who waits for them.
#[derive(Debug)]
pub struct Crowd {
    clock: VirtualClock,
    providers: Vec<Provider>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// When each connection of each provider is free again.
    free_at: Vec<Vec<Timestamp>>,
    served: Vec<Vec<Served>>,
    arrives_at: Timestamp,
}

impl Crowd {
    /// Nobody has asked yet.
    pub fn new(clock: VirtualClock, providers: Vec<Provider>) -> Self {
        let now = clock.now();
        let free_at = providers.iter().map(|it| vec![now; it.connections.max(1)]).collect();
        let served = vec![Vec::new(); providers.len()];
        Self { clock, providers, state: Mutex::new(State { free_at, served, arrives_at: now }) }
    }

    /// When the answer arrives that was made last.
    pub(crate) fn arrives_at(&self) -> Timestamp {
        self.state().arrives_at
    }

    /// All that a provider has answered.
    pub fn served(&self, network: &str) -> Vec<Served> {
        let place = self.providers.iter().position(|it| it.network == network);
        place.map(|place| self.state().served[place].clone()).unwrap_or_default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, request: &Request) -> Result<Response, Fault> {
        let named = |it: &Provider| it.network == request.network.definition();
        let unknown = || Fault::new(FaultKind::Request, format!("nobody is `{}` here", request.network));
        let place = self.providers.iter().position(named).ok_or_else(unknown)?;
        let provider = &self.providers[place];
        let answered = provider.fetch.fetch(request).now_or_never();
        let answered = answered.unwrap_or_else(|| Err(Fault::new(FaultKind::Timeout, "no answer")));
        let byte_count = answered.as_ref().map_or(0, |response| response.body.len());
        let now = self.clock.now();
        let mut state = self.state();
        let State { free_at, served, arrives_at } = &mut *state;
        let connection = free_at[place].iter_mut().min().expect("a provider has a connection");
        let begins_at = now.max(*connection);
        let takes = provider.round_trip + Span::from_secs_f64(byte_count as f64 / provider.bytes_per_s);
        *connection = begins_at + takes;
        *arrives_at = *connection;
        let (took, waited) = (*connection - now, begins_at - now);
        served[place].push(Served { arrives_at: *connection, byte_count, took, waited });
        answered
    }
}

impl Fetch for Crowd {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        std::future::ready(self.answer(request)).boxed()
    }
}

#[cfg(test)]
mod tests {
    use freshet_types::NetworkName;

    use super::*;
    use crate::{World, WorldFetch, WorldOptions};

    #[test]
    fn whoever_finds_no_connection_free_waits_in_line() {
        let world = World::new(WorldOptions { accounts: 3, ..WorldOptions::default() }).unwrap();
        let clock = VirtualClock::new(world.now());
        let began_at = clock.now();
        let fetch = WorldFetch::new(Arc::new(Mutex::new(world)), Arc::new(clock.clone()));
        let provider = Provider {
            network: "mastodon",
            fetch: Arc::new(fetch),
            connections: 2,
            round_trip: Span::from_secs(1),
            bytes_per_s: f64::INFINITY,
        };
        let crowd = Crowd::new(clock.clone(), vec![provider]);
        let network = NetworkName::new("mastodon", Some("w.test"));
        let request = Request::get(&network, "https://w.test/api/v1/accounts/1");
        let ask = |after_s: i64, arrives_s: i64, waited_s: i64| {
            clock.set(began_at + Span::from_secs(after_s));
            let _ = crowd.fetch(&request).now_or_never().unwrap();
            let last = *crowd.served("mastodon").last().unwrap();
            assert_eq!(crowd.arrives_at(), began_at + Span::from_secs(arrives_s));
            assert_eq!(last.waited, Span::from_secs(waited_s));
        };
        ask(0, 1, 0);
        ask(0, 1, 0);
        ask(0, 2, 1);
        ask(1, 2, 0);
        ask(1, 3, 1);
        let stranger = Request::get(&NetworkName::from("bluesky"), "https://b.test/");
        assert!(crowd.fetch(&stranger).now_or_never().unwrap().is_err());
    }
}
