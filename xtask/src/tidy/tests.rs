//! Each rule is shown once broken and once kept; the last test is the repository itself.

use serde_json::json;

use super::*;

fn check(path: &str, text: &str, expected: &[&str]) {
    let mut findings = Vec::new();
    text::check(&File { path: path.to_owned(), text: text.to_owned() }, &mut findings);
    let found: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), expected.len(), "{path}: {text}\n{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{found} lacks {expected}");
    }
}

#[test]
fn single_files() {
    let long = format!("//! a\n{}", "let x = 1;\n".repeat(800));
    let tested = format!("//! a\n{}#[cfg(test)]\nmod tests {{\n{}}}\n", "x\n".repeat(790), "y\n".repeat(300));
    for (path, text, expected) in [
        ("a/src/b.rs", "//! Header.\n", &[][..]),
        ("a/src/b.rs", "fn main() {}\n", &["open the file with"]),
        ("a/src/b.rs", &long, &["801 lines, at most 800"]),
        ("a/src/b/tests.rs", &long, &[]),
        ("a/src/b.rs", &tested, &[]),
        ("a/src/b.rs", "//! a\n// FIXME later", &["a/src/b.rs:2: `FIXME`"]),
        ("a/src/b.rs", "//! a\n// TODO later", &["names its issue"]),
        ("a/src/b.rs", "//! a\n// TODO(#12): later, METHODOLOGY", &[]),
        ("a/src/b.rs", "//! a\nlet mock_server = 1;", &["identifier"]),
        ("a/src/b.rs", "//! a\nlet path = \"bin/mastodon_mock\"; // the mock server", &[]),
        ("a/src/b.rs", "//! a\nstruct DummyStore;", &["identifier"]),
        ("a/src/b.rs", "//! a\npub(super) fn take(&mut self) {}", &["a function named `take`"]),
        ("a/src/b.rs", "//! a\nfn sweep<T>() {} // fn again", &["a function named `sweep`"]),
        ("a/src/b.rs", "//! a\nfn take_while() { one.take() }", &[]),
        ("docs/a.md", "# Title\n\na mock is what we do not say\n", &[]),
        ("docs/a.md", "Title\n=====\n", &["starts with its title"]),
        ("docs/a.md", "# T\nsee /work/shared/x\n", &["somebody's machine"]),
        ("docs/a.md", "# T\nsee https://example.org/home/x and ${X}/root/y\n", &[]),
        ("crates/a/Cargo.toml", "[package]\n[lints]\nworkspace = true\n", &[]),
        ("crates/a/Cargo.toml", "[package]\n[lints]\n[features]\nworkspace = true\n", &["add `[lints]`"]),
        (".ci/run", "cd /home/me\n", &["somebody's machine"]),
    ] {
        check(path, text, expected);
    }
}

/// A table as ARCHITECTURE.md has it.
const TABLE: &str = "\
# Architecture
## Crates: a star
| crate | may depend on | holds |
|---|---|---|
| `freshet-types` | – | nouns |
| `freshet-policy` | types | plans |
| `freshet-store` | types | rows |
| `freshet-engine` | siblings | the loop |
| `freshet-sim` | siblings, engine | worlds |
| `freshet-app` | siblings but `store`, engine | actions |
| `freshet-jobs` | types, policy | jobs |
| `freshet` | all of the above | faces |
| `xtask` | – | tasks |
## Seams
| `Clock` | system |
";

