//! Tests of recordings: what was recorded is answered again, and limits hold.

use freshet_types::NetworkName;

use super::*;

#[derive(Debug)]
struct Canned(Mutex<VecDeque<Response>>);

impl Fetch for Canned {
    fn fetch<'a>(&'a self, _: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let next = self.0.lock().unwrap().pop_front();
        Box::pin(async move { next.ok_or_else(|| Fault::new(FaultKind::Broken, "no more")) })
    }
}

fn response(url: &str, body: &[u8]) -> Response {
    Response {
        status: 200,
        headers: vec![
            ("content-type".into(), "text/plain".into()),
            ("set-cookie".into(), "planted".into()),
            ("link".into(), "<https://a.example/?key=planted-secret>".into()),
            ("link".into(), "second".into()),
        ],
        body: body.to_vec(),
        url: url.into(),
        received_at: Timestamp::from_ms(1_234_567),
    }
}

fn request(url: &str) -> Request {
    Request::get(&NetworkName::from("rss"), url)
}

fn recorder(path: &Path, answers: Vec<Response>, bytes_max: u64) -> Recorder {
    let scrubber = Arc::new(Scrubber::default());
    scrubber.learn(&"one".into(), &"planted-secret".into());
    let inner = Arc::new(Canned(Mutex::new(answers.into())));
    Recorder::create(inner, path, scrubber, bytes_max).unwrap()
}

#[tokio::test]
async fn what_was_recorded_is_answered_again_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    let (a, b) = ("https://a.example/1", "https://a.example/2");
    let answers = vec![
        response(a, b"first"),
        response(b, b"f\xfcr"),
        response("https://b.example/", b"planted-secret two"),
    ];
    let recorder = recorder(&path, answers, RECORDING_BYTES_MAX);
    for url in [a, b, a] {
        recorder.fetch(&request(url)).await.unwrap();
    }
    assert!(recorder.fetch(&request(a)).await.is_err(), "faults pass through and are not recorded");

    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 3);
    assert!(!text.contains("planted"), "{text}");

    let replay = Replay::open(&path).unwrap();
    let first = replay.fetch(&request(a)).await.unwrap();
    assert_eq!((first.body.as_slice(), first.url.as_str()), (b"first".as_slice(), a));
    assert_eq!(first.received_at, Timestamp::from_ms(1_234_567));
    assert_eq!(first.headers.iter().filter(|(name, _)| name == "link").count(), 2);
    let latin = replay.fetch(&request(b)).await.unwrap();
    assert_eq!(latin.body, b"f\xfcr", "bytes that are no UTF-8 come back exactly");
    for _ in 0..3 {
        let second = replay.fetch(&request(a)).await.unwrap();
        assert_eq!(
            (second.body.as_slice(), second.url.as_str()),
            (b"[secret] two".as_slice(), "https://b.example/")
        );
    }
    let post = Request { method: Method::Post, ..request(a) };
    assert_eq!(replay.fetch(&post).await.unwrap_err().kind, FaultKind::Request);
}

#[tokio::test]
async fn a_recording_stops_at_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    let answers = (0..50).map(|_| response("https://a.example/", &[b'x'; 100])).collect();
    let recorder = recorder(&path, answers, 2000);
    for _ in 0..50 {
        recorder.fetch(&request("https://a.example/")).await.unwrap();
    }
    let length = std::fs::metadata(&path).unwrap().len();
    assert!((1000..=2000).contains(&length), "{length}");
    Replay::open(&path).unwrap();
}

#[test]
fn lines_of_other_tools_are_read() {
    let check = |line: &str, expected: &str| {
        let shown = match Exchange::parse(line.as_bytes()) {
            Ok(exchange) => format!("{} {:?} {}", exchange.status, exchange.headers, exchange.body),
            Err(why) => why,
        };
        assert!(shown.contains(expected), "{line}: {shown}");
    };
    check(
        r#"{"url":"u","status":200,"headers":{"ETag":"x"},"body":{"a":[1]}}"#,
        r#"200 [("etag", "x")] {"a":[1]}"#,
    );
    check(r#"{"url":"u","status":204,"body":null}"#, "204 [] ");
    check(r#"{"url":"u"}"#, "missing field `status`");
    check(r#"{"url":"u","status":200,"body_hex":"0"}"#, "not hexadecimal");
    check("nonsense", "expected");
}

#[test]
fn a_broken_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    std::fs::write(&path, "\n{\"url\":\"u\",\"status\":200}\n{\"url\":").unwrap();
    let error = Replay::open(&path).unwrap_err().to_string();
    assert!(error.contains("line 3 of the recording"), "{error}");
}
