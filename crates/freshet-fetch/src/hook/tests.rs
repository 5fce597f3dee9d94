//! Receivers that take, refuse, move, hang and talk nonsense, on loopback.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use freshet_types::{SystemClock, Timestamp};

use super::*;
use crate::{Credential, CredentialKind, Vault};

/// Patience with a receiver that never answers.
const PATIENCE: Duration = Duration::from_millis(300);

#[test]
fn a_signature_is_that_of_timestamp_and_body() {
    // By `printf '17.{}' | openssl dgst -sha256 -hmac secret`.
    let expected = "8af83b0673ef7fdabfca93bc1f9c0893a4de95938051a9959b16f9e2a9e16802";
    assert_eq!(sign("secret", "17", "{}"), expected);
    for other in [sign("secret", "18", "{}"), sign("secret", "17", "{ }"), sign("Secret", "17", "{}")] {
        assert_ne!(other, expected);
    }
}

/// A server that answers one request with these bytes, and hangs up; gives its port and what it heard.
fn server(answer: &'static str) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (tell, heard) = channel();
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let request = read(&stream);
        if answer.is_empty() {
            // It keeps the connection, and says nothing until the test has ended.
            let _ = tell.send(request);
            std::thread::park_timeout(PATIENCE * 20);
            return;
        }
        let _ = (&stream).write_all(answer.as_bytes());
        let _ = tell.send(request);
    });
    (port, heard)
}

fn read(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut text, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        text += &line;
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    text + &String::from_utf8(body).unwrap()
}

fn hook(url: String, allow_private: bool, secret: Option<&str>) -> Hook {
    let mut vault = Vault::empty();
    let network = NetworkName::from("hook:receiver");
    let word = SecretString::from("a word that signs".to_owned());
    vault.add(Credential::new("s", &network, CredentialKind::Bearer, None, &word).unwrap()).unwrap();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let options = HttpOptions::new("test@example.org", clock, Arc::new(vault));
    let target = HookTarget { url, allow_private, secret: secret.map(str::to_owned) };
    Hook::patient(options, target, PATIENCE).unwrap()
}

/// What comes of a POST that is answered so.
fn check(answer: &'static str, expected: &str) {
    let (port, _heard) = server(answer);
    let got = hook(format!("http://127.0.0.1:{port}/x"), true, None).post("{}".to_owned(), &[]);
    let got = match got {
        Ok(answer) => format!("{} {}", answer.status, answer.said),
        Err(fault) => format!("{:?}: {}", fault.kind, fault.message),
    };
    assert!(got.contains(expected), "{answer:?}: {got}");
}

#[test]
fn answers_and_faults_are_told_as_what_they_are() {
    check("HTTP/1.1 204 No Content\r\n\r\n", "204 ");
    check("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nwell\n done", "200 well done");
    check("HTTP/1.1 410 Gone\r\ncontent-length: 4\r\n\r\nbye!", "410 bye!");
    check("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n", "503");
    // Told, and not followed.
    check("HTTP/1.1 302 Found\r\nlocation: https://elsewhere.example/\r\ncontent-length: 0\r\n\r\n", "302");
    check(
        "HTTP/1.1 307 Found\r\nlocation: http://10.0.0.1/\r\ncontent-length: 0\r\n\r\n",
        "ForbiddenAddress",
    );
    check(
        "HTTP/1.1 301 Moved\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n",
        "--allow-private",
    );
    check("", "Timeout");
    check("nonsense\r\n\r\n", "Broken");
    check("HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\nhalf", "Broken");
}

#[test]
fn a_batch_is_signed_and_the_secret_stays_here() {
    let (port, heard) = server("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    let hook = hook(format!("http://127.0.0.1:{port}/x"), true, Some("s"));
    hook.post("{\"a\":1}".to_owned(), &[("freshet-cursor", "7".to_owned())]).unwrap();
    let request = heard.recv().unwrap();
    let header = |name: &str| {
        let found = request.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        found.unwrap_or_else(|| panic!("{request} lacks {name}")).to_owned()
    };
    let at = header(TIMESTAMP_HEADER);
    let expected = format!("sha256={}", sign("a word that signs", &at, "{\"a\":1}"));
    assert_eq!((header(SIGNATURE_HEADER), header("freshet-cursor")), (expected, "7".to_owned()));
    assert!(at.parse::<i64>().is_ok_and(|at| at > Timestamp::from_secs(0).secs()));
    assert!(!request.contains("a word that signs"), "{request}");
}

#[test]
fn what_cannot_be_signed_or_reached_is_not_sent() {
    let refused = |hook: Hook| hook.post("{}".to_owned(), &[]).unwrap_err();
    let unsigned = refused(hook("http://127.0.0.1:9/".to_owned(), true, Some("lost")));
    assert_eq!(unsigned.kind, FaultKind::Credential, "{unsigned:?}");
    let private = refused(hook("http://127.0.0.1:9/".to_owned(), false, None));
    assert!(private.message.contains("--allow-private"), "{private:?}");
    for url in ["http://localhost/", "http://[::1]/", "ftp://a.example/", "no address"] {
        let target = HookTarget { url: url.to_owned(), allow_private: false, secret: None };
        assert!(super::check(&target).is_err(), "{url}");
    }
}
