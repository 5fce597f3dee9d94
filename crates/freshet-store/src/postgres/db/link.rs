//! The connection itself: its client on the caller's side, its socket on a thread of its own.
//!
//! The client of tokio-postgres is nothing but channels to whoever moves the socket, so it is waited for by parking, whatever thread asks;
//! the socket is moved by a small runtime on a thread that ends with the client. Connecting has a limit in time; a server that says nothing
//! more is noticed by keep-alives.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use tokio_postgres::{Client, Config, NoTls};

use super::{Error, Result};

/// A server that answers nothing for so long is asked whether it is there.
const KEEPALIVE: Duration = Duration::from_secs(15);
/// What was sent and is not acknowledged for so long is lost.
const SILENCE: Duration = Duration::from_secs(30);

/// A connection that was made.
pub(super) struct Link {
    client: Client,
}

impl Link {
    /// Connects within this time.
    pub(super) fn connect(config: &Config, within: Duration) -> Result<Self> {
        let mut config = config.clone();
        config.connect_timeout(within);
        config.keepalives_idle(KEEPALIVE).keepalives_interval(KEEPALIVE).tcp_user_timeout(SILENCE);
        let (tell, told) = mpsc::channel();
        let moves = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => return drop(tell.send(Err(Error::Away(error.to_string())))),
            };
            runtime.block_on(async move {
                match tokio::time::timeout(within, config.connect(NoTls)).await {
                    Ok(Ok((client, socket))) => {
                        let _ = tell.send(Ok(client));
                        if let Err(error) = socket.await {
                            tracing::debug!(%error, "the connection to the store ended");
                        }
                    }
                    Ok(Err(error)) => drop(tell.send(Err(Error::Server(error)))),
                    Err(_) => {
                        let why = format!("the server did not answer within {} s", within.as_secs_f64());
                        drop(tell.send(Err(Error::Away(why))));
                    }
                }
            });
        };
        let started = std::thread::Builder::new().name("freshet-postgres".to_owned()).spawn(moves);
        started.map_err(|error| Error::Away(error.to_string()))?;
        let client = told.recv().map_err(|_| Error::Away("nothing connects".to_owned()))??;
        Ok(Self { client })
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn client_mut(&mut self) -> &mut Client {
        &mut self.client
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }
}

/// Wakes a thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for an answer without a runtime: whoever is woken for another reason looks again.
pub(in crate::postgres) fn wait<F: Future>(answer: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut answer = pin!(answer);
    loop {
        match answer.as_mut().poll(&mut context) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => std::thread::park(),
        }
    }
}
