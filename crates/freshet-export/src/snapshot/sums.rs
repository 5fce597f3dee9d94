//! The list of hashes of a snapshot, written and checked.
//!
//! The form is that of the program `sha256sum`: 64 hexadecimal digits, two blanks, a path. Paths are
//! taken only where they stay inside the folder: a list that comes from somewhere may say anything.

use std::io::Read as _;
use std::path::{Component, Path};

use anyhow::Context as _;
use freshet_app::failure::Failure;
use freshet_report::snapshot::VerifyReport;
use freshet_types::Set;

use crate::small::{is_passing, replace};
use crate::{FileEntry, hash_file};

/// Its name in the folder.
pub(crate) const SUMS: &str = "SHA256SUMS";
/// Longest list that is read.
const SUMS_BYTES_MAX: u64 = 64 << 20;
/// Most files of a snapshot that are looked at.
const FILES_MAX: usize = 1_000_000;

/// Hashes every file of the folder and writes the list; gives the id and the files.
pub(crate) fn write(dir: &Path) -> anyhow::Result<(String, Vec<FileEntry>)> {
    let mut files = Vec::new();
    for name in names(dir)?.into_iter().filter(|name| name != SUMS && !is_passing(name)) {
        let path = dir.join(&name);
        let (bytes, sha256) =
            hash_file(&path).with_context(|| format!("`{}` cannot be read", path.display()))?;
        files.push(FileEntry { name, records_count: 0, bytes, sha256 });
    }
    let lines: Vec<String> = files.iter().map(|file| format!("{}  {}", file.sha256, file.name)).collect();
    let text = lines.join("\n") + "\n";
    let path = dir.join(SUMS);
    replace(&path, text.as_bytes())?;
    Ok((id(&path)?, files))
}

/// What names a snapshot.
pub(crate) fn id(sums: &Path) -> anyhow::Result<String> {
    let (_, sha256) = hash_file(sums).with_context(|| format!("`{}` cannot be read", sums.display()))?;
    Ok(format!("sha256:{sha256}"))
}

/// All files below the folder, sorted, with `/`.
fn names(dir: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).with_context(|| format!("`{}` cannot be read", folder.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("`{}` cannot be read", folder.display()))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(name) = path.strip_prefix(dir) {
                names.push(name.to_string_lossy().replace('\\', "/"));
            }
            if names.len() > FILES_MAX {
                return Err(Failure::misuse(format!("`{}` has too many files", dir.display())).into());
            }
        }
    }
    names.sort();
    Ok(names)
}

/// Checks every file of a snapshot.
pub fn verify(dir: &Path) -> anyhow::Result<VerifyReport> {
    let path = dir.join(SUMS);
    let mut text = String::new();
    let read =
        std::fs::File::open(&path).and_then(|file| file.take(SUMS_BYTES_MAX).read_to_string(&mut text));
    read.map_err(|error| {
        Failure::misuse(format!("`{}` is no snapshot: `{SUMS}` cannot be read: {error}", dir.display()))
            .hint("name a folder that `freshet snapshot DIR` made")
    })?;
    let listed =
        text.lines().enumerate().map(|(at, line)| entry(at + 1, line)).collect::<anyhow::Result<Vec<_>>>()?;
    let (mut changed, mut missing) = (Vec::new(), Vec::new());
    for (sha256, name) in &listed {
        match hash_file(&dir.join(name)) {
            Ok((_, found)) if found == *sha256 => {}
            Ok(_) => changed.push(name.clone()),
            Err(_) => missing.push(name.clone()),
        }
    }
    let known: Set<&str> = listed.iter().map(|(_, name)| name.as_str()).collect();
    let unknown: Vec<String> =
        names(dir)?.into_iter().filter(|name| name != SUMS && !known.contains(name.as_str())).collect();
    Ok(VerifyReport {
        snapshot: dir.display().to_string(),
        id: id(&path)?,
        is_whole: changed.is_empty() && missing.is_empty() && unknown.is_empty(),
        files_count: listed.len(),
        changed,
        missing,
        unknown,
    })
}

/// One line of the list.
fn entry(number: usize, line: &str) -> anyhow::Result<(String, String)> {
    let wrong = |why: &str| Failure::misuse(format!("line {number} of `{SUMS}` {why}"));
    let (sha256, name) = line.split_once("  ").ok_or_else(|| wrong("is no hash and a file"))?;
    if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(wrong("has no SHA-256").into());
    }
    let is_inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || !is_inside {
        return Err(wrong("names a file outside the snapshot").into());
    }
    Ok((sha256.to_ascii_lowercase(), name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_lines(text: &str, expected: Result<usize, &str>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(SUMS), text).unwrap();
        match (verify(dir.path()), expected) {
            (Ok(found), Ok(missing)) => assert_eq!(found.missing.len(), missing, "{text}"),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn a_list_from_elsewhere_reads_nothing_outside() {
        let hash = "0".repeat(64);
        check_lines("", Ok(0));
        check_lines(&format!("{hash}  a/b.txt\n"), Ok(1));
        check_lines(&format!("{hash}  ../secret\n"), Err("outside"));
        check_lines(&format!("{hash}  /etc/passwd\n"), Err("outside"));
        check_lines(&format!("{hash} a\n"), Err("line 1"));
        check_lines("abc  a\n", Err("no SHA-256"));
    }

    #[test]
    fn every_change_is_found() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("data")).unwrap();
        for name in ["README.md", "data/a", "data/b"] {
            std::fs::write(dir.path().join(name), name).unwrap();
        }
        let (id, files) = write(dir.path()).unwrap();
        assert_eq!(files.len(), 3);
        let whole = verify(dir.path()).unwrap();
        assert!(whole.is_whole && whole.id == id);
        std::fs::write(dir.path().join("data/a"), "other").unwrap();
        std::fs::remove_file(dir.path().join("data/b")).unwrap();
        std::fs::write(dir.path().join("data/c"), "new").unwrap();
        let broken = verify(dir.path()).unwrap();
        assert!(!broken.is_whole);
        assert_eq!(
            (&*broken.changed, &*broken.missing, &*broken.unknown),
            (&["data/a".to_owned()][..], &["data/b".to_owned()][..], &["data/c".to_owned()][..])
        );
    }
}
