//! The coordinator: one for the rings of all robots [MBCrawler, section 2.3, figure 4].
//!
//! The robots consume what it reads ahead into the memory parts and produce into the back
//! buffers that it empties. It works when [`Coordinator::tend`] is called, not on a thread of its
//! own, so that a simulated run is the same every time.
//! Invariant: the memory parts together hold at most the ids they were given at opening.

use std::path::Path;

use freshet_types::RobotKind;

use super::error::{RingError, RingWarning};
use super::{Ring, RingOptions};

/// Ids in all memory parts together, unless somebody says otherwise: 3 MB.
pub const MEMORY_MAX_TOTAL: usize = 262_144;

/// The rings of a data directory.
#[derive(Debug)]
pub struct Coordinator {
    /// In the order of [`RobotKind::ALL`].
    rings: Vec<Ring>,
}

impl Coordinator {
    /// Opens the rings of all robots in `dir`; their memory parts share `memory_max_total` ids.
    pub fn open(dir: &Path, memory_max_total: usize) -> Result<Self, RingError> {
        Self::open_with(dir, memory_max_total, RingOptions::default())
    }

    /// The same with other options; the memory part's size is set by the share.
    pub fn open_with(dir: &Path, memory_max_total: usize, options: RingOptions) -> Result<Self, RingError> {
        let options = RingOptions { memory_max: memory_max_total / RobotKind::ALL.len(), ..options };
        let rings = RobotKind::ALL.iter().map(|robot| Ring::open(dir, robot.name(), options));
        Ok(Self { rings: rings.collect::<Result<_, _>>()? })
    }

    /// The ring of a robot.
    pub fn ring(&mut self, robot: RobotKind) -> &mut Ring {
        &mut self.rings[robot as usize]
    }

    /// All rings, for reports.
    pub fn rings(&self) -> impl Iterator<Item = (RobotKind, &Ring)> {
        RobotKind::ALL.into_iter().zip(&self.rings)
    }

    /// Empties the back buffers, writes what is buffered, reads ahead; to be called regularly.
    pub fn tend(&mut self) -> Result<(), RingError> {
        self.rings.iter_mut().try_for_each(Ring::tend)
    }

    /// Writes a checkpoint of every ring.
    pub fn sync(&mut self) -> Result<(), RingError> {
        self.rings.iter_mut().try_for_each(Ring::sync)
    }

    /// What was repaired when the rings were opened.
    pub fn warnings(&self) -> impl Iterator<Item = &RingWarning> {
        self.rings.iter().flat_map(Ring::warnings)
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.rings.iter().map(Ring::bytes).sum()
    }
}
