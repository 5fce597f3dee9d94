//! Recordings: exchanges as JSON lines, written by a recorder and answered from by a replay.
//!
//! One object a line: `method`, `url`, `status`, `headers` (pairs, in order), `body`; also
//! `body_hex` where the body is not UTF-8, `final_url` after redirects, and `received_at` (unix
//! milliseconds). `freshet networks read` reads the same lines. Invariants: a recording holds no
//! secret and no cookie, and stops growing at its limit.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use freshet_types::{Fault, FaultKind, Map, Method, Redirects, Request, Response, Timestamp, Transport};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::stream::Opened;
use crate::{Fetch, FetchError, Scrubber};

/// Largest recording, unless another limit is given: a few hundred thousand pages.
pub const RECORDING_BYTES_MAX: u64 = 1 << 30;

/// Longest line that a replay reads: the longest body, every byte of it escaped.
const LINE_BYTES_MAX: u64 = 6 * (64 << 20);

/// Headers that are never written.
const HEADERS_LEFT_OUT: [&str; 5] =
    ["authorization", "cookie", "proxy-authorization", "set-cookie", "www-authenticate"];

/// One exchange as it stands in a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// How it was asked.
    #[serde(default)]
    pub method: Method,
    /// What was asked.
    pub url: String,
    /// What came back.
    pub status: u16,
    /// The headers that came back.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// The body as text; other bytes are shown as well as they can be.
    #[serde(default)]
    pub body: String,
    /// The exact body, where it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_hex: Option<String>,
    /// The URL that answered, where it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_url: Option<String>,
    /// When the answer was complete, in unix milliseconds.
    #[serde(default)]
    pub received_at: Timestamp,
}

/// Passes requests on and writes down what comes back.
#[derive(Debug)]
pub struct Recorder {
    inner: Arc<dyn Fetch>,
    scrubber: Arc<Scrubber>,
    path: PathBuf,
    tape: Mutex<Tape>,
}

#[derive(Debug)]
struct Tape {
    file: File,
    left_bytes: u64,
    is_full: bool,
}

impl Recorder {
    /// Appends to the file at `path` until it has `bytes_max` bytes.
    pub fn create(
        inner: Arc<dyn Fetch>,
        path: &Path,
        scrubber: Arc<Scrubber>,
        bytes_max: u64,
    ) -> Result<Self, FetchError> {
        let failed = |cause| FetchError::File { path: path.to_owned(), verb: "written", cause };
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let tape = Tape { file, left_bytes: bytes_max.saturating_sub(length), is_full: false };
        Ok(Self { inner, scrubber, path: path.to_owned(), tape: Mutex::new(tape) })
    }

    /// A recording that cannot be written is a pity, not a reason to lose the answer.
    fn write_exchange(&self, request: &Request, response: &Response) {
        let mut line =
            serde_json::to_vec(&self.exchange(request, response)).expect("plain data is always JSON");
        line.push(b'\n');
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        if tape.is_full {
            return;
        }
        let is_over = line.len() as u64 > tape.left_bytes;
        let written = if is_over { Ok(()) } else { tape.file.write_all(&line) };
        if is_over || written.is_err() {
            tape.is_full = true;
            tracing::warn!(path = %self.path.display(), ?written, "the recording is full or broken; it stops here");
            return;
        }
        tape.left_bytes -= line.len() as u64;
    }

    fn exchange(&self, request: &Request, response: &Response) -> Exchange {
        let scrub = |text: &str| self.scrubber.scrub(text).into_owned();
        let is_kept = |name: &str| !HEADERS_LEFT_OUT.contains(&name);
        let headers = response.headers.iter().filter(|(name, _)| is_kept(name));
        let body = String::from_utf8_lossy(&response.body);
        let is_lossy = matches!(body, Cow::Owned(_));
        Exchange {
            method: request.method,
            url: scrub(&request.url),
            status: response.status,
            headers: headers.map(|(name, value)| (name.clone(), scrub(value))).collect(),
            body: scrub(&body),
            // What the text shows no secret of, its bytes hold none of either: secrets are ASCII or UTF-8.
            body_hex: is_lossy
                .then(|| to_hex(&response.body))
                .filter(|_| matches!(self.scrubber.scrub(&body), Cow::Borrowed(_))),
            final_url: (response.url != request.url).then(|| scrub(&response.url)),
            received_at: response.received_at,
        }
    }
}

