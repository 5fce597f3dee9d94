//! A subscription to NATS JetStream, on a server that nobody here wrote: killed on either side, each record lies there once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use async_nats::jetstream;
use serde_json::Value;
use tempfile::TempDir;

use super::{LIMIT, line_of, watch_all};
use crate::support::freshet::Freshet;
use crate::support::process::{Process, free_port};
use crate::support::world::World;
use crate::support::{need, until};

const SUBJECT: &str = "freshet.posts";
const STREAM: &str = "FRESHET";

/// A bus on a port and a folder that it keeps over its ends.
struct Server {
    program: PathBuf,
    folder: TempDir,
    port: u16,
    process: Option<Process>,
}

impl Server {
    fn start(program: &Path, args: &[&str]) -> Self {
        let folder = TempDir::with_prefix("freshet-nats-").expect("a folder for the bus");
        let mut server = Self { program: program.to_owned(), folder, port: free_port(), process: None };
        server.begin(args);
        server
    }

    fn begin(&mut self, args: &[&str]) {
        let mut command = Command::new(&self.program);
        command.args(["-a", "127.0.0.1", "-p", &self.port.to_string()]).args(args);
        command.arg("-sd").arg(self.folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        self.process = Some(Process::start(&mut command).ended_by("TERM"));
        until("the bus", LIMIT, || std::net::TcpStream::connect(("127.0.0.1", self.port)).ok());
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

/// What a client of its own does there.
fn with_bus<T>(server: &Server, act: impl AsyncFnOnce(jetstream::Context) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.expect("a runtime can be started").block_on(async {
        let client = async_nats::connect(server.url()).await.expect("the bus can be connected to");
        act(jetstream::new(client)).await
    })
}

fn make_stream(server: &Server) {
    let config = jetstream::stream::Config {
        name: STREAM.to_owned(),
        subjects: vec!["freshet.>".to_owned()],
        ..jetstream::stream::Config::default()
    };
    with_bus(server, async |bus| {
        bus.create_stream(config).await.expect("a stream can be made");
    });
}

/// All that the stream keeps: the id of each message, and what it says.
fn kept(server: &Server) -> Vec<(String, Value)> {
    with_bus(server, async |bus| {
        let mut stream = bus.get_stream(STREAM).await.expect("the stream is there");
        let last = stream.info().await.expect("it tells of itself").state.last_sequence;
        let mut all = Vec::new();
        for sequence in 1..=last {
            let message = stream.get_raw_message(sequence).await.expect("nothing is lost");
            let id = message.headers.get("Nats-Msg-Id").map(ToString::to_string).unwrap_or_default();
            all.push((id, serde_json::from_slice(&message.payload).expect("a record is JSON")));
        }
        all
    })
}

fn stored(freshet: &Freshet) -> BTreeSet<String> {
    freshet.posts().iter().filter_map(|post| post["id"].as_str().map(str::to_owned)).collect()
}

#[test]
fn each_record_lies_in_the_stream_once_whoever_is_killed() {
    let Some([program]) = need("subscriptions to a bus", ["FRESHET_TEST_NATS"]) else { return };
    let mut server = Server::start(&program, &["-js"]);
    make_stream(&server);
    let world = World::start(6);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    watch_all(&freshet, &world);
    let url = server.url();
    let add = ["subscriptions", "add", "bus", "--nats", &url, "--subject", SUBJECT, "--stream", STREAM];
    freshet.ok(&[&add[..], &["--from", "beginning"]].concat());
    let args = ["run", "--headless", "--no-dashboard", "--ceiling", "10m"];
    let run = freshet.start(&args, "run.log");
    until("records arrive", LIMIT, || (!kept(&server).is_empty()).then_some(()));
    // The run is killed, then the bus.
    drop(run);
    server.process = None;
    let run = freshet.start(&args, "run.log");
    until("the bus is missed", LIMIT, || {
        let failure = line_of(&freshet, "bus")["failure"].as_str().map(str::to_owned);
        failure.filter(|why| why.contains("cannot be connected to"))
    });
    server.begin(&["-js"]);
    freshet.ok(&["subscriptions", "replay", "bus", "--from", "now"]);
    freshet.ok(&["subscriptions", "replay", "bus", "--from", "beginning"]);
    until("all is there", LIMIT, || {
        let kept: BTreeSet<String> = kept(&server)
            .iter()
            .filter_map(|(_, line)| line["record"]["id"].as_str().map(str::to_owned))
            .collect();
        (stored(&freshet).len() > 20 && stored(&freshet).is_subset(&kept)).then_some(())
    });
    drop(run);
    let all = kept(&server);
    let ids: BTreeSet<&str> = all.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids.len(), all.len(), "no id lies there twice");
    assert!(ids.iter().all(|id| id.starts_with("bus.") && id.contains(".posts")), "{ids:?}");
}

#[test]
fn what_a_bus_lacks_is_told_in_a_sentence() {
    let Some([program]) = need("what a bus lacks", ["FRESHET_TEST_NATS"]) else { return };
    let freshet = Freshet::new().with_variable("FRESHET_PASSPHRASE", "a passphrase of this test");
    freshet.ok(&["init"]);
    let (plain, full) =
        (Server::start(&program, &[]), Server::start(&program, &["-js", "--auth", "open-sesame"]));
    let add = |name: &str, url: &str, more: &[&str], input: &str| {
        let args = ["subscriptions", "add", name, "--nats", url, "--subject", SUBJECT];
        let said = freshet.say_with_input(&[&args[..], more].concat(), input);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(!said.out.contains("sesame"), "{said:?}");
    };
    add("plain", &plain.url(), &[], "");
    add("stranger", &full.url(), &[], "");
    add("known", &full.url(), &["--login"], "open-sesame\n");
    for (name, part) in [
        ("plain", "has no JetStream; start its server with `-js`"),
        ("stranger", "authorization violation"),
        ("known", "no stream keeps `freshet.posts`; make one"),
    ] {
        let said = freshet.say(&["subscriptions", "test", name]);
        assert!(said.code == 1 && said.out.contains(part), "{name}: {said:?}");
    }
    let list = freshet.ok(&["subscriptions", "list", "--format", "json"]);
    assert!(!list.contains("sesame") && list.contains("nats://127.0.0.1"), "{list}");
    let refused =
        freshet.say(&["subscriptions", "add", "a", "--nats", "nats://me:word@127.0.0.1", "--subject", "a"]);
    assert!(
        refused.code == 2 && refused.err.contains("--login") && !refused.err.contains("word@"),
        "{refused:?}"
    );
}
