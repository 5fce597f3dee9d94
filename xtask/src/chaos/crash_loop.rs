//! `crash-loop`: a run dies again and again, and the requests of all its lives are counted at the server.
//!
//! It has a world of its own, slower than the other, so that a window of the announced limits lasts long enough to hold
//! several lives; and a ceiling so low that the crawl always wants more than it may have. In no window, however it
//! lies, may there be more requests than the limit.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::{cache, process};

use super::Stage;
use super::crawl::Crawl;
use super::proxy::Proxy;
use super::struck::Struck;
use super::world::{Kind, World};

/// Simulated seconds a second; the two windows then last 30 and 90 seconds.
const SPEED: u32 = 10;
const ACCOUNTS: u32 = 120;
/// Mastodon's limits, which the world keeps and announces: all requests in five minutes, and those that page
/// through lists in fifteen.
const LIMIT: u32 = 300;
const WINDOW: Duration = Duration::from_secs(5 * 60 / SPEED as u64);
const PAGING_WINDOW: Duration = Duration::from_secs(15 * 60 / SPEED as u64);
/// Lives are begun for so long: the shorter window and half of the next, so that some windows lie across two of the server's.
const LASTS: Duration = Duration::from_secs(45);
/// Requests of a life, after which it is killed; not its time, for a busy machine needs seconds to start a program.
const LIFE_REQUESTS: std::ops::Range<u64> = 5..40;
/// The longest life, where the quota is used up.
const LIFE_MAX: Duration = Duration::from_secs(4);
/// With fewer requests in the fullest window the quota was not in danger, and nothing is proven.
const PRESSURE: usize = LIMIT as usize / 4;

pub(super) fn strike(stage: &mut Stage) -> Result<Struck> {
    let folder = stage.crawl.folder.join("crash-loop");
    cache::emptied(&folder)?;
    let kind = Kind { seed: stage.random.between(0, 1 << 32), accounts: ACCOUNTS, speed: SPEED };
    let world = World::start(&stage.crawl.freshet, &folder.join("world.log"), kind)?;
    let proxy = Proxy::before(world.address)?;
    let clock = format!("http://{}/clock", world.address);
    let crawl = Crawl { ceiling: "1m", ..Crawl::new(&stage.crawl.freshet, &folder, clock) };
    crawl.finish(&["init"])?;
    let references = crawl.write_references(&world, proxy.address)?;
    crawl.finish(&["add", "-f", &references, "--allow-private"])?;
    let (start, mut lives) = (Instant::now(), 0);
    while start.elapsed() < LASTS {
        let mut run = crawl.run(&[])?;
        let enough = stage.random.between(LIFE_REQUESTS.start, LIFE_REQUESTS.end) as usize;
        let enough = proxy.request_count() + enough;
        process::comes_true(LIFE_MAX, || proxy.request_count() >= enough);
        run.goes_on("in a crash loop")?;
        run.kill("in a crash loop")?;
        lives += 1;
    }
    stage.kills += lives;
    let log = proxy.drain_log();
    let announced = log.announced.context("no answer announced a limit")?;
    ensure!(announced == LIMIT, "the world announces {announced} where {LIMIT} was expected");
    let all: Vec<Instant> = log.requests.iter().map(|(at, _)| *at).collect();
    let paging: Vec<Instant> =
        log.requests.iter().filter(|(_, is_paging)| *is_paging).map(|(at, _)| *at).collect();
    let (most, most_paging) = (fullest(all, WINDOW), fullest(paging, PAGING_WINDOW));
    let found = format!(
        "{lives} lives, {} requests, at most {most} in 5 min and {most_paging} with pages in 15 min of {LIMIT}, \
         {} refused",
        log.requests.len(),
        log.refused_count
    );
    ensure!(most.max(most_paging) <= LIMIT as usize, "the quota was overdrawn: {found}");
    ensure!(most.max(most_paging) >= PRESSURE, "the quota was never in danger: {found}");
    Ok(Struck::Fired(found))
}

/// The most of these instants that lie in one window, wherever it begins.
fn fullest(mut times: Vec<Instant>, window: Duration) -> usize {
    times.sort_unstable();
    let mut begin = 0;
    let mut most = 0;
    for (at, time) in times.iter().enumerate() {
        while *time - times[begin] >= window {
            begin += 1;
        }
        most = most.max(at - begin + 1);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_window_is_found_wherever_it_begins() {
        let start = Instant::now();
        let check = |at_ms: &[u64], expected: usize| {
            let times = at_ms.iter().map(|ms| start + Duration::from_millis(*ms)).collect();
            assert_eq!(fullest(times, Duration::from_millis(100)), expected, "{at_ms:?}");
        };
        check(&[], 0);
        check(&[5], 1);
        check(&[0, 99], 2);
        check(&[0, 100], 1);
        check(&[0, 60, 90, 110, 150, 300], 4);
        check(&[150, 0, 300, 110, 60, 90], 4);
    }
}
