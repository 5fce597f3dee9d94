//! The roles by which people are cared for: what is forgotten, how long things are kept, and what is not kept at all.
//!
//! Long work goes in short transactions, so that a running crawl is not held up. Which exports have to hear of it is written down
//! here and decided elsewhere.

use std::sync::Arc;

use freshet_types::{Address, NetworkName, SourceId, Span, Timestamp};

use crate::api::{Care, Keeping, StoreError, Unkept};
use crate::keeping::{Erasure, ExportRow, Fate, KeptOf, KeptSums, RetentionRow, Taken};
use crate::pass::Pass;
use crate::postgres::db::{Connection, params};
use crate::postgres::{
    PostgresStore, apply, check, db, empty, erase, failed, fates, forgotten, keeping, kept, retention, unkept,
};
use crate::row::{Erased, Finding, Forgetting, ForgottenList, NotKept, Storing, Upload};

impl Care for PostgresStore {
    fn mark_forgotten(&mut self, reference: &str, at: Timestamp) -> Result<Forgetting, StoreError> {
        // Looking for it may take long; only the marking itself holds up a running crawl.
        let targets = erase::resolve(&self.db, &self.networks, reference).map_err(failed("forget"))?;
        let posts_left = targets.posts_count(&self.db).map_err(failed("forget"))?;
        let marked =
            self.write("forget", |db| erase::mark(db, &mut self.forgotten.borrow_mut(), &targets, at))?;
        Ok(Forgetting { posts_left, ..marked })
    }

    fn erase_some(&mut self) -> Result<Option<Erased>, StoreError> {
        let Some(work) = erase::piece::next(&self.db).map_err(failed("forget"))? else { return Ok(None) };
        if work.is_scrub() {
            erase::piece::scrub(&self.db, &work).map_err(failed("forget"))?;
            return Ok(Some(Erased::default()));
        }
        let found = erase::piece::find(&self.db, &work).map_err(failed("forget"))?;
        let erase =
            |db: &Connection| erase::piece::erase(db, &mut self.forgotten.borrow_mut(), &work, &found);
        self.write("forget", erase).map(Some)
    }

    fn unforget(&mut self, reference: &str) -> Result<u64, StoreError> {
        self.write("take back that something is forgotten", |db| {
            let mut forgotten = self.forgotten.borrow_mut();
            forgotten.refresh(db)?;
            forgotten.undo(db, &forgotten::meant(db, reference)?)
        })
    }

    fn forgotten(&self) -> Result<ForgottenList, StoreError> {
        forgotten::list(&self.db).map_err(failed("read who is forgotten"))
    }

    fn keep_out(&mut self, list: &ForgottenList) -> Result<bool, StoreError> {
        self.write("keep out who is forgotten", |db| forgotten::keep_out(db, list))
    }

    fn expire(&mut self, now: Timestamp) -> Result<u64, StoreError> {
        let mut total = 0;
        // Short transactions, so that a running crawl is not held up by a long one; each notes what it erased.
        loop {
            let count = self.write("drop expired posts", |db| erase::expire_some(db, now))?;
            if count == 0 {
                return Ok(total);
            }
            total += count;
        }
    }

    fn check(&self, looking: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, StoreError> {
        self.find_faults(looking)
    }

    fn last_number(&self) -> Result<u64, StoreError> {
        check::last_number(&self.db).map_err(failed("read a counter"))
    }
}

impl Keeping for PostgresStore {
    fn fates(&self, taken: &[Taken]) -> Result<Vec<Fate>, StoreError> {
        let fates = || -> db::Result<Vec<Fate>> {
            let mut forgotten = self.forgotten.borrow_mut();
            forgotten.refresh(&self.db)?;
            let means = fates::Means { db: &self.db, networks: &self.networks, forgotten: &forgotten };
            taken.iter().map(|taken| means.fate(taken)).collect::<Result<_, _>>()
        };
        fates().map_err(failed("look up what became of something"))
    }

    fn erasures(&self) -> Result<Vec<Erasure>, StoreError> {
        keeping::erasures(&self.db).map_err(failed("read what was erased"))
    }

