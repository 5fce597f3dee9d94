//! `clock`: the clock steps back by a day, during a run and before the next one.
//!
//! The crawl takes its time from a small server here, which passes on the world's and can be wrong by so much. A
//! store whose times lie in the future must not keep the crawl waiting for them.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Stage;
use super::crawl::Run;
use super::struck::Struck;
use super::world::get;

/// In simulated seconds; waiting it out would take minutes.
const STEP_S: f64 = -86_400.0;
/// Requests must go on within so long. A source stays unvisited for six seconds at most; the rest is for a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
/// So many requests are going on: as many as there are accounts, so that it is not only what was left of a history.
const REQUESTS: usize = 120;

pub(super) fn strike(stage: &mut Stage) -> Result<Struck> {
    let (proxy, clock) = (&stage.proxy, &stage.clock);
    let asks = |run: &mut Run<'_>, when: &str| {
        let before = proxy.request_count();
        let what = format!("asking {REQUESTS} times {when}");
        run.comes_to(&what, PATIENCE, || proxy.request_count() >= before + REQUESTS)
    };
    let mut run = stage.crawl.run(&[])?;
    asks(&mut run, "before the clock stepped back")?;
    clock.step(STEP_S);
    let result = (|| {
        asks(&mut run, "after the clock stepped back")?;
        run.kill("after the clock stepped back")?;
        let answers = clock.stepped_count();
        let mut run = stage.crawl.run(&[])?;
        asks(&mut run, "with a store from the future")?;
        run.kill("with a store from the future")?;
        ensure!(clock.stepped_count() > answers, "nobody read the clock after it had stepped back");
        Ok(clock.stepped_count())
    })();
    clock.step(0.0);
    let answers = result?;
    stage.kills += 2;
    Ok(Struck::Fired(format!("a day back, read {answers} times so; requests went on in both runs")))
}

/// A clock that can be wrong; it runs until the process ends.
#[derive(Debug)]
pub(super) struct SteppedClock {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    step_s: f64,
    stepped_count: usize,
}

impl SteppedClock {
    /// Passes on the time of this world.
    pub(super) fn of(world: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("no free port for the clock")?;
        let address = listener.local_addr().context("the clock has no address")?;
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Who asks and goes away needs no answer.
                let _ = answer(&stream, world, &shared);
            }
        });
        Ok(Self { address, state })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/clock", self.address)
    }

    /// From now on it is wrong by so many seconds.
    fn step(&self, step_s: f64) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).step_s = step_s;
    }

    /// Answers so far that were wrong.
    fn stepped_count(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stepped_count
    }
}

fn answer(mut stream: &TcpStream, world: SocketAddr, state: &Mutex<State>) -> Result<()> {
    let mut lines = BufReader::new(stream).lines();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let mut time: Value = serde_json::from_str(&get(world, "/clock")?)?;
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    let now = time["now"].as_f64().context("the world's clock says no `now`")?;
    time["now"] = Value::from(now + state.step_s);
    let body = time.to_string();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length:";
    write!(stream, "{head} {}\r\n\r\n{body}", body.len())?;
    state.stepped_count += usize::from(state.step_s != 0.0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn it_is_wrong_by_the_step_and_counts_how_often() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let world = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{\"now\": 100000.5, \"speed\": 60}");
            }
        });
        let clock = SteppedClock::of(world).unwrap();
        for (step_s, now, count) in [(0.0, 100_000.5, 0), (-86_400.0, 13_600.5, 1), (0.0, 100_000.5, 1)] {
            clock.step(step_s);
            let said: Value = serde_json::from_str(&get(clock.address, "/clock").unwrap()).unwrap();
            assert_eq!((said["now"].as_f64(), said["speed"].as_f64()), (Some(now), Some(60.0)));
            assert_eq!(clock.stepped_count(), count);
        }
    }
}
