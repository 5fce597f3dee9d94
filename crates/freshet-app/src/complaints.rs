//! Complaints: what could not be used of answers, so that a person can see whether a definition, a server or freshet is wrong.

use freshet_report::complaints::{ComplaintKind, ComplaintSample, ComplaintsReport};
use freshet_report::time::UnixNumber;
use freshet_store::api::Sources as _;
use freshet_store::browse::Browse as _;
use freshet_store::row::ComplaintRow;
use freshet_types::NetworkName;

use crate::data::Data;
use crate::failure::Failure;

/// Kinds that are told; more are not kept.
pub const KINDS_MAX: usize = 500;
/// Samples that are told of each; more are not kept.
pub const SAMPLES_MAX: usize = 20;

/// Which complaints are wanted.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Of this network, or of all servers of this definition.
    pub network: Option<String>,
    /// Kinds at most, those met last.
    pub kinds_max: usize,
    /// Samples of each, the newest.
    pub samples_max: usize,
}

/// What could not be used.
pub fn report(data: &Data, wish: &Wish) -> anyhow::Result<ComplaintsReport> {
    let network = wish.network.as_deref().filter(|network| !network.is_empty());
    let rows = data.store.complaints(network, wish.kinds_max.min(KINDS_MAX), wish.samples_max)?;
    Ok(ComplaintsReport { complaints: rows.into_iter().map(kind).collect() })
}

/// Says so where nothing was ever asked of this network: no complaints are no proof then.
pub fn check_network(data: &Data, name: &str) -> anyhow::Result<()> {
    let rows = data.store.instances()?;
    let is_meant = |network: &NetworkName| network.as_str() == name || network.definition() == name;
    if rows.iter().any(|row| is_meant(&row.instance.network)) {
        return Ok(());
    }
    let failure = Failure::misuse(format!(
        "nothing of `{name}` is watched here, so there is nothing to complain about"
    ));
    Err(failure.hint("`freshet status` names the networks that are watched").into())
}

fn kind(row: ComplaintRow) -> ComplaintKind {
    let sample = |it: freshet_store::row::ComplaintSample| ComplaintSample {
        source: it.source,
        seen_at: UnixNumber::of(it.seen_at),
        place: it.complaint.place,
        what: it.complaint.what,
        sample: it.complaint.sample,
    };
    ComplaintKind {
        network: row.network,
        endpoint: row.endpoint,
        what: row.what,
        count: row.count,
        first_at: UnixNumber::of(row.first_at),
        last_at: UnixNumber::of(row.last_at),
        samples: row.samples.into_iter().map(sample).collect(),
    }
}
