//! The registry of networks: the definitions that are compiled in, those a person adds, and mined ones.
//!
//! Definitions may be replaced while everything runs. A [`Registry`] is an immutable state of
//! affairs; [`Networks`] holds the present one and swaps it as a whole. Whoever began with one
//! keeps it to the end, so a visit never reads an answer with another definition than it asked by. Requests that are under
//! way name the version they were made by: the one before the present is kept for them ([`Registry::at`]).
//!
//! Definitions that are compiled in are read when somebody asks for them ([`shipped`]). The order matters for references only: what a person adds comes first, networks with a host of
//! their own next, then feeds (known by how their address ends), and servers that live anywhere
//! (Mastodon) last.

mod shipped;

use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use freshet_types::definition::{BodyFormat, Hosts};
use freshet_types::{
    Address, Connector, DefinitionVersion, Instance, LinkType, Map, NetworkName, PageKind, Reference,
    RobotKind, Schema,
};

use crate::connector::DefinedConnector;
use crate::definition::{Definition, DefinitionError};
use crate::reference::{Dialect, Dialects, PatternError, ReferenceError};

#[cfg(test)]
pub(crate) use shipped::FILES as SHIPPED;

/// The type of posts in forums that were mined.
const POST: &str = "post";
/// Why a definition cannot join the registry.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NetworksError {
    /// The definition is wrong.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// One of its references is wrong.
    #[error("{file}: {source}")]
    Pattern {
        file: String,
        /// What is wrong.
        #[source]
        source: PatternError,
    },
}

/// One network, ready for use.
#[derive(Clone, Debug)]
pub struct Network {
    /// Name of the definition.
    pub name: Arc<str>,
    /// Which text of it this is.
    pub version: DefinitionVersion,
    /// Speaks for it.
    pub connector: Arc<dyn Connector>,
    /// Its object and link types.
    pub schema: Arc<Schema>,
    /// The definition, unless it was mined.
    pub definition: Option<Arc<Definition>>,
    /// Where a mined network begins.
    pub front: Option<Front>,
    /// Which collection of the root an endpoint lists, where the definition says so.
    links: Map<String, String>,
    dialect: Option<Dialect>,
}

/// Where a mined network begins: the page that a person names it by.
#[derive(Clone, Debug)]
pub struct Front {
    pub url: String,
    /// What it is.
    pub reference: Reference,
    /// What was learned, as written.
    pub text: String,
}

impl Front {
    /// What a person means by this text, if that is of this network: the address of the front page, or of an object.
    fn understand(&self, text: &str) -> Option<Reference> {
        let trimmed = |url: &str| url.trim().trim_end_matches('/').to_owned();
        if trimmed(text) == trimmed(&self.url) {
            return Some(self.reference.clone());
        }
        let address: Address = text.trim().parse().ok()?;
        let is_here = address.network == self.reference.instance.network;
        is_here.then(|| Reference {
            root_kind: address.kind,
            root_id: Some(address.id),
            handle: None,
            ..self.reference.clone()
        })
    }
}

impl Network {
    /// A network that has a connector of its own, such as a mined forum. Its version is that of its front page's text,
    /// where it gets one.
    pub fn mined(connector: Arc<dyn Connector>, schema: Schema) -> Self {
        Self {
            name: connector.name().into(),
            version: DefinitionVersion::of(""),
            connector,
            schema: Arc::new(schema),
            definition: None,
            front: None,
            links: Map::default(),
            dialect: None,
        }
    }

    fn are_others_visited(&self, robots: &[RobotKind]) -> bool {
        let is_other = |kind: &str| match &self.definition {
            Some(definition) => definition.plan.mappings.iter().any(|mapping| mapping.makes_other(kind)),
            None => kind == POST,
        };
        self.connector.endpoints().iter().any(|endpoint| {
            // An endpoint that shows the post itself leads nowhere that is not known.
            endpoint.robot.is_some_and(|robot| robots.contains(&robot))
                && endpoint.kind != PageKind::Post
                && is_other(&endpoint.root_kind)
        })
    }

    /// The same, named by its front page.
    pub fn with_front(mut self, front: Front) -> Self {
        self.version = DefinitionVersion::of(&front.text);
        self.front = Some(front);
        self
    }

    /// The collection that an endpoint lists: the link it declares, or the one of its own name.
    pub(crate) fn link_of(&self, endpoint: &freshet_types::Endpoint) -> Option<&str> {
        let links = &self.schema.types.get(&*endpoint.root_kind)?.links;
        let name = self.links.get(&*endpoint.name).map_or(&*endpoint.name, String::as_str);
        let (name, link) = links.get_key_value(name)?;
        matches!(link, LinkType::Co(_)).then_some(name.as_str())
    }
}

