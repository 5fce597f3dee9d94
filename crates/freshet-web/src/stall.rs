//! A connection that notices when nobody reads: bytes that cannot be sent for a while end it.
//!
//! Without this, whoever asks and does not read holds the connection, and whatever its answer holds, for
//! ever. Any byte that goes away begins the time anew; how fast a file must be read is the file's
//! affair ([`super::download`]). Reading has its limits elsewhere ([`super::door`]).

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// A connection that waits for its reader only so long.
pub(super) struct Unstalled<S> {
    stream: S,
    patience: Duration,
    /// When patience ends; `None` while bytes go away.
    until: Option<Pin<Box<Sleep>>>,
}

impl<S> Unstalled<S> {
    pub(super) fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, until: None }
    }

    /// What came of sending, or the end when nothing came of it for too long.
    fn judge<T>(&mut self, sent: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if sent.is_ready() {
            self.until = None;
            return sent;
        }
        let patience = self.patience;
        let until =
            self.until.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + patience)));
        if until.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        self.until = None;
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Unstalled<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Unstalled<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(sent, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.judge(sent, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let sent = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(sent, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let sent = Pin::new(&mut self.stream).poll_shutdown(context);
        self.judge(sent, context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn what_nobody_reads_ends_and_what_is_read_goes_on() {
        let (near, mut far) = tokio::io::duplex(4);
        let mut sending = Unstalled::new(near, Duration::from_millis(50));
        let error = sending.write_all(b"more than fits").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        // Whoever reads on finds what was sent before, and takes the rest.
        let reading = tokio::spawn(async move {
            let mut text = String::new();
            far.read_to_string(&mut text).await.map(|_| text)
        });
        sending.write_all(b", and is read").await.unwrap();
        drop(sending);
        assert_eq!(reading.await.unwrap().unwrap(), "more, and is read");
    }
}
