//! Objects of which it cannot be told yet whether they are wanted [SocWeb, section 3.2].
//!
//! An object waits here with the property it lacks. When another look brings something about it,
//! or about an object it links to, it is judged again; after a configured time it is swept. Pure
//! logic over memory: the store keeps the same rows as JSON ([`Parked::to_json`]), and whoever
//! drives both keeps them in step. At most [`PARKED_MAX`] wait; beyond it the oldest leaves.

use std::collections::{BTreeMap, BTreeSet};

use freshet_types::{Address, Map, Object, Span, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Answer, Constraints};

/// Most objects that wait in memory at once: a few kilobytes each, so about a hundred megabytes.
pub const PARKED_MAX: usize = 50_000;

/// An object that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parked {
    /// What is known of it.
    pub object: Object,
    /// The property that is not known.
    pub missing: String,
    /// Since when it waits.
    pub parked_at: Timestamp,
    /// Steps from what a person added.
    #[serde(default)]
    pub depth: u16,
}

impl Parked {
    /// As the store keeps it.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("maps with text keys and plain values are JSON")
    }

    /// Read back from the store.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// What became of a parked object.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is wanted, and no longer waits.
    Wanted(Object),
    /// It is not wanted, and no longer waits.
    Unwanted(Address),
    /// It still waits, perhaps for something else.
    Waits(Address),
}

/// The queue of parked objects.
#[derive(Clone, Debug)]
pub struct Parking {
    /// By arrival, oldest first.
    parked: BTreeMap<u64, Parked>,
    /// Which of them are, or link to, an address.
    about: Map<Address, BTreeSet<u64>>,
    by_address: Map<Address, u64>,
    next: u64,
    count_max: usize,
}

impl Default for Parking {
    fn default() -> Self {
        Self::with_room_for(PARKED_MAX)
    }
}

impl Parking {
    /// A parking for at most `count_max` objects.
    pub fn with_room_for(count_max: usize) -> Self {
        Self {
            parked: BTreeMap::new(),
            about: Map::default(),
            by_address: Map::default(),
            next: 0,
            count_max: count_max.max(1),
        }
    }

    /// How many objects wait.
    pub fn len(&self) -> usize {
        self.parked.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.parked.is_empty()
    }

    /// All that wait, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Parked> {
        self.parked.values()
    }

    /// Parks an object that lacks `missing`; gives back whatever had to leave to make room.
    ///
    /// An object that waits already keeps its place and its age, and takes in what is new.
    pub fn park(&mut self, mut arrival: Parked) -> Option<Parked> {
        if let Some(number) = self.by_address.get(&arrival.object.address).copied()
            && let Some(mut known) = self.remove(number)
        {
            known.object.absorb(&arrival.object);
            arrival.object = known.object;
            arrival.parked_at = known.parked_at;
            self.insert(number, arrival);
            return None;
        }
        let number = self.next;
        self.next += 1;
        self.insert(number, arrival);
        if self.parked.len() <= self.count_max {
            return None;
        }
        let oldest = self.parked.first_key_value().map(|(&number, _)| number);
        oldest.and_then(|number| self.remove(number))
    }

    /// Something arrived: everything that waits for this object is judged again.
    pub fn offer(&mut self, object: &Object, constraints: &Constraints, now: Timestamp) -> Vec<Verdict> {
        let Some(numbers) = self.about.get(&object.address).cloned() else { return Vec::new() };
        let mut verdicts = Vec::with_capacity(numbers.len());
        for number in numbers {
            let Some(mut parked) = self.remove(number) else { continue };
            parked.object.absorb(object);
            match constraints.judge(&parked.object, parked.depth, now) {
                Answer::Yes => verdicts.push(Verdict::Wanted(parked.object)),
                Answer::No => verdicts.push(Verdict::Unwanted(parked.object.address)),
                Answer::CannotTell { missing } => {
                    verdicts.push(Verdict::Waits(parked.object.address.clone()));
                    self.insert(number, Parked { missing, ..parked });
                }
            }
        }
        verdicts
    }

    /// Takes out everything that has waited longer than `max_age`.
    pub fn sweep(&mut self, now: Timestamp, max_age: Span) -> Vec<Parked> {
        let is_old = |parked: &Parked| now - parked.parked_at > max_age;
        let old: Vec<_> =
            self.parked.iter().filter(|(_, parked)| is_old(parked)).map(|(&number, _)| number).collect();
        old.into_iter().filter_map(|number| self.remove(number)).collect()
    }

    fn insert(&mut self, number: u64, parked: Parked) {
        let mut addresses = BTreeSet::new();
        collect(&parked.object, &mut addresses);
        for address in addresses {
            self.about.entry(address).or_default().insert(number);
        }
        self.by_address.insert(parked.object.address.clone(), number);
        self.parked.insert(number, parked);
    }

    fn remove(&mut self, number: u64) -> Option<Parked> {
        let parked = self.parked.remove(&number)?;
        let mut addresses = BTreeSet::new();
        collect(&parked.object, &mut addresses);
        for address in &addresses {
            if let Some(numbers) = self.about.get_mut(address) {
                numbers.remove(&number);
                if numbers.is_empty() {
                    self.about.remove(address);
                }
            }
        }
        self.by_address.remove(&parked.object.address);
        Some(parked)
    }
}

/// The object's own address and those of everything it links to.
fn collect(object: &Object, addresses: &mut BTreeSet<Address>) {
    addresses.insert(object.address.clone());
    let ones = object.clinks.values().chain(object.sclinks.values());
    let many = object.colinks.values().chain(object.scolinks.values()).flatten();
    for linked in ones.chain(many) {
        collect(linked, addresses);
    }
}
