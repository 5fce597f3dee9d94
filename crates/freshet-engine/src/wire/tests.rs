//! The wire form: what goes in comes out, and whatever else comes is refused.

mod golden;

use std::time::Instant;

use freshet_network::networks::Networks;
use freshet_types::{
    Instance, Intent, Outcome, Post, Primitive, Target, Timestamp, Validators, VisitId, VisitSummary,
};
use proptest::prelude::*;

use super::*;
use crate::order::{Answer, FetcherId, OrderId};

/// The head of a message of this kind, as this build writes it.
fn head(kind: Kind) -> Vec<u8> {
    [&MAGIC[..], &[VERSION, kind as u8]].concat()
}

/// A page of posts as Mastodon gives it, read by the shipped definition, with as many posts as a full page has.
fn recorded() -> (Response, Page) {
    let line = include_str!("../../../freshet-network/fixtures/mastodon.jsonl").lines().next().unwrap();
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    let headers = line["headers"].as_object().unwrap().iter();
    let response = Response {
        status: 200,
        headers: headers.map(|(name, value)| (name.to_lowercase(), value.as_str().unwrap().into())).collect(),
        body: line["body"].as_str().unwrap().into(),
        url: line["url"].as_str().unwrap().to_owned(),
        received_at: Timestamp::from_secs(1_790_000_000),
    };
    let (network, base) = ("mastodon:example.social".into(), "https://example.social".to_owned());
    let instance = Instance { network, base, allow_private: false };
    let target = Target {
        instance: &instance,
        endpoint: "posts",
        root: "109300000000000001",
        credential: None,
        validators: None,
    };
    let connector = Networks::shipped().connector("mastodon").unwrap();
    let mut page = connector.read(&target, &Intent::First, &response, response.received_at);
    assert!(page.observation.posts.len() >= 3 && page.next.is_some(), "{page:?}");
    page.observation.posts = page.observation.posts.iter().cycle().take(40).cloned().collect();
    (response, page)
}

fn fetched(result: Result<Answer, freshet_types::Fault>) -> Fetched {
    Fetched {
        order: OrderId { visit: VisitId(u64::MAX), number: 3 },
        fetcher: FetcherId(7),
        took_ms: 130,
        received_at: Timestamp::from_secs(1_790_000_000),
        extra_count: 1,
        result,
    }
}

fn check<T: Message + PartialEq + std::fmt::Debug>(message: &T) {
    assert_eq!(&loop_back(message), message);
}

#[test]
fn pages_of_a_real_network_come_back_as_they_were() {
    let (response, page) = recorded();
    check(&response);
    check(&page);
    check(&page.observation);
    let body = response.body;
    check(&fetched(Ok(Answer::Page(Box::new(page), Some(body)))));
}

#[test]
fn fields_that_are_left_out_elsewhere_are_not_mistaken_for_others() {
    let validators = |etag: Option<&str>, last_modified: Option<&str>| Validators {
        etag: etag.map(Into::into),
        last_modified: last_modified.map(Into::into),
    };
    for validators in
        [validators(None, Some("yesterday")), validators(Some("W/1"), None), validators(None, None)]
    {
        check(&Page { validators, ..Page::default() });
    }
    for outcome in golden::outcomes() {
        check(&Page { outcome, ..Page::default() });
    }
    for value in [Primitive::Bool(true), 7.into(), Primitive::Float(7.0), Primitive::Float(0.1), "7".into()] {
        let post = Post { plinks: vec![("likes".into(), value)], ..Post::default() };
        check(&Observation { posts: vec![post], ..Observation::default() });
    }
    check(&Upload::new(VisitId(1), "rss:a.example".into(), Timestamp::MIN));
}

fn check_refused(bytes: &[u8], expected: &str) {
    let refused = decode::<Order>(bytes).expect_err("it is no order").to_string();
    assert!(refused.contains(expected), "{refused:?} does not say {expected:?}");
}

#[test]
fn what_cannot_be_read_says_why() {
    let good = encode(&golden::order()).unwrap();
    check_refused(b"", "no message of freshet");
    check_refused(b"fr", "no message of freshet");
    check_refused(b"GET / HTTP/1.1", "no message of freshet");
    check_refused(
        &[&MAGIC[..], &[VERSION + 1, 5], &good[4..]].concat(),
        &format!("of version {}, and this build reads version {VERSION}", VERSION + 1),
    );
    check_refused(&encode(&golden::source()).unwrap(), "of kind 8, and `Order` was expected");
    check_refused(&[&MAGIC[..], &[VERSION, 99]].concat(), "of kind 99");
    check_refused(&head(Kind::Order), "cannot be read");
    check_refused(&good[..good.len() - 1], "cannot be read");
    check_refused(&[&good[..], &[0xc0]].concat(), "1 bytes follow upon its end");
    // A list of four thousand million elements, and lists within lists without end.
    check_refused(&[&head(Kind::Order)[..], &[0xdd, 0xff, 0xff, 0xff, 0xff]].concat(), "cannot be read");
    check_refused(&[&head(Kind::Order)[..], &vec![0x91; 100_000]].concat(), "cannot be read");
    let long = [head(Kind::Order), vec![0xc0; BODY_BYTES_MAX + 1]].concat();
    check_refused(&long, "more than the 67108864 that are allowed");
}

