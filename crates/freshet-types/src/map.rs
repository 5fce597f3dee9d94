//! Hash maps with a fixed hasher, so that two runs with one seed iterate in one order.
//!
//! `std`'s maps are banned by clippy for that reason. Keys that come from outside are bounded
//! by the limits on pages and sources, so flooding a bucket on purpose gains an attacker little.

use std::hash::BuildHasherDefault;

/// A hash map that iterates in the same order in every run.
pub type Map<K, V> = hashbrown::HashMap<K, V, BuildHasherDefault<Hasher>>;
/// A hash set that iterates in the same order in every run.
pub type Set<K> = hashbrown::HashSet<K, BuildHasherDefault<Hasher>>;
/// The fixed hasher: XXH3 with its default seed.
pub type Hasher = xxhash_rust::xxh3::Xxh3Default;
