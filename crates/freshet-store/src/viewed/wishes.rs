//! What a person changes as a viewer, and what is asked of the store that all share.
//!
//! What is added, noted or changed is the viewer's. A store that was opened for that shows no sources but the viewer's own, so that
//! nobody pauses a source of everybody by a name that both have.

use std::sync::Arc;

use freshet_types::{
    Address, NetworkName, RobotKind, RobotState, Source, SourceId, SourceState, Span, Timestamp, Weight,
};

use super::{OWN, Viewed, over};
use crate::api::interest::{Inquiry, InterestRow, Ranked};
use crate::api::{
    Apply, Care, Compare, Controls, Interest, Keeping, ParkingLot, Rows, Settings, Sources, Store,
    StoreError, Streams, Subscriptions, Unkept,
};
use crate::control::{Control, ControlRow};
use crate::keeping::{Erasure, ExportRow, Fate, KeptOf, KeptSums, RetentionRow, Taken};
use crate::pass::Pass;
use crate::row::{
    Applied, Erased, Finding, Forgetting, ForgottenList, Held, InstanceRow, NotKept, OnDelete, Parked,
    RobotRow, SourceSlot, Storing, StreamRow, Upload, WatchedQuery, WatchedRow,
};
use crate::subscription::{Kind, Notice, Standing, State, Subscription, SubscriptionRow};

/// Implements a role whose methods are those of one store: `shared` of the one that all share, `own` of the viewer's.
macro_rules! pass_on {
    ($role:ident {
        $(ask $place:ident $asked:ident($($a:ident: $at:ty),*) -> $ar:ty;)*
        $(change $at_place:ident $changed:ident($($c:ident: $ct:ty),*) -> $cr:ty;)*
    } $($by_hand:item)*) => {
        impl $role for Viewed {
            $(fn $asked(&self, $($a: $at),*) -> Result<$ar, StoreError> { self.$place.$asked($($a),*) })*
            $(fn $changed(&mut self, $($c: $ct),*) -> Result<$cr, StoreError> {
                self.$at_place.$changed($($c),*)
            })*
            $($by_hand)*
        }
    };
}

pass_on!(Apply {
    change own apply(uploads: &[Upload], compare: Compare) -> Vec<Applied>;
    change public begin_epoch() -> u64;
    change public reserve_visits(count: u64) -> u64;
});

impl Viewed {
    /// The store of everybody, where its sources are shown too.
    pub(super) fn others(&self) -> Option<&dyn Store> {
        (!self.is_for_changes).then_some(&*self.public)
    }
}

