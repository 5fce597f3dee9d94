//! What the hostile server does: steps, and the ready-made misbehaviours by path.

use std::io::Write;
use std::time::Duration;

/// One step on the wire.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Sends these bytes one by one, with a pause after each.
    Drip(Vec<u8>, Duration),
    /// Sends these bytes again and again.
    Forever(Vec<u8>),
    /// Answers with the request itself.
    Echo,
    /// Says nothing for ten minutes.
    Stall,
    /// Resets the connection.
    Reset,
    /// Closes the connection.
    Close,
}

/// What is done about one request; without a last word the connection stays open.
#[derive(Clone, Debug)]
pub struct Behaviour {
    pub(super) steps: Vec<Step>,
}

impl Behaviour {
    /// These steps.
    pub fn new(steps: Vec<Step>) -> Self {
        Self { steps }
    }

    /// A proper answer.
    pub fn answer(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Self {
        Self::new(vec![Step::Send(Self::bytes_of(status, headers, body))])
    }

    /// A proper answer of JSON.
    pub fn json(status: u16, body: &str) -> Self {
        Self::answer(status, &[("Content-Type", "application/json")], body.as_bytes())
    }

    /// A redirect.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::answer(status, &[("Location", location)], b"")
    }

    /// These bytes and nothing more, then the end of the connection.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(vec![Step::Send(bytes.into()), Step::Close])
    }

    /// The bytes of a proper answer.
    pub(super) fn bytes_of(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
        let lines: String =
            headers.iter().map(|(name, value)| [name, ": ", value, "\r\n"].concat()).collect();
        let head = format!("HTTP/1.1 {status} Some Reason\r\nContent-Length: {}\r\n{lines}\r\n", body.len());
        [head.as_bytes(), body].concat()
    }
}

const OK_HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
const HELLO: &[u8] = b"{\"hello\":\"world\"}";

/// `HELLO` by brotli; there is no encoder among the dependencies.
const HELLO_BROTLI: &[u8] =
    &[27, 16, 0, 0, 164, 69, 116, 246, 250, 166, 36, 147, 108, 82, 148, 215, 172, 94, 132, 3];

/// 100 MiB of zeros by brotli, in 165 bytes.
const BOMB_BROTLI: &[u8] = &[
    203, 255, 255, 63, 0, 36, 0, 226, 177, 64, 114, 239, 255, 248, 255, 255, 7, 128, 4, 64, 28, 22, 128, 238,
    253, 31, 255, 255, 255, 0, 144, 0, 136, 195, 2, 208, 189, 255, 227, 255, 255, 31, 0, 18, 0, 113, 88, 0,
    186, 247, 127, 252, 255, 255, 3, 64, 2, 32, 14, 11, 64, 247, 254, 143, 255, 255, 127, 0, 72, 0, 196, 97,
    1, 232, 222, 255, 241, 255, 255, 15, 0, 9, 128, 56, 44, 0, 221, 251, 63, 254, 255, 255, 1, 32, 1, 16,
    135, 5, 160, 123, 255, 199, 255, 255, 63, 0, 36, 0, 226, 176, 0, 116, 239, 255, 248, 255, 255, 7, 128, 4,
    64, 28, 22, 128, 238, 253, 31, 255, 255, 255, 0, 144, 0, 136, 195, 2, 208, 189, 255, 227, 255, 255, 31,
    0, 18, 0, 113, 88, 0, 186, 247, 127, 249, 255, 255, 3, 64, 2, 32, 14, 11, 64, 247, 254, 7,
];

/// Size of the other bombs once they have gone off: a few times what the ratio guard lets pass.
const BOMB_BYTES: usize = 8 << 20;

/// The ready-made behaviour of a path, if it has one.
pub fn builtin(path: &str) -> Option<Behaviour> {
    wire_trouble(path).or_else(|| body_trouble(path)).or_else(|| polite_trouble(path))
}

/// Trouble on the connection itself.
fn wire_trouble(path: &str) -> Option<Behaviour> {
    let head = |rest: &[u8]| Step::Send([OK_HEAD, rest].concat());
    let slow = Duration::from_millis(15);
    Some(Behaviour::new(match path {
        "/reset" => vec![Step::Reset],
        "/reset-in-body" => vec![head(b"Content-Length: 1000\r\n\r\n{"), Step::Reset],
        "/empty-reply" => vec![Step::Close],
        "/stall" => vec![Step::Stall],
        "/stall-in-headers" => vec![head(b"X-Half: "), Step::Stall],
        "/stall-in-body" => vec![head(b"Content-Length: 1000\r\n\r\n{"), Step::Stall],
        "/drip-in-headers" => vec![Step::Drip([OK_HEAD, &[b'x'; 100_000]].concat(), slow)],
        "/drip-in-body" => {
            vec![head(b"Content-Length: 100000\r\n\r\n"), Step::Drip(vec![b'x'; 100_000], slow)]
        }
        "/garbage" => vec![Step::Send(b"\x00\x01 how do you do\r\n\r\n".to_vec()), Step::Close],
        "/not-http" => vec![Step::Send(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()), Step::Close],
        "/huge-header" => vec![head(&[b"X-Huge: ".as_slice(), &[b'x'; 2_000_000], b"\r\n\r\n"].concat())],
        "/long-headers" => {
            vec![head(&[b"Content-Length: 0\r\nX-Long: ".as_slice(), &[b'x'; 100_000], b"\r\n\r\n"].concat())]
        }
        "/many-headers" => vec![head(&[b"X-Many: yes\r\n".repeat(5000), b"\r\n".to_vec()].concat())],
        "/endless-headers" => {
            vec![Step::Send(OK_HEAD.to_vec()), Step::Forever(b"X-More: yes\r\n".repeat(100))]
        }
        _ => return None,
    }))
}

