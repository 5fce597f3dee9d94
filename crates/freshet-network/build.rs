//! Lists the definitions of `networks/`, so that shipping one means putting its file there.
//!
//! The list holds the name and the text of every `*.toml`, sorted by name; in which order references are tried is
//! decided where they are read (`networks.rs`). Whether a definition is sound is not looked at here: the tests do.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let networks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../networks");
    println!("cargo::rerun-if-changed={}", networks.display());
    let mut list = String::from("&[\n");
    for path in definitions(&networks) {
        println!("cargo::rerun-if-changed={}", path.display());
        let name = path.file_name().and_then(|name| name.to_str()).expect("definitions have plain names");
        writeln!(list, "    (\"networks/{name}\", include_str!(r#\"{}\"#)),", path.display())
            .expect("a text takes whatever is written");
    }
    list.push_str("]\n");
    let folder = std::env::var_os("OUT_DIR").expect("cargo says where to write");
    std::fs::write(Path::new(&folder).join("shipped.rs"), list).expect("the folder of cargo can be written");
}

fn definitions(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder `networks` stands beside `crates`");
    let paths = entries.map(|entry| entry.expect("the folder `networks` can be read").path());
    let mut found: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    found.sort();
    found
}
