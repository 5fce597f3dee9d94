//! Exclusion rules: robots.txt (RFC 9309), asked before pages for people, by the token `freshet`.
//!
//! One file per origin is kept for a day by the crawl's clock. A file that is not there allows
//! everything; a server that cannot give its file is ill, which the engine waits out, or treated by the
//! copy we had. Invariant: at most one question per origin is under way, and memory is bounded.

use std::sync::{Arc, Mutex, PoisonError};

use freshet_types::{Clock, Fault, FaultKind, Map, Response, Span, Timestamp};
use futures::future::BoxFuture;
use robotxt::{BYTE_LIMIT, Robots};
use url::{Position, Url};

/// The name by which a robots.txt means us.
pub(crate) const PRODUCT_TOKEN: &str = "freshet";

/// Bytes of a file that are read; what follows is ignored, as the standard allows.
pub(crate) const FILE_BYTES_MAX: usize = BYTE_LIMIT + 1;

/// How long a file holds (RFC 9309, section 2.4).
const KEPT: Span = Span::DAY;

/// How long the copy of a server that cannot give its file holds on, and one that said "too many" is left alone.
const UNREACHABLE: Span = Span::from_secs(600);

/// How long a fault holds: those who wait for the same file share it. The engine paces those who ask again.
const FAULT_KEPT: Span = Span::SECOND;

/// Longest pause that is passed on; some files ask for weeks by mistake.
const PAUSE_MAX: Span = Span::HOUR;

/// Origins remembered.
const ORIGINS_MAX: usize = 1024;

/// Bytes of files remembered in all.
const BYTES_MAX: usize = 32 << 20;

/// The rules of all origins asked so far.
#[derive(Debug)]
pub(crate) struct Exclusions {
    clock: Arc<dyn Clock>,
    origins: Mutex<Map<String, Arc<Origin>>>,
}

#[derive(Debug, Default)]
struct Origin {
    known: Mutex<Option<Known>>,
    asking: tokio::sync::Mutex<()>,
}

#[derive(Clone, Debug)]
struct Known {
    rules: Result<Arc<Robots>, Fault>,
    size_bytes: usize,
    until: Timestamp,
}

impl Exclusions {
    /// Nothing known yet; files age by this clock.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, origins: Mutex::default() }
    }

    /// Whether the page may be fetched; `ask` brings the file at the URL it is given.
    pub(crate) async fn check<'a>(
        &self,
        url: &Url,
        ask: impl FnOnce(String) -> BoxFuture<'a, Result<Response, Fault>>,
    ) -> Result<(), Fault> {
        let origin = self.origin(url);
        if let Some(known) = origin.fresh(self.clock.now()) {
            return known.judge(url);
        }
        let _turn = origin.asking.lock().await;
        if let Some(known) = origin.fresh(self.clock.now()) {
            return known.judge(url);
        }
        let answer = ask(format!("{}/robots.txt", &url[..Position::BeforePath])).await;
        let known = self.known(url, answer, origin.known().as_ref());
        let verdict = known.judge(url);
        *origin.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(known);
        self.evict();
        verdict
    }

    /// The pause that the origin of this URL asks for, where its file is known and names one.
    pub(crate) fn pause(&self, url: &Url) -> Option<Span> {
        let origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        let known = origins.get(&url[..Position::BeforePath])?.known()?;
        let delay = known.rules.ok()?.crawl_delay()?;
        Some(Span::from_secs_f64(delay.as_secs_f64()).min(PAUSE_MAX))
    }

    fn known(&self, url: &Url, answer: Result<Response, Fault>, old: Option<&Known>) -> Known {
        let now = self.clock.now();
        let keep = |rules, size_bytes| Known { rules: Ok(Arc::new(rules)), size_bytes, until: now + KEPT };
        let host = url.host_str().unwrap_or_default();
        let (fault, kept) = match answer {
            Ok(response) => match response.status {
                200..=299 => return keep(Robots::parse(&response.body, PRODUCT_TOKEN), response.body.len()),
                // "Too many requests" is a plea, not an absence.
                400..=428 | 430..=499 => return keep(Robots::allow_all(), 0),
                status => {
                    let message = format!(
                        "`{host}` cannot give its robots.txt (status {status}), so its pages are left alone until it can"
                    );
                    (
                        Fault::new(FaultKind::Unwell, message),
                        if status == 429 { UNREACHABLE } else { FAULT_KEPT },
                    )
                }
            },
            // RFC 9309, section 2.3.1.2: after five redirects the file counts as absent.
            Err(fault) if fault.kind == FaultKind::Redirects => return keep(Robots::allow_all(), 0),
            Err(fault) => {
                let message = format!("robots.txt of `{host}` is out of reach: {}", fault.message);
                (Fault::new(fault.kind, message), FAULT_KEPT)
            }
        };
        match old {
            Some(Known { rules: Ok(rules), size_bytes, .. }) => {
                Known { rules: Ok(Arc::clone(rules)), size_bytes: *size_bytes, until: now + UNREACHABLE }
            }
            _ => Known { rules: Err(fault), size_bytes: 0, until: now + kept },
        }
    }

    fn origin(&self, url: &Url) -> Arc<Origin> {
        let key = &url[..Position::BeforePath];
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(origin) = origins.get(key) {
            return Arc::clone(origin);
        }
        Arc::clone(origins.entry(key.to_owned()).or_default())
    }

    /// Forgets the files that run out first while there are too many; those in use stay.
    fn evict(&self) {
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        let size_of = |origin: &Origin| origin.known().map_or(0, |known| known.size_bytes);
        let mut bytes: usize = origins.values().map(|origin| size_of(origin)).sum();
        if origins.len() <= ORIGINS_MAX && bytes <= BYTES_MAX {
            return;
        }
        let until_of = |origin: &Origin| origin.known().map_or(Timestamp::MIN, |known| known.until);
        let mut order: Vec<(Timestamp, String)> =
            origins.iter().map(|(key, origin)| (until_of(origin), key.clone())).collect();
        order.sort();
        for (_, key) in order {
            if origins.len() <= ORIGINS_MAX && bytes <= BYTES_MAX {
                break;
            }
            if origins.get(&key).is_some_and(|origin| Arc::strong_count(origin) == 1)
                && let Some(origin) = origins.remove(&key)
            {
                bytes -= size_of(&origin);
            }
        }
    }
}

impl Origin {
    fn known(&self) -> Option<Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn fresh(&self, now: Timestamp) -> Option<Known> {
        self.known().filter(|known| now < known.until)
    }
}

impl Known {
    fn judge(&self, url: &Url) -> Result<(), Fault> {
        let rules = self.rules.as_ref().map_err(Clone::clone)?;
        if rules.is_url_allowed(url) {
            return Ok(());
        }
        let host = url.host_str().unwrap_or_default();
        let path = &url[Position::BeforePath..Position::AfterPath];
        let rule = rules.matching_rule(&url[Position::BeforePath..Position::AfterQuery]);
        let rule = rule.map_or("/", |rule| rule.pattern());
        let message = format!("robots.txt of `{host}` excludes `{path}` by its rule `{rule}`");
        Err(Fault::new(FaultKind::Excluded, message))
    }
}

#[cfg(test)]
mod tests;
