//! TLS for the dashboard, by certificate files: `--tls-cert`, `--tls-key`.
//!
//! The files are read once, at the start. Handshakes happen at the door ([`super::door`]), where they
//! have a time limit. It makes no certificates and asks nobody for one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use freshet_app::failure::Failure;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The files by which the dashboard is encrypted, or none.
#[derive(Clone, Debug, Default)]
pub struct TlsFiles {
    /// The certificate chain, as PEM.
    pub tls_cert: Option<PathBuf>,
    /// Its private key, as PEM.
    pub tls_key: Option<PathBuf>,
}

/// What the files say; `None` where none are named.
pub fn config(args: &TlsFiles) -> anyhow::Result<Option<Arc<ServerConfig>>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_none_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let (cert, key) = (dir.path().join("cert.pem"), dir.path().join("key.pem"));
        assert!(config(&TlsFiles::default()).unwrap().is_none());
        for (text, words) in [(None, "cert.pem"), (Some("no certificate"), "no certificate")] {
            if let Some(text) = text {
                std::fs::write(&cert, text).unwrap();
            }
            let args = TlsFiles { tls_cert: Some(cert.clone()), tls_key: Some(key.clone()) };
            let error = config(&args).map(|_| ()).unwrap_err();
            assert!(format!("{error:#}").contains(words), "{error:#}");
        }
    }
}
