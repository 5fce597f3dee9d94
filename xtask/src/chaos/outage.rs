//! `outage`: the server is down, first with its port closed, then taking connections and never answering.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::Stage;
use super::proxy::Mode;
use super::struck::Struck;

/// How long it is down in each of the two ways: half an hour of the world each.
const DOWN: Duration = Duration::from_secs(3);
/// Requests must flow again within so long: three hours of the world.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn strike(stage: &mut Stage) -> Result<Struck> {
    let proxy = &stage.proxy;
    let mut run = stage.crawl.run(&[])?;
    let before = proxy.request_count();
    run.comes_to("its first request", PATIENCE, || proxy.request_count() > before)?;
    let held_before = proxy.held_count();
    let result = (|| {
        proxy.turn(Mode::Refuse)?;
        let asked = proxy.request_count();
        let refused = TcpStream::connect(proxy.address).map(|_| ()).map_err(|error| error.kind());
        ensure!(refused == Err(ErrorKind::ConnectionRefused), "the port was not closed: {refused:?}");
        run.crawls_for(DOWN, "while its server was down")?;
        proxy.turn(Mode::Hold)?;
        run.comes_to("knocking at a silent server", PATIENCE, || proxy.held_count() > held_before)?;
        run.crawls_for(DOWN, "while its server was silent")?;
        ensure!(proxy.request_count() == asked, "requests came through while the server was down");
        Ok(proxy.held_count() - held_before)
    })();
    proxy.turn(Mode::Pass)?;
    let held = result?;
    let (back, asked) = (Instant::now(), proxy.request_count());
    run.comes_to("a request after the outage", PATIENCE, || proxy.request_count() > asked)?;
    let first = back.elapsed();
    run.crawls_for(stage.random.wait_ms(500, 2500), "after the outage")?;
    run.kill("after the outage").context("the server was back")?;
    stage.kills += 1;
    Ok(Struck::Fired(format!(
        "{} s closed, then silent to {held} connections; asked again {} ms after its end",
        DOWN.as_secs(),
        first.as_millis()
    )))
}
