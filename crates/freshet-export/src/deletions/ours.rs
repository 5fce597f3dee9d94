//! Which files of a folder an export wrote, and which are left alone.

use std::path::{Component, Path};
use std::str::FromStr as _;

use freshet_report::deletions::LeftAlone;
use freshet_sink::{Format, RecordKind};
use freshet_types::Set;

use crate::manifest::MANIFEST;
use crate::small::is_passing;
use crate::{Manifest, hash_file};

use super::journal::Journal;
use super::receipt::is_receipt;

/// Files of others that are named; the rest is nobody's business either.
const NAMED_MAX: usize = 100;

/// A file of an export.
#[derive(Clone, Debug)]
pub(super) struct Ours {
    pub(super) name: String,
    pub(super) kind: RecordKind,
    pub(super) format: Format,
    /// Its hash as it is now.
    pub(super) sha256: String,
}

/// The files of an export, and those that are left alone.
pub(super) fn find(dir: &Path, manifest: &Manifest, journal: &Journal) -> (Vec<Ours>, Vec<LeftAlone>) {
    let (mut files, mut left) = (Vec::new(), Vec::new());
    let listed = manifest.files.iter().map(|file| (file.name.as_str(), Some(file.sha256.as_str())));
    let former = manifest.former_files.iter().map(|name| (name.as_str(), None));
    for (name, sha256) in listed.chain(former) {
        match look(dir, name, sha256, journal) {
            Ok(file) => files.push(file),
            Err(why) => left.push(LeftAlone { name: name.to_owned(), why: why.to_owned(), is_export: true }),
        }
    }
    left.extend(strangers(dir, manifest));
    (files, left)
}

fn look(dir: &Path, name: &str, sha256: Option<&str>, journal: &Journal) -> Result<Ours, &'static str> {
    let (kind, format) = meaning(name).ok_or("its name is not that of a file of an export")?;
    let path = dir.join(name);
    match std::fs::symlink_metadata(&path) {
        Err(_) => return Err("it is not there"),
        Ok(found) if !found.is_file() => return Err("it is no plain file"),
        Ok(_) => {}
    }
    let (_, found) = hash_file(&path).map_err(|_| "it cannot be read")?;
    let is_ours = sha256.is_none_or(|sha256| sha256 == found) || journal.has_written(name, &found);
    if !is_ours {
        return Err("it was changed by somebody since it was exported");
    }
    Ok(Ours { name: name.to_owned(), kind, format, sha256: found })
}

/// What a file holds, by its name: `posts.jsonl`, `posts/2026-01-05.parquet`.
fn meaning(name: &str) -> Option<(RecordKind, Format)> {
    let is_inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let (stem, ending) = name.rsplit_once('.')?;
    let kind = stem.split_once('/').map_or(stem, |(kind, _)| kind);
    if !is_inside || stem.matches('/').count() > 1 {
        return None;
    }
    Some((RecordKind::from_str(kind).ok()?, Format::from_str(ending).ok()?))
}

/// Files beside the export, and in its folders, that no export into this folder wrote.
fn strangers(dir: &Path, manifest: &Manifest) -> Vec<LeftAlone> {
    let files = manifest.files.iter().map(|file| file.name.as_str());
    let open = manifest.open.iter().flat_map(|open| open.files.iter().map(|file| file.name.as_str()));
    let known: Set<&str> =
        files.chain(manifest.former_files.iter().map(String::as_str)).chain(open).collect();
    let mut left = Vec::new();
    let folders = std::iter::once(String::new()).chain(RecordKind::ALL.map(|kind| format!("{kind}/")));
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(dir.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let name = format!("{folder}{}", entry.file_name().to_string_lossy());
            let is_file = entry.file_type().is_ok_and(|it| !it.is_dir());
            if is_file && !known.contains(name.as_str()) && !is_of_ours(&name) && left.len() < NAMED_MAX {
                let why = "no export into this folder wrote it".to_owned();
                left.push(LeftAlone { name, why, is_export: false });
            }
        }
    }
    left.sort_by(|one, other| one.name.cmp(&other.name));
    left
}

/// What lies in the folder of an export beside its records.
fn is_of_ours(name: &str) -> bool {
    let is_half = [".part", ".memo"].iter().any(|ending| name.ends_with(ending));
    name == MANIFEST || is_passing(name) || is_receipt(name) || is_half
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_exports_are_told_from_others() {
        for (name, is_ours) in [
            ("posts.jsonl", true),
            ("posts/2026-01-05.parquet", true),
            ("relations.csv", true),
            ("posts/a/b.csv", false),
            ("../posts.csv", false),
            ("/posts.csv", false),
            ("posts.xml", false),
            ("secrets.csv", false),
            ("posts", false),
        ] {
            assert_eq!(meaning(name).is_some(), is_ours, "{name}");
        }
    }
}
