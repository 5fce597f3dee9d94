//! Counting what people ask about, without ever standing in the way of the answer.
//!
//! Only counts are kept, by day ([`freshet_store::api::interest`]), and nothing of what was typed. A command that only looks opens the
//! store for reading; what it showed is counted afterwards, through a second connection that neither makes nor updates nor tightens
//! anything. Where that cannot be opened at once (a folder that is not writable, a busy store) nothing is counted, and nobody is told.
//!
//! Who reads one object (`get`, `show`, `graph`, the API's `objects`) asks about that object, and not about what stands around it.

use std::time::Duration;

use freshet_engine::importance::day_of;
use freshet_network::robot::ACCOUNT;
use freshet_store::Options;
use freshet_store::api::interest::Inquiry;
use freshet_store::api::{Store, StoreError};
use freshet_types::Address;

use crate::config::Globals;
use crate::data::Data;

/// Memory for counting, in KiB: a few rows are touched.
const CACHE_KIB: u32 = 1024;
/// How long a lock of another program is waited for.
const BUSY: Duration = Duration::from_millis(200);

/// Counts an inquiry that was answered from this directory, if that may be.
pub fn count(globals: &Globals, inquiry: Inquiry) {
    try_to_count(globals, |_| Ok(inquiry));
}

/// The same for an object that was shown, by its address.
pub fn count_object(globals: &Globals, address: &str) {
    try_to_count(globals, |store| of_object(store, address));
}

fn try_to_count(globals: &Globals, inquiry: impl FnOnce(&dyn Store) -> Result<Inquiry, StoreError>) {
    // What a viewer asks about is counted nowhere: weights are for everybody to see.
    if globals.viewer.is_some() {
        return;
    }
    let options = Options { cache_kib: CACHE_KIB, busy: BUSY, ..Options::default() };
    let counted = Data::reopen_with(&globals.place(), options).and_then(|mut data| {
        let (day, inquiry) = (day_of(data.now()?), inquiry(&data.store)?);
        Ok(data.store.count_inquiries(day, &[inquiry])?)
    });
    if let Err(error) = counted {
        tracing::debug!("what was asked is not counted: {error}");
    }
}

/// What somebody asks about who asks for the object of this address: about an account or a post itself; of whatever else, about
/// the sources that bring it.
pub fn of_object(store: &dyn Store, address: &str) -> Result<Inquiry, StoreError> {
    let Ok(Address { network, kind, id }) = address.parse() else { return Ok(Inquiry::default()) };
    let (network, id) = (&network, id.as_str());
    if &*kind == ACCOUNT {
        let accounts = store.account_of(network, id)?.map(|row| row.object).into_iter().collect();
        return Ok(Inquiry { accounts, ..Inquiry::default() });
    }
    if let Some(row) = store.post_of(network, &kind, id)? {
        return Ok(Inquiry { posts: vec![row.object], ..Inquiry::default() });
    }
    let sources = store.find_sources(id)?.into_iter();
    let its = sources.filter(|source| source.network == *network && source.root_kind == kind);
    Ok(Inquiry { sources: its.map(|source| source.id).collect(), ..Inquiry::default() })
}

#[cfg(test)]
mod tests {
    use freshet_store::api::prelude::*;
    use freshet_store::row::Upload;
    use freshet_store::testing;
    use freshet_types::{Account, NetworkName, Observation, Post, RobotKind, Source, Timestamp, VisitId};

    use super::*;

    #[test]
    fn who_reads_an_object_asks_about_that_object() {
        let mut store = testing::memory();
        let network = NetworkName::from("net");
        let thread = Source::new(&network, "posts", RobotKind::Comment, "thread", "5");
        let thread = store.add_sources(&[thread]).unwrap()[0].0;
        let observation = Observation {
            accounts: vec![Account { id: "1".to_owned(), ..Account::default() }],
            posts: vec![Post { id: "2".to_owned(), kind: "post".into(), ..Post::default() }],
            ..Observation::default()
        };
        let page =
            Upload { observation, ..Upload::new(VisitId(1), network.clone(), Timestamp::from_secs(9)) };
        store.apply(&[page], |_, _| None).unwrap();
        let account = store.account_of(&network, "1").unwrap().unwrap().object;
        let post = store.post_of(&network, "post", "2").unwrap().unwrap().object;
        for (address, expected) in [
            ("net/account/1", Inquiry { accounts: vec![account], ..Inquiry::default() }),
            ("net/post/2", Inquiry { posts: vec![post], ..Inquiry::default() }),
            ("net/thread/5", Inquiry { sources: vec![thread], ..Inquiry::default() }),
            ("net/account/2", Inquiry::default()),
            ("net/board/5", Inquiry::default()),
            ("other/thread/5", Inquiry::default()),
            ("no address", Inquiry::default()),
        ] {
            let inquiry = of_object(&store, address).unwrap();
            assert_eq!(inquiry, expected, "{address}");
        }
    }
}
