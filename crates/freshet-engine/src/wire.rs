//! The one form in which orders, answers and uploads travel between processes.
//!
//! A message is four bytes of head (two that say what this is, the version of the form, the kind of message) and a body in
//! `MessagePack`, its structs as plain lists of their fields. A reader of another version refuses with both versions named; a
//! body is bounded; no bytes, whatever they are, make it panic. Whoever changes a type that travels changes the form: a
//! test compares it with bytes that were written before, and says what to do.
//!
//! Why `MessagePack`. Our types have tagged and untagged enums, which postcard and bincode cannot read back. Writing and reading
//! a recorded page of Mastodon with 40 posts (and a request), optimised, on one core:
//!
//! | form | page: bytes | page: µs | request: bytes | request: µs |
//! |---|--:|--:|--:|--:|
//! | JSON | 24,214 | 318 | 438 | 2.5 |
//! | CBOR (ciborium) | 19,208 | 530 | 338 | 11.3 |
//! | `MessagePack`, structs with names of fields | 19,276 | 245 | 337 | 3.9 |
//! | `MessagePack`, structs as lists (as here) | 13,604 | 139 | 166 | 2.2 |
//!
//! `wire/tests.rs` prints the share of JSON that this form takes.
//!
//! What it does not do: move bytes, tell where a message ends in a stream, compress, or prove who sent it. In one process
//! nothing is written in this form, except in tests ([`loop_back`]).

use freshet_store::row::Upload;
use freshet_types::{Observation, Page, Request, Response, Source};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::order::{Fetched, Order};

/// The version of the form. Whoever changes what is written takes the next number.
pub const VERSION: u8 = 7;
/// The first bytes of every message.
const MAGIC: [u8; 2] = *b"fr";
/// Bytes before the body: what it is, version, kind.
const HEAD_BYTES: usize = MAGIC.len() + 2;
/// Longest body. An answer as received is the largest part of any message, and `fetch` takes no more than 16 MiB of one by
/// default; the page that was read of it is rarely larger.
pub const BODY_BYTES_MAX: usize = 64 << 20;
/// Deepest nesting of lists and maps that is read: twice what our types need, and little on the stack.
const DEPTH_MAX: usize = 48;

/// Which type a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Request = 1,
    Response = 2,
    Page = 3,
    Observation = 4,
    Order = 5,
    Fetched = 6,
    Upload = 7,
    Source = 8,
}

/// What can travel.
pub trait Message: Serialize + DeserializeOwned {
    /// How it is told from the others.
    const KIND: Kind;
}

impl Message for Request {
    const KIND: Kind = Kind::Request;
}

impl Message for Response {
    const KIND: Kind = Kind::Response;
}

impl Message for Page {
    const KIND: Kind = Kind::Page;
}

impl Message for Observation {
    const KIND: Kind = Kind::Observation;
}

impl Message for Order {
    const KIND: Kind = Kind::Order;
}

impl Message for Fetched {
    const KIND: Kind = Kind::Fetched;
}

impl Message for Upload {
    const KIND: Kind = Kind::Upload;
}

impl Message for Source {
    const KIND: Kind = Kind::Source;
}

/// Why a message cannot be written or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// These bytes are no message of ours.
    #[error("this is no message of freshet")]
    Foreign,
    /// Another build wrote it.
    #[error(
        "the message is of version {theirs}, and this build reads version {ours}; run the same build on both sides"
    )]
    Version {
        /// That of the message.
        theirs: u8,
        /// That of this build.
        ours: u8,
    },
    /// It is another kind of message.
    #[error("the message is of kind {found}, and `{expected:?}` was expected")]
    Kind {
        /// The kind that was asked for.
        expected: Kind,
        /// The number that the message has.
        found: u8,
    },
    /// It is longer than allowed.
    #[error("the message has {bytes} bytes, more than the {BODY_BYTES_MAX} that are allowed")]
    TooLong {
        /// Length of the body.
        bytes: usize,
    },
    /// The body does not make sense.
    #[error("the message of kind `{kind:?}` cannot be read: {why}")]
    Malformed {
        /// What it claims to be.
        kind: Kind,
        /// What is wrong.
        why: String,
    },
    /// The value has no such form.
    #[error("a value of kind `{kind:?}` cannot be written: {why}")]
    Unwritable {
        /// What it is.
        kind: Kind,
        /// What is wrong.
        why: String,
    },
}

/// Writes one message.
pub fn encode<T: Message>(message: &T) -> Result<Vec<u8>, WireError> {
    let mut bytes = Vec::with_capacity(256);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&[VERSION, T::KIND as u8]);
    let mut writer = rmp_serde::Serializer::new(&mut bytes);
    let written = message.serialize(&mut writer);
    written.map_err(|error| WireError::Unwritable { kind: T::KIND, why: error.to_string() })?;
    within(bytes.len() - HEAD_BYTES)?;
    Ok(bytes)
}

/// Reads one message; it must be the whole of these bytes.
pub fn decode<T: Message>(bytes: &[u8]) -> Result<T, WireError> {
    let body = match bytes {
        [m0, m1, VERSION, kind, body @ ..] if [*m0, *m1] == MAGIC && *kind == T::KIND as u8 => body,
        [m0, m1, VERSION, found, ..] if [*m0, *m1] == MAGIC => {
            return Err(WireError::Kind { expected: T::KIND, found: *found });
        }
        [m0, m1, theirs, ..] if [*m0, *m1] == MAGIC && *theirs != VERSION => {
            return Err(WireError::Version { theirs: *theirs, ours: VERSION });
        }
        _ => return Err(WireError::Foreign),
    };
    within(body.len())?;
    let malformed = |why: String| WireError::Malformed { kind: T::KIND, why };
    let mut rest = body;
    let mut reader = rmp_serde::Deserializer::new(&mut rest);
    reader.set_max_depth(DEPTH_MAX);
    let message = T::deserialize(&mut reader).map_err(|error| malformed(error.to_string()))?;
    match rest.len() {
        0 => Ok(message),
        extra => Err(malformed(format!("{extra} bytes follow upon its end"))),
    }
}

/// The same message after a journey: written and read back. Crawls in tests send everything through it, so that whatever
/// would be lost between two processes is noticed.
///
/// # Panics
///
/// Panics where the message has no wire form, or is not read back: that is a mistake of the type.
pub fn loop_back<T: Message>(message: &T) -> T {
    let bytes = encode(message).expect("what the engine sends has a wire form");
    decode(&bytes).expect("what was written is read back")
}

fn within(bytes: usize) -> Result<(), WireError> {
    if bytes > BODY_BYTES_MAX { Err(WireError::TooLong { bytes }) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
