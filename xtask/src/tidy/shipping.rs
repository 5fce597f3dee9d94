//! Rules about what is shipped: image, compose file and systemd unit say the same as the code.
//!
//! One fact, one place: the version and the oldest compiler stand in Cargo.toml, the dashboard's port in the code. The
//! folder of the data is named by the unit, and the others follow.

use super::{File, Finding};
use crate::dist::value_of;

const MANIFEST: &str = "Cargo.toml";
const PORT_FILE: &str = "crates/freshet-web/src/lib.rs";
const UNIT: &str = "xtask/dist/freshet.service";
const IMAGE: &str = "Dockerfile";
const COMPOSE: &str = "compose.yml";

pub(super) fn check(files: &[File], findings: &mut Vec<Finding>) {
    let text = |path: &str| files.iter().find(|file| file.path == path).map(|file| file.text.as_str());
    let (Some(manifest), Some(code)) = (text(MANIFEST), text(PORT_FILE)) else { return };
    let version = value_of(manifest, "version").unwrap_or_default();
    let compiler = value_of(manifest, "rust-version").unwrap_or_default();
    let port = code.lines().find_map(|line| line.strip_prefix("const PORT: u16 = ")?.strip_suffix(';'));
    let port = port.unwrap_or_default();
    let data = "/var/lib/freshet";
    let wanted = [
        (IMAGE, format!("FROM rust:{compiler}-alpine")),
        (IMAGE, format!("org.opencontainers.image.version=\"{version}\"")),
        (IMAGE, format!("EXPOSE {port}\n")),
        (IMAGE, format!("\"--listen\", \"0.0.0.0:{port}\"")),
        (IMAGE, format!("ENV FRESHET_DATA={data}\n")),
        (IMAGE, format!("VOLUME [\"{data}\"]")),
        (COMPOSE, format!("image: freshet:{version}\n")),
        (COMPOSE, format!("- \"127.0.0.1:{port}:{port}\"")),
        (COMPOSE, format!("- data:{data}\n")),
        (UNIT, format!("Environment=FRESHET_DATA={data}\n")),
        (UNIT, format!("--listen 127.0.0.1:{port}\n")),
        (UNIT, "StateDirectory=freshet\n".to_owned()),
    ];
    for (path, line) in wanted {
        match text(path) {
            None => findings.push(Finding::new(path, "is missing; what is shipped needs it")),
            Some(text) if !text.contains(&line) => {
                let advice = format!("must say `{}`, as {MANIFEST} and the code do", line.trim());
                findings.push(Finding::new(path, advice));
            }
            Some(_) => {}
        }
    }
    findings.dedup();
}
