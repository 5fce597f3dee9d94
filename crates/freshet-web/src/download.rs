//! Files on their way to whoever asked for them, written while they are read.
//!
//! Each holds a connection to the store and a thread, so there are few, and one address never has them
//! all ([`ROOM`]). Whoever stops reading loses the place: after [`PIECE_WITHIN`] for a piece in any case,
//! earlier if somebody else waits for it. A file that does not come to its end is cut off as such, so
//! that nobody takes a part of it for the whole.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use tokio::sync::mpsc;

use super::answer::{Answer, Problem};
use super::seats::{Loss, Peer, Room, Seat, Seats};

/// Files at once, each with a connection of its own: a slow reader holds up no page. One is always left
/// for another address. Whoever has read nothing for ten seconds while another waits is not reading.
pub(super) const ROOM: Room = Room { max: 4, share: 3, patience: Duration::from_secs(10) };
/// Bytes that are handed on at once.
const PIECE_BYTES: usize = 64 * 1024;
/// Pieces that wait for a slow reader.
const PIECES_MAX: usize = 8;
/// Longest until the reader has room for the next piece: about two kilobytes a second, a bad line.
const PIECE_WITHIN: Duration = Duration::from_secs(30);

/// A piece of a file; `None` is its end.
type Piece = Option<Bytes>;

/// A place for a file: what writes it, and the body that it becomes.
pub(super) fn begin(seats: &Arc<Seats>, peer: Peer) -> Answer<(File, Body)> {
    let file_seat = seats.occupy(peer);
    let (seat, loss) = file_seat.ok_or_else(|| {
        Problem::busy("other files are being written; try again when they are done")
            .hint("`freshet export` writes any number of them")
    })?;
    let (pieces, written) = mpsc::channel(1);
    let (sent, waiting) = mpsc::channel(PIECES_MAX);
    tokio::spawn(hand_on(written, sent, FileSeat { seat, loss, within: PIECE_WITHIN }));
    let body = Body::from_stream(futures::stream::unfold(Some(waiting), async |waiting| {
        let mut waiting = waiting?;
        match waiting.recv().await {
            Some(Some(piece)) => Some((Ok(piece), Some(waiting))),
            Some(None) => None,
            None => Some((Err(io::Error::other("the file was cut short")), None)),
        }
    }));
    Ok((File { pieces, piece: Vec::new() }, body))
}

/// What a file has while it is read.
struct FileSeat {
    seat: Arc<Seat>,
    loss: Loss,
    within: Duration,
}

/// Hands pieces from the thread that writes to the connection that sends. When this ends, so does the
/// thread: nobody takes its pieces any more.
async fn hand_on(mut written: mpsc::Receiver<Piece>, sent: mpsc::Sender<Piece>, file_seat: FileSeat) {
    let FileSeat { seat, mut loss, within } = file_seat;
    seat.works();
    while let Some(piece) = written.recv().await {
        if piece.is_none() {
            // Whoever has read a file to its end may ask for the next one.
            drop(seat);
            let _ = sent.send_timeout(None, within).await;
            return;
        }
        seat.rests();
        let is_sent = tokio::select! {
            sent_now = sent.send_timeout(piece, within) => sent_now.is_ok(),
            () = loss.happens() => false,
        };
        if !is_sent {
            return;
        }
        seat.works();
    }
}

/// A file that is being written.
pub(super) struct File {
    pieces: mpsc::Sender<Piece>,
    piece: Vec<u8>,
}

impl File {
    /// All of it was written: without this, the reader is told that it was cut short.
    pub(super) fn end(mut self) {
        if self.flush().is_ok() {
            // Whoever has gone needs no end.
            let _ = self.pieces.blocking_send(None);
        }
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = Bytes::from(std::mem::take(&mut self.piece));
        self.pieces.blocking_send(Some(piece)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn peer(text: &str) -> Peer {
        text.parse::<IpAddr>().unwrap().into()
    }

    /// Writes so many bytes on a thread of its own; whether they were all taken.
    fn write(mut file: File, bytes: usize, ends: bool) -> tokio::task::JoinHandle<bool> {
        tokio::task::spawn_blocking(move || {
            let is_sent = file.write_all(&vec![b'x'; bytes]).and_then(|()| file.flush()).is_ok();
            if ends {
                file.end();
            }
            is_sent
        })
    }

    #[tokio::test]
    async fn a_file_that_was_cut_short_does_not_look_whole() {
        for (ends, expected) in [(true, Some(3)), (false, None)] {
            let (file, body) = begin(&Seats::new(ROOM), peer("10.0.0.1")).unwrap();
            let written = write(file, 3, ends);
            let read = axum::body::to_bytes(body, usize::MAX).await;
            assert_eq!(read.ok().map(|bytes| bytes.len()), expected);
            assert!(written.await.unwrap());
        }
    }

    #[tokio::test]
    async fn one_address_never_has_all_places() {
        let seats = Seats::new(ROOM);
        let held: Vec<_> = (0..ROOM.share).map(|_| begin(&seats, peer("10.0.0.1")).unwrap()).collect();
        assert!(begin(&seats, peer("10.0.0.1")).is_err());
        let other = begin(&seats, peer("10.0.0.2"));
        assert!(other.is_ok());
        drop((held, other));
    }

    /// More than wait in the channels.
    const MANY: usize = PIECES_MAX + 8;

    #[tokio::test]
    async fn a_stalled_reader_loses_its_place_after_a_while() {
        let seats = Seats::new(ROOM);
        let (seat, loss) = seats.occupy(peer("10.0.0.1")).unwrap();
        let (pieces, written) = mpsc::channel(1);
        let (sent, _nobody_reads) = mpsc::channel(1);
        let file_seat = FileSeat { seat, loss, within: Duration::from_millis(50) };
        let handing = tokio::spawn(hand_on(written, sent, file_seat));
        let writing = write_many(File { pieces, piece: Vec::new() });
        handing.await.unwrap();
        assert!(!writing.await.unwrap(), "the thread ends");
    }

    #[tokio::test]
    async fn a_stalled_reader_loses_its_place_to_another() {
        let seats = Seats::new(Room { max: 1, share: 1, patience: Duration::ZERO });
        let (file, stalled) = begin(&seats, peer("10.0.0.1")).unwrap();
        let writing = write_many(file);
        // A place in use is taken from nobody; this one falls quiet when its channel is full.
        let (other, body) = loop {
            match begin(&seats, peer("10.0.0.1")) {
                Ok(begun) => break begun,
                Err(_) => tokio::task::yield_now().await,
            }
        };
        assert!(!writing.await.unwrap(), "the thread ends");
        assert!(axum::body::to_bytes(stalled, usize::MAX).await.is_err(), "and the file is not whole");
        drop(write(other, 3, true));
        assert_eq!(axum::body::to_bytes(body, usize::MAX).await.unwrap().len(), 3);
    }

    /// Piece by piece, until all is written or nobody takes them.
    fn write_many(mut file: File) -> tokio::task::JoinHandle<bool> {
        tokio::task::spawn_blocking(move || {
            (0..MANY).all(|_| file.write_all(&vec![b'x'; PIECE_BYTES]).is_ok())
        })
    }
}
