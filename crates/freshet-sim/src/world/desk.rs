//! The desk in front of the world: counts who asks, refuses what exceeds a limit, spoils some.
//!
//! Windows are aligned to the world's clock, as Mastodon's are: a bucket is empty again when
//! the window's number changes. Every request counts, refused ones too, and the headers speak
//! of the bucket closest to exhaustion.

use freshet_types::{Map, Span, Timestamp};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use super::options::{Faults, Limits};
use super::request::WorldRequest;

const API_WINDOW_SECS: i64 = 300;
const PAGING_WINDOW_SECS: i64 = 900;
/// Buckets kept before those of past windows are dropped; more clients than this share no window.
const BUCKETS_MAX: usize = 10_000;
/// Parameters that make a request count as paging.
const PAGING_PARAMS: [&str; 4] = ["page", "min_id", "max_id", "since_id"];

/// What was asked of a world so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "numbers of things are called counts everywhere")]
pub(crate) struct Counters {
    /// Requests of any kind.
    pub request_count: u64,
    /// Those answered with 429.
    pub refused_count: u64,
    /// Those spoilt on purpose.
    pub fault_count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Rule {
    Api,
    Paging,
    Own,
}

/// Requests in one window.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    ends_at: Timestamp,
    count: u32,
}

/// A way to spoil an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spoil {
    ServerError,
    BadGateway,
    /// The connection breaks in the middle.
    Break,
    /// Half of the body, with a length that agrees.
    Cut,
    Delay(Span),
}

/// Whether a request may pass, and what the answer says about limits.
pub(crate) struct Admission {
    pub is_refused: bool,
    pub headers: Vec<(String, String)>,
}

#[derive(Debug)]
pub(crate) struct Desk {
    pub counters: Counters,
    /// Requests in the present window, per rule and holder.
    buckets: Map<(Rule, String), Bucket>,
    rng: Pcg32,
}

impl Desk {
    pub(crate) fn new(seed: u64) -> Self {
        Self { counters: Counters::default(), buckets: Map::default(), rng: Pcg32::seed_from_u64(!seed) }
    }

    pub(crate) fn admit(&mut self, request: &WorldRequest, limits: &Limits, now: Timestamp) -> Admission {
        self.counters.request_count += 1;
        let is_api = request.path.starts_with("/api/");
        let is_paging = request.query.iter().any(|(name, _)| PAGING_PARAMS.contains(&name.as_str()));
        let own = limits.api.filter(|_| is_api);
        let rules = [
            (Rule::Api, limits.api_per_5_min.filter(|_| is_api), API_WINDOW_SECS),
            (Rule::Paging, limits.paging_per_15_min.filter(|_| is_paging), PAGING_WINDOW_SECS),
            (
                Rule::Own,
                own.map(|(count, _)| count),
                own.map_or(1, |(_, window)| window.ms().div_euclid(1000).max(1)),
            ),
        ];
        let holder = request
            .token()
            .map_or_else(|| format!("ip {}", request.client), |token| format!("token {token}"));
        let mut admission = Admission { is_refused: false, headers: Vec::new() };
        let mut left_min = i64::MAX;
        for (rule, limit, window_secs) in rules {
            let Some(limit) = limit else { continue };
            let count = self.count(rule, &holder, now, window_secs);
            admission.is_refused |= count > limit;
            let left = i64::from(limit) - i64::from(count);
            if left < left_min {
                left_min = left;
                admission.headers = headers(limit, left.max(0), reset_at(now, window_secs));
            }
        }
        self.counters.refused_count += u64::from(admission.is_refused);
        admission
    }

    fn count(&mut self, rule: Rule, holder: &str, now: Timestamp, window_secs: i64) -> u32 {
        if self.buckets.len() >= BUCKETS_MAX {
            self.buckets.retain(|_, bucket| now < bucket.ends_at);
        }
        let window = now.secs().div_euclid(window_secs);
        let ends_at = Timestamp::from_secs((window + 1).saturating_mul(window_secs));
        let bucket = self.buckets.entry((rule, holder.to_owned())).or_insert(Bucket { ends_at, count: 0 });
        if bucket.ends_at != ends_at {
            *bucket = Bucket { ends_at, count: 0 };
        }
        bucket.count += 1;
        bucket.count
    }

    /// Decides by lot whether and how to spoil the next answer.
    pub(crate) fn spoil(&mut self, faults: &Faults) -> Option<Spoil> {
        if faults.share <= 0.0 || self.rng.random::<f64>() >= faults.share {
            return None;
        }
        self.counters.fault_count += 1;
        Some(match self.rng.random_range(0..5u32) {
            0 => Spoil::ServerError,
            1 => Spoil::BadGateway,
            2 => Spoil::Break,
            3 => Spoil::Cut,
            _ => Spoil::Delay(faults.delay_max * self.rng.random::<f64>()),
        })
    }
}

/// The end of the window, with the present fraction of a second, as Mastodon computes it.
fn reset_at(now: Timestamp, window_secs: i64) -> Timestamp {
    now + Span::from_secs(window_secs - now.secs().rem_euclid(window_secs))
}

fn headers(limit: u32, left: i64, reset_at: Timestamp) -> Vec<(String, String)> {
    let reset = jiff::Timestamp::from_millisecond(reset_at.ms()).unwrap_or(jiff::Timestamp::MAX);
    vec![
        ("x-ratelimit-limit".to_owned(), limit.to_string()),
        ("x-ratelimit-remaining".to_owned(), left.to_string()),
        ("x-ratelimit-reset".to_owned(), format!("{reset:.6}")),
    ]
}
