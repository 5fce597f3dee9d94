//! `freshet world serve`: a simulated network over real HTTP, in Mastodon's dialect.

use std::process::ExitCode;

use anyhow::Context as _;
use freshet_sim::serve::Server;
use freshet_sim::world::{World, WorldOptions};

use crate::args::WorldArgs;
use crate::output;

/// Serves until interrupted.
pub(crate) fn execute(args: &WorldArgs) -> anyhow::Result<ExitCode> {
    super::run::runtime()?.block_on(serve(args))
}

async fn serve(args: &WorldArgs) -> anyhow::Result<ExitCode> {
    let options = WorldOptions { seed: args.seed, accounts: args.accounts, ..WorldOptions::default() };
    let world = World::new(options)?;
    let listener = tokio::net::TcpListener::bind(args.listen)
        .await
        .with_context(|| format!("cannot listen at `{}`", args.listen))?;
    let posts = world.post_count();
    let server = Server::new(world, listener, args.speed)?;
    let base = format!("http://{}", server.address()?);
    output::line(format!(
        "{} accounts, {posts} posts so far, time {}x as fast: {base}",
        args.accounts, args.speed
    ))?;
    output::line(format!("clock {base}/clock, truth {base}/truth.jsonl; Ctrl-C ends it"))?;
    let stopper = server.stopper();
    tokio::spawn(async move {
        let _ = tokio::signal::ctrl_c().await;
        stopper.stop();
    });
    server.run().await?;
    Ok(ExitCode::SUCCESS)
}
