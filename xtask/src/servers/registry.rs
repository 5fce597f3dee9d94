//! The crate registry: Lemmy, a server of boards and threads, built from its own source.
//!
//! The build takes six minutes of one core, so only the program is kept, and stays until another version is wanted. Its lock file pins a `time` that no
//! compiler since Rust 1.80 takes; that one package is moved on, and nothing else. It links PostgreSQL's client library.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::{found, installing};
use crate::{cache, process};

const NAME: &str = "lemmy_server";
const VERSION: &str = "0.17.4";
/// The pinned version that does not compile any more, and the first after it that does and fits.
const TIME: (&str, &str) = ("time@0.3.20", "0.3.36");

/// It took six minutes of one core, and eighteen on a busy machine.
const BUILD_LIMIT: Duration = Duration::from_mins(30);
/// The registry's answer.
const FETCH_LIMIT: Duration = Duration::from_mins(5);

/// The server's program.
pub(super) fn lemmy() -> Result<Vec<(&'static str, PathBuf)>> {
    let folder = cache::folder().join("lemmy");
    let stamp = format!("{NAME} {VERSION}");
    if !cache::is_stamped(&folder, &stamp) {
        found(process::which("pg_config"), "install the Debian package libpq-dev")?;
        installing(&stamp, || {
            cache::emptied(&folder)?;
            build(&folder)?;
            cache::stamp(&folder, &stamp)
        })?;
    }
    Ok(vec![("FRESHET_TEST_LEMMY", folder.join(NAME))])
}

fn build(folder: &Path) -> Result<()> {
    let source = source(folder)?;
    let log = |name: &str| folder.join(format!("{name}.log"));
    let (pinned, moved) = TIME;
    let mut update = cargo(&source);
    process::quietly(update.args(["update", "-p", pinned, "--precise", moved]), &log("update"), FETCH_LIMIT)?;
    let target = folder.join("target");
    let mut build = cargo(&source);
    build.args(["build", "--locked", "--bin", NAME, "--target-dir"]).arg(&target);
    process::quietly(build.env("CARGO_INCREMENTAL", "0"), &log("build"), BUILD_LIMIT)?;
    let built = target.join("debug").join(NAME);
    std::fs::copy(&built, folder.join(NAME)).with_context(|| format!("cannot copy `{}`", built.display()))?;
    // More than a gigabyte that nobody needs again.
    std::fs::remove_dir_all(&target).context("cannot remove what the build left")
}

/// A copy of the source that the registry gives.
fn source(folder: &Path) -> Result<PathBuf> {
    let fetched = folder.join("fetch");
    std::fs::create_dir_all(fetched.join("src")).context("cannot create a folder for the source")?;
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n\n[dependencies]\n{NAME} = \"={VERSION}\"\n"
    );
    std::fs::write(fetched.join("Cargo.toml"), manifest).context("cannot write `Cargo.toml`")?;
    std::fs::write(fetched.join("src/main.rs"), "fn main() {}\n").context("cannot write `main.rs`")?;
    process::quietly(cargo(&fetched).arg("fetch"), &folder.join("fetch.log"), FETCH_LIMIT)?;
    let told = process::output(cargo(&fetched).args(["metadata", "--format-version", "1", "--offline"]))?;
    let told: serde_json::Value = serde_json::from_str(&told).context("cargo told no JSON")?;
    let packages = told["packages"].as_array().into_iter().flatten();
    let manifest = packages
        .filter(|it| it["name"] == NAME)
        .find_map(|it| it["manifest_path"].as_str())
        .map(PathBuf::from);
    let manifest = found(manifest, "the registry gave no source of it")?;
    let original = manifest.parent().context("a manifest lies in a folder")?;
    let source = folder.join("source");
    process::quietly(
        Command::new("cp").arg("-r").arg(original).arg(&source),
        &folder.join("copy.log"),
        FETCH_LIMIT,
    )?;
    Ok(source)
}

/// Cargo, without the settings of the build that runs this.
fn cargo(folder: &Path) -> Command {
    let mut command = Command::new("cargo");
    command
        .current_dir(folder)
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS")
        .env_remove("RUSTUP_TOOLCHAIN");
    command
}
