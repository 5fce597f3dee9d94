//! An object as people want to see it: with what leads to it, what happened to it, and who visits it.

use freshet_report::object::{LinkedBy, ObjectChange, ObjectSource, ShowReport};
use freshet_report::time::UnixNumber;
use freshet_store::row::LinkQuery;
use freshet_types::{Address, Source};

use super::reader::Reader;
use super::{Found, ObjectWish, absent, find};
use crate::config::Globals;
use crate::data::{self, Data};

/// Objects that lead to it, lines of its log and sources that are told.
const LINKED_BY_MAX: usize = 50;
const CHANGES_MAX: usize = 50;
const SOURCES_MAX: usize = 20;

/// Reads an object and what surrounds it.
pub fn show(globals: &Globals, reference: &str, limit: usize) -> anyhow::Result<ShowReport> {
    let data = Data::look(globals)?;
    let networks = data::networks(globals)?;
    let registry = networks.snapshot();
    let wish = ObjectWish { reference: reference.to_owned(), links: Vec::new(), limit, offset: 0 };
    let mut object = match find(&data.store, &registry, &wish)? {
        Found::Object(report) => *report,
        Found::Absent(why) => return Err(absent(why)),
    };
    let reader = Reader::new(&data.store, &registry);
    let address: Address = object.address.parse()?;
    // People know members by their names.
    for member in object.colinks.values_mut().flatten() {
        let known = reader.known(&member.address.parse()?)?;
        member.plinks = known.map(|known| reader.values(&known.object)).unwrap_or_default();
    }
    let number = reader.known(&address)?.map(|known| known.number).unwrap_or_default();
    let change = |change: freshet_types::Change| ObjectChange {
        kind: change.kind.name().to_owned(),
        seen_at: UnixNumber::of(change.seen_at),
    };
    let changes = data.store.changes_of(number, CHANGES_MAX)?.into_iter().map(change).collect();
    let earlier_texts = data.store.earlier_texts(number)?.into_iter().map(|(_, text)| text).collect();
    let found = data.store.find_sources(&address.id)?.into_iter();
    let is_its = |source: &Source| source.network == address.network && source.root_kind == address.kind;
    let sources = found.filter(is_its).take(SOURCES_MAX).map(|source| described(&source)).collect();
    let linked_by = linked_by(&reader, &address)?;
    let now = UnixNumber::of(data.now_for_report(None));
    Ok(ShowReport { now, object, linked_by, changes, earlier_texts, sources })
}

/// What leads to it: links of its own network that no collection of its own tells, and links of other networks.
fn linked_by(reader: &Reader<'_>, address: &Address) -> anyhow::Result<Vec<LinkedBy>> {
    let query = LinkQuery {
        network: &address.network,
        object: (&address.kind, &address.id),
        is_inward: true,
        name: None,
        with_cancelled: false,
        limit: LINKED_BY_MAX,
    };
    let own = reader.store.links_of(&query)?.into_iter().map(|row| LinkedBy {
        address: Address::new(&address.network, &row.link.from.kind, row.link.from.id).to_string(),
        link: row.link.name.to_string(),
        is_across: false,
    });
    let across = reader.store.links_across(address, LINKED_BY_MAX)?.into_iter();
    let across = across.map(|(from, link)| LinkedBy { address: from.to_string(), link, is_across: true });
    Ok(own.chain(across).collect())
}

fn described(source: &Source) -> ObjectSource {
    ObjectSource {
        source: source.id.0,
        label: source.label(),
        state: source.state.name().to_owned(),
        visited_at: source.visited_at.and_then(UnixNumber::of),
        due_at: UnixNumber::of(source.due_at),
    }
}
