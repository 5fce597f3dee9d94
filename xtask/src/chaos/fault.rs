//! The faults that a crawl must survive: their names, and the one door through which they strike.
//!
//! A fault says what proves that it fired; one that cannot be done here says so and is counted as skipped. What
//! it left running is gone and what it changed is as before when it returns.

use anyhow::{Context, Result, bail};

use super::Stage;
use super::struck::Struck;
use super::{clock, crash_loop, disk, export, kill, lock, outage, reader};

/// One kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    Kill,
    Reader,
    Export,
    Lock,
    Disk,
    Clock,
    Outage,
    CrashLoop,
}

impl Fault {
    pub(super) const ALL: [Self; 8] = [
        Self::Kill,
        Self::Reader,
        Self::Export,
        Self::Lock,
        Self::Disk,
        Self::Clock,
        Self::Outage,
        Self::CrashLoop,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Reader => "reader",
            Self::Export => "export",
            Self::Lock => "lock",
            Self::Disk => "disk",
            Self::Clock => "clock",
            Self::Outage => "outage",
            Self::CrashLoop => "crash-loop",
        }
    }

    /// Reads `a,b,c`.
    pub(super) fn list(text: &str) -> Result<Vec<Self>> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let one = |name: &str| Self::ALL.into_iter().find(|fault| fault.name() == name);
        let mut faults = text
            .split(',')
            .map(|name| one(name).with_context(|| format!("no fault `{name}`; there are {}", names())))
            .collect::<Result<Vec<_>>>()?;
        faults.sort();
        faults.dedup();
        if faults.is_empty() {
            bail!("name at least one fault of {}", names())
        }
        Ok(faults)
    }

    /// Lets it happen to the crawl.
    pub(super) fn strike(self, stage: &mut Stage) -> Result<Struck> {
        match self {
            Self::Kill => kill::strike(stage),
            Self::Reader => reader::strike(stage),
            Self::Export => export::strike(stage),
            Self::Lock => lock::strike(stage),
            Self::Disk => disk::strike(stage),
            Self::Clock => clock::strike(stage),
            Self::Outage => outage::strike(stage),
            Self::CrashLoop => crash_loop::strike(stage),
        }
    }
}
