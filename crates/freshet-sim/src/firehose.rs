//! The firehose of a made-up data server: frames as real ones write them, pages of the same records, and what is true at any instant.
//!
//! The same events are sent as jetstream writes them, in JSON, where its address is asked for. A frame is sent every so often by the given clock, from a cursor where there is one: one that is too old is answered with
//! `OutdatedCursor` and the oldest frame that is kept, one of the future with `FutureCursor` and the end. Nothing of a socket is here;
//! it stands behind the seam of the fetcher. The names of blocks are numbers: whoever reads them has to find them, not to check them.

mod frame;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

use freshet_fetch::Fetch;
use freshet_fetch::stream::{Frame, Frames, Opened};
use freshet_types::{Clock, Fault, FaultKind, Request, Response, Span, StreamMessage, Timestamp, Transport};
use futures::FutureExt;
use futures::future::BoxFuture;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;
use serde_json::{Value, json};
use url::Url;

pub(crate) const POST: &str = "app.bsky.feed.post";
/// The paths of the stream, of the same as JSON, and of the lists.
const STREAM: &str = "/xrpc/com.atproto.sync.subscribeRepos";
const JETSTREAM: &str = "/subscribe";
const LIST: &str = "/xrpc/com.atproto.repo.listRecords";
/// Records on a page where nobody says how many.
const PAGE: usize = 50;
/// Without news a server says now and then that it is alive.
const ALIVE_EVERY: Span = Span::from_secs(15);

/// What kind of server it is.
#[derive(Clone, Copy, Debug)]
pub struct FirehoseOptions {
    pub seed: u64,
    pub people: u32,
    /// Frames in all.
    pub frames: usize,
    /// The first is sent then, and one after each gap.
    pub began_at: Timestamp,
    pub gap: Span,
    /// So many of the last ones are kept for those who come back.
    pub kept: usize,
}

/// What somebody did.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) person: u32,
    pub(crate) rkey: String,
    pub(crate) action: Action,
    pub(crate) at: Timestamp,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Posts(String),
    Edits(String),
    Deletes,
    /// A record that is no post.
    Likes,
    /// The name of an account is told again.
    IsNamed,
}

/// A data server with everything that will happen on it.
#[derive(Clone, Debug)]
pub struct Firehose(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    options: FirehoseOptions,
    clock: Arc<dyn Clock>,
    events: Vec<Event>,
    frames: Vec<Vec<u8>>,
    /// The same as texts, once somebody wants them.
    messages: OnceLock<Vec<String>>,
    /// Places of the events of each person.
    of_person: Vec<Vec<usize>>,
}

impl Firehose {
    /// Makes up what happens, and writes every frame.
    pub fn new(options: FirehoseOptions, clock: Arc<dyn Clock>) -> Self {
        let events = imagined(&options);
        let frames =
            events.iter().enumerate().map(|(at, event)| frame::of_event(at as i64 + 1, event)).collect();
        let mut of_person = vec![Vec::new(); options.people as usize];
        for (at, event) in events.iter().enumerate() {
            of_person[event.person as usize].push(at);
        }
        Self(Arc::new(Shared { options, clock, events, frames, messages: OnceLock::new(), of_person }))
    }

    /// The id of an account.
    pub fn did(person: u32) -> String {
        format!("did:plc:person{person:018}")
    }

    /// The frames, in order.
    pub fn frames(&self) -> &[Vec<u8>] {
        &self.0.frames
    }

    /// The same events as jetstream sends them; their cursors are numbers, too.
    pub fn messages(&self) -> &[String] {
        self.0.messages()
    }

    /// Posts that exist now, with their texts.
    pub fn truth(&self) -> BTreeMap<String, String> {
        let count = self.0.sent_count();
        (0..self.0.options.people).flat_map(|person| self.0.records(person, count)).collect()
    }

    /// Posts that existed once, and are gone.
    pub fn gone(&self) -> Vec<String> {
        let sent = &self.0.events[..self.0.sent_count()];
        let gone = sent.iter().filter(|event| matches!(event.action, Action::Deletes));
        gone.map(|event| uri(event.person, &event.rkey)).collect()
    }
}

