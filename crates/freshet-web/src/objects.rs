//! One object of the model for programs: what `freshet get` reads, by its address.

use freshet_app::data::Data;
use freshet_app::object::{self, Found, LIMIT_MAX, LIMIT_USUAL, ObjectWish};
use freshet_report::object::ObjectReport;
use freshet_store::api::interest::Inquiry;
use freshet_store::browse::OFFSET_MAX;
use serde::Deserialize;

use super::Shared;
use super::answer::{Answer, Problem};
use super::interest;
use super::sources::typed;

/// What is asked of it.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    links: String,
    #[serde(default)]
    limit: String,
    #[serde(default)]
    offset: String,
}

/// The object, or a sentence that says why there is none.
pub(super) async fn describe(site: &Shared, reference: String, asked: &Asked) -> Answer<ObjectReport> {
    let links = typed("links", &asked.links)?.unwrap_or_default();
    let links = links.split(',').map(str::trim).filter(|link| !link.is_empty()).map(str::to_owned).collect();
    let limit = number("limit", &asked.limit, LIMIT_USUAL, LIMIT_MAX)?;
    let offset = number("offset", &asked.offset, 0, OFFSET_MAX)?;
    let wish = ObjectWish { reference, links, limit, offset };
    let registry = site.parts.networks.snapshot();
    let look = move |_: &_, data: &Data| {
        let found = object::find(&data.store, &registry, &wish)?;
        let inquiry = match &found {
            Found::Object(report) => freshet_app::interest::of_object(&data.store, &report.address)?,
            Found::Absent(_) => Inquiry::default(),
        };
        Ok((found, inquiry))
    };
    let (found, inquiry) = site.read(look).await?;
    interest::note(site, inquiry);
    match found {
        Found::Object(report) => Ok(*report),
        Found::Absent(why) => Err(Problem::not_found(why)
            .hint("an address is `network/type/id`, as exports have it; the command `freshet get` can ask the network")),
    }
}

fn number(name: &str, text: &str, usual: usize, max: usize) -> Answer<usize> {
    let number = if text.is_empty() { Some(usual) } else { text.parse().ok() };
    let number = number.filter(|number| *number <= max);
    number.ok_or_else(|| Problem::bad(format!("`{name}` is a number up to {max}")))
}