pass_on!(Sources {
    ask public networks_above(above: u64) -> Vec<(u64, NetworkName)>;
    change own put_instance(row: &InstanceRow) -> ();
    change own set_on_delete(network: &NetworkName, on_delete: OnDelete) -> ();
    change public reserve_sources(count: u32) -> SourceId;
    change own add_sources_from(first: SourceId, sources: &[Source]) -> Vec<(SourceId, bool)>;
    change own set_state(ids: &[SourceId], state: SourceState) -> ();
    change own pin(id: SourceId, every: Option<Span>, due_at: Timestamp) -> ();
    change own weigh(sources: &[(SourceId, Timestamp)], weight: Weight) -> ();
}
    fn instances(&self) -> Result<Vec<InstanceRow>, StoreError> {
        let mut all = self.own.instances()?;
        for row in self.public.instances()? {
            if !all.iter().any(|it| it.instance.network == row.instance.network) {
                all.push(row);
            }
        }
        Ok(all)
    }

    fn add_sources(&mut self, sources: &[Source]) -> Result<Vec<(SourceId, bool)>, StoreError> {
        let count = u32::try_from(sources.len()).unwrap_or(u32::MAX);
        let first = self.public.reserve_sources(count)?;
        self.own.add_sources_from(first, sources)
    }

    fn sources(&self, ids: &[SourceId]) -> Result<Vec<Option<Source>>, StoreError> {
        let own = self.own.sources(ids)?.into_iter().map(|it| it.map(|source| self.mine(source)));
        let own: Vec<Option<Source>> = own.collect();
        Ok(match self.others() {
            Some(public) => over(own, public.sources(ids)?),
            None => own,
        })
    }

    fn put_source(&mut self, source: &Source) -> Result<(), StoreError> {
        match self.own_source(source.id)? {
            Some(_) => self.own.put_source(source),
            None => self.public.put_source(source),
        }
    }

    fn slots_above(&self, above: SourceId, limit: usize) -> Result<Vec<SourceSlot>, StoreError> {
        let mut all = self.own.slots_above(above, limit)?;
        if let Some(public) = self.others() {
            all.extend(public.slots_above(above, limit)?);
        }
        all.sort_by_key(|slot| slot.id);
        all.truncate(limit);
        Ok(all)
    }

    fn sources_above(&self, above: SourceId, limit: usize) -> Result<Rows<Source, SourceId>, StoreError> {
        let own = self.own.sources_above(above, limit)?;
        let public = match self.others() {
            Some(public) => public.sources_above(above, limit)?,
            None => Rows::default(),
        };
        // What lies behind the end of a page that was cut is not known, so the page ends where the first of both does.
        let end = own.next.into_iter().chain(public.next).min();
        let own = own.rows.into_iter().map(|source| self.mine(source));
        let mut rows: Vec<Source> = own.chain(public.rows).collect();
        rows.sort_by_key(|source| source.id);
        rows.retain(|source| end.is_none_or(|end| source.id <= end));
        Ok(Rows { rows, next: end })
    }

    fn find_sources(&self, reference: &str) -> Result<Vec<Source>, StoreError> {
        let found = self.own.find_sources(reference)?.into_iter();
        let mut found: Vec<Source> = found.map(|source| self.mine(source)).collect();
        if let Some(public) = self.others() {
            found.extend(public.find_sources(reference)?);
        }
        Ok(found)
    }

    fn have_roots(&self, network: &NetworkName, root_ids: &[String]) -> Result<Vec<bool>, StoreError> {
        let (own, public) =
            (self.own.have_roots(network, root_ids)?, self.public.have_roots(network, root_ids)?);
        Ok(own.into_iter().zip(public).map(|(own, public)| own || public).collect())
    }

    fn states_of(&self, sources: &[Source]) -> Result<Vec<Option<SourceState>>, StoreError> {
        Ok(over(self.own.states_of(sources)?, self.public.states_of(sources)?))
    }
);

