//! Bodies: collected and decompressed chunk by chunk, within limits on both sides.
//!
//! Invariant: memory never exceeds the decoded limit by more than one decoder buffer, however
//! well the body is compressed. Decompression happens here rather than in the HTTP client,
//! because the client shows only one side of it.

use std::io::{self, Write};

use brotli_decompressor::DecompressorWriter;
use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use freshet_types::{Fault, FaultKind};
use zstd::stream::raw::DParameter;
use zstd::stream::write::Decoder as ZstdDecoder;

/// What a request may name in `Accept-Encoding`.
pub(super) const ACCEPT_ENCODING: &str = "gzip, br, zstd, deflate";

/// How many times larger than on the wire a body may get. Repetitive pages reach 50; gzip can
/// reach 1032, the others far more.
const RATIO_MAX: usize = 200;

/// Below this the ratio is not looked at: an empty table compresses absurdly well and harms nobody.
const RATIO_FREE_BYTES: usize = 1 << 20;

/// Largest zstd window: RFC 9659 allows 8 MiB for the web.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// Output buffer of the brotli decoder.
const BROTLI_BUFFER_BYTES: usize = 8 << 10;

/// What is reserved at once on a server's word about the length; more is earned by sending it.
const RESERVE_BYTES_MAX: usize = 1 << 20;

/// How much of a body is taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyLimits {
    pub(super) wire_bytes_max: usize,
    pub(super) decoded_bytes_max: usize,
    /// Whether a longer body is cut instead of refused, as RFC 9309 wants it for robots.txt.
    pub(super) is_cut: bool,
}

/// Takes the chunks of one body.
pub(super) struct BodySink {
    decoder: Decoder,
    coding: Coding,
    wire_bytes: usize,
    limits: BodyLimits,
}

/// Whether more is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    More,
    Enough,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

enum Decoder {
    Identity(Bounded),
    Gzip(Box<MultiGzDecoder<Bounded>>),
    Zlib(Box<ZlibDecoder<Bounded>>),
    Deflate(Box<DeflateDecoder<Bounded>>),
    Brotli(Box<DecompressorWriter<Bounded>>),
    Zstd(Box<ZstdDecoder<'static, Bounded>>),
}

/// A vector that refuses to grow beyond its limits.
#[derive(Default)]
struct Bounded {
    out: Vec<u8>,
    bytes_max: usize,
    is_over: bool,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.out.len() + bytes.len() > self.bytes_max {
            self.is_over = true;
            self.out.extend_from_slice(&bytes[..self.bytes_max.saturating_sub(self.out.len())]);
            return Err(io::Error::other("over the limit"));
        }
        self.out.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl BodySink {
    /// For a body in this `Content-Encoding`, of this announced length.
    pub(super) fn new(
        encoding: Option<&str>,
        length: Option<usize>,
        limits: BodyLimits,
    ) -> Result<Self, Fault> {
        let coding = Coding::parse(encoding.unwrap_or_default())?;
        if let Some(length) = length
            && length > limits.wire_bytes_max
            && !limits.is_cut
        {
            return Err(too_large(limits.wire_bytes_max));
        }
        let reserve = length.unwrap_or(0).min(RESERVE_BYTES_MAX);
        let out = Bounded { out: Vec::with_capacity(reserve), ..Bounded::default() };
        Ok(Self { decoder: Decoder::Identity(out), coding, wire_bytes: 0, limits })
    }

    /// Writes the next bytes of the body.
    pub(super) fn write_chunk(&mut self, chunk: &[u8]) -> Result<Wanted, Fault> {
        let Some(first) = chunk.first() else { return Ok(Wanted::More) };
        if self.wire_bytes == 0 {
            let out = std::mem::take(self.decoder.out_mut());
            self.decoder = self.coding.decoder(*first, out);
        }
        self.wire_bytes += chunk.len();
        if self.wire_bytes > self.limits.wire_bytes_max {
            let spare = chunk.len() - (self.wire_bytes - self.limits.wire_bytes_max);
            return self.over(self.limits.is_cut.then_some(&chunk[..spare]));
        }
        let ratio_bytes = (self.wire_bytes * RATIO_MAX).max(RATIO_FREE_BYTES);
        let bytes_max = match self.coding {
            Coding::Identity => self.limits.wire_bytes_max,
            _ => self.limits.decoded_bytes_max.min(ratio_bytes),
        };
        self.decoder.out_mut().bytes_max = bytes_max;
        match self.decoder.write_all(chunk) {
            Ok(()) => Ok(Wanted::More),
            Err(_) if self.decoder.out_mut().is_over && self.limits.is_cut => Ok(Wanted::Enough),
            Err(_) if self.decoder.out_mut().is_over => Err(bomb(self.wire_bytes, bytes_max)),
            Err(error) => Err(self.broken(&error)),
        }
    }

    /// The whole body, once the last chunk was taken.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, Fault> {
        if self.wire_bytes > 0
            && let Err(error) = self.decoder.finish()
        {
            let out = self.decoder.out_mut();
            return Err(if out.is_over { bomb(self.wire_bytes, out.bytes_max) } else { self.broken(&error) });
        }
        Ok(self.into_part())
    }

