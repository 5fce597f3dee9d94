//! Streams over loopback: both transports against servers that behave, and against those that do not.

use std::sync::Arc;

use base64::Engine as _;
use freshet_types::{
    AuthScheme, AuthUse, FaultKind, NetworkName, Request, StreamMessage, SystemClock, Transport,
};
use futures::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

use crate::stream::{FRAME_BYTES_MAX, Frame, Frames, MESSAGE_BYTES_MAX, Opened};
use crate::{Credential, CredentialKind, Fetch as _, HttpFetch, HttpOptions, Vault};

/// A server that answers one connection as `serve` says; gives its address.
async fn serve_once<F, W>(serve: F) -> String
where
    F: FnOnce(TcpStream, String) -> W + Send + 'static,
    W: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        serve(stream, String::from_utf8(head).unwrap()).await;
    });
    format!("http://{address}/stream")
}

/// A server that sends these bytes and closes.
async fn serve_bytes(bytes: impl Into<Vec<u8>>) -> String {
    let bytes = bytes.into();
    // Whoever has heard enough may be gone before the last byte.
    serve_once(|mut stream, _| async move { drop(stream.write_all(&bytes).await) }).await
}

fn fetch(vault: Vault) -> HttpFetch {
    HttpFetch::new(HttpOptions::new("mailto:test@example.org", Arc::new(SystemClock), vault)).unwrap()
}

async fn open(url: &str, transport: Transport) -> Result<Opened, freshet_types::Fault> {
    let request = Request { allow_private: true, ..Request::get(&NetworkName::from("test"), url) };
    crate::stream::open(&fetch(Vault::empty()), &request, transport).await
}

/// All that comes until the stream ends, and how it ended.
async fn all(mut frames: Box<dyn Frames>) -> (Vec<Frame>, Option<FaultKind>) {
    let mut seen = Vec::new();
    loop {
        match frames.next().await {
            Ok(Some(frame)) => seen.push(frame),
            Ok(None) => return (seen, None),
            Err(fault) => return (seen, Some(fault.kind)),
        }
    }
}

fn message(event: Option<&str>, data: &str) -> Frame {
    Frame::Message(StreamMessage {
        event: event.map(str::to_owned),
        data: data.to_owned(),
        ..StreamMessage::default()
    })
}

const SSE: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n";

