//! Places and wishes that make no sense: each is refused before anything is written, with what to do.

use crate::support::freshet::Freshet;

fn made() -> Freshet {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    freshet
}

/// Refused with this code; the error has the first words, a hint has the second.
fn check(freshet: &Freshet, args: &[&str], code: i32, has: [&str; 2]) {
    let said = freshet.say(args);
    assert_eq!(said.code, code, "{args:?}: {said:?}");
    for words in has {
        assert!(said.err.contains(words), "{args:?} does not say `{words}`:\n{}", said.err);
    }
    assert!(said.out.is_empty(), "{args:?}: {said:?}");
}

#[test]
fn somebody_elses_files_are_left_alone() {
    let freshet = made();
    let at = |name: &str| freshet.folder().join(name);
    for name in ["theirs", "theirs.part", "manifest"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    for name in ["theirs/posts.jsonl", "theirs.part/thesis.tex", "manifest/export.json", "file"] {
        std::fs::write(at(name), "{\"mine\": true}").unwrap();
    }
    check(&freshet, &["export", "-o", "theirs"], 2, ["theirs/posts.jsonl", "hint: name another folder"]);
    check(&freshet, &["export", "-o", "manifest"], 2, ["manifest/export.json", "hint: name another folder"]);
    check(&freshet, &["export", "-o", "file"], 2, ["`file` is a file", "hint: name a folder"]);
    check(&freshet, &["export", "-o", "file/below"], 1, ["`file/below` cannot be written", "hint:"]);
    check(&freshet, &["snapshot", "theirs"], 2, ["`theirs` is there already", "hint: a snapshot is never"]);
    check(&freshet, &["snapshot", "file"], 2, ["`file` is there already", "name a new folder"]);
    std::fs::rename(at("theirs"), at("elsewhere")).unwrap();
    check(&freshet, &["snapshot", "theirs"], 2, ["`theirs.part` is there", "hint: a snapshot is made"]);
    check(&freshet, &["snapshot", ".."], 2, ["`..` is there already", "hint:"]);
    for name in ["elsewhere/posts.jsonl", "theirs.part/thesis.tex", "manifest/export.json", "file"] {
        assert_eq!(std::fs::read_to_string(at(name)).unwrap(), "{\"mine\": true}", "{name}");
    }
    // Nor is a folder that somebody else writes into.
    std::fs::create_dir(at("busy")).unwrap();
    let held = std::fs::File::open(at("busy")).unwrap();
    held.try_lock().unwrap();
    check(&freshet, &["export", "-o", "busy"], 1, ["is writing into `busy`", "hint:"]);
    drop(held);
    freshet.ok(&["export", "-o", "busy"]);
    // Other files beside an export are nobody's business, and an export may be taken again.
    std::fs::create_dir(at("mixed")).unwrap();
    std::fs::write(at("mixed/notes.txt"), "mine").unwrap();
    for format in ["jsonl", "csv", "jsonl"] {
        freshet.ok(&["export", "--format", format, "-o", "mixed"]);
    }
    assert_eq!(std::fs::read_to_string(at("mixed/notes.txt")).unwrap(), "mine");
}

#[test]
fn an_export_of_another_store_is_not_written_over() {
    let (ours, theirs) = (made(), made());
    let out = ours.folder().join("out").to_string_lossy().into_owned();
    ours.ok(&["export", "-o", &out]);
    ours.ok(&["export", "-o", &out]);
    check(&theirs, &["export", "-o", &out], 2, ["another data directory", "--restart"]);
    theirs.ok(&["export", "-o", &out, "--restart"]);
    check(&ours, &["export", "-o", &out], 2, ["another data directory", "--restart"]);
}

#[test]
fn absurd_wishes_are_told() {
    let freshet = made();
    check(&freshet, &["export", "--kind", "nonsense"], 2, ["no records of `nonsense`", "relations, changes"]);
    check(&freshet, &["export", "--format", "xml"], 2, ["no format `xml`", "jsonl, csv, parquet"]);
    check(&freshet, &["export", "--split", "week", "-o", "out"], 2, ["week", "day"]);
    check(&freshet, &["export", "--kind", "posts,accounts"], 2, ["one stream", "-o DIR"]);
    check(
        &freshet,
        &["export", "--kind", "posts,posts", "-o", "out"],
        2,
        ["`posts` is named twice", "hint:"],
    );
    check(&freshet, &["export", "--network", "nonsense", "-o", "out"], 2, ["`nonsense`", "hint:"]);
    check(&freshet, &["snapshot", "out", "--network", "nonsense"], 2, ["`nonsense`", "hint:"]);
    check(&freshet, &["export", "--since", "2026-02-01", "--until", "2026-01-01"], 2, ["--since", "--until"]);
    let backwards = ["snapshot", "out", "--since", "2026-02-01", "--until", "2026-01-01"];
    check(&freshet, &backwards, 2, ["--since", "--until"]);
    for name in ["out", "out.part", "out.part.json"] {
        assert!(!freshet.folder().join(name).exists(), "nothing was written");
    }
    // An empty store is no mistake: the tables are there, without rows.
    freshet.ok(&["export", "--format", "csv", "--kind", "posts,changes", "-o", "out"]);
    assert!(
        std::fs::read_to_string(freshet.folder().join("out/posts.csv")).unwrap().starts_with("id,native_id")
    );
    freshet.ok(&["snapshot", "cited"]);
    freshet.ok(&["snapshot", "verify", "cited"]);
}
