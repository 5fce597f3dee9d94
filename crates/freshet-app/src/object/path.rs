//! Paths of links: `author.followers_count`, `posts[0].text`, `hometown.longitude`.
//!
//! A path follows a c-link to its object, a co-link to each of its members (or to one of them, by its place), and ends in values or
//! objects. It may come back to where it began: it is as long as it was typed, and no longer.

use std::fmt;
use std::str::FromStr;

use freshet_report::object::LinkedObject;
use freshet_types::{Address, LinkType, Object};
use serde_json::Value;

use super::reader::{Known, Reader};
use crate::failure::Failure;

/// Links of one path.
const SEGMENTS_MAX: usize = 8;
/// Values that one path may lead to, over all the members it meets.
const VALUES_MAX: usize = 1000;

/// A path, as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path(Vec<Segment>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Segment {
    name: String,
    /// One member of a collection.
    at: Option<usize>,
}

impl Path {
    /// The link it begins with.
    pub(crate) fn first(&self) -> &str {
        self.0.first().map_or("", |segment| &segment.name)
    }
}

impl FromStr for Path {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fail = |why: &str| {
            format!(
                "`{text}` is no path of links: {why}; `author.followers_count` is one, `posts[0].text` another"
            )
        };
        let segments = text.split('.').map(|part| {
            let (name, at) = match part.split_once('[') {
                None => (part, None),
                Some((name, rest)) => {
                    let place = rest.strip_suffix(']').and_then(|place| place.parse().ok());
                    (name, Some(place.ok_or_else(|| fail("a place is a number in brackets, from 0"))?))
                }
            };
            if name.is_empty() {
                return Err(fail("a link has a name"));
            }
            Ok(Segment { name: name.to_owned(), at })
        });
        let segments: Vec<Segment> = segments.collect::<Result<_, String>>()?;
        if segments.len() > SEGMENTS_MAX {
            return Err(fail(&format!("it has more than {SEGMENTS_MAX} links")));
        }
        Ok(Self(segments))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.0.iter().enumerate() {
            write!(f, "{}{}", if at > 0 { "." } else { "" }, segment.name)?;
            if let Some(place) = segment.at {
                write!(f, "[{place}]")?;
            }
        }
        Ok(())
    }
}

/// Follows paths through the store.
pub(crate) struct Walk<'a> {
    pub(crate) reader: &'a Reader<'a>,
    /// Members of each collection, at most.
    pub(crate) limit: usize,
    /// Members of the first collection that are passed over.
    pub(crate) offset: usize,
    /// What could not be followed.
    pub(crate) notes: Vec<String>,
}

impl Walk<'_> {
    /// What a path from this object leads to.
    pub(crate) fn follow(&mut self, from: &Address, path: &Path) -> anyhow::Result<Vec<Value>> {
        let mut values = Vec::new();
        self.step(from, &path.0, self.offset, &mut values)?;
        if values.len() > VALUES_MAX {
            values.truncate(VALUES_MAX);
            self.note(format!("`{path}` leads to more than {VALUES_MAX} values; the others are left out"));
        }
        Ok(values)
    }

    fn step(
        &mut self,
        from: &Address,
        segments: &[Segment],
        offset: usize,
        values: &mut Vec<Value>,
    ) -> anyhow::Result<()> {
        let Some((segment, rest)) = segments.split_first() else {
            values.push(self.shown(from)?);
            return Ok(());
        };
        if values.len() > VALUES_MAX {
            return Ok(());
        }
        let Some(links) = self.reader.links(from) else {
            self.note(format!("`{}` has no definition of `{}`", from.network, from.kind));
            return Ok(());
        };
        let name = segment.name.as_str();
        let Some(link) = links.get(name) else { return Err(no_link(from, name, links.keys())) };
        if let LinkType::Co(_) = link {
            let (offset, limit) = segment.at.map_or((offset, self.limit), |at| (at, 1));
            for member in self.reader.members(from, name, offset, limit)?.members {
                self.step(&member, rest, 0, values)?;
            }
            return Ok(());
        }
        let Some(Known { object, .. }) = self.reader.known(from)? else {
            self.note(format!("nothing is stored of `{from}`"));
            return Ok(());
        };
        if matches!(link, LinkType::P(_) | LinkType::Sp(_)) {
            if let Some(next) = rest.first() {
                let why = format!("`{name}` of `{from}` is a value and has no link `{}`", next.name);
                return Err(Failure::misuse(why).into());
            }
            let splink = object.splinks.get(name).map(Value::from);
            values.extend(self.reader.values(&object).remove(name).or(splink));
            return Ok(());
        }
        for target in targets(&object, segment) {
            self.step(&target, rest, 0, values)?;
        }
        Ok(())
    }

    /// An object at the end of a path.
    fn shown(&self, address: &Address) -> anyhow::Result<Value> {
        let known = self.reader.known(address)?;
        let plinks = known.map(|known| self.reader.values(&known.object)).unwrap_or_default();
        Ok(serde_json::to_value(LinkedObject { address: address.to_string(), plinks })?)
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Where a link leads, of those that stand in the object itself.
fn targets(object: &Object, segment: &Segment) -> Vec<Address> {
    let name = &segment.name;
    let one = object.clinks.get(name).or_else(|| object.sclinks.get(name));
    let many = object.scolinks.get(name).map_or(&[][..], Vec::as_slice);
    let all = one.into_iter().chain(many).map(|target| target.address.clone());
    match segment.at {
        Some(at) => all.skip(at).take(1).collect(),
        None => all.collect(),
    }
}

fn no_link<'l>(from: &Address, name: &str, links: impl Iterator<Item = &'l String>) -> anyhow::Error {
    let known: Vec<&str> = links.map(String::as_str).collect();
    let failure = Failure::misuse(format!("`{}` of `{}` has no link `{name}`", from.kind, from.network));
    failure.hint(format!("its links are {}", known.join(", "))).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        match (text.parse::<Path>(), expected) {
            (Ok(path), Ok(first)) => assert_eq!((path.first(), &*path.to_string()), (first, text)),
            (Err(why), Err(part)) => assert!(why.contains(part), "{text}: {why}"),
            (read, _) => panic!("{text}: {read:?}"),
        }
    }

    #[test]
    fn paths_are_read_and_written_again() {
        check("text", Ok("text"));
        check("author.followers_count", Ok("author"));
        check("posts[12].author.posts[0].text", Ok("posts"));
        check("", Err("a link has a name"));
        check("author.", Err("a link has a name"));
        check("posts[x]", Err("a number in brackets"));
        check("posts[1", Err("a number in brackets"));
        check("a.a.a.a.a.a.a.a.a", Err("more than 8"));
    }
}