impl Fetch for Recorder {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        Box::pin(async move {
            let response = self.inner.fetch(request).await?;
            // A redirect that was told is half an exchange: what it leads to is written under the same URL.
            let is_half = matches!(request.redirects, Redirects::Told(_)) && response.redirect().is_some();
            if !is_half {
                self.write_exchange(request, &response);
            }
            Ok(response)
        })
    }

    /// Streams are not recorded: they have no end.
    fn open<'a>(
        &'a self,
        request: &'a Request,
        transport: Transport,
    ) -> BoxFuture<'a, Result<Opened, Fault>> {
        self.inner.open(request, transport)
    }
}

/// Answers from a recording, by method and URL, in the order recorded; the last answer repeats.
#[derive(Debug)]
pub struct Replay {
    answers: Mutex<Map<(bool, String), VecDeque<Exchange>>>,
    path: PathBuf,
}

impl Replay {
    /// Reads a whole recording.
    pub fn open(path: &Path) -> Result<Self, FetchError> {
        let failed = |cause| FetchError::File { path: path.to_owned(), verb: "read", cause };
        let wrong = |line, why: String| FetchError::Recording { path: path.to_owned(), line, why };
        let mut reader = BufReader::new(File::open(path).map_err(failed)?).take(RECORDING_BYTES_MAX);
        let mut answers: Map<(bool, String), VecDeque<Exchange>> = Map::default();
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let read = (&mut reader).take(LINE_BYTES_MAX).read_until(b'\n', &mut line).map_err(failed)?;
            if read == 0 {
                break;
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let exchange = Exchange::parse(&line).map_err(|why| wrong(number, why))?;
            let key = (exchange.method == Method::Post, exchange.url.clone());
            answers.entry(key).or_default().push_back(exchange);
        }
        Ok(Self { answers: Mutex::new(answers), path: path.to_owned() })
    }

    fn answer(&self, request: &Request) -> Result<Response, Fault> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = answers.get_mut(&(request.method == Method::Post, request.url.clone()));
        let exchange = queue.and_then(|queue| match queue.len() {
            0 | 1 => queue.front().cloned(),
            _ => queue.pop_front(),
        });
        let exchange = exchange.ok_or_else(|| {
            let message =
                format!("the recording `{}` has no answer for `{}`", self.path.display(), request.url);
            Fault::new(FaultKind::Request, message)
        })?;
        let body = match &exchange.body_hex {
            Some(hex) => from_hex(hex).expect("checked when it was read"),
            None => exchange.body.into_bytes(),
        };
        Ok(Response {
            status: exchange.status,
            headers: exchange.headers,
            body,
            url: exchange.final_url.unwrap_or(exchange.url),
            received_at: exchange.received_at,
        })
    }
}

impl Fetch for Replay {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let answer = self.answer(request);
        Box::pin(async move { answer })
    }
}

impl Exchange {
    /// Reads one line. Headers may also be an object and the body any JSON, as other tools write them.
    pub fn parse(line: &[u8]) -> Result<Self, String> {
        let mut value: serde_json::Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        if let Some(headers) = value.get_mut("headers")
            && let Some(object) = headers.as_object()
        {
            *headers = object.iter().map(|(name, value)| serde_json::json!([name, value])).collect();
        }
        if let Some(body) = value.get_mut("body")
            && !body.is_string()
        {
            *body = if body.is_null() { "".into() } else { body.to_string().into() };
        }
        let mut exchange: Self = serde_json::from_value(value).map_err(|error| error.to_string())?;
        for (name, _) in &mut exchange.headers {
            name.make_ascii_lowercase();
        }
        if exchange.body_hex.as_deref().is_some_and(|hex| from_hex(hex).is_none()) {
            return Err("`body_hex` is not hexadecimal".to_owned());
        }
        Ok(exchange)
    }
}

fn to_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).expect("four bits are one digit");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|value| value as u8);
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests;