    /// What was decoded so far, for a body that is cut.
    pub(super) fn into_part(mut self) -> Vec<u8> {
        std::mem::take(&mut self.decoder.out_mut().out)
    }

    fn over(&mut self, last: Option<&[u8]>) -> Result<Wanted, Fault> {
        let last = last.ok_or_else(|| too_large(self.limits.wire_bytes_max))?;
        self.decoder.out_mut().bytes_max = self.limits.decoded_bytes_max;
        // The body is cut here, so a decoder that wants more has nothing to complain about.
        drop(self.decoder.write_all(last));
        Ok(Wanted::Enough)
    }

    fn broken(&self, error: &io::Error) -> Fault {
        let name = self.coding.name();
        Fault::new(FaultKind::Encoding, format!("the body is not `{name}` as its header says: {error}"))
    }
}

impl Coding {
    fn parse(text: &str) -> Result<Self, Fault> {
        let mut codings = text
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity"));
        let (first, second) = (codings.next(), codings.next());
        let coding = match first.map(str::to_ascii_lowercase).as_deref() {
            None => Self::Identity,
            Some("gzip" | "x-gzip") => Self::Gzip,
            Some("deflate") => Self::Deflate,
            Some("br") => Self::Brotli,
            Some("zstd") => Self::Zstd,
            Some(_) => return Err(unknown(text)),
        };
        // Nobody compresses twice but those who want to harm.
        if second.is_some() { Err(unknown(text)) } else { Ok(coding) }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }

    /// `deflate` means zlib by the standard and raw deflate by some servers; the first byte tells.
    fn decoder(self, first: u8, out: Bounded) -> Decoder {
        match self {
            Self::Identity => Decoder::Identity(out),
            Self::Gzip => Decoder::Gzip(Box::new(MultiGzDecoder::new(out))),
            Self::Deflate if first & 0x0f == 8 => Decoder::Zlib(Box::new(ZlibDecoder::new(out))),
            Self::Deflate => Decoder::Deflate(Box::new(DeflateDecoder::new(out))),
            Self::Brotli => Decoder::Brotli(Box::new(DecompressorWriter::new(out, BROTLI_BUFFER_BYTES))),
            Self::Zstd => {
                let mut raw =
                    zstd::stream::raw::Decoder::new().expect("a decoder without a dictionary is made");
                raw.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG_MAX))
                    .expect("8 MiB are a window that zstd knows");
                Decoder::Zstd(Box::new(ZstdDecoder::with_decoder(out, raw)))
            }
        }
    }
}

impl Decoder {
    fn write_all(&mut self, chunk: &[u8]) -> io::Result<()> {
        match self {
            Self::Identity(out) => out.write_all(chunk),
            Self::Gzip(decoder) => decoder.write_all(chunk),
            Self::Zlib(decoder) => decoder.write_all(chunk),
            Self::Deflate(decoder) => decoder.write_all(chunk),
            Self::Brotli(decoder) => decoder.write_all(chunk),
            Self::Zstd(decoder) => decoder.write_all(chunk),
        }
    }

    /// Writes out what is left and complains about a body that ends too early.
    fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Identity(_) => Ok(()),
            Self::Gzip(decoder) => decoder.try_finish(),
            Self::Zlib(decoder) => decoder.try_finish(),
            Self::Deflate(decoder) => decoder.try_finish(),
            Self::Brotli(decoder) => decoder.close(),
            Self::Zstd(decoder) => decoder.do_finish(),
        }
    }

    fn out_mut(&mut self) -> &mut Bounded {
        match self {
            Self::Identity(out) => out,
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Zlib(decoder) => decoder.get_mut(),
            Self::Deflate(decoder) => decoder.get_mut(),
            Self::Brotli(decoder) => decoder.get_mut(),
            Self::Zstd(decoder) => decoder.get_mut(),
        }
    }
}

fn too_large(bytes_max: usize) -> Fault {
    Fault::new(FaultKind::TooLarge, format!("the body is longer than {bytes_max} bytes"))
}

fn bomb(wire_bytes: usize, bytes_max: usize) -> Fault {
    let message = format!("{wire_bytes} bytes decompress to more than {bytes_max}");
    Fault::new(FaultKind::Bomb, message)
}

fn unknown(text: &str) -> Fault {
    let text: String = text.chars().take(80).collect();
    Fault::new(FaultKind::Encoding, format!("the body's encoding `{text}` was not asked for"))
}
