//! `kill`: SIGKILL at a random instant of a run.

use anyhow::Result;

use super::Stage;
use super::struck::Struck;

pub(super) fn strike(stage: &mut Stage) -> Result<Struck> {
    let after = stage.random.wait_ms(100, 3500);
    let mut run = stage.crawl.run(&[])?;
    run.crawls_for(after, "before it was killed")?;
    run.kill("before it was killed")?;
    stage.kills += 1;
    Ok(Struck::Fired(format!("after {} ms", after.as_millis())))
}
