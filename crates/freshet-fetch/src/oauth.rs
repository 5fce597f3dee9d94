//! OAuth: the words of the protocol, in both its versions. Nothing here asks anybody: [`crate::login`] and [`crate::http`] do.
//!
//! | file | what it knows |
//! |---|---|
//! | [`proof`] | random words, PKCE, and whether the answer that came back is ours |
//! | [`listen`] | waiting for the browser to come back, on this computer |
//! | [`token`] | what is asked of the place where tokens are made, and what it says |
//! | [`sign`] | the signatures of OAuth 1.0a |

use secrecy::SecretString;

pub mod listen;
pub(crate) mod proof;
pub(crate) mod sign;
pub(crate) mod token;

/// An app as the network knows it.
#[derive(Clone, Debug)]
pub struct App {
    /// Its id: client id, consumer key.
    pub id: String,
    /// Its secret, where it has one.
    pub secret: Option<SecretString>,
}
