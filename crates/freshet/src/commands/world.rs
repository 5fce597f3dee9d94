//! `freshet world serve`: a simulated network over real HTTP, in one of three dialects, or a forum made of a trace.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use freshet_app::failure::Failure;
use freshet_sim::forum::serve::{ForumServer, Showing};
use freshet_sim::forum::{Edits, History, PostOrder};
use freshet_sim::serve::Server;
use freshet_sim::society::Society;
use freshet_sim::world::{World, WorldOptions};
use freshet_types::{Clock as _, SystemClock, Timestamp};

use crate::args::{DialectName, WorldArgs};
use crate::output;

/// Serves until interrupted.
pub(crate) fn execute(args: &WorldArgs) -> anyhow::Result<ExitCode> {
    super::run::runtime()?.block_on(async {
        match &args.forum {
            Some(trace) => serve_forum(args, trace).await,
            None => serve(args).await,
        }
    })
}

/// A forum that lives on as its trace did, from the time asked for or from the middle of the trace.
async fn serve_forum(args: &WorldArgs, trace: &Path) -> anyhow::Result<ExitCode> {
    let history = History::read(trace, Timestamp::MAX).map_err(|error| {
        let hint = "a forum's trace is a table of board, thread, unix seconds and author";
        Failure::new(error.to_string()).hint(hint)
    })?;
    let Some(middle) = history.posts.get(history.posts.len() / 2) else {
        let failure = Failure::misuse(format!("the trace `{}` has no posts", trace.display()));
        return Err(failure.hint("choose another").into());
    };
    let start = match args.from {
        Some(from) => from.resolve(|| Ok(SystemClock.now()))?,
        None => Timestamp::from_secs(middle.at_s),
    };
    let post_order = if args.newest_first { PostOrder::NewestFirst } else { PostOrder::OldestFirst };
    let after_s = args.edited_after.ms().div_euclid(1000);
    let edits = args.edit_every.map(|every| Edits { every, after_s });
    let (layout, page_size, speed) = (args.layout, args.page_size, args.speed);
    let showing = Showing { layout, post_order, page_size, edits, start, speed };
    let listener = tokio::net::TcpListener::bind(args.listen)
        .await
        .with_context(|| format!("the world cannot listen on `{}`", args.listen))?;
    let (threads, posts) = (history.thread_count(), history.posts.len());
    let server = ForumServer::new(history, &showing, listener);
    let base = format!("http://{}", server.address()?);
    output::line(format!(
        "{base}: a forum of {threads} threads and {posts} posts in all,\nfrom {start} on, time {}x as fast",
        args.speed
    ))?;
    output::line(format!("clock {base}/clock\ntruth {base}/truth.jsonl\nCtrl-C ends it"))?;
    let stopped = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    server.run(stopped).await?;
    Ok(ExitCode::SUCCESS)
}

/// A world in the dialect asked for. Two of them make one society: whoever serves both with one seed has posts that share videos.
fn world(args: &WorldArgs) -> anyhow::Result<World> {
    Ok(match args.dialect {
        DialectName::Mastodon => {
            let (seed, accounts) = (args.seed, args.accounts);
            World::new(WorldOptions { seed, accounts, ..WorldOptions::default() })?
        }
        DialectName::Graph => Society::new(args.seed, args.accounts)?.graph,
        DialectName::Videos => Society::new(args.seed, args.accounts)?.videos,
    })
}

async fn serve(args: &WorldArgs) -> anyhow::Result<ExitCode> {
    let world = world(args)?;
    let accounts = world.options().accounts;
    let listener = tokio::net::TcpListener::bind(args.listen)
        .await
        .with_context(|| format!("the world cannot listen on `{}`", args.listen))?;
    let posts = world.post_count();
    let server = Server::new(world, listener, args.speed)?;
    let base = format!("http://{}", server.address()?);
    output::line(format!("{base}: {accounts} accounts, {posts} posts so far, time {}x as fast", args.speed))?;
    output::line(format!("clock {base}/clock\ntruth {base}/truth.jsonl\nCtrl-C ends it"))?;
    let stopper = server.stopper();
    tokio::spawn(async move {
        let _ = tokio::signal::ctrl_c().await;
        stopper.stop();
    });
    server.run().await?;
    Ok(ExitCode::SUCCESS)
}
