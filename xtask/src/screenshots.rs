//! `cargo xtask screenshots`: pictures of every page of the dashboard, light and dark, on a desk and on a phone.
//!
//! The test that drives the pages in a browser takes them on its way, so they show what the tests saw.

use std::process::Command;

use anyhow::Result;

use crate::{cache, process, servers};

/// Takes all pictures anew.
pub(crate) fn run() -> Result<()> {
    let mut command = Command::new("cargo");
    command.current_dir(cache::repository());
    command.args(["test", "--package", "freshet", "--test", "it", "--", "every_page_works_in_a_browser"]);
    command.envs(servers::prepare()?.variables);
    command.env("FRESHET_SCREENSHOTS", cache::repository().join("docs/screenshots"));
    process::aloud(&mut command)
}