#[tokio::test]
async fn events_come_as_they_are_sent() {
    let body = ":)\n\nevent: update\ndata: one\n\ndata: two\n\nevent: cut";
    let url = serve_bytes(format!("{SSE}connection: close\r\n\r\n{body}")).await;
    let Ok(Opened::Stream(frames)) = open(&url, Transport::Sse).await else { panic!("it is a stream") };
    let expected = vec![Frame::Alive, message(Some("update"), "one"), message(None, "two")];
    assert_eq!(all(frames).await, (expected, None));
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_a_fault_and_what_came_before_counts() {
    let url = serve_bytes(format!("{SSE}content-length: 9999\r\n\r\ndata: one\n\ndata: t")).await;
    let Ok(Opened::Stream(frames)) = open(&url, Transport::Sse).await else { panic!("it is a stream") };
    assert_eq!(all(frames).await, (vec![message(None, "one")], Some(FaultKind::Broken)));
}

#[tokio::test]
async fn what_is_no_stream_is_an_answer() {
    for (answer, transport, status) in [
        ("HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\n{}", Transport::Sse, 401),
        ("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nhi", Transport::Sse, 200),
        (
            "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
            Transport::Sse,
            302,
        ),
        ("HTTP/1.1 429 No\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n", Transport::Websocket, 429),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi", Transport::Websocket, 200),
    ] {
        let url = serve_bytes(answer).await;
        match open(&url, transport).await {
            Ok(Opened::Refused(response)) => assert_eq!(response.status, status, "{answer}"),
            other => panic!("{answer}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn an_answer_to_a_poll_is_a_stream_of_one_message() {
    let long = "x".repeat(MESSAGE_BYTES_MAX + 1);
    for (body, expected) in [
        ("{\"names\": []}", message(None, "{\"names\": []}")),
        (&long, Frame::Dropped("a page of more than 1048576 bytes".to_owned())),
    ] {
        let url =
            serve_bytes(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())).await;
        let Ok(Opened::Stream(frames)) = open(&url, Transport::Poll).await else { panic!("it is an answer") };
        assert_eq!(all(frames).await, (vec![expected], None));
    }
    let url = serve_bytes("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n").await;
    assert!(
        matches!(open(&url, Transport::Poll).await, Ok(Opened::Refused(response)) if response.status == 500)
    );
}

#[tokio::test]
async fn a_stream_is_guarded_like_every_request() {
    for url in ["http://127.0.0.1:1/", "http://localhost/", "ftp://a.example/"] {
        let request = Request::get(&NetworkName::from("test"), url);
        let fault = fetch(Vault::empty()).open(&request, Transport::Websocket).await.unwrap_err();
        assert!(matches!(fault.kind, FaultKind::ForbiddenAddress | FaultKind::Request), "{url}: {fault}");
    }
    let url = serve_bytes(format!("{SSE}content-encoding: gzip\r\n\r\n")).await;
    assert_eq!(open(&url, Transport::Sse).await.unwrap_err().kind, FaultKind::Encoding);
    let rubbish = serve_bytes(vec![0, 159, 146, 150, b'\r', b'\n', b'\r', b'\n']).await;
    assert!(open(&rubbish, Transport::Sse).await.is_err());
}

#[tokio::test]
async fn the_credential_is_shown_and_never_told() {
    let url = serve_once(|mut stream, head| async move {
        let shown =
            head.lines().find(|line| line.starts_with("authorization")).unwrap_or("nothing").to_owned();
        let agent = head.contains("freshet/");
        let body = format!("{SSE}connection: close\r\n\r\ndata: {agent} {shown}\n\n");
        stream.write_all(body.as_bytes()).await.unwrap();
    })
    .await;
    let mut vault = Vault::empty();
    let host = url.trim_start_matches("http://").trim_end_matches("/stream");
    let network = NetworkName::new("mastodon", Some(host));
    let secret = "very-secret-token".into();
    vault.put(Credential::new("me", &network, CredentialKind::Bearer, None, &secret).unwrap()).unwrap();
    let auth = Some(AuthUse { credential: "me".into(), scheme: AuthScheme::Bearer });
    let request = Request { allow_private: true, auth, ..Request::get(&network, &url) };
    let Ok(Opened::Stream(frames)) = fetch(vault).open(&request, Transport::Sse).await else {
        panic!("it is a stream")
    };
    let (seen, _) = all(frames).await;
    let Some(Frame::Message(message)) = seen.first() else { panic!("{seen:?}") };
    assert!(message.data.starts_with("true authorization: Bearer"), "{}", message.data);
    assert!(!message.data.contains("very-secret-token"), "{}", message.data);
}

/// Answers the handshake, then speaks as `speak` says.
async fn serve_socket<F, W>(speak: F) -> String
where
    F: FnOnce(WebSocketStream<TcpStream>) -> W + Send + 'static,
    W: Future<Output = ()> + Send,
{
    serve_once(|mut stream, head| async move {
        let key = head.lines().find_map(|line| line.strip_prefix("sec-websocket-key: ")).unwrap();
        let salted = format!("{}258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key.trim());
        let digest = ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, salted.as_bytes());
        let accept = base64::engine::general_purpose::STANDARD.encode(digest);
        let answer = format!(
            "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: {accept}\r\n\r\n"
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
        speak(WebSocketStream::from_raw_socket(stream, Role::Server, None).await).await;
    })
    .await
}

#[tokio::test]
async fn text_and_binary_frames_are_messages_and_others_are_not() {
    let url = serve_socket(|mut socket| async move {
        let sent = [
            Message::text("{\"a\": 1}"),
            Message::Ping(Vec::new().into()),
            Message::binary(vec![1, 2]),
            Message::text("last"),
        ];
        for message in sent {
            socket.send(message).await.unwrap();
        }
        // A closing server may say something that looks like a message.
        let _ = socket.close(None).await;
        while let Some(Ok(_)) = socket.next().await {}
    })
    .await;
    let Ok(Opened::Stream(frames)) = open(&url, Transport::Websocket).await else { panic!("it is a stream") };
    let (seen, end) = all(frames).await;
    assert_eq!((seen[0].clone(), seen[1].clone()), (message(None, "{\"a\": 1}"), Frame::Alive));
    let bytes = Some(vec![1, 2]);
    assert_eq!(seen[2], Frame::Message(StreamMessage { bytes, ..StreamMessage::default() }));
    assert_eq!((&seen[3..], end), (&[message(None, "last")][..], None));
}

#[tokio::test]
async fn who_is_to_be_told_something_is_told_it_first() {
    let url = serve_socket(|mut socket| async move {
        let Some(Ok(Message::Text(hello))) = socket.next().await else { return };
        let _ = socket.send(Message::text(format!("you said {hello}"))).await;
        let _ = socket.close(None).await;
    })
    .await;
    let plain = Request { allow_private: true, ..Request::get(&NetworkName::from("test"), &url) };
    let request = Request { body: Some("give me all".to_owned()), ..plain };
    let opened = fetch(Vault::empty()).open(&request, Transport::Websocket).await;
    let Ok(Opened::Stream(frames)) = opened else { panic!("it is a stream") };
    assert_eq!(all(frames).await, (vec![message(None, "you said give me all")], None));
}

#[tokio::test]
async fn a_frame_that_is_too_long_ends_the_connection() {
    let url = serve_socket(|mut socket| async move {
        socket.send(Message::text("one")).await.unwrap();
        socket.send(Message::text("x".repeat(MESSAGE_BYTES_MAX + 1))).await.unwrap();
        // The other side may hang up in the middle.
        let _ = socket.send(Message::text("x".repeat(FRAME_BYTES_MAX + 1))).await;
    })
    .await;
    let Ok(Opened::Stream(frames)) = open(&url, Transport::Websocket).await else { panic!("it is a stream") };
    let long = Frame::Dropped(format!("a message is longer than {MESSAGE_BYTES_MAX} bytes"));
    assert_eq!(all(frames).await, (vec![message(None, "one"), long], Some(FaultKind::TooLarge)));
}

#[tokio::test]
async fn who_answers_the_key_wrongly_speaks_no_websocket() {
    let answer = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: x\r\n\r\n";
    let url = serve_bytes(answer).await;
    let fault = open(&url, Transport::Websocket).await.unwrap_err();
    assert_eq!(fault.kind, FaultKind::Broken);
    assert!(fault.message.contains("does not speak WebSocket"), "{fault}");
}
