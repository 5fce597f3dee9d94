//! Constraints on the settings page: what is stored, followed, visited again and let in, as `freshet constraints` has them.
//!
//! A crawl that runs sees a change within a second. One is removed by its number and its text together, so that whoever
//! looks at an old page removes nothing else.

use axum::extract::{Form, Path, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use freshet_app::constraints;
use freshet_app::data::Data;
use freshet_report::constraints::ConstraintsReport;
use serde::Deserialize;

use super::Shared;
use super::answer::{Answer, Problem};
use super::sources::TEXT_CHARS_MAX;

/// Longest expression.
const EXPRESSION_CHARS_MAX: usize = 10 * TEXT_CHARS_MAX;

/// What is wanted.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Wish {
    /// `post`, `account` or another type of the networks.
    #[serde(rename = "type")]
    type_name: String,
    /// A CEL expression.
    expression: String,
    /// What it decides; without a word, what is stored.
    #[serde(rename = "for", default)]
    purpose: String,
}

/// Which one is no longer wanted.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Named {
    #[serde(default)]
    expression: Option<String>,
}

/// All of them, as the API gives them.
pub(super) async fn list(site: &Shared) -> Answer<ConstraintsReport> {
    site.read(|_, data| Ok(constraints::list(data)?)).await
}

/// Adds one; gives all of them.
pub(super) async fn add(site: &Shared, wish: Wish) -> Answer<ConstraintsReport> {
    if wish.expression.chars().count() > EXPRESSION_CHARS_MAX {
        return Err(Problem::bad(format!("an expression has {EXPRESSION_CHARS_MAX} characters at most")));
    }
    site.write(move |site, data: &mut Data| {
        let wish = constraints::Wish {
            type_name: wish.type_name.trim(),
            expression: wish.expression.trim(),
            purpose: wish.purpose.trim(),
        };
        constraints::add(data, &site.parts.networks, wish)?;
        Ok(constraints::list(data)?)
    })
    .await
}

/// Removes one; gives the others.
pub(super) async fn remove(site: &Shared, number: &str, named: Named) -> Answer<ConstraintsReport> {
    let number = number.parse().map_err(|_| Problem::not_found("constraints have numbers"))?;
    site.write(move |_, data: &mut Data| {
        constraints::remove(data, number, named.expression.as_deref()).map_err(|_| {
            Problem::conflict(format!("there is no such constraint {number} any more"))
                .hint("the list has changed; look at it again")
        })?;
        Ok(constraints::list(data)?)
    })
    .await
}

/// The form for one more was sent.
pub(super) async fn add_form(State(site): State<Shared>, Form(wish): Form<Wish>) -> Answer<Response> {
    add(&site, wish).await?;
    Ok(Redirect::to("/settings#constraints").into_response())
}

/// A button was pressed.
pub(super) async fn remove_form(
    State(site): State<Shared>,
    Path(number): Path<String>,
    Form(named): Form<Named>,
) -> Answer<Response> {
    remove(&site, &number, named).await?;
    Ok(Redirect::to("/settings#constraints").into_response())
}
