//! Alerts, to receivers that are really there: a web server, a program, a mail server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::support::freshet::Freshet;
use crate::support::until;
use crate::support::world::World;

/// Longest that anything may take to arrive.
const LIMIT: Duration = Duration::from_secs(30);
/// What must be seen by its receiver and by nobody else.
const SECRETS: [&str; 3] = ["hook-path-secret-41", "hook-token-secret-42", "mail-password-secret-43"];

/// A server on loopback that hands every connection to `serve`; gives its port and what was heard.
pub(crate) fn server(serve: fn(TcpStream) -> String) -> (u16, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    let port = listener.local_addr().expect("a bound socket has an address").port();
    let (tell, heard) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = tell.send(serve(stream));
        }
    });
    (port, heard)
}

/// Reads one HTTP request and accepts it.
pub(crate) fn web(mut stream: TcpStream) -> String {
    let mut reader = BufReader::new(stream.try_clone().expect("a stream can be shared"));
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a request has lines");
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length is a number");
        }
        head += &line;
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("the body is as long as announced");
    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    head + &String::from_utf8_lossy(&body)
}

/// Speaks just enough SMTP to take one mail.
fn smtp(mut stream: TcpStream) -> String {
    let mut reader = BufReader::new(stream.try_clone().expect("a stream can be shared"));
    let mut heard = String::new();
    let mut say = |text: &str| drop(stream.write_all(format!("{text}\r\n").as_bytes()));
    say("220 here");
    let mut is_letter = false;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return heard;
        }
        heard += &line;
        let word = line.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
        match word.as_str() {
            "." if is_letter => {
                is_letter = false;
                say("250 taken");
            }
            _ if is_letter => {}
            "EHLO" => say("250-here\r\n250 AUTH PLAIN"),
            "AUTH" => say("235 welcome"),
            "DATA" => {
                is_letter = true;
                say("354 go on");
            }
            "QUIT" => {
                say("221 bye");
                return heard;
            }
            _ => say("250 fine"),
        }
    }
}

fn receivers(web_port: u16, mail_port: u16) -> String {
    format!(
        r#"
[rules.dead]
threshold = 0.0
quiet = "30d"

[receivers.hook]
webhook = "http://127.0.0.1:{web_port}/{}"
allow_private = true

[receivers.file]
command = ["tee", "told.jsonl"]

[receivers.post]
mail_to = ["me@example.org"]
mail_from = "freshet@example.org"
server = "127.0.0.1"
port = {mail_port}
security = "none"
user = "me"
"#,
        SECRETS[0]
    )
}

#[test]
fn a_dead_source_is_told_once_to_everybody() {
    let world = World::start(4);
    let freshet = Freshet::new()
        .with_clock(format!("{}/clock", world.base))
        .with_variable("FRESHET_ALERT_SECRET_HOOK", SECRETS[1])
        .with_variable("FRESHET_ALERT_SECRET_POST", SECRETS[2]);
    let ((web_port, web_heard), (mail_port, mail_heard)) = (server(web), server(smtp));
    freshet.ok(&["init"]);
    std::fs::write(freshet.data().join("alerts.toml"), receivers(web_port, mail_port)).unwrap();
    freshet.ok(&["add", "--allow-private", &format!("{}/@nobody_of_this_name", world.base)]);
    freshet.run_for(6, "1h");
    let hook = web_heard.recv_timeout(LIMIT).expect("the web server is told");
    let (head, body) = hook.split_once("\r\n\r\n").expect("a request has a body");
    assert!(head.starts_with(&format!("POST /{} ", SECRETS[0])), "{head}");
    assert!(head.contains(&format!("Bearer {}", SECRETS[1])), "{head}");
    let told: Value = serde_json::from_str(body).expect("the body is JSON");
    assert_eq!((&told["is_test"], &told["alerts"][0]["rule"]), (&false.into(), &"dead".into()), "{told}");
    let letter = mail_heard.recv_timeout(LIMIT).expect("the mail server is told");
    for words in ["RCPT TO:<me@example.org>", "Subject: freshet: ", "dead: ", "nobody_of_this_name"] {
        assert!(letter.contains(words), "`{words}` is not in\n{letter}");
    }
    let file = std::fs::read_to_string(freshet.folder().join("told.jsonl")).expect("the program was told");
    assert!(file.contains("nobody_of_this_name"), "{file}");

    let listed = freshet.json(&["alerts"]);
    let sent = listed["alerts"][0]["sent"].as_array().expect("it is noted who was told").clone();
    assert!(sent.len() == 3 && sent.iter().all(|it| it["is_ok"] == true), "{listed}");
    // Started again within the quiet time, it says nothing more.
    freshet.run_for(3, "1h");
    assert_eq!(
        freshet.json(&["alerts"])["alerts"].as_array().unwrap().len(),
        listed["alerts"].as_array().unwrap().len()
    );
    assert!(web_heard.try_recv().is_err(), "nothing is told twice");
    let shown = [listed.to_string(), freshet.ok(&["alerts"]), freshet.ok(&["alerts", "config"])].join("\n");
    for secret in SECRETS {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn a_test_arrives_or_says_why_not() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let (web_port, web_heard) = server(web);
    std::fs::write(freshet.data().join("alerts.toml"), receivers(web_port, 9)).unwrap();
    freshet.ok(&["alerts", "test", "hook"]);
    let heard = until("the test arrives", LIMIT, || web_heard.try_recv().ok());
    assert!(heard.contains("\"is_test\":true"), "{heard}");
    freshet.ok(&["alerts", "test", "file"]);
    let failed = freshet.say(&["alerts", "test", "post"]);
    assert!(failed.code == 1 && failed.out.contains("post: the password"), "{failed:?}");
    let all = freshet.say(&["alerts", "test", "silence", "--format", "json"]);
    let all: Value = serde_json::from_str(&all.out).expect("a report is JSON");
    assert_eq!(all["sent"].as_array().unwrap().len(), 3, "{all}");
    let unknown = freshet.say(&["alerts", "test", "nonsense"]);
    assert!(unknown.code == 2 && unknown.err.contains("file, hook, post"), "{unknown:?}");
    // Without allowance a private address is not asked, whoever wrote it down.
    let guarded = receivers(web_port, 9).replace("allow_private = true", "");
    std::fs::write(freshet.data().join("alerts.toml"), guarded).unwrap();
    let refused = freshet.say(&["alerts", "test", "hook"]);
    assert!(refused.code == 1 && refused.out.contains("private"), "{refused:?}");
    std::fs::write(freshet.data().join("alerts.toml"), "[receivers.a]\nnonsense = 1\n").unwrap();
    let wrong = freshet.say(&["alerts"]);
    assert!(wrong.code == 2 && wrong.err.contains("alerts.toml") && wrong.err.contains("hint:"), "{wrong:?}");
}
