//! How a data server writes a frame: two values of DAG-CBOR, and the blocks of a commit as an archive.

use freshet_types::Timestamp;
use ipld_core::cid::Cid;
use ipld_core::cid::multihash::Multihash;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Action, Event, Firehose, POST};

/// Multicodec of DAG-CBOR, and multihash of SHA-256.
const DAG_CBOR: u64 = 0x71;
const SHA_256: u64 = 0x12;
/// Bytes of the nodes that a commit of a grown repository carries beside its record; a real frame has some 2 kB.
const NODE_BYTES: usize = 600;
const NODES: u8 = 2;
/// What jetstream says of every record here; nobody looks at it.
const CID: &str = "bafyreib3zq3fdj6zgbxjuzcyrpxcm4rpxdzmj5cxhhvphpbmkqtmq5ka4i";

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the field is called so in the frames")]
struct Commit {
    ops: Vec<Operation>,
    seq: i64,
    repo: String,
    time: String,
    #[serde(with = "serde_bytes")]
    blocks: Vec<u8>,
    commit: Cid,
    rebase: bool,
    #[serde(rename = "tooBig")]
    too_big: bool,
}

#[derive(Serialize)]
struct Operation {
    cid: Option<Cid>,
    path: String,
    action: &'static str,
}

fn cbor(value: &impl Serialize) -> Vec<u8> {
    serde_ipld_dagcbor::to_vec(value).expect("what is made here can be written")
}

fn framed(header: &Value, body: &impl Serialize) -> Vec<u8> {
    [cbor(header), cbor(body)].concat()
}

/// The name of a block: a number, and which block of a frame it is.
fn name(seq: i64, block: u8) -> Cid {
    let mut digest = [block; 32];
    digest[..8].copy_from_slice(&seq.to_be_bytes());
    Cid::new_v1(DAG_CBOR, Multihash::wrap(SHA_256, &digest).expect("32 bytes fit into a name"))
}

/// A post as it is kept.
pub(super) fn record(at: Timestamp, text: &str) -> Value {
    json!({"$type": POST, "text": text, "langs": ["en"], "createdAt": at.to_string()})
}

/// The frame with this number.
pub(super) fn of_event(seq: i64, event: &Event) -> Vec<u8> {
    let did = Firehose::did(event.person);
    let like = json!({"$type": "app.bsky.feed.like", "subject": {"uri": "at://x", "cid": "bafy"}});
    let (action, collection, record) = match &event.action {
        Action::Posts(text) => ("create", POST, Some(record(event.at, text))),
        Action::Edits(text) => ("update", POST, Some(record(event.at, text))),
        Action::Deletes => ("delete", POST, None),
        Action::Likes => ("create", "app.bsky.feed.like", Some(like)),
        Action::IsNamed => {
            let body =
                json!({"did": did, "seq": seq, "time": event.at.to_string(), "handle": handle(event.person)});
            return framed(&json!({"t": "#identity", "op": 1}), &body);
        }
    };
    let mut blocks = vec![(name(seq, 0), cbor(&json!({"did": did, "rev": event.rkey, "version": 3})))];
    blocks.extend((1..=NODES).map(|node| (name(seq, node), cbor(&json!({"e": "n".repeat(NODE_BYTES)})))));
    let cid = record.map(|record| {
        blocks.push((name(seq, u8::MAX), cbor(&record)));
        name(seq, u8::MAX)
    });
    let commit = Commit {
        ops: vec![Operation { cid, path: format!("{collection}/{}", event.rkey), action }],
        seq,
        repo: did,
        time: event.at.to_string(),
        blocks: archive(&blocks),
        commit: name(seq, 0),
        rebase: false,
        too_big: false,
    };
    framed(&json!({"t": "#commit", "op": 1}), &commit)
}

/// The same as jetstream writes it; the number stands for the time in microseconds.
pub(super) fn message_of(seq: i64, event: &Event) -> String {
    let did = Firehose::did(event.person);
    let (operation, collection, record) = match &event.action {
        Action::Posts(text) => ("create", POST, Some(record(event.at, text))),
        Action::Edits(text) => ("update", POST, Some(record(event.at, text))),
        Action::Deletes => ("delete", POST, None),
        Action::Likes => ("create", "app.bsky.feed.like", Some(json!({"$type": "app.bsky.feed.like"}))),
        Action::IsNamed => {
            let identity =
                json!({"did": did, "handle": handle(event.person), "seq": seq, "time": event.at.to_string()});
            return json!({"did": did, "time_us": seq, "kind": "identity", "identity": identity}).to_string();
        }
    };
    let mut commit =
        json!({"rev": event.rkey, "operation": operation, "collection": collection, "rkey": event.rkey});
    if let (Value::Object(fields), Some(record)) = (&mut commit, record) {
        fields.insert("record".to_owned(), record);
        fields.insert("cid".to_owned(), CID.into());
    }
    json!({"did": did, "time_us": seq, "kind": "commit", "commit": commit}).to_string()
}

/// What people type to name an account.
pub(super) fn handle(person: u32) -> String {
    format!("person{person}.test")
}

pub(super) fn error(name: &str) -> Vec<u8> {
    framed(&json!({"op": -1}), &json!({"error": name, "message": "the cursor is of the future"}))
}

pub(super) fn info(name: &str) -> Vec<u8> {
    framed(&json!({"t": "#info", "op": 1}), &json!({"name": name, "message": "the cursor is too old"}))
}

/// A header, and each block after its length and its name.
fn archive(blocks: &[(Cid, Vec<u8>)]) -> Vec<u8> {
    let header = cbor(&json!({"roots": [], "version": 1}));
    let mut bytes = length(header.len());
    bytes.extend(header);
    for (cid, block) in blocks {
        let name = cid.to_bytes();
        bytes.extend(length(name.len() + block.len()));
        bytes.extend(name);
        bytes.extend(block);
    }
    bytes
}

/// A number of seven bits a byte, the lowest first.
fn length(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}
