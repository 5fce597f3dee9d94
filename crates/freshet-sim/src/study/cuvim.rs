//! The experiments of CUVIM (section 6) on recorded histories: orders, Hash weights, partitions.
//!
//! The paper's data are not public; these are its set-ups on a1 (and, for orders, a5). Its tables 5 and 6, the speed-up of many
//! machines against a live network, have no counterpart here. Theorem 1 and Equation 1 are property tests of
//! `freshet_policy::partition`, not figures.

mod orders;
mod parts;
mod tables;

use super::StudyError;
use super::page::Page;
use super::traces::Traces;

pub(super) fn run(traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let mut page = Page::new("cuvim", "The tables of CUVIM");
    page.text(
        "CUVIM measured on 10,000 and 88,799 users of Weibo, data that are not public. The same set-ups here run on \
         a1, about 1,000 accounts of the United States Congress, and where noted on a5, a chat. Rates are learned from 28 \
         days of warm-up.",
    );
    orders::run(&mut page, traces)?;
    tables::run(&mut page, traces)?;
    parts::run(&mut page, traces)?;
    Ok(vec![page])
}
