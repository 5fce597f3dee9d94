//! Servers: one host of a network, as the engine and the frontier count them.

/// The number of a server in one process: the first that is told of is 0, the next 1. It is never stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerKey(pub u32);

impl ServerKey {
    /// Its place in a list that has an entry for every server.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
