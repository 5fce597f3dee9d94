//! What a test needs of its environment, and what it does when that is missing.

use std::io::Write as _;
use std::path::PathBuf;

/// The path in this variable, or a loud and counted skip.
pub(crate) fn need(test: &str, name: &str) -> Option<PathBuf> {
    let found = std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if found.is_none() {
        skip(test, &format!("`{name}` is not set; run `cargo xtask test`, which installs what it names"));
    }
    found
}

/// Records that a test could not run.
#[expect(clippy::print_stdout, reason = "whoever runs `cargo test` by hand should see it too")]
pub(crate) fn skip(test: &str, reason: &str) {
    println!("SKIPPED: {test}: {reason}");
    let Some(path) = std::env::var_os("FRESHET_SKIPS") else { return };
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    let mut file = file.expect("the file of skips can be opened");
    writeln!(file, "{test}: {reason}").expect("the file of skips can be written");
}
