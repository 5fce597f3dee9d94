//! Step 5 of 10 without sockets: the fetch seam, answered by a world in memory.
//!
//! The clock decides the instant, so limits are honoured in virtual time. A credential is
//! shown by its name instead of a secret, since a world knows no secrets.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use freshet_fetch::Fetch;
use freshet_fetch::stream::{Frame, Frames, Opened};
use freshet_types::{
    Clock, Fault, FaultKind, Method, Request, Response, StreamMessage, Timestamp, Transport,
};
use futures::future::{BoxFuture, FutureExt};
use url::Url;

use crate::dialect::{Listener, Told};
use crate::world::percent_decoded;
use crate::{World, WorldRequest};

/// Fetches from a world in the same process.
#[derive(Clone, Debug)]
pub struct WorldFetch {
    world: Arc<Mutex<World>>,
    clock: Arc<dyn Clock>,
}

impl WorldFetch {
    /// Fetches from `world` at the instants of `clock`.
    pub fn new(world: Arc<Mutex<World>>, clock: Arc<dyn Clock>) -> Self {
        Self { world, clock }
    }

    fn answer(&self, request: &Request) -> Result<Response, Fault> {
        let asked = translate(request)?;
        let now = self.clock.now();
        // A panic elsewhere cannot leave a world half-changed in a way that matters to a reader.
        let answer = self.world.lock().unwrap_or_else(PoisonError::into_inner).answer(&asked, now);
        if answer.is_broken {
            let message = format!("the connection broke in the middle of the answer to `{}`", request.url);
            return Err(Fault::new(FaultKind::Broken, message));
        }
        Ok(Response {
            status: answer.status,
            headers: answer.headers,
            body: answer.body,
            url: request.url.clone(),
            received_at: now + answer.delay,
        })
    }

    fn listen(&self, request: &Request) -> Result<Opened, Fault> {
        let asked = translate(request)?;
        let now = self.clock.now();
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        if !world.is_stream(&asked) {
            return Err(Fault::new(FaultKind::Request, format!("`{}` is no stream", request.url)));
        }
        let (status, headers, body) = match world.listen(&asked, now) {
            Ok(listener) => {
                let (world, clock) = (Arc::clone(&self.world), Arc::clone(&self.clock));
                let frames = WorldFrames { world, clock, listener, ready: VecDeque::new(), looked_at: now };
                return Ok(Opened::Stream(Box::new(frames)));
            }
            Err(refusal) => (refusal.status, refusal.headers, refusal.body),
        };
        let url = request.url.clone();
        Ok(Opened::Refused(Box::new(Response { status, headers, body, url, received_at: now })))
    }
}

impl Fetch for WorldFetch {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        std::future::ready(self.answer(request)).boxed()
    }

    fn open<'a>(
        &'a self,
        request: &'a Request,
        _transport: Transport,
    ) -> BoxFuture<'a, Result<Opened, Fault>> {
        std::future::ready(self.listen(request)).boxed()
    }
}

/// The stream of a world in memory: what has happened by now is there at once, and nothing is waited for.
#[derive(Debug)]
struct WorldFrames {
    world: Arc<Mutex<World>>,
    clock: Arc<dyn Clock>,
    listener: Listener,
    ready: VecDeque<Frame>,
    looked_at: Timestamp,
}

impl Frames for WorldFrames {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Frame>, Fault>> {
        let now = self.clock.now();
        if self.ready.is_empty() && now > self.looked_at {
            self.looked_at = now;
            let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(told) = world.tell(&mut self.listener, now) else {
                return std::future::ready(Ok(None)).boxed();
            };
            let message = |it: Told| StreamMessage {
                event: Some(it.event.to_owned()),
                data: it.data,
                ..StreamMessage::default()
            };
            self.ready.extend(told.into_iter().map(|it| Frame::Message(message(it))));
            // Time has passed and the server is there.
            self.ready.push_back(Frame::Alive);
        }
        match self.ready.pop_front() {
            Some(frame) => std::future::ready(Ok(Some(frame))).boxed(),
            None => std::future::pending().boxed(),
        }
    }
}

fn translate(request: &Request) -> Result<WorldRequest, Fault> {
    let url = Url::parse(&request.url).map_err(|error| {
        Fault::new(FaultKind::Request, format!("`{}` is not an address: {error}", request.url))
    })?;
    let host = url.host_str().unwrap_or_default();
    let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let mut headers: Vec<(String, String)> =
        request.headers.iter().map(|(name, value)| (name.to_lowercase(), value.clone())).collect();
    headers.push(("host".to_owned(), host));
    headers.push(("x-forwarded-proto".to_owned(), url.scheme().to_owned()));
    if let Some(auth) = &request.auth {
        headers.push(("authorization".to_owned(), format!("Bearer {}", auth.credential)));
    }
    Ok(WorldRequest {
        method: if request.method == Method::Get { "GET" } else { "POST" }.to_owned(),
        path: percent_decoded(url.path()),
        query: url.query_pairs().into_owned().collect(),
        headers,
        client: "memory".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use freshet_types::NetworkName;

    use super::*;
    use crate::{VirtualClock, WorldOptions};

    #[test]
    fn a_world_answers_behind_the_seam() {
        let world = World::new(WorldOptions { accounts: 5, ..WorldOptions::default() }).unwrap();
        let clock = VirtualClock::new(world.now());
        let handle = world.accounts().next().unwrap().handle.to_owned();
        let fetch = WorldFetch::new(Arc::new(Mutex::new(world)), Arc::new(clock.clone()));
        let network = NetworkName::new("mastodon", Some("w.test:81"));
        let url = format!("https://w.test:81/api/v1/accounts/lookup?acct={handle}%40w.test:81");
        let response = fetch.fetch(&Request::get(&network, url)).now_or_never().unwrap().unwrap();
        assert_eq!(response.status, 200);
        assert_eq!(response.received_at, clock.now());
        let account: serde_json::Value = serde_json::from_slice(&response.body).unwrap();
        assert_eq!(account["url"], format!("https://w.test:81/@{handle}"));
        let fault = fetch.fetch(&Request::get(&network, "no address")).now_or_never().unwrap().unwrap_err();
        assert_eq!(fault.kind, FaultKind::Request);
    }
}
