//! Objects of which it cannot be told yet whether they are wanted [SocWeb, section 3.2].
//!
//! An object waits here with the property it lacks. When another look brings something about it,
//! or about an object it links to, it is judged again; after a configured time it expires. Pure
//! logic over memory: the store keeps the same rows as JSON ([`Parked::to_json`]), and whoever
//! drives both keeps them in step. At most [`PARKED_MAX`] wait; beyond it the oldest leaves.

use std::collections::{BTreeMap, BTreeSet};

use freshet_types::{Account, Address, Map, Object, Post, RobotKind, Span, Thing, Timestamp};
use serde::{Deserialize, Serialize};

use super::Answer;

/// Most objects that wait in memory at once: a few kilobytes each, so about a hundred megabytes.
pub(crate) const PARKED_MAX: usize = 50_000;

/// What a page showed of an object, to be stored as it is when the object is wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    Post(Post),
    Account(Account),
    Thing(Thing),
}

/// How an object that waits, found so many steps from what a person added, is judged.
pub(crate) type Judge<'a> = &'a mut dyn FnMut(&Object, u16) -> Answer;

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
    /// The robot that met it.
    #[serde(default)]
    pub finder: Option<RobotKind>,
    /// As the page showed it, where a page did.
    #[serde(default)]
    pub shown: Option<Shown>,
}

impl Parked {
    /// An object that lacks `missing` since now.
    pub fn new(object: Object, missing: String, parked_at: Timestamp, depth: u16) -> Self {
        Self { object, missing, parked_at, depth, finder: None, shown: None }
    }

    /// Takes in another look at the same object; it waits since the first.
    fn renew(&mut self, newer: Self) {
        self.object.absorb(&newer.object);
        self.missing = newer.missing;
        self.depth = self.depth.min(newer.depth);
        self.finder = self.finder.or(newer.finder);
        // Inside another post is less than on its own.
        let is_member = matches!(&self.shown, Some(Shown::Post(post)) if !post.is_embedded);
        self.shown = newer.shown.or(self.shown.take());
        if let Some(Shown::Post(post)) = &mut self.shown {
            post.is_embedded &= !is_member;
        }
    }

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
    Wanted(Box<Parked>),
    /// It is not wanted, and no longer waits.
    Unwanted(Address),
    /// It still waits, but more is known of it, or it waits for something else.
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
    pub(crate) fn with_room_for(count_max: usize) -> Self {
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
    pub fn park(&mut self, arrival: Parked) -> Option<Parked> {
        if let Some(number) = self.by_address.get(&arrival.object.address).copied()
            && let Some(mut known) = self.remove(number)
        {
            known.renew(arrival);
            self.insert(number, known);
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

    /// The object of this address, if it waits.
    pub fn get(&self, address: &Address) -> Option<&Parked> {
        self.by_address.get(address).and_then(|number| self.parked.get(number))
    }

    /// Whether something waits that is, or links to, this object.
    pub fn is_about(&self, address: &Address) -> bool {
        self.about.contains_key(address)
    }

    /// Takes the object of this address out, whatever became of it.
    pub fn unpark(&mut self, address: &Address) -> Option<Parked> {
        let number = self.by_address.get(address).copied()?;
        self.remove(number)
    }

    /// Judges everything again, as after a change of the constraints.
    pub fn judge_all(&mut self, judge: Judge<'_>) -> Vec<Verdict> {
        let numbers: Vec<_> = self.parked.keys().copied().collect();
        numbers.into_iter().filter_map(|number| self.judge(number, None, judge)).collect()
    }

    /// Something arrived: everything that waits for this object is judged again.
    pub fn offer(&mut self, object: &Object, judge: Judge<'_>) -> Vec<Verdict> {
        let Some(numbers) = self.about.get(&object.address).cloned() else { return Vec::new() };
        numbers.into_iter().filter_map(|number| self.judge(number, Some(object), judge)).collect()
    }

    fn judge(&mut self, number: u64, news: Option<&Object>, judge: Judge<'_>) -> Option<Verdict> {
        let mut parked = self.remove(number)?;
        let before = news.map(|_| parked.object.clone());
        if let Some(object) = news {
            parked.object.absorb(object);
        }
        let is_news = before.is_none_or(|before| before != parked.object);
        Some(match judge(&parked.object, parked.depth) {
            Answer::Yes => Verdict::Wanted(Box::new(parked)),
            Answer::No => Verdict::Unwanted(parked.object.address),
            Answer::CannotTell { missing } => {
                let address = parked.object.address.clone();
                let is_same = missing == parked.missing && !is_news;
                self.insert(number, Parked { missing, ..parked });
                if is_same {
                    return None;
                }
                Verdict::Waits(address)
            }
        })
    }

    /// Takes out everything that has waited longer than `max_age`.
    pub fn expire(&mut self, now: Timestamp, max_age: Span) -> Vec<Parked> {
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
