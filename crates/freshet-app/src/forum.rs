//! Pages of a forum to learn from: fetched over HTTP ([`site`]), or read from a folder ([`folder`]); and what came of it, as
//! reports ([`report`]).
//!
//! The crate `freshet-forum` does no I/O and learns from either alike.

pub mod folder;
pub mod report;
pub mod site;

use url::Url;

/// Pages that a site is learned from, unless a person says otherwise.
pub const PAGES_USUAL: usize = 120;

/// The address, if a text is one of a site.
pub fn site_address(text: &str) -> Option<Url> {
    let url = Url::parse(text.trim()).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.host().is_some()).then_some(url)
}