/// Bytes and microseconds of writing and reading, in this form and in JSON.
fn compare<T: Message>(message: &T) -> [(usize, f64); 2] {
    const ROUNDS: u32 = 20;
    fn timed(mut round: impl FnMut() -> usize) -> (usize, f64) {
        let began = Instant::now();
        let bytes = (0..ROUNDS).map(|_| round()).last().unwrap_or_default();
        (bytes, began.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS))
    }
    let here = timed(|| {
        let bytes = encode(message).unwrap();
        decode::<T>(&bytes).unwrap();
        bytes.len()
    });
    let json = timed(|| {
        let bytes = serde_json::to_vec(message).unwrap();
        serde_json::from_slice::<T>(&bytes).unwrap();
        bytes.len()
    });
    [here, json]
}

#[test]
fn messages_are_a_good_deal_smaller_than_json() {
    let (_, page) = recorded();
    let answer = fetched(Ok(Answer::Page(Box::new(page), None)));
    for (name, [here, json]) in [("order", compare(&golden::order())), ("answer", compare(&answer))] {
        let share = here.0 as f64 / json.0 as f64;
        println!(
            "{name}: {} bytes, {:.0} µs; JSON {} bytes, {:.0} µs; {share:.2} of the bytes, {:.2} of the time",
            here.0,
            here.1,
            json.0,
            json.1,
            here.1 / json.1
        );
        assert!(share < 0.8, "{name}: {share}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn garbage_is_refused_and_never_panics(body in proptest::collection::vec(any::<u8>(), 0..300)) {
        for kind in [Kind::Order, Kind::Fetched, Kind::Upload, Kind::Source] {
            let bytes = [head(kind), body.clone()].concat();
            let _ = decode::<Order>(&bytes);
            let _ = decode::<Fetched>(&bytes);
            let _ = decode::<Upload>(&bytes);
            let _ = decode::<Source>(&bytes);
        }
        let _ = decode::<Order>(&body);
    }

    #[test]
    fn what_was_cut_or_bent_on_its_way_never_panics(
        cut in 0_usize..4000, at in 0_usize..4000, with in any::<u8>(),
    ) {
        for bytes in golden::all() {
            prop_assert!(decode_any(&bytes[..cut % bytes.len()]).is_err(), "a part of a message is none");
            let mut bent = bytes.clone();
            bent[at % bytes.len()] ^= with;
            let _ = decode_any(&bent);
        }
    }

    #[test]
    fn posts_come_back_as_they_were(
        texts in proptest::collection::vec(any::<(String, Option<String>)>(), 0..4),
        number in any::<i64>(), share in any::<f64>(), flag in any::<bool>(),
        raw in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..70)),
    ) {
        let share = if share.is_nan() { 0.0 } else { share };
        let post = |(text, lang): (String, Option<String>)| Post {
            id: text.clone(),
            text,
            lang,
            created_at: flag.then(|| Timestamp::from_ms(number)),
            is_deleted: flag,
            plinks: vec![("n".into(), number.into()), ("s".into(), Primitive::Float(share)), ("f".into(), flag.into())],
            ..Post::default()
        };
        let posts = texts.into_iter().map(post).collect();
        let page = Page { observation: Observation { posts, ..Observation::default() }, ..Page::default() };
        let answer = fetched(Ok(Answer::Page(Box::new(page), raw)));
        prop_assert_eq!(loop_back(&answer), answer);
    }
}

/// Reads a message as what it says it is.
fn decode_any(bytes: &[u8]) -> Result<(), WireError> {
    match bytes.get(3).copied() {
        Some(1) => decode::<Request>(bytes).map(drop),
        Some(2) => decode::<Response>(bytes).map(drop),
        Some(3) => decode::<Page>(bytes).map(drop),
        Some(4) => decode::<Observation>(bytes).map(drop),
        Some(6) => decode::<Fetched>(bytes).map(drop),
        Some(7) => decode::<Upload>(bytes).map(drop),
        Some(8) => decode::<Source>(bytes).map(drop),
        _ => decode::<Order>(bytes).map(drop),
    }
}
