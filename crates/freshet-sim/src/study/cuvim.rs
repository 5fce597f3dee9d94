//! The experiments of CUVIM (sections 3 and 6) on recorded histories: kinds of account, orders, Hash weights, partitions.
//!
//! The paper's data are not public; these are its set-ups on a1 (for orders also a5, for partitions nine traces). Its tables 5 and 6, the speed-up of many
//! machines against a live network, have no counterpart here. Theorem 1 and Equation 1 are property tests of
//! `freshet_policy::partition`, not figures.

mod figures;
mod loops;
mod orders;
mod parts;
mod pool;
mod tables;

use super::StudyError;
use super::page::Page;
use super::traces::Traces;

pub(super) fn run(traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let mut page = Page::new("cuvim", "The figures and tables of CUVIM");
    page.text(
        "CUVIM measured on 10,000 and 88,799 users of Weibo, data that are not public. The same set-ups here run on \
         a1, about 1,000 accounts of the United States Congress, and where noted on other traces. Rates are learned from 28 \
         days of warm-up. All of it takes about three minutes on one core.",
    );
    figures::run(&mut page, traces)?;
    orders::run(&mut page, traces)?;
    tables::run(&mut page, traces)?;
    parts::run(&mut page, traces)?;
    Ok(vec![page])
}
