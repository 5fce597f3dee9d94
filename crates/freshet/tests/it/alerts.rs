//! Alerts, to receivers that are really there: a web server, a program, a mail server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::support::freshet::Freshet;
use crate::support::world::World;
use crate::support::{until, wait_ms};

/// Longest that anything may take to arrive.
const LIMIT: Duration = Duration::from_secs(30);
/// What must be seen by its receiver and by nobody else.
const SECRETS: [&str; 3] = ["hook-path-secret-41", "hook-token-secret-42", "mail-password-secret-43"];

/// A server on loopback that hands every connection to `serve`, with its place among all; gives its port and
/// what was heard.
pub(crate) fn server(serve: fn(TcpStream, usize) -> String) -> (u16, mpsc::Receiver<String>) {
    server_at(0, serve)
}

/// The same at this port.
fn server_at(port: u16, serve: fn(TcpStream, usize) -> String) -> (u16, mpsc::Receiver<String>) {
    let listener = TcpListener::bind(("127.0.0.1", port)).expect("loopback has a free port");
    let port = listener.local_addr().expect("a bound socket has an address").port();
    let (tell, heard) = mpsc::channel();
    std::thread::spawn(move || {
        for (place, stream) in listener.incoming().flatten().enumerate() {
            let tell = tell.clone();
            std::thread::spawn(move || tell.send(serve(stream, place)));
        }
    });
    (port, heard)
}

/// Reads one HTTP request and accepts it.
pub(crate) fn web(stream: TcpStream, _: usize) -> String {
    answer(stream, "200 OK")
}

/// Refuses two requests and accepts the third.
fn web_at_last(stream: TcpStream, place: usize) -> String {
    answer(stream, if place < 2 { "503 Service Unavailable" } else { "200 OK" })
}

/// Takes the connection and never says a word.
fn web_that_hangs(stream: TcpStream, _: usize) -> String {
    wait_ms(120_000);
    drop(stream);
    String::new()
}

/// Reads one HTTP request and answers it.
fn answer(mut stream: TcpStream, status: &str) -> String {
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
    let text = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    let _ = stream.write_all(text.as_bytes());
    head + &String::from_utf8_lossy(&body)
}

/// Speaks just enough SMTP to take one mail.
fn smtp(stream: TcpStream, _: usize) -> String {
    postman(stream, "250 fine")
}

/// Puts strangers off, once.
fn smtp_at_last(stream: TcpStream, place: usize) -> String {
    postman(stream, if place == 0 { "451 come back later" } else { "250 fine" })
}

/// A mail server that says this to who sends.
fn postman(mut stream: TcpStream, welcome: &str) -> String {
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
            "MAIL" => say(welcome),
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

/// What is noted of the first alert and this receiver.
fn noted(freshet: &Freshet, name: &str) -> Value {
    let listed = freshet.json(&["alerts"]);
    let sent = listed["alerts"][0]["sent"].as_array().cloned().unwrap_or_default();
    sent.into_iter().find(|sent| sent["to"] == name).unwrap_or_default()
}

/// A data folder with a source that is dead, to be told to these receivers.
fn with_dead_source(world: &World, receivers: &str) -> Freshet {
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let rule = "[rules.dead]\nthreshold = 0.0\nquiet = \"30d\"\n";
    std::fs::write(freshet.data().join("alerts.toml"), format!("{rule}{receivers}"))
        .expect("the rules can be written");
    freshet.ok(&["add", "--allow-private", &format!("{}/@nobody_of_this_name", world.base)]);
    freshet
}

fn hook(name: &str, port: u16) -> String {
    format!("[receivers.{name}]\nwebhook = \"http://127.0.0.1:{port}/x\"\nallow_private = true\n")
}

#[test]
fn who_refuses_is_tried_again_and_who_hangs_delays_nobody() {
    let world = World::start(4);
    let ((late_port, late_heard), (hung_port, _hung)) = (server(web_at_last), server(web_that_hangs));
    let (mail_port, mail_heard) = server(smtp_at_last);
    let receivers = [
        hook("a-hangs", hung_port),
        hook("late", late_port),
        "[receivers.file]\ncommand = [\"tee\", \"told.jsonl\"]\n".to_owned(),
        format!(
            "[receivers.post]\nmail_to = [\"me@example.org\"]\nmail_from = \"freshet@example.org\"\n\
             server = \"127.0.0.1\"\nport = {mail_port}\nsecurity = \"none\"\n"
        ),
    ];
    let freshet = with_dead_source(&world, &receivers.concat());
    let mut run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1h"], "run.log");
    let told = freshet.folder().join("told.jsonl");
    until("the program is told", LIMIT, || told.is_file().then_some(()));
    assert_ne!(noted(&freshet, "a-hangs")["is_ok"], true, "nobody waited for who hangs");
    for expected in 1..=3 {
        let heard = late_heard.recv_timeout(LIMIT).expect("the web server is asked again");
        assert!(heard.contains("nobody_of_this_name"), "try {expected}: {heard}");
    }
    let taken = |name: &str| {
        let what = format!("{name} is noted");
        until(&what, LIMIT, || Some(noted(&freshet, name)).filter(|sent| sent["is_ok"] == true))
    };
    assert_eq!(taken("late")["tries_count"], 3);
    assert_eq!(taken("post")["tries_count"], 2);
    assert_eq!(taken("file")["tries_count"], 1);
    let refused = mail_heard.recv_timeout(LIMIT).expect("the mail server is asked");
    assert!(!refused.contains("Subject:"), "{refused}");
    let letter = mail_heard.recv_timeout(LIMIT).expect("the mail server is asked again");
    assert!(letter.contains("nobody_of_this_name"), "{letter}");
    let hung = until("who hangs is noted", LIMIT, || {
        Some(noted(&freshet, "a-hangs")).filter(|sent| sent["tries_count"].as_u64() > Some(0))
    });
    assert!(hung["is_ok"] == false && hung["again_at"].is_number() && hung["why"].is_string(), "{hung}");
    let shown = freshet.ok(&["alerts"]);
    for words in
        ["told file, late, post", "a-hangs: not reached in", "is tried again", "did not reach everybody"]
    {
        assert!(shown.contains(words), "`{words}` is not in\n{shown}");
    }
    let began = std::time::Instant::now();
    run.send("TERM");
    assert!(run.finish_within(LIMIT).is_some_and(|status| status.success()), "it stops well");
    assert!(began.elapsed() < Duration::from_secs(12), "the end is not held up: {:?}", began.elapsed());
}

#[test]
fn who_was_away_is_told_by_the_next_run() {
    let world = World::start(4);
    // A port that nobody listens at, for now.
    let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a free port").port();
    let freshet = with_dead_source(&world, &hook("away", port));
    freshet.run_for(6, "1h");
    let sent = noted(&freshet, "away");
    assert!(sent["is_ok"] == false && sent["tries_count"].as_u64() >= Some(1), "{sent}");
    let tries_count = sent["tries_count"].as_u64().unwrap();
    let (_, heard) = server_at(port, web);
    let mut run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1h"], "run.log");
    let body = heard.recv_timeout(LIMIT).expect("the next run tells it");
    assert!(body.contains("nobody_of_this_name"), "{body}");
    run.send("TERM");
    assert!(run.finish_within(LIMIT).is_some_and(|status| status.success()), "it stops well");
    let sent = noted(&freshet, "away");
    assert!(sent["is_ok"] == true && sent["tries_count"].as_u64() > Some(tries_count), "{sent}");
    assert!(heard.try_recv().is_err(), "nothing is told twice");
}
