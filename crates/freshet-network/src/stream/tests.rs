//! Messages of shipped streams, and of one that was made up for the WebSocket of Mastodon.

use freshet_types::{
    Connector, Heard, Holder, Instance, NetworkName, StreamMessage, StreamTarget, Timestamp,
};

use crate::{DefinedConnector, Definition};

const MASTODON: &str = include_str!("../../../../networks/mastodon.toml");
const BLUESKY: &str = include_str!("../../../../networks/bluesky.toml");

fn connector(text: &str) -> DefinedConnector {
    DefinedConnector::new(&Definition::parse("test.toml", text).unwrap()).unwrap()
}

fn instance(network: &str, base: &str) -> Instance {
    Instance { network: NetworkName::from(network), base: base.to_owned(), allow_private: false }
}

fn heard(connector: &DefinedConnector, name: &str, event: Option<&str>, data: &str) -> Heard {
    let instance = instance("net:a.example", "https://a.example");
    let target = StreamTarget { instance: &instance, name, credential: None, cursor: None, roots: &[] };
    let event = event.map(str::to_owned);
    let message = StreamMessage { event, id: Some("n7".to_owned()), data: data.to_owned(), bytes: None };
    connector.read_message(&target, &message, Timestamp::from_secs(1_793_700_000))
}

/// What a message shows: posts with their authors, what is gone, the cursor, and how many complaints.
fn shown(heard: &Heard) -> String {
    let posts = heard.observation.posts.iter().map(|it| {
        let author = it.author.as_deref().unwrap_or("-");
        format!("{} by {author}{}", it.id, if it.edited_at.is_some() { " edited" } else { "" })
    });
    let gone = heard.deleted.iter().map(|(kind, id)| format!("gone {kind} {id}"));
    let cursor = heard.cursor.iter().map(|cursor| format!("at {cursor}"));
    let rest = [
        (!heard.complaints.is_empty()).then(|| format!("{} complaints", heard.complaints.len())),
        heard.is_passed_over.then(|| "passed over".to_owned()),
    ];
    let all: Vec<String> = posts.chain(gone).chain(cursor).chain(rest.into_iter().flatten()).collect();
    all.join(", ")
}

#[test]
fn events_of_mastodon_are_posts_edits_and_deletions() {
    let connector = connector(MASTODON);
    let status = r#"{"id":"110","created_at":"2026-11-01T10:00:00Z","edited_at":EDITED,"content":"<p>x</p>","account":{"id":"7","acct":"ada"}}"#;
    let check = |event: &str, data: &str, expected: &str| {
        let shown_by = heard(&connector, "local", Some(event), data);
        assert_eq!(shown(&shown_by), expected, "{event} {data}");
    };
    check("update", &status.replace("EDITED", "null"), "110 by 7");
    check("status.update", &status.replace("EDITED", "\"2026-11-01T11:00:00Z\""), "110 by 7 edited");
    check("delete", "110", "gone post 110");
    check("delete", "\"01H0ABCDEFGHJKMNPQRSTVWXYZ\"", "gone post 01H0ABCDEFGHJKMNPQRSTVWXYZ");
    check("notification", "{}", "passed over");
    check("update", "{", "1 complaints");
    check("update", "null", "1 complaints");
    check("update", "{\"id\": {}}", "1 complaints");
    check("delete", " ", "1 complaints");
    check("delete", &"9".repeat(5000), "1 complaints");
}

