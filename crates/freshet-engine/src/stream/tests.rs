//! What is left of a batch, and what an ending means, in pieces.

use freshet_store::row::{InstanceRow, OnDelete, StreamMark};
use freshet_store::testing;
use freshet_types::{Account, Cover, Post, RobotKind, Source, StreamMessage, VisitId};

use super::*;

const NETWORK: &str = "mastodon:a.example";

fn cover(endpoint: &str, is_server: bool, proof: Proof) -> Cover {
    Cover { endpoint: endpoint.into(), is_server, proof }
}

fn post(id: &str, author: &str, is_embedded: bool) -> Post {
    Post { id: id.into(), kind: "post".into(), author: Some(author.into()), is_embedded, ..Post::default() }
}

/// Posts and accounts that are left, how many posts nobody watches, and how many sources are due, where these are watched.
fn check(watched: &[(&str, &str)], covers: &[Cover], expected: (&str, &str, u64, usize)) {
    let network = NetworkName::from(NETWORK);
    let mut store = testing::memory();
    let instance =
        Instance { network: network.clone(), base: "https://a.example".to_owned(), allow_private: false };
    store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).unwrap();
    let source = |(endpoint, root): &(&str, &str)| Source {
        visited_at: Some(Timestamp::from_secs(10)),
        ..Source::new(&network, endpoint, RobotKind::Status, "account", root)
    };
    store.add_sources(&watched.iter().map(source).collect::<Vec<_>>()).unwrap();
    let since = Timestamp::from_secs(1);
    let (covers, revisit) = (covers.to_vec(), Vec::new());
    let mark = StreamMark { name: "s".into(), since, until: since, cursor: None, covers, revisit };
    let account = |id: &str| Account { id: id.into(), ..Account::default() };
    let mut upload = Upload {
        stream: Some(mark),
        observation: Observation {
            posts: vec![
                post("1", "ada", false),
                post("2", "bob", true),
                post("3", "bob", false),
                post("4", "ada", true),
                Post { author: None, ..post("5", "", false) },
            ],
            accounts: vec![account("ada"), account("bob"), account("eve")],
            ..Observation::default()
        },
        ..Upload::new(VisitId(1), network.clone(), Timestamp::from_secs(20))
    };
    let sifted = sift(&*store, &mut upload).unwrap().unwrap();
    let posts: Vec<&str> = upload.observation.posts.iter().map(|post| &*post.id).collect();
    let accounts: Vec<&str> = upload.observation.accounts.iter().map(|it| &*it.id).collect();
    let told = (&*posts.concat(), &*accounts.join(" "), sifted.unwatched_count, sifted.hints.len());
    assert_eq!(told, expected, "{watched:?}");
    let due = Timestamp::from_secs(10) + HINT_GAP;
    assert!(sifted.hints.iter().all(|slot| slot.due_at == due), "not at once again: {:?}", sifted.hints);
}

#[test]
fn only_posts_of_watched_sources_are_left_with_what_stands_inside_them() {
    let hint = [cover("posts", false, Proof::Hint)];
    check(&[], &hint, ("", "", 3, 0));
    check(&[("posts", "ada")], &hint, ("12", "ada bob", 2, 1));
    check(&[("posts", "ada")], &[cover("posts", false, Proof::Complete)], ("12", "ada bob", 2, 0));
    check(&[("other", "ada")], &hint, ("", "", 3, 0));
    check(&[("posts", "ada"), ("posts", "bob")], &hint, ("1234", "ada bob", 1, 2));
    let all = [cover("public", true, Proof::Complete), cover("posts", false, Proof::Hint)];
    check(&[("public", "local")], &all, ("12345", "ada bob", 0, 0));
    check(&[("posts", "eve")], &all, ("", "eve", 3, 0));
}

