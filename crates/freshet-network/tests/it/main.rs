//! The definitions that are shipped: what is asked by them, and what they make of answers.
//!
//! Here stands how an answer is read and a URL compared; which is asked and read stands in the tables of the others. What reading
//! takes of memory is `memory.rs`, in processes of its own.

mod definitions;
mod groups;

use freshet_types::{Connector, Intent, Page, Response, Target, Timestamp};

/// A body as the page that it is when it answers this.
fn read(connector: &dyn Connector, target: &Target<'_>, intent: &Intent, body: &str) -> Page {
    let response = Response {
        status: 200,
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
        url: "https://example.org/".to_owned(),
        received_at: Timestamp::from_secs(0),
    };
    connector.read(target, intent, &response, Timestamp::from_secs(1_800_000_000))
}

/// A URL without these parameters.
fn without_fields(url: &str, fields: &[&str]) -> String {
    let Some((path, query)) = url.split_once('?') else { return url.to_owned() };
    let is_kept = |pair: &&str| !fields.contains(&pair.split('=').next().unwrap_or_default());
    let kept: Vec<_> = query.split('&').filter(is_kept).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}