/// Trouble in the body.
fn body_trouble(path: &str) -> Option<Behaviour> {
    let encoded = |coding: &str, body: &[u8]| Behaviour::answer(200, &[("Content-Encoding", coding)], body);
    let raw = |rest: &[u8]| Behaviour::raw([OK_HEAD, rest].concat());
    Some(match path {
        "/half-body" => raw(b"Transfer-Encoding: chunked\r\n\r\n64\r\n{\"half\":"),
        "/missing-last-chunk" => raw(b"Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
        "/bad-chunk" => raw(b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhalf\r\n0\r\n\r\n"),
        "/length-too-long" => raw(b"Content-Length: 1000\r\n\r\n{}"),
        "/length-too-short" => raw(b"Content-Length: 2\r\n\r\n{}, and much more"),
        "/lengths-disagree" => raw(b"Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}"),
        "/announced-giant" => raw(b"Content-Length: 999999999999\r\n\r\n{"),
        "/endless-body" => {
            Behaviour::new(vec![Step::Send([OK_HEAD, b"\r\n"].concat()), Step::Forever(vec![b'x'; 65_536])])
        }
        "/wrong-charset" => {
            Behaviour::answer(200, &[("Content-Type", "text/html; charset=utf-8")], b"gr\xfc\xdfe")
        }
        "/unknown-charset" => {
            Behaviour::answer(200, &[("Content-Type", "text/html; charset=klingon")], b"nuqneH")
        }
        "/bomb/gzip" => encoded("gzip", &gzip(&vec![0; BOMB_BYTES]).repeat(16)),
        "/bomb/deflate" => encoded("deflate", &zlib(&vec![0; BOMB_BYTES])),
        "/bomb/zstd" => encoded("zstd", &zstd(&vec![0; BOMB_BYTES])),
        "/bomb/br" => encoded("br", BOMB_BROTLI),
        "/bomb/twice" => encoded("gzip, gzip", &gzip(&gzip(&vec![0; 1 << 20]))),
        "/encoded/gzip" => encoded("gzip", &gzip(HELLO)),
        "/encoded/deflate" => encoded("deflate", &zlib(HELLO)),
        "/encoded/raw-deflate" => encoded("deflate", &deflate(HELLO)),
        "/encoded/zstd" => encoded("zstd", &zstd(HELLO)),
        "/encoded/br" => encoded("BR", HELLO_BROTLI),
        "/encoded/identity" => encoded("identity", HELLO),
        "/encoded/nothing" => encoded("gzip", b""),
        "/encoded/wrong" => encoded("gzip", HELLO),
        "/encoded/wrong-br" => encoded("br", HELLO),
        "/encoded/wrong-zstd" => encoded("zstd", HELLO),
        "/encoded/cut" => encoded("gzip", &gzip(HELLO)[..12]),
        "/encoded/cut-br" => encoded("br", &HELLO_BROTLI[..10]),
        "/encoded/cut-zstd" => encoded("zstd", &zstd(HELLO)[..10]),
        "/encoded/unknown" => encoded("x-secret-sauce", HELLO),
        _ => return None,
    })
}

/// Proper HTTP that is trouble all the same.
fn polite_trouble(path: &str) -> Option<Behaviour> {
    if let Some(number) = path.strip_prefix("/redirect/endless/") {
        let next = number.parse::<u64>().unwrap_or(0) + 1;
        return Some(Behaviour::redirect(302, &format!("/redirect/endless/{next}")));
    }
    let storm = r#"{"error":"Too many requests"}"#;
    Some(match path {
        "/ok" => Behaviour::json(200, "{\"hello\":\"world\"}"),
        "/echo" => Behaviour::new(vec![Step::Echo]),
        "/no-content" => Behaviour::new(vec![Step::Send(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec())]),
        "/not-modified" => Behaviour::new(vec![Step::Send(
            b"HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Encoding: gzip\r\n\r\n".to_vec(),
        )]),
        "/redirect/here" => Behaviour::redirect(302, "/redirect/here"),
        "/redirect/circle" => Behaviour::redirect(301, "/redirect/back"),
        "/redirect/back" => Behaviour::redirect(307, "/redirect/circle"),
        "/redirect/ok" => Behaviour::redirect(308, "ok-too"),
        "/redirect/ok-too" => Behaviour::redirect(303, "/ok"),
        "/redirect/echo" => Behaviour::redirect(302, "/echo"),
        "/redirect/private" => Behaviour::redirect(302, "http://10.0.0.1/"),
        "/redirect/metadata" => Behaviour::redirect(302, "http://169.254.169.254/latest/meta-data/"),
        "/redirect/file" => Behaviour::redirect(302, "file:///etc/passwd"),
        "/redirect/userinfo" => Behaviour::redirect(302, "http://user:word@example.org/"),
        "/redirect/nonsense" => Behaviour::redirect(302, "http://[nonsense"),
        "/redirect/nowhere" => Behaviour::answer(302, &[], b"{}"),
        "/storm" => Behaviour::json(429, storm),
        "/storm/retry-after" => Behaviour::answer(429, &[("Retry-After", "120")], storm.as_bytes()),
        "/html" => Behaviour::answer(
            200,
            &[("Content-Type", "application/json")],
            b"<!doctype html><title>Checking your browser</title>",
        ),
        "/unavailable" => Behaviour::answer(503, &[("Retry-After", "Wed, 21 Oct 2065 07:28:00 GMT")], b""),
        _ => return None,
    })
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory does not fail")
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory does not fail")
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory does not fail")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("memory does not fail")
}
