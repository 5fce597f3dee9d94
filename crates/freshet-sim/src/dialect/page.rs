//! Paging: which part of a list is wanted, and where it goes on.
//!
//! Lists are kept from old to new and given from new to old. `max_id` and `since_id` cut the
//! list and give its newest part, so `since_id` can leave a gap; `min_id` gives the part right
//! after it. A page that is full says where the next begins, and only a full one does.

use std::fmt::Write;

use super::{Ask, percent_encoded};

/// How far the list before the first page is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Newer {
    /// Posts: `prev` is the page right after this one.
    MinId,
    /// People: `prev` is whatever is newest.
    SinceId,
}

/// The part of a list that is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    limit: usize,
    below: u64,
    above: Option<u64>,
    is_upward: bool,
}

impl Bounds {
    /// Reads the bounds of a request; what is no number is as good as absent.
    pub(super) fn read(ask: &Ask<'_>, limit_default: usize) -> Self {
        let id = |name| ask.request.param(name).and_then(|text| text.parse::<u64>().ok());
        let limit = ask.request.param("limit").and_then(|text| text.parse::<i64>().ok());
        // Twice the default is the most that is ever given; more is clamped, not rejected.
        let limit = limit.map_or(limit_default, |limit| limit.unsigned_abs() as usize);
        let min_id = id("min_id");
        Self {
            limit: limit.clamp(1, limit_default * 2),
            below: id("max_id").unwrap_or(u64::MAX),
            above: min_id.or_else(|| id("since_id")),
            is_upward: min_id.is_some(),
        }
    }

    /// So many of the newest, whatever is asked for.
    pub(super) fn newest(limit: usize) -> Self {
        Self { limit, below: u64::MAX, above: None, is_upward: false }
    }

    /// The wanted part of `list`, newest first; `list` rises by `key`.
    pub(super) fn select<'l, T>(
        &self,
        list: &'l [T],
        key: impl Fn(&T) -> u64,
        keep: impl Fn(&T) -> bool,
    ) -> Vec<&'l T> {
        let first = self.above.map_or(0, |above| list.partition_point(|item| key(item) <= above));
        let last = list.partition_point(|item| key(item) < self.below).max(first);
        let wanted = list[first..last].iter().filter(|item| keep(item));
        if self.is_upward {
            let mut found: Vec<&T> = wanted.take(self.limit).collect();
            found.reverse();
            found
        } else {
            wanted.rev().take(self.limit).collect()
        }
    }

    /// The `Link` header for a page whose first and last items have these keys.
    pub(super) fn link(&self, ask: &Ask<'_>, newer: Newer, keys: &[u64]) -> Option<String> {
        let (newest, oldest) = (keys.first()?, keys.last()?);
        let mut link = String::new();
        if keys.len() == self.limit {
            push_link(&mut link, ask, "max_id", *oldest, "next");
            link.push_str(", ");
        }
        let name = if newer == Newer::MinId { "min_id" } else { "since_id" };
        push_link(&mut link, ask, name, *newest, "prev");
        Some(link)
    }
}

/// One address of the header: the request's own, with its bound replaced.
fn push_link(out: &mut String, ask: &Ask<'_>, bound: &str, id: u64, rel: &str) {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in &ask.request.query {
        if !matches!(name.as_str(), "max_id" | "min_id" | "since_id") {
            query.append_pair(name, value);
        }
    }
    query.append_pair(bound, &id.to_string());
    let (base, path, query) = (&ask.base, percent_encoded(&ask.request.path), query.finish());
    write!(out, "<{base}{path}?{query}>; rel=\"{rel}\"").expect("memory takes every text");
}