#[test]
fn answers_that_are_no_streams_are_told_apart() {
    let ends = |status: u16, header: Option<(&str, &str)>| {
        let headers = header.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
        let (body, url) = (Vec::new(), String::new());
        match StreamEnd::of_answer(&Response { status, headers, body, url, received_at: Timestamp::MIN }) {
            StreamEnd::Broken(_) => "again soon".to_owned(),
            StreamEnd::Refused(_) => "again late".to_owned(),
            StreamEnd::TooMany(_, wait) => format!("too many, {:?}", wait.map(Span::secs_f64)),
        }
    };
    assert_eq!(ends(401, None), "again late");
    assert_eq!(ends(404, None), "again late");
    assert_eq!(ends(200, None), "again late");
    assert_eq!(ends(502, None), "again soon");
    assert_eq!(ends(429, None), "too many, None");
    assert_eq!(ends(503, Some(("retry-after", "30"))), "too many, Some(30.0)");
    assert_eq!(ends(429, Some(("retry-after", "tomorrow"))), "too many, None");
}

#[test]
fn a_batch_is_bounded_and_counts_what_it_drops() {
    let networks = freshet_network::networks::Networks::shipped();
    let connector = networks.connector("mastodon").unwrap();
    let network = NetworkName::from(NETWORK);
    let base = "https://a.example".to_owned();
    let order = StreamOrder {
        id: StreamId(1),
        request: Request::get(&network, "https://a.example/"),
        transport: Transport::Sse,
        version: networks.snapshot().get("mastodon").unwrap().version,
        instance: Arc::new(Instance { network, base, allow_private: false }),
        name: "local".into(),
    };
    let mut hearing = Hearing::default();
    let now = Timestamp::from_secs(5);
    while !hearing.is_full() {
        let message = StreamMessage {
            event: Some("update".to_owned()),
            data: "rubbish".to_owned(),
            ..StreamMessage::default()
        };
        hearing.add_frame(Frame::Message(message), &*connector, &order, now);
        hearing.add_frame(Frame::Dropped("too long".to_owned()), &*connector, &order, now);
        hearing.add_frame(Frame::Alive, &*connector, &order, now);
    }
    let batch = hearing.finish(now);
    assert_eq!((batch.messages_count, batch.dropped_count), (MESSAGES_MAX as u64, MESSAGES_MAX as u64));
    assert_eq!(batch.complaints.len(), COMPLAINTS_MAX);
    assert_eq!(batch.observation, Observation::default());
}

#[test]
fn of_a_post_that_goes_and_comes_the_last_word_counts() {
    let networks = freshet_network::networks::Networks::shipped();
    let connector = networks.connector("bluesky").unwrap();
    let network = NetworkName::from("bluesky");
    let base = "https://public.api.bsky.app".to_owned();
    let order = StreamOrder {
        id: StreamId(1),
        request: Request::get(&network, &base),
        transport: Transport::Websocket,
        version: networks.snapshot().get("bluesky").unwrap().version,
        instance: Arc::new(Instance { network, base, allow_private: false }),
        name: "jetstream".into(),
    };
    let check = |operations: &[&str], expected: (usize, usize)| {
        let mut hearing = Hearing::default();
        for operation in operations {
            let data = format!(
                r#"{{"did":"did:plc:a","time_us":5,"kind":"commit","commit":{{"operation":"{operation}","collection":"app.bsky.feed.post","rkey":"k","record":{{"text":"x","createdAt":"2026-11-01T10:00:00Z"}}}}}}"#
            );
            let message = StreamMessage { data, ..StreamMessage::default() };
            hearing.add_frame(Frame::Message(message), &*connector, &order, Timestamp::from_secs(5));
        }
        let batch = hearing.finish(Timestamp::from_secs(5));
        assert_eq!((batch.observation.posts.len(), batch.deleted.len()), expected, "{operations:?}");
    };
    check(&["create", "delete"], (1, 1));
    check(&["delete", "create"], (1, 0));
    check(&["create", "delete", "create"], (2, 0));
    check(&["create", "delete", "create", "delete"], (2, 1));
}
