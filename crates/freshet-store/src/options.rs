//! What may be chosen when a store is opened, whichever backend it has. What is chosen is kept by nobody here.

use std::time::Duration;

/// Another program writes in short transactions; longer than this means that something is wrong.
const BUSY: Duration = Duration::from_secs(10);
/// 64 MiB of cache hold the inner pages of all indexes of some 10 million posts.
const CACHE_KIB: u32 = 65_536;

/// What may be chosen when a store is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Memory that this handle may use to keep what it read.
    pub cache_kib: u32,
    /// Answers are kept as received, compressed.
    pub keep_raw: bool,
    /// How long a lock of another program is waited for.
    pub busy: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { cache_kib: CACHE_KIB, keep_raw: false, busy: BUSY }
    }
}
