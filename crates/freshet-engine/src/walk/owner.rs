//! The owner of a list decides what an empty or refused list means: the account may be gone, or this list of it alone.

use freshet_types::{
    AccountState, Endpoint, Intent, Obstacle, Page, PageKind, Source, SourceState, Timestamp,
};

use freshet_store::row::Listing;

use super::{ACCOUNT, Leg, PageMeaning, Seen, Walk};

/// A list, or a page of it, that the network does not show.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    /// What that makes of the source, if its owner is shown as ever.
    state: SourceState,
    /// The page below the top that was refused.
    cursor: Option<String>,
}

impl Walk {
    /// Asks the owner first, where the list itself would not show that it opts out.
    pub(crate) fn ask_consent(&mut self, source: &Source, endpoint: &Endpoint) {
        let is_list = self.leg == Leg::List && endpoint.kind != PageKind::Account;
        if is_list && self.has_owner && &*source.root_kind == ACCOUNT {
            (self.leg, self.intent) = (Leg::Consent, Intent::First);
        }
    }

    /// Asks the owner of an empty list next, where the network shows accounts.
    pub(super) fn turn_to_owner(&mut self, source: &Source) -> bool {
        let can_ask = self.has_owner && &*source.root_kind == ACCOUNT;
        if can_ask {
            (self.leg, self.intent) = (Leg::Owner, Intent::First);
        }
        can_ask
    }

    /// The owner is shown: as ever, then the posts of an empty list are gone, and a list that was refused is refused by itself; as
    /// hidden, then nothing is known of them.
    pub(super) fn read_owner(
        &mut self,
        source: &mut Source,
        endpoint: &Endpoint,
        page: &Page,
        seen: Seen,
    ) -> PageMeaning {
        let owner = page.observation.accounts.iter().find(|account| account.id == source.root_id);
        let is_active = owner.is_some_and(|owner| owner.state == AccountState::Active);
        if endpoint.kind == PageKind::Tags && self.refused.is_none() {
            return super::sweep::read_owner_of_tags(source, endpoint, is_active, seen);
        }
        if !is_active {
            return PageMeaning::default();
        }
        if let Some(refused) = &self.refused {
            if let Some(cursor) = &refused.cursor {
                source.coverage.shut(cursor, Obstacle::Refused, seen.at);
            }
            return PageMeaning::default();
        }
        source.coverage.end_empty(seen.at);
        let lists = Listing { author: source.root_id.clone(), from: Timestamp::MIN, to: seen.at };
        PageMeaning { lists: Some(lists), ..PageMeaning::default() }
    }

    /// The list, or the page of its cursor, was refused, which makes this of its source unless the owner says otherwise; gives whether
    /// the owner is asked.
    pub(crate) fn ask_owner(&mut self, source: &Source, state: SourceState) -> bool {
        let cursor = self.cursor();
        self.below_count += u32::from(cursor.is_some());
        let is_asked = self.turn_to_owner(source);
        self.refused = is_asked.then_some(Refused { state, cursor });
        is_asked
    }

    /// The state of a source whose list was refused while its owner is shown as ever.
    pub fn refused(&self) -> Option<SourceState> {
        self.refused.as_ref().map(|refused| refused.state)
    }
}
