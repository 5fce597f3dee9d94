//! Debian packages: installed only when something is missing, and only by root.
//!
//! It asks for programs, not for packages, so that any other way of having them serves as well.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use super::{found, installing};
use crate::{cache, process};

/// A slow mirror may take minutes; a hanging one must not stop the tests for ever.
const APT_LIMIT: Duration = Duration::from_mins(10);

/// A package, and whether what we need of it is there.
type Need = (&'static str, fn() -> bool);

const NEEDED: &[Need] = &[
    ("redis-server", || redis().is_ok()),
    ("postgresql", || postgres().is_ok()),
    // Lemmy links the client library.
    ("libpq-dev", || process::which("pg_config").is_some()),
    ("python3-venv", has_venv),
    ("chromium", || chromium().is_ok()),
    ("npm", || process::which("npm").is_some()),
    // Bluesky's server compiles its SQLite binding.
    ("g++", || process::which("c++").or_else(|| process::which("g++")).is_some()),
    ("make", || process::which("make").is_some()),
];

/// Installs what is missing; gives back what is still missing afterwards, and why.
pub(super) fn provide() -> Vec<(&'static str, String)> {
    let missing = missing();
    if missing.is_empty() {
        return Vec::new();
    }
    let result = installing(&format!("Debian packages {}", missing.join(", ")), || install(&missing));
    let why = result
        .err()
        .map_or_else(|| "installed, but its program is not found".to_owned(), |error| format!("{error:#}"));
    self::missing().into_iter().map(|package| (package, why.clone())).collect()
}

fn missing() -> Vec<&'static str> {
    NEEDED.iter().filter(|(_, is_there)| !is_there()).map(|(package, _)| *package).collect()
}

fn install(packages: &[&str]) -> Result<()> {
    if process::which("apt-get").is_none() {
        bail!("no apt-get here; install {} by hand", packages.join(", "));
    }
    if !is_root() {
        bail!("not root; run `apt-get install {}` as root", packages.join(" "));
    }
    let log = cache::folder().join("apt.log");
    let apt = || {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    process::quietly(apt().arg("update"), &log, APT_LIMIT)?;
    process::quietly(apt().args(["install", "-y", "--no-install-recommends"]).args(packages), &log, APT_LIMIT)
}

fn is_root() -> bool {
    process::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn has_venv() -> bool {
    process::works(Command::new("python3").args(["-c", "import venv, ensurepip"]))
}

/// The Redis server.
pub(super) fn redis() -> Result<PathBuf> {
    found(process::which("redis-server"), "install the Debian package redis-server")
}

/// The browser.
pub(super) fn chromium() -> Result<PathBuf> {
    let found_at = ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(process::which);
    found(found_at, "install the Debian package chromium")
}

/// The folder of PostgreSQL's programs; Debian keeps it out of `PATH`, one folder a version.
pub(super) fn postgres() -> Result<PathBuf> {
    let in_path = process::which("initdb").and_then(|file| file.canonicalize().ok());
    let folder = in_path.and_then(|file| file.parent().map(Path::to_path_buf)).or_else(newest_postgres);
    found(folder, "install the Debian package postgresql")
}

fn newest_postgres() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.flatten().map(|version| version.path().join("bin"));
    folders.filter(|folder| folder.join("initdb").is_file()).max()
}
