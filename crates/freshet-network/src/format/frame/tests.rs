//! Frames as servers write them, and rubbish.

use ipld_core::cid::multihash::Multihash;
use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use super::*;

/// A commit as it is written.
#[derive(Serialize)]
struct Body<'a> {
    ops: Vec<Op>,
    seq: i64,
    repo: &'a str,
    #[serde(with = "serde_bytes")]
    blocks: Vec<u8>,
    #[serde(rename = "tooBig")]
    too_big: bool,
}

#[derive(Serialize)]
struct Op {
    cid: Option<Cid>,
    path: String,
    action: &'static str,
}

fn cid(number: u8) -> Cid {
    Cid::new_v1(0x71, Multihash::wrap(0x12, &[number; 32]).unwrap())
}

fn cbor(value: &impl Serialize) -> Vec<u8> {
    serde_ipld_dagcbor::to_vec(value).unwrap()
}

/// A number of seven bits a byte.
fn length(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// An archive of these blocks.
fn archive(blocks: &[(Cid, Vec<u8>)]) -> Vec<u8> {
    let header = cbor(&json!({"roots": [], "version": 1}));
    let mut bytes = [length(header.len()), header].concat();
    for (cid, block) in blocks {
        let name = cid.to_bytes();
        bytes.extend([length(name.len() + block.len()), name, block.clone()].concat());
    }
    bytes
}

fn framed(header: &Value, body: &[u8]) -> Vec<u8> {
    [cbor(header), body.to_vec()].concat()
}

/// A frame of these operations: action, path, number of the block with its record.
fn commit(ops: &[(&'static str, &str, Option<u8>)], blocks: &[(u8, Value)]) -> Vec<u8> {
    let ops = ops.iter();
    let ops = ops.map(|&(action, path, at)| Op { action, path: path.to_owned(), cid: at.map(cid) }).collect();
    let blocks: Vec<_> = blocks.iter().map(|(at, record)| (cid(*at), cbor(record))).collect();
    let body = Body { ops, seq: 7, repo: "did:plc:a", blocks: archive(&blocks), too_big: false };
    framed(&json!({"t": "#commit", "op": 1}), &cbor(&body))
}

fn keys() -> Keys {
    let mut keys = Keys::default();
    for key in ["text", "did", "seq", "handle", "name", "error", "tags"] {
        keys.add(key);
    }
    keys
}

/// What a frame says, as JSON, and its complaints; or what is wrong with it.
fn check(bytes: &[u8], expected: &Result<(Value, Vec<&str>), &str>) {
    let keys = keys();
    let found = parse(&keys, bytes).map(|frame| {
        let said: Vec<Value> = frame.said.iter().map(Value::from).collect();
        (Value::from(said), frame.complaints)
    });
    match (&found, expected) {
        (Ok((said, complaints)), Ok((wanted, parts))) => {
            assert_eq!(said, wanted);
            assert_eq!(complaints.len(), parts.len(), "{complaints:?}");
            assert!(complaints.iter().zip(parts).all(|(it, part)| it.contains(part)), "{complaints:?}");
        }
        (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
        _ => panic!("{found:?} and not {expected:?}"),
    }
}

#[test]
fn each_operation_of_a_commit_is_a_message_with_its_record() {
    let record = json!({"text": "hello", "tags": ["a"], "other": 5});
    let two = [("create", "app.post/k1", Some(1)), ("delete", "app.post/k0", None)];
    let said = json!([
        {"kind": "commit", "did": "did:plc:a", "seq": 7, "uri": "at://did:plc:a/app.post/k1", "commit": {
            "operation": "create", "collection": "app.post", "rkey": "k1", "cid": cid(1).to_string(),
            "record": {"text": "hello", "tags": ["a"]},
        }},
        {"kind": "commit", "did": "did:plc:a", "seq": 7, "uri": "at://did:plc:a/app.post/k0", "commit": {
            "operation": "delete", "collection": "app.post", "rkey": "k0",
        }},
    ]);
    check(&commit(&two, &[(9, json!({})), (1, record)]), &Ok((said, vec![])));
    // A commit of nothing moves the cursor.
    let said = json!([{"kind": "commit", "did": "did:plc:a", "seq": 7}]);
    check(&commit(&[], &[]), &Ok((said, vec![])));
}

#[test]
fn what_a_commit_does_not_show_is_to_be_looked_at_again() {
    let torn = json!([{"kind": "sync", "did": "did:plc:a", "seq": 7}]);
    let create = [("create", "app.post/k1", Some(1))];
    check(&commit(&create, &[]), &Ok((torn.clone(), vec!["its record is not among the blocks"])));
    check(
        &commit(&[("update", "app.post/k1", None)], &[]),
        &Ok((torn.clone(), vec!["a record has no name"])),
    );
    let too_big = Body { ops: Vec::new(), seq: 7, repo: "did:plc:a", blocks: archive(&[]), too_big: true };
    let header = json!({"t": "#commit", "op": 1});
    check(&framed(&header, &cbor(&too_big)), &Ok((torn.clone(), vec![])));
    let cut = Body { blocks: vec![200, 1, 5], too_big: false, ..too_big };
    check(&framed(&header, &cbor(&cut)), &Ok((torn.clone(), vec!["a block is cut off"])));
    let huge = Body { blocks: vec![0; BLOCKS_BYTES_MAX + 1], ..cut };
    check(&framed(&header, &cbor(&huge)), &Ok((torn.clone(), vec!["are longer than"])));
    let many = [length(0), [length(36), cid(1).to_bytes()].concat().repeat(3)].concat();
    let alike = Body { blocks: many, ..huge };
    check(
        &framed(&header, &cbor(&alike)),
        &Ok((json!([{"kind": "commit", "did": "did:plc:a", "seq": 7}]), vec![])),
    );
}

#[test]
fn other_frames_keep_their_body_under_their_name() {
    let says = |header: Value, body: Value, said: Value| {
        check(&framed(&header, &cbor(&body)), &Ok((json!([said]), vec![])));
    };
    says(
        json!({"t": "#identity", "op": 1}),
        json!({"did": "did:plc:a", "seq": 8, "handle": "ada.test", "time": "x"}),
        json!({"kind": "identity", "did": "did:plc:a", "seq": 8,
               "identity": {"did": "did:plc:a", "seq": 8, "handle": "ada.test"}}),
    );
    says(
        json!({"t": "#info", "op": 1}),
        json!({"name": "OutdatedCursor"}),
        json!({"kind": "info", "info": {"name": "OutdatedCursor"}}),
    );
    says(
        json!({"op": -1}),
        json!({"error": "FutureCursor", "message": "no"}),
        json!({"kind": "error", "error": {"error": "FutureCursor"}}),
    );
}

#[test]
fn rubbish_is_said_to_be_rubbish() {
    let body = cbor(&json!({"seq": 1}));
    check(b"", &Err("it has no header"));
    check(b"{\"json\": 1}", &Err("it has no header"));
    check(&framed(&json!({"t": "#commit", "op": 7}), &body), &Err("neither a message nor an error, but 7"));
    check(&framed(&json!({"t": "#commit", "op": 1}), &body), &Err("it is no commit"));
    check(&framed(&json!({"t": "#info", "op": 1}), b""), &Err(""));
    let good = commit(&[], &[]);
    check(&[good, vec![0]].concat(), &Err("after its body"));
    // Deeper than anything may be nested.
    check(&framed(&json!({"t": "#info", "op": 1}), &[0x81; 5000]), &Err(""));
    // A list that says to be longer than there are bytes.
    let endless = [&[0x9b][..], &[0x7f; 8]].concat();
    check(&framed(&json!({"t": "#info", "op": 1}), &endless), &Err(""));
}

proptest! {
    /// Whatever is changed in a good frame, it is read or refused.
    #[test]
    fn a_spoilt_frame_harms_nothing(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let record = json!({"text": "hello", "tags": ["a", {"b": [1, 2.5, null, true]}]});
        let mut bytes = commit(&[("create", "app.post/k1", Some(1))], &[(1, record)]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(frame) = parse(&keys(), &bytes) {
            prop_assert!(frame.said.len() + frame.complaints.len() > 0);
        }
    }
}
