//! `PyPI` packages: a third party's server that speaks Mastodon's API, with its limits and its faults.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::installing;
use crate::{cache, process};

const MASTODON: &str = "mastodon-mock==0.6.1";

/// It took about 20 s; a slow mirror may need longer.
const PIP_LIMIT: Duration = Duration::from_mins(10);

/// The server's program.
pub(super) fn mastodon() -> Result<Vec<(&'static str, PathBuf)>> {
    let folder = cache::folder().join("mastodon");
    if !cache::is_stamped(&folder, MASTODON) {
        installing(MASTODON, || {
            cache::emptied(&folder)?;
            let log = folder.join("install.log");
            process::quietly(Command::new("python3").args(["-m", "venv"]).arg(&folder), &log, PIP_LIMIT)?;
            let mut pip = Command::new(folder.join("bin/pip"));
            process::quietly(
                pip.args(["install", "--disable-pip-version-check", "--timeout=30", MASTODON]),
                &log,
                PIP_LIMIT,
            )?;
            cache::stamp(&folder, MASTODON)
        })?;
    }
    Ok(vec![("FRESHET_TEST_MASTODON", folder.join("bin/mastodon_mock"))])
}
