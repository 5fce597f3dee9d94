//! Skimming: of a JSON body, only what a definition asks for becomes a tree.
//!
//! Part of step 6 of 10. Most of what a network sends about a post is looked at by no mapping. A
//! key that no pointer of the definition names can lead to nothing, wherever it stands, so its
//! value is checked as JSON and skipped. Names are not told apart by where they stand: a set of
//! names is simple, and always keeps enough. A program of jq may look at anything, and then
//! everything is kept. Kept keys are borrowed from the definition, texts from the body.
//!
//! Invariant: a tree has at most [`VALUES_MAX`] values, a list in it [`ITEMS_MAX`]. Of a body beyond that, a key that is
//! written with escapes and that no pointer names is skipped even where everything is kept.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize as _, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json_borrow::ObjectAsVec;

use super::room::{ITEMS_MAX, Room, VALUES_MAX, bounded};
use super::{Parsed, Tree};

/// The text of an element that has attributes too, where XML became a tree.
const TEXT_KEY: &str = "#text";

/// The names of keys that a definition looks at.
#[derive(Debug)]
pub(crate) struct Keys {
    /// By their length, which tells nearly all of them apart.
    by_length: Vec<Vec<String>>,
    keeps_all: bool,
}

impl Default for Keys {
    fn default() -> Self {
        let mut keys = Self { by_length: Vec::new(), keeps_all: false };
        keys.add(TEXT_KEY);
        keys
    }
}

impl Keys {
    /// From now on everything is kept.
    pub(crate) fn keep_all(&mut self) {
        self.keeps_all = true;
    }

    /// From now on this one is kept.
    pub(crate) fn add(&mut self, key: &str) {
        if self.find(key).is_none() {
            self.by_length.resize_with(self.by_length.len().max(key.len() + 1), Vec::new);
            self.by_length[key.len()].push(key.to_owned());
        }
    }

    fn find(&self, key: &str) -> Option<&str> {
        let alike = self.by_length.get(key.len())?;
        // Most keys are others, and differ in the first or last letter.
        let ends = |text: &str| (text.as_bytes().first().copied(), text.as_bytes().last().copied());
        let wanted = ends(key);
        alike.iter().find(|known| ends(known) == wanted && *known == key).map(String::as_str)
    }

    /// Reads JSON, keeping what may be asked for.
    pub(super) fn read<'de>(&'de self, text: &'de str) -> serde_json::Result<Parsed<'de>> {
        // A value takes two bytes at least, so a short text has no more of them than there is room for.
        if self.keeps_all && text.len() / 2 < VALUES_MAX {
            return Ok(Parsed::new(serde_json::from_str(text)?, 0));
        }
        let room = Room::new(VALUES_MAX);
        let mut source = serde_json::Deserializer::from_str(text);
        let tree = Value { keys: self, room: &room }.deserialize(&mut source)?;
        source.end()?;
        Ok(Parsed::new(tree, room.left_out()))
    }

    /// Reads a value of a binary form, keeping what may be asked for by name.
    pub(super) fn read_binary<'de>(&'de self, source: impl Deserializer<'de>) -> Result<Tree<'de>, String> {
        let room = Room::new(VALUES_MAX);
        let tree =
            Value { keys: self, room: &room }.deserialize(source).map_err(|error| error.to_string())?;
        if room.is_full() {
            return Err(format!("it has more than {VALUES_MAX} values"));
        }
        Ok(tree)
    }
}

/// A value, skimmed.
#[derive(Clone, Copy)]
struct Value<'de, 'r> {
    keys: &'de Keys,
    room: &'r Room,
}

impl<'de> Value<'de, '_> {
    fn keep(self, tree: Tree<'de>) -> Tree<'de> {
        self.room.use_one();
        tree
    }
}

impl<'de> DeserializeSeed<'de> for Value<'de, '_> {
    type Value = Tree<'de>;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Tree<'de>, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'de, '_> {
    type Value = Tree<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Tree<'de>, E> {
        Ok(self.keep(Tree::Null))
    }

    fn visit_none<E: Error>(self) -> Result<Tree<'de>, E> {
        self.visit_unit()
    }

    /// Bytes inside a binary form, which no mapping can use.
    fn visit_bytes<E: Error>(self, _: &[u8]) -> Result<Tree<'de>, E> {
        self.visit_unit()
    }

    /// The name of another block.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, source: D) -> Result<Tree<'de>, D::Error> {
        IgnoredAny::deserialize(source)?;
        self.visit_unit()
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Tree<'de>, E> {
        Ok(self.keep(Tree::Bool(value)))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Tree<'de>, E> {
        Ok(self.keep(Tree::Number(value.into())))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Tree<'de>, E> {
        Ok(self.keep(Tree::Number(value.into())))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Tree<'de>, E> {
        Ok(self.keep(Tree::Number(value.into())))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Tree<'de>, E> {
        Ok(self.keep(Tree::Str(Cow::Owned(bounded(value).to_owned()))))
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Tree<'de>, E> {
        Ok(self.keep(Tree::Str(Cow::Borrowed(bounded(value)))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree<'de>, A::Error> {
        self.room.use_one();
        let mut values = Vec::new();
        while values.len() < ITEMS_MAX && !self.room.is_full() {
            let Some(value) = list.next_element_seed(self)? else { return Ok(Tree::Array(values)) };
            if self.room.is_full() {
                self.room.leave_out();
            } else {
                values.push(value);
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {
            self.room.leave_out();
        }
        Ok(Tree::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree<'de>, A::Error> {
        self.room.use_one();
        let mut object = ObjectAsVec::default();
        while let Some(key) = map.next_key_seed(Key(self.keys))? {
            match key {
                Some(key) if !self.room.is_full() => {
                    object.insert_unchecked_and_get_mut(key, map.next_value_seed(self)?);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Tree::Object(object))
    }
}

/// A key, as the definition has it; `None` for one that it does not name.
struct Key<'de>(&'de Keys);

impl<'de> DeserializeSeed<'de> for Key<'de> {
    type Value = Option<&'de str>;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Self::Value, D::Error> {
        source.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key<'de> {
    type Value = Option<&'de str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.find(key))
    }

    fn visit_borrowed_str<E: Error>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(if self.0.keeps_all { Some(key) } else { self.0.find(key) })
    }
}