/// A network of the registry.
#[derive(Clone, Debug)]
enum Entry {
    Ready(Arc<Network>),
    /// Compiled in; its file is read when somebody asks for it.
    Shipped(&'static shipped::Outline),
}

impl Entry {
    fn name(&self) -> &str {
        match self {
            Self::Ready(network) => &network.name,
            Self::Shipped(outline) => &outline.name,
        }
    }

    fn dialect(&self) -> Option<&Dialect> {
        match self {
            Self::Ready(network) => network.dialect.as_ref(),
            Self::Shipped(outline) => Some(&outline.dialect),
        }
    }

    fn network(&self) -> &Arc<Network> {
        match self {
            Self::Ready(network) => network,
            Self::Shipped(outline) => outline.network(),
        }
    }
}

/// A state of affairs: all networks at one instant.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    networks: Vec<Entry>,
    /// Those that were replaced, the last version of each name.
    replaced: Vec<Arc<Network>>,
    dialects: Dialects,
}

impl Registry {
    fn new(networks: Vec<Entry>, replaced: Vec<Arc<Network>>) -> Self {
        let dialects = networks.iter().filter_map(|entry| entry.dialect().cloned()).collect();
        Self { networks, replaced, dialects: Dialects::new(dialects) }
    }

    /// The same with these networks added; one of a known name takes its place.
    fn with(&self, arrivals: Vec<Network>) -> Self {
        let (mut networks, mut replaced) = (self.networks.clone(), self.replaced.clone());
        let mut front = Vec::new();
        for arrival in arrivals.into_iter().map(Arc::new) {
            match networks.iter_mut().chain(&mut front).find(|entry| *entry.name() == *arrival.name) {
                Some(known) => {
                    let before = std::mem::replace(known, Entry::Ready(Arc::clone(&arrival)));
                    let before = before.network();
                    if before.version != arrival.version {
                        replaced.retain(|network| network.name != before.name);
                        replaced.push(Arc::clone(before));
                    }
                }
                None => front.push(Entry::Ready(arrival)),
            }
        }
        front.append(&mut networks);
        Self::new(front, replaced)
    }

    /// The network of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<Network>> {
        self.networks.iter().find(|entry| entry.name() == name).map(Entry::network)
    }

    /// The network of this name as it was in this version: the present one, or the one before it.
    pub fn at(&self, name: &str, version: DefinitionVersion) -> Option<&Arc<Network>> {
        let is_meant = |network: &&Arc<Network>| network.version == version && *network.name == *name;
        self.get(name).filter(is_meant).or_else(|| self.replaced.iter().find(is_meant))
    }

    /// All networks; those that were not needed yet are read now.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Network>> {
        self.networks.iter().map(Entry::network)
    }

    /// The server that objects of this network live on.
    pub fn instance_of(&self, network: &NetworkName) -> Option<Instance> {
        let mined = || self.fronts().map(|front| &front.reference.instance).find(|it| it.network == *network);
        self.dialects.instance_of(network).or_else(|| mined().cloned())
    }

    /// What a person means by this text.
    pub fn understand(&self, text: &str) -> Result<Reference, ReferenceError> {
        match self.fronts().find_map(|front| front.understand(text)) {
            Some(reference) => Ok(reference),
            None => self.dialects.understand(text),
        }
    }

    fn fronts(&self) -> impl Iterator<Item = &Front> {
        // None that is compiled in was mined.
        self.networks.iter().filter_map(|entry| match entry {
            Entry::Ready(network) => network.front.as_ref(),
            Entry::Shipped(_) => None,
        })
    }

    /// One example of every kind of reference, one network on a line.
    pub fn examples(&self) -> String {
        self.dialects.examples()
    }
}

/// The present registry; cheap to ask, safe to change while others use it.
#[derive(Debug, Default)]
pub struct Networks {
    registry: RwLock<Arc<Registry>>,
}

impl Networks {
    /// No network at all.
    pub fn empty() -> Self {
        Self::default()
    }

    /// A registry of its own, as this one is now: what is applied to one does not reach the other.
    pub fn copied(&self) -> Self {
        Self { registry: RwLock::new(self.snapshot()) }
    }

    /// The definitions that are compiled in. Each is read once in a process, when somebody asks for it: that takes longer than many a
    /// test, and what one registry is changed to is no business of the others.
    pub fn shipped() -> Self {
        static OUTLINED: LazyLock<Arc<Registry>> = LazyLock::new(|| {
            let networks = shipped::outlines().iter().map(Entry::Shipped).collect();
            Arc::new(Registry::new(networks, Vec::new()))
        });
        Self { registry: RwLock::new(Arc::clone(&OUTLINED)) }
    }

