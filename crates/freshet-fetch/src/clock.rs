//! The clock of a simulated world, read over HTTP (`--clock URL`) and carried on from there.
//!
//! The clock is asked once, and again on [`RemoteClock::resync`]; between, the wall's monotonic
//! clock times the world's speed tells the time. It says what it was told, also when that was set back: that time never
//! runs back is the business of [`SteadyClock`](freshet_types::SteadyClock), which follows every clock alike.

use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use freshet_types::{Clock, Timestamp};
use serde::Deserialize;

use crate::FetchError;
use crate::http::client_builder;

/// Longest wait for the clock's answer.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// Longest answer; a real one has fifty bytes.
const ANSWER_BYTES_MAX: usize = 4096;

/// Fastest world that is believed.
const SPEED_MAX: f64 = 1e9;

/// A clock that another process keeps.
#[derive(Debug)]
pub struct RemoteClock {
    url: String,
    client: reqwest::Client,
    reading: RwLock<Reading>,
}

#[derive(Clone, Copy, Debug)]
struct Reading {
    now_secs: f64,
    speed: f64,
    at: Instant,
}

#[derive(Deserialize)]
struct Answer {
    now: f64,
    speed: f64,
}

impl RemoteClock {
    /// Reads the clock at `url`. Loopback is allowed, since a person named it.
    pub async fn connect(url: &str) -> Result<Self, FetchError> {
        let client = client_builder().timeout(ANSWER_MAX).build();
        let client = client.map_err(|error| FetchError::Client(error.to_string()))?;
        let reading = read(&client, url).await?;
        Ok(Self { url: url.to_owned(), client, reading: RwLock::new(reading) })
    }

    /// Reads the clock again, to correct what drifted.
    pub async fn resync(&self) -> Result<(), FetchError> {
        let reading = read(&self.client, &self.url).await?;
        *self.reading.write().unwrap_or_else(PoisonError::into_inner) = reading;
        Ok(())
    }

    fn reading(&self) -> Reading {
        *self.reading.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for RemoteClock {
    fn now(&self) -> Timestamp {
        let reading = self.reading();
        let secs = reading.now_secs + reading.at.elapsed().as_secs_f64() * reading.speed;
        Timestamp::from_ms((secs * 1000.0) as i64)
    }

    fn speed(&self) -> f64 {
        self.reading().speed
    }
}

async fn read(client: &reqwest::Client, url: &str) -> Result<Reading, FetchError> {
    let fail = |why: String| FetchError::Clock { url: url.to_owned(), why };
    let asked = Instant::now();
    let sent = client.get(url).send().await;
    let mut response = sent.map_err(|error| fail(error.without_url().to_string()))?;
    if !response.status().is_success() {
        return Err(fail(format!("it answered with status {}", response.status().as_u16())));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| fail(error.without_url().to_string()))? {
        if body.len() + chunk.len() > ANSWER_BYTES_MAX {
            return Err(fail("its answer is too long".to_owned()));
        }
        body.extend_from_slice(&chunk);
    }
    let took = asked.elapsed();
    let answer: Answer = serde_json::from_slice(&body).map_err(|error| fail(error.to_string()))?;
    let is_speed = answer.speed > 0.0 && answer.speed <= SPEED_MAX;
    if !answer.now.is_finite() || !is_speed {
        return Err(fail(format!("it says now {} at speed {}", answer.now, answer.speed)));
    }
    // The answer was made somewhere between asking and hearing; the middle is the best guess.
    Ok(Reading { now_secs: answer.now, speed: answer.speed, at: asked + took / 2 })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use freshet_types::{Span, SteadyClock};

    use super::*;
    use crate::hostile::{Behaviour, Hostile};

    #[tokio::test]
    async fn the_clock_runs_on_and_never_back() {
        let server = Hostile::start().await;
        let answers = ["{\"now\": 1700000000.5, \"speed\": 3600}", "{\"now\": 1600000000, \"speed\": 1.5}"];
        server.route("/clock", answers.map(|body| Behaviour::json(200, body)).to_vec());
        let remote = Arc::new(RemoteClock::connect(&server.url("/clock")).await.unwrap());
        let clock = SteadyClock::over(Arc::clone(&remote) as Arc<dyn Clock>);
        let first = clock.now();
        assert!(first >= Timestamp::from_secs(1_700_000_000), "{first}");
        assert!((clock.speed() - 3600.0).abs() < 1e-9);
        tokio::time::sleep(Duration::from_millis(20)).await;
        let second = clock.now();
        assert!((second - first).secs_f64() >= 60.0, "{first} {second}");
        remote.resync().await.unwrap();
        assert!((remote.speed() - 1.5).abs() < 1e-9);
        assert!(clock.now() >= second, "a correction does not turn time back");
        assert!(clock.ahead() > Span::DAY, "and time goes on from where it was");
    }

    #[tokio::test]
    async fn what_is_no_clock_is_refused() {
        let server = Hostile::start().await;
        for (path, behaviour, why) in [
            ("/a", Behaviour::json(200, "{}"), "missing field `now`"),
            ("/b", Behaviour::json(200, "{\"now\": 5, \"speed\": 0}"), "at speed 0"),
            ("/c", Behaviour::json(404, "{}"), "status 404"),
            ("/d", Behaviour::json(200, &" ".repeat(10_000)), "too long"),
        ] {
            server.route(path, vec![behaviour]);
            let error = RemoteClock::connect(&server.url(path)).await.unwrap_err().to_string();
            assert!(error.contains(why), "{path}: {error}");
        }
    }
}
