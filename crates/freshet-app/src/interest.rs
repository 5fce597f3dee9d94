//! Counting what people ask about, without ever standing in the way of the answer.
//!
//! Only counts are kept, by day ([`freshet_store::api::interest`]), and nothing of what was typed. A command that only looks opens the
//! store for reading; what it showed is counted afterwards, through a second connection that neither makes nor updates nor tightens
//! anything. Where that cannot be opened at once (a folder that is not writable, a busy store) nothing is counted, and nobody is told.

use std::time::Duration;

use freshet_engine::importance::day_of;
use freshet_store::Options;
use freshet_store::api::interest::Inquiry;

use crate::config::Globals;
use crate::data::Data;

/// Memory for counting, in KiB: a few rows are touched.
const CACHE_KIB: u32 = 1024;
/// How long a lock of another program is waited for.
const BUSY: Duration = Duration::from_millis(200);

/// Counts an inquiry that was answered from this directory, if that may be.
pub fn count(globals: &Globals, inquiry: Inquiry) {
    let options = Options { cache_kib: CACHE_KIB, busy: BUSY, ..Options::default() };
    let counted = Data::reopen_with(&globals.data_dir, options).and_then(|mut data| {
        let day = day_of(data.now()?);
        Ok(data.store.count_inquiries(day, &[inquiry])?)
    });
    if let Err(error) = counted {
        tracing::debug!("what was asked is not counted: {error}");
    }
}