    fn deleted_since(&self, since: Timestamp, up_to: u64) -> Result<(u64, Option<Timestamp>), StoreError> {
        keeping::deleted_since(&self.db, since, up_to).map_err(failed("count what was deleted"))
    }

    fn exports(&self) -> Result<Vec<ExportRow>, StoreError> {
        keeping::exports(&self.db).map_err(failed("read the list of exports"))
    }

    fn network_retentions(&self) -> Result<Vec<RetentionRow>, StoreError> {
        let rules = retention::of_networks(&self.db, &self.networks);
        rules.map_err(failed("read how long posts of networks are kept"))
    }

    fn source_retentions(&self) -> Result<Vec<RetentionRow>, StoreError> {
        let rules = retention::of_sources(&self.db, &self.networks);
        rules.map_err(failed("read how long posts of sources are kept"))
    }

    fn kept(&self) -> Result<KeptSums, StoreError> {
        kept::sums(&self.db, &self.networks).map_err(failed("count what is kept"))
    }

    fn kept_of(&self, account: &Address) -> Result<KeptOf, StoreError> {
        let of = || {
            let mut forgotten = self.forgotten.borrow_mut();
            forgotten.refresh(&self.db)?;
            kept::of(&self.db, &self.networks, &forgotten, account)
        };
        of().map_err(failed("look up what is kept of an account"))
    }

    fn note_erasure(&mut self, erasure: &Erasure) -> Result<u64, StoreError> {
        self.write("note what was erased", |db| keeping::note_erasure(db, erasure))
    }

    fn note_export(&mut self, export: &ExportRow) -> Result<(), StoreError> {
        self.write("note an export", |db| keeping::note_export(db, export))
    }

    fn drop_export(&mut self, path: &str) -> Result<bool, StoreError> {
        self.write("remember an export no more", |db| keeping::drop_export(db, path))
    }

    fn retain(&mut self, sources: &[SourceId], span: Option<Span>) -> Result<(), StoreError> {
        self.write("set how long posts of sources are kept", |db| retention::set_sources(db, sources, span))
    }

    fn retain_network(&mut self, network: &NetworkName, span: Option<Span>) -> Result<(), StoreError> {
        self.write("set how long posts of a network are kept", |db| {
            let id = self.networks.intern(db, network)?;
            retention::set_network(db, id, span)
        })
    }
}

impl Unkept for PostgresStore {
    fn not_kept(&self) -> Result<NotKept, StoreError> {
        unkept::not_kept(&self.db).map_err(failed("ask what is not kept"))
    }

    fn are_unkept(&self, ids: &[SourceId]) -> Result<Vec<bool>, StoreError> {
        let all = ids.iter().map(|id| unkept::is_source(&self.db, id.0)).collect::<db::Result<_>>();
        all.map_err(failed("ask what is not kept"))
    }

    fn keeps(&self, upload: &Upload) -> Result<bool, StoreError> {
        apply::keeps(&self.db, &self.networks, upload).map_err(failed("ask what is not kept"))
    }

    fn set_keeping(&mut self, network: &NetworkName, keeping: Storing) -> Result<(), StoreError> {
        self.write("set what is kept", |db| {
            let id = self.networks.intern(db, network)?;
            let word = if keeping == Storing::Never { unkept::NEVER } else { "keep" };
            db.execute("UPDATE networks SET store = $2 WHERE id = $1", params![id, word]).map(drop)
        })
    }

    fn set_keeping_of(&mut self, ids: &[SourceId], keeping: Storing) -> Result<(), StoreError> {
        let word = (keeping == Storing::Never).then_some(unkept::NEVER);
        self.write("set what is kept", |db| {
            let mut set = db.prepare_cached("UPDATE sources SET store = $2 WHERE id = $1")?;
            ids.iter().try_for_each(|id| set.execute(params![id.0, word]).map(drop))
        })
    }

    fn empty_some(&mut self, network: &NetworkName) -> Result<u64, StoreError> {
        self.write("take out what is kept", |db| match self.networks.find(db, network)? {
            Some(network) => empty::empty_some(db, network),
            None => Ok(0),
        })
    }

    fn pass_through(&mut self, pass: &Arc<Pass>) -> Result<(), StoreError> {
        self.pass = Some(Arc::clone(pass));
        Ok(())
    }
}