pass_on!(Streams {
    ask public streams() -> Vec<StreamRow>;
    ask public watched(query: &WatchedQuery<'_>) -> Vec<WatchedRow>;
});

pass_on!(Controls {
    ask public controls_above(number: u64) -> Vec<ControlRow>;
    ask public robots() -> Vec<RobotRow>;
    change public push_control(control: &Control) -> u64;
    change public set_robot(kind: RobotKind, state: RobotState) -> ();
    change public set_robot_credential(kind: RobotKind, name: Option<&str>) -> ();
});

pass_on!(Settings {
    ask public setting(key: &str) -> Option<String>;
    ask public settings_under(prefix: &str) -> Vec<(String, String)>;
    change public set_settings(settings: &[(String, Option<String>)]) -> ();
});

pass_on!(ParkingLot {
    ask public held_due(now: Timestamp, limit: usize) -> Vec<Held>;
    ask public held_count() -> u64;
    change own park(parked: &[Parked]) -> ();
    change own unpark(addresses: &[String]) -> ();
    change own drop_parked(before: Timestamp) -> u64;
    change public hold(held: &[Held]) -> ();
    change public let_go(held: &[(u64, RobotKind)]) -> ();
    change public hasten_held(objects: Option<&[u64]>) -> ();
}
    fn parked_above(&self, address: &str, limit: usize) -> Result<Rows<Parked, String>, StoreError> {
        let (own, public) =
            (self.own.parked_above(address, limit)?, self.public.parked_above(address, limit)?);
        let end = own.next.into_iter().chain(public.next).min();
        let mut rows = own.rows;
        rows.extend(public.rows);
        rows.sort_by(|one, other| one.address.cmp(&other.address));
        rows.dedup_by(|one, other| one.address == other.address);
        rows.retain(|row| end.as_ref().is_none_or(|end| row.address <= *end));
        Ok(Rows { rows, next: end })
    }

    fn parked_of(&self, addresses: &[String]) -> Result<Vec<Option<Parked>>, StoreError> {
        Ok(over(self.own.parked_of(addresses)?, self.public.parked_of(addresses)?))
    }
);

pass_on!(Care {
    ask own forgotten() -> ForgottenList;
    change own mark_forgotten(reference: &str, at: Timestamp) -> Forgetting;
    change own erase_some() -> Option<Erased>;
    change own unforget(reference: &str) -> u64;
    change own expire(now: Timestamp) -> u64;
    change own keep_out(list: &ForgottenList) -> bool;
}
    fn check(&self, looking: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, StoreError> {
        let mut found = self.public.check(looking)?;
        found.extend(self.own.check(looking)?);
        Ok(found)
    }

    fn last_number(&self) -> Result<u64, StoreError> {
        Ok(self.own.last_number()? + OWN)
    }
);

pass_on!(Keeping {
    ask own exports() -> Vec<ExportRow>;
    ask public erasures() -> Vec<Erasure>;
    ask public network_retentions() -> Vec<RetentionRow>;
    ask public kept() -> KeptSums;
    ask public kept_of(account: &Address) -> KeptOf;
    change own note_erasure(erasure: &Erasure) -> u64;
    change own note_export(export: &ExportRow) -> ();
    change own drop_export(path: &str) -> bool;
    change own retain(sources: &[SourceId], span: Option<Span>) -> ();
    change own retain_network(network: &NetworkName, span: Option<Span>) -> ();
}
    fn fates(&self, taken: &[Taken]) -> Result<Vec<Fate>, StoreError> {
        let own = self.own.fates(taken)?.into_iter();
        let public = self.public.fates(taken)?;
        Ok(own.zip(public).map(|(own, public)| if own == Fate::Gone { public } else { own }).collect())
    }

    fn deleted_since(&self, since: Timestamp, up_to: u64) -> Result<(u64, Option<Timestamp>), StoreError> {
        let (count, first) = self.public.deleted_since(since, up_to)?;
        let (more, other) = self.own.deleted_since(since, up_to.saturating_sub(OWN))?;
        Ok((count + more, first.into_iter().chain(other).min()))
    }

    fn source_retentions(&self) -> Result<Vec<RetentionRow>, StoreError> {
        let mut all = self.public.source_retentions()?;
        all.extend(self.own.source_retentions()?);
        Ok(all)
    }
);

pass_on!(Unkept {
    ask public not_kept() -> NotKept;
    ask own keeps(upload: &Upload) -> bool;
    change own set_keeping(network: &NetworkName, keeping: Storing) -> ();
    change own set_keeping_of(ids: &[SourceId], keeping: Storing) -> ();
    change own empty_some(network: &NetworkName) -> u64;
    change own pass_through(pass: &Arc<Pass>) -> ();
}
    fn are_unkept(&self, ids: &[SourceId]) -> Result<Vec<bool>, StoreError> {
        let (own, public) = (self.own.are_unkept(ids)?, self.public.are_unkept(ids)?);
        Ok(own.into_iter().zip(public).map(|(own, public)| own || public).collect())
    }
);

pass_on!(Interest {
    ask public interest(day: i64) -> Vec<InterestRow>;
    ask public ranked() -> Ranked;
    change public set_ranks(ranks: &[(u64, f64)]) -> ();
}
    /// What a viewer asks about is counted nowhere: weights are for everybody to see.
    fn count_inquiries(&mut self, _day: i64, _inquiries: &[Inquiry]) -> Result<(), StoreError> {
        Ok(())
    }
);

pass_on!(Subscriptions {
    ask own notices_above(number: u64, limit: usize) -> Vec<Notice>;
    change own put_notice(kind: Kind, record: &str, at: Timestamp) -> bool;
    change own set_subscription(name: &str, state: State) -> bool;
    change own remove_subscription(name: &str) -> bool;
    change own note_standing(name: &str, standing: &Standing) -> bool;
}
    fn subscriptions(&self) -> Result<Vec<SubscriptionRow>, StoreError> {
        let mut rows = self.own.subscriptions()?;
        for row in &mut rows {
            row.standing.cursor += OWN;
        }
        Ok(rows)
    }

    fn add_subscription(&mut self, subscription: &Subscription, cursor: u64) -> Result<bool, StoreError> {
        self.own.add_subscription(subscription, cursor.saturating_sub(OWN))
    }

    fn move_subscription(&mut self, name: &str, cursor: u64) -> Result<bool, StoreError> {
        self.own.move_subscription(name, cursor.saturating_sub(OWN))
    }
);