    /// The networks as they are now; what is asked through it stays consistent.
    pub fn snapshot(&self) -> Arc<Registry> {
        Arc::clone(&self.registry.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes in definitions from files (name and text); all of them, or none when one is wrong.
    pub fn load(&self, files: &[(String, String)]) -> Result<Vec<String>, NetworksError> {
        let mut arrivals = Vec::new();
        for (file, text) in files {
            arrivals.extend(read_definition(file, text)?);
        }
        let names = arrivals.iter().map(|network| network.name.to_string()).collect();
        self.add(arrivals);
        Ok(names)
    }

    /// Adds or replaces one definition; what is under way finishes with the old one.
    pub fn apply_definition(&self, file: &str, text: &str) -> Result<String, NetworksError> {
        let arrivals = read_definition(file, text)?;
        let name = arrivals.first().map(|network| network.name.to_string()).unwrap_or_default();
        self.add(arrivals);
        Ok(name)
    }

    /// Adds or replaces networks that are ready.
    pub fn add(&self, arrivals: Vec<Network>) {
        let mut present = self.registry.write().unwrap_or_else(PoisonError::into_inner);
        *present = Arc::new(present.with(arrivals));
    }

    /// Names of all networks, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<_> =
            self.snapshot().networks.iter().map(|entry| entry.name().to_owned()).collect();
        names.sort();
        names
    }

    /// The connector of this network.
    pub fn connector(&self, name: &str) -> Option<Arc<dyn Connector>> {
        self.snapshot().get(name).map(|network| Arc::clone(&network.connector))
    }

    /// The connector for a network's name with its host.
    pub fn connector_for(&self, network: &NetworkName) -> Option<Arc<dyn Connector>> {
        self.connector(network.definition())
    }

    /// The connector of this network, as its definition was in this version; `None` where that was replaced twice since.
    pub fn connector_at(&self, name: &str, version: DefinitionVersion) -> Option<Arc<dyn Connector>> {
        self.snapshot().at(name, version).map(|network| Arc::clone(&network.connector))
    }

    /// Whether one of these robots visits what was found beside accounts (posts, albums), on networks of these definitions.
    pub fn are_others_visited<'a>(
        &self,
        mut definitions: impl Iterator<Item = &'a str>,
        robots: &[RobotKind],
    ) -> bool {
        let registry = self.snapshot();
        definitions.any(|name| registry.get(name).is_some_and(|network| network.are_others_visited(robots)))
    }

    /// The definition of this network, unless it was mined.
    pub fn definition(&self, name: &str) -> Option<Arc<Definition>> {
        self.snapshot().get(name).and_then(|network| network.definition.clone())
    }

    /// The server that objects of this network live on.
    pub fn instance_of(&self, network: &NetworkName) -> Option<Instance> {
        self.snapshot().instance_of(network)
    }

    /// What a person means by this text.
    pub fn understand(&self, text: &str) -> Result<Reference, ReferenceError> {
        self.snapshot().understand(text)
    }
}

/// How wide a network casts its references: narrow ones are tried first.
fn breadth(hosts: Hosts, host: Option<&str>, format: BodyFormat) -> u8 {
    match (hosts, host, format) {
        (Hosts::One, ..) => 0,
        (_, Some(_), _) => 1,
        (_, _, BodyFormat::Json) => 3,
        _ => 2,
    }
}

/// The networks of one file: the definition itself, and the variants that share it.
fn read_definition(file: &str, text: &str) -> Result<Vec<Network>, NetworksError> {
    let own = Definition::parse(file, text)?;
    let version = DefinitionVersion::of(text);
    own.family().into_iter().map(|definition| ready((file, version), &own, definition)).collect()
}

fn ready(
    (file, version): (&str, DefinitionVersion),
    own: &Definition,
    definition: Definition,
) -> Result<Network, NetworksError> {
    let dialect = Dialect::new(&definition, &own.references)
        .map_err(|source| NetworksError::Pattern { file: file.to_owned(), source })?;
    let links =
        definition.endpoints.iter().filter_map(|(name, rule)| Some((name.clone(), rule.link.clone()?)));
    Ok(Network {
        name: definition.name.as_str().into(),
        version,
        schema: Arc::new(definition.schema()),
        connector: Arc::new(DefinedConnector::new(&definition)?),
        links: links.collect(),
        dialect: Some(dialect),
        definition: Some(Arc::new(definition)),
        front: None,
    })
}
