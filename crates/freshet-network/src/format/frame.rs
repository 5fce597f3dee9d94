//! Binary frames of `com.atproto.sync.subscribeRepos`: from bytes to what they say, as trees like those of JSON.
//!
//! Part of step 6 of 10. A frame is two values of DAG-CBOR, its header and its body. Each operation of a commit becomes a tree of its
//! own, with the record that stands in one of the commit's blocks, in the shape that the same network's JSON stream has, so that one
//! mapping serves both. Whatever else comes keeps its body under the name of its type. Texts are borrowed from the frame; keys are
//! those that the definition looks at, and names that only a program of jq looks at are not kept. Whether a block is what its name says
//! is not checked: the server is believed, as it is everywhere. Never panics; every count is bounded below, beside the length that
//! the transport allows.

use std::borrow::Cow;

use freshet_types::Map;
use ipld_core::cid::Cid;
use serde::Deserialize;
use serde_ipld_dagcbor::de::Deserializer;

use super::Tree;
use super::skim::Keys;

/// Operations of one commit; the protocol allows 200.
const OPERATIONS_MAX: usize = 1000;
/// Blocks of one commit: for each operation a record and the nodes of the tree that lead to it.
const BLOCKS_MAX: usize = 20_000;
/// Bytes of all blocks of a commit; the protocol allows 2 MB.
const BLOCKS_BYTES_MAX: usize = 4 << 20;
/// Operations of one commit whose trouble is told one by one.
const COMPLAINTS_MAX: usize = 3;
/// The kind of what must be looked at again, since a frame does not show all that happened.
const RESYNC: &str = "sync";

/// What one frame says.
#[derive(Debug, Default)]
pub(crate) struct Frame<'a> {
    pub(crate) said: Vec<Tree<'a>>,
    /// What could not be used of it.
    pub(crate) complaints: Vec<String>,
}

#[derive(Deserialize)]
struct Header<'a> {
    op: i64,
    #[serde(borrow, default)]
    t: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Commit<'a> {
    seq: i64,
    repo: &'a str,
    #[serde(borrow)]
    ops: Vec<Operation<'a>>,
    blocks: &'a [u8],
    #[serde(default)]
    too_big: bool,
}

#[derive(Deserialize)]
struct Operation<'a> {
    action: &'a str,
    path: &'a str,
    #[serde(default)]
    cid: Option<Cid>,
}

/// What a frame says, or what is wrong with it as a whole.
pub(crate) fn parse<'a>(keys: &'a Keys, bytes: &'a [u8]) -> Result<Frame<'a>, String> {
    let mut source = Deserializer::from_slice(bytes);
    let header = Header::deserialize(&mut source).map_err(|error| format!("it has no header: {error}"))?;
    match (header.op, header.t.and_then(|name| name.strip_prefix('#'))) {
        (1, Some("commit")) => {
            let commit = Commit::deserialize(&mut source);
            let commit = commit.map_err(|error| format!("it is no commit: {error}"))?;
            source.end().map_err(|error| format!("after its body: {error}"))?;
            Ok(operations(keys, &commit))
        }
        (1, Some(name)) => {
            let frame = other(keys, name, &mut source)?;
            source.end().map_err(|error| format!("after its body: {error}"))?;
            Ok(frame)
        }
        (-1, _) => other(keys, "error", &mut source),
        (op, _) => Err(format!("its header says neither a message nor an error, but {op}")),
    }
}

/// A frame that is no commit: its body under its name, and what all have in common.
fn other<'a>(
    keys: &'a Keys,
    name: &'a str,
    source: impl serde::Deserializer<'a>,
) -> Result<Frame<'a>, String> {
    let body = keys.read_binary(source)?;
    let mut said = vec![("kind", Tree::from(name))];
    if let Tree::Object(map) = &body {
        let shared = ["did", "seq"].into_iter();
        said.extend(shared.filter_map(|key| map.get(key).map(|value| (key, value.clone()))));
    }
    said.push((name, body));
    Ok(Frame { said: vec![object(said)], complaints: Vec::new() })
}