#[test]
fn crate_edges() {
    for (name, on, kind, expected) in [
        ("freshet-policy", "freshet-types", None, 0),
        ("freshet-policy", "freshet-store", None, 1),
        ("freshet-policy", "freshet-store", Some("dev"), 1),
        ("freshet-policy", "freshet-types", Some("dev"), 0),
        ("freshet-types", "freshet-policy", None, 1),
        ("freshet-engine", "freshet-policy", None, 0),
        ("freshet-engine", "freshet-jobs", None, 1),
        ("freshet-engine", "freshet-sim", None, 1),
        ("freshet-engine", "freshet-sim", Some("dev"), 0),
        ("freshet-sim", "freshet-engine", None, 0),
        ("freshet-sim", "freshet", None, 1),
        ("freshet-app", "freshet-policy", None, 0),
        ("freshet-app", "freshet-store", None, 1),
        ("freshet-jobs", "freshet-store", None, 1),
        ("freshet", "freshet-sim", None, 0),
        ("freshet", "serde", None, 0),
        ("freshet-unheard", "serde", None, 1),
        ("xtask", "freshet-types", None, 1),
        ("xtask", "freshet-types", Some("dev"), 1),
    ] {
        let mut findings = Vec::new();
        let table = edges::table(TABLE, &mut findings);
        let package = json!({"name": name, "dependencies": [{"name": on, "kind": kind}]});
        edges::check_package(&package, &table, &mut edges::Edges::new(), &mut findings);
        assert_eq!(findings.len(), expected, "{name} on {on}: {findings:?}");
    }
    let mut findings = Vec::new();
    edges::table(&TABLE.replace("types, policy", "types, ponicy"), &mut findings);
    assert_eq!(findings.len(), 1, "{findings:?}");
}

#[test]
fn documents_as_a_whole() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let readme = format!("# freshet\ncargo xtask test\n{}", "line\n".repeat(200));
    let files = [
        file("README.md", &readme),
        file("ARCHITECTURE.md", "# A"),
        file("networks/one.toml", ""),
        file("networks/two.toml", ""),
        file("docs/networks.md", "# Networks\n`two` is here, someone is not"),
    ];
    let mut findings = Vec::new();
    documents::check(&files, &mut findings);
    let all: String = findings.iter().map(ToString::to_string).collect::<Vec<_>>().join(
        "
",
    );
    for expected in [
        "README.md: 202 lines, at most 150",
        "README.md: must show `cargo run --release -- demo`",
        "CONTRIBUTING.md: is missing",
        "docs/glossary.md: explain the term `lease`",
        "networks/one.toml: no page of docs/ names `one`",
    ] {
        assert!(all.contains(expected), "{expected} is not in\n{all}");
    }
    assert!(!all.contains("networks/two"), "{all}");
}

#[test]
fn what_is_shipped_says_what_the_code_says() {
    let root = cache::repository();
    let files = files(&root).unwrap();
    let changed = |path: &str, from: &str, to: &str| -> Vec<File> {
        let text =
            |file: &File| if file.path == path { file.text.replace(from, to) } else { file.text.clone() };
        files.iter().map(|file| File { path: file.path.clone(), text: text(file) }).collect()
    };
    for (path, from, to, expected) in [
        ("Cargo.toml", "version = \"0.1.0\"", "version = \"0.2.0\"", 2),
        ("Cargo.toml", "rust-version = \"1.95\"", "rust-version = \"1.96\"", 1),
        ("crates/freshet-web/src/lib.rs", "const PORT: u16 = 8640;", "const PORT: u16 = 8641;", 4),
        ("xtask/dist/freshet.service", "/var/lib/freshet", "/srv/freshet", 1),
        ("README.md", "freshet", "freshet", 0),
    ] {
        let mut findings = Vec::new();
        shipping::check(&changed(path, from, to), &mut findings);
        assert_eq!(findings.len(), expected, "{path}: {findings:?}");
    }
}

#[test]
fn strings_and_comments_are_no_code() {
    for (line, code) in [
        (r#"let x = "mock \" mock"; // mock"#, "let x = ;"),
        ("Mock::new()", "mock::new()"),
        ("a / b", "a / b"),
    ] {
        assert_eq!(text::code_of(line).trim(), code);
    }
}

#[test]
fn the_repository_is_tidy() {
    let (findings, _) = findings(&cache::repository()).unwrap();
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}
