//! The test programs that cargo builds, and how each is run.
//!
//! All are built by one `cargo test --no-run` over the whole workspace, so that no crate is built twice with other
//! features, and then run one after the other, as `cargo test` would. Unlike cargo we can say how many tests of a program run
//! at once: product tests mostly wait for servers and timers, so that more of them than there are cores share the wait.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The package whose integration tests watch the finished program.
const PRODUCT: &str = "freshet";
/// Product tests that run at once: each waits most of its time, and two cores carry three of them without making any late.
const PRODUCT_LANES: usize = 3;

/// One test program.
#[derive(Debug, PartialEq)]
pub(super) struct Program {
    /// Package and target, such as `freshet-sim it`.
    pub(super) name: String,
    file: PathBuf,
    /// Where the package's manifest lies; tests run there.
    folder: PathBuf,
    /// How many tests run at once, where the harness should not choose.
    lanes: Option<usize>,
}

/// Builds all test programs; cargo's own words go to the terminal.
pub(super) fn build(root: &Path) -> Result<Vec<Program>> {
    let mut command = Command::new("cargo");
    command.current_dir(root).stderr(Stdio::inherit()).args([
        "test",
        "--workspace",
        "--no-run",
        "--message-format",
        "json-render-diagnostics",
    ]);
    let output = command.output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the tests do not build");
    }
    let mut programs: Vec<Program> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(program).collect();
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    if programs.is_empty() {
        bail!("cargo built no test program");
    }
    Ok(programs)
}

/// The test program that one line of cargo's output tells of.
fn program(line: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let file = PathBuf::from(message["executable"].as_str().filter(|_| is_test)?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_path_buf();
    let package = folder.file_name()?.to_str()?.to_owned();
    let target = message["target"]["name"].as_str()?;
    let is_integration = message["target"]["kind"][0] == "test";
    let lanes = (package == PRODUCT && is_integration).then_some(PRODUCT_LANES);
    Some(Program { name: format!("{package} {target}"), file, folder, lanes })
}

impl Program {
    /// The command that runs it, with the names of tests to run.
    pub(super) fn command(&self, filter: &[String]) -> Command {
        let mut command = Command::new(&self.file);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder).args(filter);
        let is_told = std::env::var_os("RUST_TEST_THREADS").is_some()
            || filter.iter().any(|arg| arg.starts_with("--test-threads"));
        if let Some(lanes) = self.lanes.filter(|_| !is_told) {
            command.env("RUST_TEST_THREADS", lanes.to_string());
        }
        command
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(
        package: &str,
        kind: &str,
        executable: &Value,
        is_test: bool,
        expected: Option<(&str, Option<usize>)>,
    ) {
        let line = json!({
            "reason": "compiler-artifact",
            "manifest_path": format!("/clone/crates/{package}/Cargo.toml"),
            "target": {"name": "it", "kind": [kind]},
            "profile": {"test": is_test},
            "executable": executable,
        });
        let found = program(&line.to_string());
        let found = found.as_ref().map(|program| (program.name.as_str(), program.lanes));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn only_test_programs_are_run_and_product_tests_in_more_lanes() {
        check("freshet", "test", &json!("/target/it"), true, Some(("freshet it", Some(PRODUCT_LANES))));
        check("freshet", "bin", &json!("/target/it"), true, Some(("freshet it", None)));
        check("freshet-sim", "test", &json!("/target/it"), true, Some(("freshet-sim it", None)));
        check("freshet", "bin", &json!("/target/it"), false, None);
        check("freshet", "lib", &Value::Null, true, None);
        assert_eq!(program("   Compiling freshet"), None);
    }
}
