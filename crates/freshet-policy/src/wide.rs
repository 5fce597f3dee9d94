//! Work that is done on the widest vectors this processor has.
//!
//! A binary for every computer may use the vectors of 2003; most computers have ones twice or
//! four times as wide. What is called in here is compiled once for each kind, and the kind is
//! chosen when it runs. Results are the same to the bit: no operation is fused or reordered. What is
//! called must be inlined (`#[inline(always)]`), or it stays as narrow as it is elsewhere.

/// Does it, and gives what it gives.
pub(crate) fn wide<W: pulp::WithSimd>(work: W) -> W::Output {
    pulp::Arch::new().dispatch(work)
}
