//! One value of a row on its way from one store into another.

use std::hash::Hasher;

use serde::{Deserialize, Serialize};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Real,
    Text,
    Bytes,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Bytes(#[serde(with = "serde_bytes")] Vec<u8>),
}

impl Cell {
    /// Bytes that it holds, about.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Null => 1,
            Self::Int(_) | Self::Real(_) => 8,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    /// What it is, so that no two values are one. A zero character, which PostgreSQL does not hold, counts as what stands for it there.
    pub(super) fn hash_into(&self, hash: &mut impl Hasher) {
        match self {
            Self::Null => hash.write_u8(0),
            Self::Int(value) => {
                hash.write_u8(1);
                hash.write_i64(*value);
            }
            Self::Real(value) => {
                hash.write_u8(2);
                hash.write_u64(value.to_bits());
            }
            Self::Text(text) => {
                let text = text.replace('\0', "\u{fffd}").replace("\\u0000", "\\ufffd");
                hash.write_u8(3);
                hash.write_u64(text.len() as u64);
                hash.write(text.as_bytes());
            }
            Self::Bytes(bytes) => {
                hash.write_u8(4);
                hash.write_u64(bytes.len() as u64);
                hash.write(bytes);
            }
        }
    }
}
