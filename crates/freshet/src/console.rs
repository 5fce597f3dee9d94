//! The terminal as the crates below know it: notes, warnings, a line of progress, Ctrl-C and questions for a secret.
//!
//! All of it is on standard error, so that results stay alone on standard output.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};

use freshet_app::notice::{self, Listener};
use secrecy::SecretString;

use crate::output;

/// What is left behind when somebody presses Ctrl-C now; nobody listens before the first long work.
static KEPT: Mutex<Option<String>> = Mutex::new(None);

/// From now on the terminal shows what the crates below say.
pub(crate) fn listen() {
    notice::listen(Box::new(Console));
}

/// The terminal of this process.
#[derive(Debug)]
struct Console;

impl Listener for Console {
    fn note(&self, text: &str) {
        output::note(text);
    }

    fn warn(&self, text: &str) {
        output::warn(text);
    }

    fn draws_progress(&self) -> bool {
        output::draws_progress()
    }

    fn draw(&self, line: &str) {
        put(&format!("\r{line}\u{1b}[K"));
    }

    fn on_interrupt(&self, kept: String) {
        let before = KEPT.lock().unwrap_or_else(PoisonError::into_inner).replace(kept);
        if before.is_some() {
            return;
        }
        // Without a listener Ctrl-C ends the process as well, only without a word.
        let _ = std::thread::Builder::new().name("interrupt".to_owned()).spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            if runtime.is_ok_and(|runtime| runtime.block_on(tokio::signal::ctrl_c()).is_ok()) {
                let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
                put(&format!("\r\u{1b}[K{kept}\n"));
                end();
            }
        });
    }

    fn ask_secret(&self, prompt: &str) -> Option<std::io::Result<SecretString>> {
        let is_somebody_there = std::io::stderr().is_terminal();
        is_somebody_there.then(|| rpassword::prompt_password(prompt).map(SecretString::from))
    }
}

#[expect(clippy::exit, reason = "a thread that does synchronous work cannot be asked to end")]
fn end() -> ! {
    std::process::exit(1)
}

fn put(text: &str) {
    // Nobody is left to be shown anything when standard error is closed.
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
