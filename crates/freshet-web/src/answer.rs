//! What goes wrong, as an answer: the right status, what was wrong, what to do.
//!
//! A [`Problem`] does not know whether a person or a program asked; the guard does, and shows it as
//! a page or as JSON. Causes inside (a broken store) are logged and told in words, without paths of
//! code or queries.

use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use freshet_app::failure;
use freshet_store::api::StoreError;
use serde::Deserialize;

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    pub(super) message: String,
    pub(super) hint: Option<String>,
    /// When it may be tried again.
    pub(super) wait_s: Option<u64>,
}

/// What was just done, told once on the page that follows.
#[derive(Deserialize)]
pub(super) struct Told {
    #[serde(default)]
    pub(super) told: String,
}

pub(super) type Answer<T> = Result<T, Problem>;

impl Problem {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), hint: None, wait_s: None }
    }

    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    pub(super) fn method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "this address cannot be asked in this way")
    }

    /// What was asked for does not go together with what is under way.
    pub(super) fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, message)
    }

    pub(super) fn busy(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// Whoever asks must wait first.
    pub(super) fn too_many(message: impl Into<String>, wait: Duration) -> Self {
        // A part of a second is a second.
        let seconds = wait.as_secs() + 1;
        let problem =
            Self::new(StatusCode::TOO_MANY_REQUESTS, message).hint(format!("wait {seconds} seconds"));
        Self { wait_s: Some(seconds), ..problem }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<anyhow::Error> for Problem {
    fn from(error: anyhow::Error) -> Self {
        let (message, hint, is_misuse) = failure::explain(&error);
        let status = if is_misuse { StatusCode::BAD_REQUEST } else { StatusCode::INTERNAL_SERVER_ERROR };
        if !is_misuse {
            tracing::warn!("the dashboard could not answer: {message}");
        }
        Self { status, message, hint, wait_s: None }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        freshet_app::search::misuse(error).into()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}
