//! The definitions that are compiled in: outlined at once, each read when somebody needs it.
//!
//! Reading all of them takes longer than most commands, and a command needs one or two. What the registry asks of all networks (their names,
//! what people type for them, which are tried first) stands in a few sections of each file; only those are read, and no pattern is
//! compiled before a text is held against it. That an outline says what the whole file says is tested, as is that every file is sound.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, OnceLock};

use freshet_types::ReferencePattern;
use freshet_types::definition::{BodyFormat, Hosts, Variant};
use serde::Deserialize;

use super::{Network, breadth, read_definition};
use crate::reference::Dialect;

/// The files of `networks/`, by name.
pub(crate) const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// The networks of each file, read when they were first needed.
static READ: LazyLock<Vec<OnceLock<Vec<Arc<Network>>>>> =
    LazyLock::new(|| FILES.iter().map(|_| OnceLock::new()).collect());

/// What is known of a network before its file is read.
#[derive(Debug)]
pub(crate) struct Outline {
    pub(super) name: Arc<str>,
    pub(super) dialect: Dialect,
    breadth: u8,
    /// Its file, and its own place among the networks of that file.
    place: (usize, usize),
}

impl Outline {
    /// The network itself.
    pub(super) fn network(&self) -> &'static Arc<Network> {
        let (file, own) = self.place;
        let read = || {
            let (name, text) = FILES[file];
            let networks = read_definition(name, text);
            let networks = networks.unwrap_or_else(|error| panic!("a shipped definition is wrong: {error}"));
            networks.into_iter().map(Arc::new).collect()
        };
        &READ[file].get_or_init(read)[own]
    }
}

/// All networks, the narrowest first.
pub(super) fn outlines() -> &'static [Outline] {
    static ALL: LazyLock<Vec<Outline>> = LazyLock::new(|| {
        let mut all: Vec<_> =
            FILES.iter().enumerate().flat_map(|(place, (name, text))| outline(place, name, text)).collect();
        all.sort_by_key(|outline| outline.breadth);
        all
    });
    &ALL
}

/// The sections of a file that tell what the registry asks.
#[derive(Deserialize)]
struct Head {
    name: String,
    #[serde(default)]
    hosts: Hosts,
    base: String,
    host: Option<String>,
    #[serde(default)]
    format: BodyFormat,
    #[serde(default)]
    references: Vec<ReferencePattern>,
    #[serde(default)]
    variants: BTreeMap<String, Variant>,
}

/// The networks of one file.
fn outline(place: usize, file: &str, text: &str) -> Vec<Outline> {
    let (sections, types) = sections(text);
    let head: Head = toml::from_str(&sections)
        .unwrap_or_else(|error| panic!("a shipped definition is wrong: {file}: {error}"));
    let own = Dialect::outlined(&head.name, (head.hosts, &head.base, head.host.as_deref()), &types)
        .with_patterns(&head.references, &[]);
    let breadth_of = |hosts, host: Option<&str>| breadth(hosts, host, head.format);
    let own = Outline {
        name: head.name.as_str().into(),
        dialect: own,
        breadth: breadth_of(head.hosts, head.host.as_deref()),
        place: (place, 0),
    };
    let variants = head.variants.iter().enumerate().map(|(at, (name, variant))| {
        let dialect =
            Dialect::outlined(name, (variant.hosts, &variant.base, variant.host.as_deref()), &types);
        Outline {
            name: name.as_str().into(),
            dialect: dialect.with_patterns(&variant.references, &head.references),
            breadth: breadth_of(variant.hosts, variant.host.as_deref()),
            place: (place, at + 1),
        }
    });
    std::iter::once(own).chain(variants).collect()
}

/// The head of a file with its references and variants, and the names of its types.
fn sections(text: &str) -> (String, Vec<String>) {
    let (mut kept, mut types, mut is_kept) = (String::new(), BTreeSet::new(), true);
    for line in text.lines() {
        if line.starts_with('[') {
            let name = line.trim_start_matches('[');
            is_kept = name.starts_with("references]") || name.starts_with("variants.");
            let of_type = name.strip_prefix("types.").and_then(|name| name.split(['.', ']']).next());
            types.extend(of_type.map(str::to_owned));
        }
        if is_kept {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    (kept, types.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_says_what_the_whole_file_says() {
        let networks = outlines();
        assert!(networks.windows(2).all(|pair| pair[0].breadth <= pair[1].breadth));
        for outline in networks {
            let network = outline.network();
            let definition = network.definition.as_ref().expect("it was written");
            assert_eq!(network.name, outline.name);
            assert_eq!(
                breadth(definition.hosts, definition.host.as_deref(), definition.format),
                outline.breadth
            );
            let whole = network.dialect.as_ref().expect("it was written");
            assert_eq!(whole.shape(), outline.dialect.shape(), "{}", outline.name);
        }
        let count: usize = READ.iter().map(|family| family.get().map_or(0, Vec::len)).sum();
        assert_eq!(count, networks.len(), "every network of every file has an outline");
    }
}
