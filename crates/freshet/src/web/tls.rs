//! TLS for the dashboard, by certificate files: `--tls-cert`, `--tls-key`.
//!
//! Handshakes happen beside the door, at most [`HANDSHAKES_MAX`] at once and each within
//! [`HANDSHAKE_MAX`], so that nobody who says nothing keeps the others out. The files are read once, at
//! the start. It makes no certificates and asks nobody for one.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use axum::serve::Listener;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::args::TlsArgs;
use crate::failure::Failure;

/// Longest handshake.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);
/// Handshakes at once; whoever comes then waits at the door of the operating system.
const HANDSHAKES_MAX: usize = 64;
/// Wait after the operating system refused a connection, for want of files for example.
const REFUSED_WAIT: Duration = Duration::from_millis(200);

/// What the files say; `None` where none are named.
pub(crate) fn config(args: &TlsArgs) -> anyhow::Result<Option<Arc<ServerConfig>>> {
    let (Some(cert), Some(key)) = (&args.tls_cert, &args.tls_key) else { return Ok(None) };
    let chain = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unreadable(cert, &error.to_string()))?;
    if chain.is_empty() {
        return Err(unreadable(cert, "it holds no certificate"));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable(key, &error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("no version of TLS can be spoken")?;
    let mut config = builder
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| unreadable(cert, &format!("it does not go with `{}`: {error}", key.display())))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Some(Arc::new(config)))
}

fn unreadable(path: &Path, why: &str) -> anyhow::Error {
    let failure = Failure::misuse(format!("`{}` cannot be used for TLS: {why}", path.display()));
    failure.hint("--tls-cert takes a certificate chain and --tls-key its private key, both as PEM").into()
}

/// Connections whose handshake is done.
pub(super) struct Encrypted {
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    address: SocketAddr,
}

impl Encrypted {
    /// Takes connections of this listener from now on, until this is dropped.
    pub(super) fn new(listener: TcpListener, config: Arc<ServerConfig>) -> anyhow::Result<Self> {
        let address = listener.local_addr().context("the dashboard has no address")?;
        let (done, ready) = mpsc::channel(HANDSHAKES_MAX);
        let acceptor = TlsAcceptor::from(config);
        let seats = Arc::new(Semaphore::new(HANDSHAKES_MAX));
        tokio::spawn(async move {
            while !done.is_closed() {
                let Ok(seat) = Arc::clone(&seats).acquire_owned().await else { return };
                let taken = tokio::select! {
                    taken = listener.accept() => taken,
                    () = done.closed() => return,
                };
                let Ok((stream, from)) = taken else {
                    tokio::time::sleep(REFUSED_WAIT).await;
                    continue;
                };
                let (acceptor, done) = (acceptor.clone(), done.clone());
                tokio::spawn(async move {
                    let shaken = tokio::time::timeout(HANDSHAKE_MAX, acceptor.accept(stream)).await;
                    drop(seat);
                    if let Ok(Ok(stream)) = shaken {
                        // Nobody listens any more: the connection closes by itself.
                        let _ = done.send((stream, from)).await;
                    }
                });
            }
        });
        Ok(Self { ready, address })
    }
}

impl Listener for Encrypted {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(connection) => connection,
            // The door is closed for good.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        Ok(self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_none_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let (cert, key) = (dir.path().join("cert.pem"), dir.path().join("key.pem"));
        assert!(config(&TlsArgs::default()).unwrap().is_none());
        for (text, words) in [(None, "cert.pem"), (Some("no certificate"), "no certificate")] {
            if let Some(text) = text {
                std::fs::write(&cert, text).unwrap();
            }
            let args = TlsArgs { tls_cert: Some(cert.clone()), tls_key: Some(key.clone()) };
            let error = config(&args).map(|_| ()).unwrap_err();
            assert!(format!("{error:#}").contains(words), "{error:#}");
        }
    }
}
