//! What holds for all times of a site: the order of day and month, and the offset, stated or estimated.
//!
//! An offset that the pages state is believed. Where they do not, the newest times of the lists and the fetches of their pages
//! are laid side by side ([`crate::time::zone`]); what comes of that is written into the definition with its certainty.

use super::site::Site;
use crate::definition::{ForumDefinition, PageKind, TimesDefinition};
use crate::inspect::fields::TimeColumn;
use crate::time::zone::{Sighting, estimate};

/// Times that are older at the fetch say nothing about the zone.
const AGE_S_MAX: i64 = 30 * 86_400;
/// Times that are asked, the newest; a page has some twenty.
const SIGHTINGS_MAX: usize = 4_000;

/// The order of day and month, and the offset.
pub(super) fn times(site: &Site<'_>, kinds: &[PageKind], definition: &ForumDefinition) -> TimesDefinition {
    let stated =
        TimesDefinition { day_order: site.day_order, offset_s: site.offset_s, offset_certainty: None };
    if site.offset_s.is_some() {
        return stated;
    }
    match estimate(&sightings(site, kinds, definition), site.day_order) {
        Some(found) => TimesDefinition {
            offset_s: Some(found.offset_s),
            offset_certainty: Some((found.certainty * 100.0).round() / 100.0),
            ..stated
        },
        None => stated,
    }
}

/// The newest times of the lists' own columns, on pages whose fetch is known and that state no offset of their own.
fn sightings(site: &Site<'_>, kinds: &[PageKind], definition: &ForumDefinition) -> Vec<Sighting> {
    let mut found: Vec<(i64, Sighting)> = Vec::new();
    for (at, page) in site.pages.iter().enumerate().filter(|(_, page)| page.offset_s.is_none()) {
        let (Some(list), Some(fetched_s)) = (definition.list(kinds[at]), page.fetched_s) else { continue };
        let columns = TimeColumn::of(page, &list.times);
        for (index, stamp) in page.stamps.iter().enumerate() {
            let Some(shown_s) = site.unix_s(at, index) else { continue };
            let age_s = fetched_s.saturating_sub(shown_s);
            let is_of_list = || columns.iter().any(|column| column.path == stamp.path);
            if age_s < AGE_S_MAX && !stamp.is_noise && Sighting::can_tell(&stamp.written) && is_of_list() {
                found.push((age_s, Sighting { written: stamp.written, fetched_s }));
            }
        }
    }
    found.sort_by_key(|(age_s, _)| *age_s);
    found.into_iter().take(SIGHTINGS_MAX).map(|(_, sighting)| sighting).collect()
}