/// The operations of a commit, each with its record.
fn operations<'a>(keys: &'a Keys, commit: &Commit<'a>) -> Frame<'a> {
    let mut frame = Frame::default();
    let mut is_torn = commit.too_big;
    let blocks = blocks(commit.blocks).unwrap_or_else(|why| {
        frame.complaints.push(why);
        is_torn = true;
        Map::default()
    });
    if commit.ops.len() > OPERATIONS_MAX {
        frame.complaints.push(format!("a commit has {} operations", commit.ops.len()));
        is_torn = true;
    }
    for operation in commit.ops.iter().take(OPERATIONS_MAX) {
        let record = match (operation.action, operation.cid) {
            ("create" | "update", Some(cid)) => record(keys, &blocks, &cid).map(Some),
            ("create" | "update", None) => Err("a record has no name".to_owned()),
            _ => Ok(None),
        };
        match record {
            Ok(record) => frame.said.extend(said(commit, operation, record)),
            Err(why) => {
                is_torn = true;
                if frame.complaints.len() < COMPLAINTS_MAX && !commit.too_big {
                    frame.complaints.push(format!("`{}`: {why}", operation.path));
                }
            }
        }
    }
    if is_torn || frame.said.is_empty() {
        // A commit of nothing still moves the cursor.
        let kind = if is_torn { RESYNC } else { "commit" };
        frame.said.push(object(common(kind, commit)));
    }
    frame
}

fn common<'a>(kind: &'static str, commit: &Commit<'a>) -> Vec<(&'a str, Tree<'a>)> {
    vec![
        ("kind", Tree::from(kind)),
        ("did", Tree::from(commit.repo)),
        ("seq", Tree::Number(commit.seq.into())),
    ]
}

/// One operation; `None` where its path is none.
fn said<'a>(commit: &Commit<'a>, operation: &Operation<'a>, record: Option<Tree<'a>>) -> Option<Tree<'a>> {
    let (collection, rkey) = operation.path.split_once('/')?;
    let mut inner = vec![
        ("operation", Tree::from(operation.action)),
        ("collection", Tree::from(collection)),
        ("rkey", Tree::from(rkey)),
    ];
    if let Some(record) = record {
        let cid = operation.cid.map(|cid| Tree::Str(Cow::Owned(cid.to_string())));
        inner.extend([("cid", cid.unwrap_or(Tree::Null)), ("record", record)]);
    }
    let mut outer = common("commit", commit);
    let uri = format!("at://{}/{}", commit.repo, operation.path);
    outer.extend([("uri", Tree::Str(Cow::Owned(uri))), ("commit", object(inner))]);
    Some(object(outer))
}

fn record<'a>(keys: &'a Keys, blocks: &Map<Cid, &'a [u8]>, cid: &Cid) -> Result<Tree<'a>, String> {
    let block = blocks.get(cid).ok_or("its record is not among the blocks")?;
    let mut source = Deserializer::from_slice(block);
    keys.read_binary(&mut source)
}

fn object<'a>(entries: Vec<(&'a str, Tree<'a>)>) -> Tree<'a> {
    Tree::Object(entries.into())
}

/// The blocks of an archive by their names: a header, then each block after its length and its name.
fn blocks(archive: &[u8]) -> Result<Map<Cid, &[u8]>, String> {
    if archive.len() > BLOCKS_BYTES_MAX {
        return Err(format!("the blocks of a commit are longer than {BLOCKS_BYTES_MAX} bytes"));
    }
    let mut found = Map::default();
    let mut rest = archive;
    let mut is_header = true;
    while !rest.is_empty() {
        let length = varint(&mut rest).filter(|&length| length <= rest.len());
        let (mut section, after) = rest.split_at(length.ok_or("a block is cut off")?);
        rest = after;
        if is_header {
            is_header = false;
            continue;
        }
        if found.len() >= BLOCKS_MAX {
            return Err(format!("a commit has more than {BLOCKS_MAX} blocks"));
        }
        let cid = Cid::read_bytes(&mut section).map_err(|error| format!("a block has no name: {error}"))?;
        found.insert(cid, section);
    }
    Ok(found)
}

/// A number of seven bits a byte, the lowest first.
fn varint(rest: &mut &[u8]) -> Option<usize> {
    let mut number: u64 = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return usize::try_from(number).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests;
