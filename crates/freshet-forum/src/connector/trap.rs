//! Servers that answer with another page than was asked for.
//!
//! Some redirect an address to its canonical form and drop the page number on the way, so that every page of a list comes
//! back as its first. The answer's own address shows it: it has no number, or another. Then its records are not
//! believed; the number is put into the address that the server prefers, and that is asked for instead. If that
//! loses its number too, the list cannot be read further, and the visit says so.

use freshet_types::{Complaint, Outcome, Page};
use url::Url;

use crate::address::{self, Slot};
use crate::page;

/// What became of a page number.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// Dropped by a redirect; this address may keep it.
    Dropped(String),
    /// Dropped, and there is no other address to try.
    ForGood,
    /// The server leads to another page: the one that was asked for is no more.
    Shorter,
}

/// Whether the answer to `cursor` is another page of the list.
pub(super) fn lost_number(cursor: &str, page: &page::Page, slots: &[Slot]) -> Option<Lost> {
    let asked = Url::parse(cursor).ok()?;
    if address::key(&asked) == address::key(&page.url) {
        return None;
    }
    let (slot, number) = slots.iter().find_map(|slot| Some((slot, slot.number_in(&asked)?)))?;
    match slot.number_in(&page.url) {
        Some(found) if found == number => None,
        Some(_) => Some(Lost::Shorter),
        None => {
            let new_address = slot
                .with_number(&page.url, number)
                .filter(|new_address| address::key(new_address) != address::key(&asked));
            Some(new_address.map_or(Lost::ForGood, |new_address| Lost::Dropped(new_address.into())))
        }
    }
}

/// Whether the server led from the first page of a list to something that is none: a login form, its front page.
pub(super) fn is_led_away(root: &str, page: &page::Page) -> bool {
    page.url
        .join(root)
        .is_ok_and(|asked| asked.path().trim_end_matches('/') != page.url.path().trim_end_matches('/'))
}

/// The page to go on with: nothing that was shown is believed.
pub(super) fn answer(lost: Lost, empty: Page) -> Page {
    let complaint = |what: &str| vec![Complaint::new("url", what)];
    match lost {
        Lost::Dropped(new_address) => Page {
            next: Some(new_address),
            is_detour: true,
            complaints: complaint(
                "the server redirected and dropped the page number; asked again under its new address",
            ),
            ..empty
        },
        Lost::Shorter => {
            Page { complaints: complaint("the page is no more; the server leads to another"), ..empty }
        }
        Lost::ForGood => Page {
            outcome: Outcome::BadRequest,
            complaints: complaint("the server answers with another page of the list"),
            ..empty
        },
    }
}
