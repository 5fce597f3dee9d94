//! Debian's Chromium, driven over its own protocol: commands and events as JSON over a pair of pipes.
//!
//! No driver beside it and no network port: the browser is started by a shell that gives it two named
//! pipes as its files 3 and 4, where it expects them. One page at a time.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::pressable::Pressed;
use crate::support::process::Process;
use crate::support::until;

/// Longest wait for an answer of a busy browser.
const PATIENCE: Duration = Duration::from_mins(1);

/// A browser with one open page.
pub(crate) struct Chromium {
    commands: File,
    heard: Receiver<Value>,
    session: String,
    next_id: u64,
    /// What happened on the page, in order, since it was last asked for.
    events: Vec<Value>,
    /// Every link and button that was pressed so far.
    pub(crate) pressed: Vec<Pressed>,
    _process: Process,
    folder: TempDir,
}

impl Chromium {
    /// Starts it with an empty page.
    pub(crate) fn start(program: &Path) -> Self {
        let folder = TempDir::with_prefix("freshet-browser-").expect("a folder for the browser");
        let pipe = |name: &str| folder.path().join(name);
        for name in ["in", "out"] {
            let made = Command::new("mkfifo").arg(pipe(name)).status().expect("mkfifo is there");
            assert!(made.success(), "a pipe can be made");
        }
        // Both ways at once, so that opening waits for nobody.
        let open = |name: &str| OpenOptions::new().read(true).write(true).open(pipe(name)).expect("a pipe");
        let (commands, mut answers) = (open("in"), open("out"));
        let script = "exec \"$0\" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --no-first-run \
                      --disable-background-networking --disable-component-update --disable-sync --mute-audio \
                      --disable-dev-shm-usage --remote-debugging-pipe --user-data-dir=\"$1/profile\" about:blank \
                      3<\"$1/in\" 4>\"$1/out\"";
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .arg(program)
            .arg(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = Process::start(&mut command).ended_by("TERM");
        let (said, heard) = mpsc::channel();
        std::thread::spawn(move || {
            let (mut rest, mut piece) = (Vec::new(), vec![0; 1 << 16]);
            while let Ok(count @ 1..) = answers.read(&mut piece) {
                rest.extend_from_slice(&piece[..count]);
                while let Some(end) = rest.iter().position(|byte| *byte == 0) {
                    let message: Vec<u8> = rest.drain(..=end).take(end).collect();
                    let message = serde_json::from_slice(&message).unwrap_or_default();
                    if said.send(message).is_err() {
                        return;
                    }
                }
            }
        });
        let mut browser = Self {
            commands,
            heard,
            session: String::new(),
            next_id: 1,
            events: Vec::new(),
            pressed: Vec::new(),
            _process: process,
            folder,
        };
        let downloads = json!({ "behavior": "allow", "downloadPath": browser.downloads() });
        browser.call("Browser.setDownloadBehavior", downloads);
        let page = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": page["targetId"], "flatten": true }));
        attached["sessionId"].as_str().expect("a session").clone_into(&mut browser.session);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Calls a method of the protocol, which must succeed; gives its result.
    #[expect(clippy::needless_pass_by_value, reason = "parameters are written where they are used")]
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.ask(method, &params).unwrap_or_else(|error| panic!("{method} {params}: {error}"))
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        let id = self.next_id;
        self.next_id += 1;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.commands.write_all(&bytes).expect("the browser listens");
        let began = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(began.elapsed());
            let answer = self.heard.recv_timeout(left).unwrap_or_else(|_| panic!("{method}: no answer"));
            if answer["id"] == id {
                let (result, error) = (answer["result"].clone(), answer["error"].clone());
                return if error.is_null() { Ok(result) } else { Err(error) };
            }
            self.events.push(answer);
        }
    }

    /// Opens an address and waits until it is loaded.
    pub(crate) fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": url }));
        until(url, PATIENCE, || {
            let is_there = "document.readyState === 'complete' && location.href !== 'about:blank'";
            (self.value(is_there) == json!(true)).then_some(())
        });
    }

    /// The value of an expression on the page; waits for promises.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        // A page that is just being left answers nothing.
        self.ask("Runtime.evaluate", &asked).map_or(Value::Null, |answer| answer["result"]["value"].clone())
    }

    /// Lets pages run their script, or not.
    pub(crate) fn run_scripts(&mut self, does_run: bool) {
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": !does_run }));
    }

    /// Where files that are taken away arrive.
    pub(crate) fn downloads(&self) -> PathBuf {
        self.folder.path().join("downloads")
    }

    /// Events of these names since the last time.
    pub(crate) fn take_events(&mut self) -> Vec<Value> {
        self.events.extend(self.heard.try_iter());
        std::mem::take(&mut self.events)
    }

    /// Shows pages as on a screen of this width, light or dark.
    pub(crate) fn show_as(&mut self, width: u32, height: u32, is_dark: bool) {
        let is_phone = width < 600;
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        self.prefer(&[("prefers-color-scheme", if is_dark { "dark" } else { "light" })]);
    }

    /// What whoever looks has told the browser to prefer, by names of media features.
    pub(crate) fn prefer(&mut self, preferences: &[(&str, &str)]) {
        let features: Vec<Value> =
            preferences.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// What is seen, as a PNG: the page down to this height.
    pub(crate) fn picture(&mut self, width: u32, height_max: u32) -> String {
        let height = self.value("document.documentElement.scrollHeight").as_u64().unwrap_or(800);
        let height = height.clamp(300, u64::from(height_max));
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let asked = json!({ "format": "png", "clip": clip, "captureBeyondViewport": true });
        self.call("Page.captureScreenshot", asked)["data"].as_str().expect("a picture").to_owned()
    }
}