/// The address of a post.
fn uri(person: u32, rkey: &str) -> String {
    format!("at://{}/{POST}/{rkey}", Firehose::did(person))
}

/// Of twenty events sixteen are posts, one an edit, one a deletion, one a like, one a name.
fn imagined(options: &FirehoseOptions) -> Vec<Event> {
    let mut rng = Pcg32::seed_from_u64(options.seed);
    let mut there: Vec<(u32, String)> = Vec::new();
    let mut events = Vec::with_capacity(options.frames);
    for number in 0..options.frames {
        let kind = if there.is_empty() { 0 } else { rng.random_range(0..20) };
        let at = options.began_at + options.gap * number as f64;
        let text = format!(
            "what person says in event {number} of a made-up server, some hundred bytes of it: {}",
            "héllo ".repeat(6)
        );
        let person = rng.random_range(0..options.people);
        // Keys rise, as those of real servers do.
        let rkey = format!("3k{number:011}");
        let place = rng.random_range(0..there.len().max(1));
        let (person, rkey, action) = match kind {
            16 => (there[place].0, there[place].1.clone(), Action::Edits(text)),
            17 => {
                let (person, rkey) = there.swap_remove(place);
                (person, rkey, Action::Deletes)
            }
            18 => (person, rkey, Action::Likes),
            19 => (person, rkey, Action::IsNamed),
            _ => {
                there.push((person, rkey.clone()));
                (person, rkey, Action::Posts(text))
            }
        };
        events.push(Event { person, rkey, action, at });
    }
    events
}

impl Shared {
    /// Frames that were sent by now.
    fn sent_count(&self) -> usize {
        let since = self.clock.now() - self.options.began_at;
        if since < Span::ZERO {
            return 0;
        }
        let gap_ms = self.options.gap.ms();
        // Without a gap everything is sent at once.
        let count = if gap_ms > 0 { (since.ms() / gap_ms + 1) as usize } else { usize::MAX };
        count.min(self.events.len())
    }

    /// The posts of a person after so many events, in the order of their keys.
    fn records(&self, person: u32, count: usize) -> BTreeMap<String, String> {
        let mut records = BTreeMap::new();
        let places = self.of_person.get(person as usize).map_or(&[][..], Vec::as_slice);
        for event in places.iter().take_while(|&&at| at < count).map(|&at| &self.events[at]) {
            let uri = uri(person, &event.rkey);
            match &event.action {
                Action::Posts(text) | Action::Edits(text) => drop(records.insert(uri, text.clone())),
                Action::Deletes => drop(records.remove(&uri)),
                Action::Likes | Action::IsNamed => {}
            }
        }
        records
    }

    /// A page of a list.
    fn page(&self, url: &Url) -> Value {
        let asked: BTreeMap<_, _> = url.query_pairs().into_owned().collect();
        let text = |name: &str| asked.get(name).map_or("", String::as_str);
        let person = (0..self.options.people).find(|&person| Firehose::did(person) == text("repo"));
        let (Some(person), POST) = (person, text("collection")) else { return json!({"records": []}) };
        let is_rising = text("reverse") == "true";
        let limit = text("limit").parse().unwrap_or(PAGE);
        let bound = uri(person, text("cursor"));
        let is_beyond = |uri: &String| match (text("cursor").is_empty(), is_rising) {
            (true, _) => true,
            (false, true) => *uri > bound,
            (false, false) => *uri < bound,
        };
        let records = self.records(person, self.sent_count());
        let mut records: Vec<_> = records.into_iter().filter(|(uri, _)| is_beyond(uri)).collect();
        if !is_rising {
            records.reverse();
        }
        records.truncate(limit);
        let cursor = records.last().and_then(|(uri, _)| uri.rsplit('/').next()).map(str::to_owned);
        let shown = |(uri, text): (String, String)| {
            let rkey = uri.rsplit('/').next().unwrap_or_default().to_owned();
            let event =
                self.events.iter().find(|it| it.rkey == rkey && matches!(it.action, Action::Posts(_)));
            let value = frame::record(event.map_or(self.options.began_at, |it| it.at), &text);
            json!({"uri": uri, "cid": "bafy", "value": value})
        };
        json!({"cursor": cursor, "records": records.into_iter().map(shown).collect::<Vec<_>>()})
    }

