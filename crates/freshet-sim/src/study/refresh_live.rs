//! What refresh plans save a crawl: single pages against even looks, old pages of threads against a wait that doubles.
//!
//! Both halves drive the very models that the engine uses (`policy::page`) on simulated pages whose changes are known. Pages change by a
//! habit; the copy is as accurate as it resembles the page, averaged over time. Old pages are edited by laws that forums show, above all
//! soon after posting. The models learn as they go, from what their own looks find, and what is learned first counts too. No
//! traces are needed: none of ours has edits.

mod old;
mod single;

use super::StudyError;
use super::page::Page;
use super::traces::Traces;

/// Seed of the committed results.
const SEED: u64 = 20_260_917;

#[expect(clippy::unnecessary_wraps, reason = "all studies are run in one way")]
pub(super) fn run(_traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let mut page = Page::new("refresh-live", "What refresh plans save a crawl");
    single::report(&mut page);
    old::report(&mut page);
    Ok(vec![page])
}