#[test]
fn messages_of_jetstream_are_posts_reposts_and_deletions() {
    let connector = connector(BLUESKY);
    let check = |commit: &str, expected: &str| {
        let data =
            format!(r#"{{"did":"did:plc:a","time_us":1725911162329308,"kind":"commit","commit":{commit}}}"#);
        assert_eq!(shown(&heard(&connector, "jetstream", None, &data)), expected, "{commit}");
    };
    let record = r#"{"$type":"app.bsky.feed.post","createdAt":"2026-11-01T10:00:00Z","text":"hello"}"#;
    check(
        &format!(
            r#"{{"operation":"create","collection":"app.bsky.feed.post","rkey":"k","record":{record},"cid":"c"}}"#
        ),
        "at://did:plc:a/app.bsky.feed.post/k by did:plc:a, at 1725911162329308",
    );
    check(
        r#"{"operation":"create","collection":"app.bsky.feed.repost","rkey":"r","record":{"createdAt":"2026-11-01T10:00:00Z","subject":{"uri":"at://did:plc:b/app.bsky.feed.post/q"}}}"#,
        "at://did:plc:a/app.bsky.feed.repost/r by did:plc:a, at 1725911162329308",
    );
    check(
        r#"{"operation":"delete","collection":"app.bsky.feed.post","rkey":"k"}"#,
        "gone post at://did:plc:a/app.bsky.feed.post/k, at 1725911162329308",
    );
    check(
        r#"{"operation":"create","collection":"app.bsky.feed.like","rkey":"k"}"#,
        "at 1725911162329308, passed over",
    );
    let other = heard(&connector, "jetstream", None, r#"{"did":"did:plc:a","time_us":5,"kind":"identity"}"#);
    assert_eq!(shown(&other), "at 5, passed over", "a cursor moves with every message");
    assert_eq!(shown(&heard(&connector, "jetstream", None, "rubbish")), "1 complaints");
}

#[test]
fn notes_of_misskey_are_posts() {
    let connector = connector(include_str!("../../../../networks/misskey.toml"));
    let check = |data: &str, expected: &str| {
        assert_eq!(shown(&heard(&connector, "local", None, data)), expected, "{data}");
    };
    let note = r#"{"id":"9x","createdAt":"2026-11-01T10:00:00Z","userId":"7","text":"x","user":{"id":"7","username":"ada"}}"#;
    check(
        &format!(r#"{{"type":"channel","body":{{"id":"freshet","type":"note","body":{note}}}}}"#),
        "9x by 7",
    );
    check(r#"{"type":"channel","body":{"id":"freshet","type":"mention","body":{}}}"#, "passed over");
    check(r#"{"type":"emojiAdded","body":{}}"#, "passed over");
    check(r#"{"type":"channel","body":{"id":"freshet","type":"note","body":5}}"#, "1 complaints");
    let instance = instance("misskey:a.example", "https://a.example");
    let target =
        StreamTarget { instance: &instance, name: "local", credential: None, cursor: None, roots: &[] };
    let request = connector.open(&target).unwrap();
    assert_eq!(request.url, "https://a.example/streaming");
    assert!(request.body.is_some_and(|hello| hello.contains("\"localTimeline\"")));
}

/// A frame of the firehose of a data server.
fn frame(kind: &str, body: &serde_json::Value) -> Heard {
    let definition = Definition::parse("test.toml", BLUESKY).unwrap();
    let pds = definition.family().into_iter().find(|one| one.name == "bluesky-pds").unwrap();
    let connector = DefinedConnector::new(&pds).unwrap();
    let instance = instance("bluesky-pds:a.example", "https://a.example");
    let target =
        StreamTarget { instance: &instance, name: "firehose", credential: None, cursor: None, roots: &[] };
    let header = match kind {
        "error" => serde_json::json!({"op": -1}),
        kind => serde_json::json!({"op": 1, "t": format!("#{kind}")}),
    };
    let cbor = |value: &serde_json::Value| serde_ipld_dagcbor::to_vec(value).unwrap();
    let bytes = Some([cbor(&header), cbor(body)].concat());
    let message = StreamMessage { bytes, ..StreamMessage::default() };
    connector.read_message(&target, &message, Timestamp::from_secs(1_793_700_000))
}

#[test]
fn frames_of_a_firehose_that_are_no_commits_are_understood() {
    let check = |kind: &str, body: serde_json::Value, expected: &str| {
        let heard = frame(kind, &body);
        let accounts = heard.observation.accounts.iter().map(|it| format!("{} is {:?}", it.id, it.handle));
        let revisit = heard.revisit.iter().map(|root| format!("visit {root}"));
        let trouble = heard.trouble.map(|it| format!("{it:?}"));
        let all: Vec<String> = accounts
            .chain(revisit)
            .chain(trouble)
            .chain([shown(&heard)])
            .filter(|it| !it.is_empty())
            .collect();
        assert_eq!(all.join(", "), expected, "{kind} {body}");
    };
    let did = "did:plc:a";
    check(
        "identity",
        serde_json::json!({"did": did, "seq": 5, "handle": "ada.test"}),
        "did:plc:a is Some(\"ada.test\"), at 5",
    );
    check("identity", serde_json::json!({"did": did, "seq": 5}), "at 5, passed over");
    check("account", serde_json::json!({"did": did, "seq": 6, "active": false}), "visit did:plc:a, at 6");
    check("sync", serde_json::json!({"did": did, "seq": 7}), "visit did:plc:a, at 7");
    check("info", serde_json::json!({"name": "OutdatedCursor"}), "TooOld");
    check("info", serde_json::json!({"name": "Other"}), "passed over");
    check("error", serde_json::json!({"error": "FutureCursor"}), "Unknown");
    check("error", serde_json::json!({"error": "ConsumerTooSlow"}), "passed over");
    check("commit", serde_json::json!({"seq": "x"}), "1 complaints");
    check("unheard_of", serde_json::json!({"seq": 8}), "at 8, passed over");
}

#[test]
fn text_and_binary_frames_are_not_mixed_up() {
    let text = DefinedConnector::new(
        &Definition::parse("test.toml", BLUESKY)
            .unwrap()
            .family()
            .into_iter()
            .find(|it| it.name == "bluesky-pds")
            .unwrap(),
    );
    assert_eq!(shown(&heard(&text.unwrap(), "firehose", None, "{}")), "1 complaints");
    let instance = instance("net:a.example", "https://a.example");
    let target =
        StreamTarget { instance: &instance, name: "local", credential: None, cursor: None, roots: &[] };
    let message = StreamMessage { bytes: Some(vec![1, 2]), ..StreamMessage::default() };
    let heard = connector(MASTODON).read_message(&target, &message, Timestamp::from_secs(1));
    assert!(heard.complaints[0].what.contains("binary where text was promised"), "{heard:?}");
}

#[test]
fn a_payload_may_be_json_in_a_text() {
    let text = MASTODON.replacen(
        "transport = \"sse\"",
        "transport = \"websocket\"\nevent = \"/event\"\npayload = \"/payload\"\ncursor = { param = \"since\", lasts = \"1h\" }",
        1,
    );
    let connector = connector(&text);
    let status = r#"{\"id\":\"110\",\"created_at\":\"2026-11-01T10:00:00Z\",\"content\":\"x\",\"account\":{\"id\":\"7\",\"acct\":\"a\"}}"#;
    let check =
        |data: &str, expected: &str| assert_eq!(shown(&heard(&connector, "local", None, data)), expected);
    check(
        &format!(r#"{{"stream":["public:local"],"event":"update","payload":"{status}"}}"#),
        "110 by 7, at n7",
    );
    check(r#"{"stream":["public:local"],"event":"delete","payload":"110"}"#, "gone post 110, at n7");
    check(r#"{"event":"update","payload":"{"}"#, "at n7, 1 complaints");
}

#[test]
fn a_stream_is_opened_with_cursor_and_names_and_shows_its_credential_at_home_only() {
    let holder = Holder::alone("me".into());
    let open = |text: &str, network: &str, base: &str, name: &str, credential: Option<&Holder>| {
        let (connector, instance) = (connector(text), instance(network, base));
        let roots = ["did:plc:a".to_owned(), "did:plc:b".to_owned()];
        let roots: &[String] = if name == "jetstream" { &roots } else { &[] };
        let target = StreamTarget { instance: &instance, name, credential, cursor: Some("42"), roots };
        connector.open(&target).map(|request| (request.url, request.auth.is_some(), request.needs.len()))
    };
    let local = "https://a.example/api/v1/streaming/public/local".to_owned();
    let mastodon =
        |credential| open(MASTODON, "mastodon:a.example", "https://a.example", "local", credential);
    assert_eq!(mastodon(Some(&holder)), Ok((local, true, 2)), "it takes from the quotas of its token");
    let refused = mastodon(None).unwrap_err().to_string();
    assert!(refused.contains("freshet credentials add mastodon:a.example"), "{refused}");
    let url = "https://jetstream2.us-east.bsky.network/subscribe?wantedCollections=app.bsky.feed.post&\
               wantedCollections=app.bsky.feed.repost&cursor=42&wantedDids=did%3Aplc%3Aa&wantedDids=did%3Aplc%3Ab";
    let bluesky = open(
        BLUESKY,
        "bluesky:public.api.bsky.app",
        "https://public.api.bsky.app",
        "jetstream",
        Some(&holder),
    );
    assert_eq!(bluesky, Ok((url.to_owned(), false, 0)), "nothing is shown to another host");
    assert!(open(MASTODON, "mastodon:a.example", "https://a.example", "nothing", None).is_err());
}

#[test]
fn mistakes_in_streams_are_named() {
    let check = |from: &str, to: &str, expected: &str| {
        let text = MASTODON.replacen(from, to, 1);
        assert_ne!(text, MASTODON, "{from}");
        let error = Definition::parse("test.toml", &text).unwrap_err().to_string();
        assert!(error.contains(expected), "{to}: {error}");
    };
    let covers = "covers = [{ endpoint = \"public_posts\", proof = \"complete\" }, { endpoint = \"posts\", proof = \"hint\" }]";
    check(covers, "covers = []", "the posts of which lists");
    check(covers, "covers = [{ endpoint = \"tag_posts\", proof = \"hint\" }]", "lists posts of a `tag`");
    check(covers, "covers = [{ endpoint = \"postz\", proof = \"hint\" }]", "did you mean `posts`?");
    check(covers, "covers = [{ endpoint = \"posts\", proof = \"maybe\" }]", "proof");
    check("transport = \"sse\"", "transport = \"smoke\"", "transport");
    check("transport = \"sse\"", "transport = \"sse\"\nspeed = 3", "speed");
    check("transport = \"sse\"", "transport = \"sse\"\nnamed = { param = \"x\", max = 0 }", "1 to 10000");
    check("{ event = \"delete\", deletes = { kind = \"post\" } }", "{ event = \"delete\" }", "says nothing");
    check("deletes = { kind = \"post\" }", "deletes = { kind = \"pots\" }", "did you mean `post`?");
    check(
        "items = [{ mapping = \"status\" }] },\n    { event = \"status",
        "items = [{ mapping = \"statu\" }] },\n    { event = \"status",
        "did you mean `status`?",
    );
}