    fn messages(&self) -> &[String] {
        let made =
            || self.events.iter().enumerate().map(|(at, event)| frame::message_of(at as i64 + 1, event));
        self.messages.get_or_init(|| made().collect())
    }

    fn listen(self: &Arc<Self>, url: &Url) -> Sending {
        let sent = self.sent_count();
        let cursor = url.query_pairs().find(|(name, _)| name == "cursor");
        let cursor: Option<usize> = cursor.and_then(|(_, text)| text.parse().ok());
        let oldest = sent.saturating_sub(self.options.kept);
        let mut ready = VecDeque::new();
        let (mut next, mut ends) = (sent, false);
        match cursor {
            Some(cursor) if cursor > sent => {
                ready.push_back(frame::error("FutureCursor"));
                ends = true;
            }
            Some(cursor) if cursor < oldest => {
                ready.push_back(frame::info("OutdatedCursor"));
                next = oldest;
            }
            Some(cursor) => next = cursor,
            None => {}
        }
        let is_json = url.path() == JETSTREAM;
        Sending { shared: Arc::clone(self), next, ready, ends, is_json, alive_at: self.clock.now() }
    }
}

/// An open stream.
#[derive(Debug)]
struct Sending {
    shared: Arc<Shared>,
    next: usize,
    ready: VecDeque<Vec<u8>>,
    ends: bool,
    is_json: bool,
    alive_at: Timestamp,
}

impl Frames for Sending {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Frame>, Fault>> {
        let bytes = |bytes: Vec<u8>| StreamMessage { bytes: Some(bytes), ..StreamMessage::default() };
        let mut message = self.ready.pop_front().map(bytes);
        if message.is_none() && !self.ends && self.next < self.shared.sent_count() {
            message = Some(if self.is_json {
                StreamMessage { data: self.shared.messages()[self.next].clone(), ..StreamMessage::default() }
            } else {
                bytes(self.shared.frames[self.next].clone())
            });
            self.next += 1;
        }
        let now = self.shared.clock.now();
        let said = match message {
            Some(message) => Some(Frame::Message(message)),
            None if self.ends => None,
            None if now - self.alive_at >= ALIVE_EVERY => {
                self.alive_at = now;
                Some(Frame::Alive)
            }
            None => return std::future::pending().boxed(),
        };
        std::future::ready(Ok(said)).boxed()
    }
}

fn url_of(request: &Request) -> Result<Url, Fault> {
    let wrong = |error| Fault::new(FaultKind::Request, format!("`{}` is no address: {error}", request.url));
    Url::parse(&request.url).map_err(wrong)
}

impl Fetch for Firehose {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let answer = url_of(request).map(|url| {
            let is_known = url.path() == LIST;
            let body = if is_known { self.0.page(&url) } else { json!({"error": "MethodNotImplemented"}) };
            Response {
                status: if is_known { 200 } else { 501 },
                headers: vec![("content-type".to_owned(), "application/json".to_owned())],
                body: body.to_string().into_bytes(),
                url: request.url.clone(),
                received_at: self.0.clock.now(),
            }
        });
        std::future::ready(answer).boxed()
    }

    fn open<'a>(&'a self, request: &'a Request, _: Transport) -> BoxFuture<'a, Result<Opened, Fault>> {
        let opened = url_of(request).and_then(|url| match url.path() {
            STREAM | JETSTREAM => Ok(Opened::Stream(Box::new(self.0.listen(&url)))),
            path => Err(Fault::new(FaultKind::Request, format!("there is no stream at `{path}`"))),
        });
        std::future::ready(opened).boxed()
    }
}
