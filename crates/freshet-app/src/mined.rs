//! Forums that were learned, as networks: their files lie beside the definitions of other networks.
//!
//! A file with the key `format` is a forum's; everything else is a definition. Where freshet-network and freshet-forum
//! meet, since neither knows the other.

use std::path::Path;

use freshet_forum::connector::{PORTAL, network_name, shared};
use freshet_forum::definition::ForumDefinition;
use freshet_network::networks::{Front, Network, Networks};
use freshet_types::{Instance, Reference};
use url::Url;

use crate::failure::Failure;

/// The key under which definitions of forums have a number, their version; those of networks have a word there, if anything.
const MARK: &str = "format";

/// Whether a file is a forum's.
pub fn is_forum(text: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|table| table.get(MARK).is_some_and(toml::Value::is_integer))
}

/// Takes in one file of `networks/`, whatever it is; gives the name of its network.
pub fn apply(networks: &Networks, path: &Path, text: &str) -> anyhow::Result<String> {
    if !is_forum(text) {
        return Ok(networks.apply_definition(&path.display().to_string(), text)?);
    }
    let network = network(path, text)?;
    let name = network.name.to_string();
    networks.add(vec![network]);
    Ok(name)
}

/// The network of a forum's file.
pub fn network(path: &Path, text: &str) -> anyhow::Result<Network> {
    let wrong = |why: String| Failure::misuse(format!("`{}`: {why}", path.display()));
    let definition = ForumDefinition::parse(text).map_err(|error| wrong(error.to_string()))?;
    let front = definition.front.as_deref().and_then(|front| Url::parse(front).ok()).ok_or_else(|| {
        wrong("`front` is no address".to_owned())
            .hint("give the address of the forum's front page: front = \"https://…/\"")
    })?;
    let name = network_name(&front);
    let query = front.query().map_or_else(String::new, |query| format!("?{query}"));
    let reference = Reference {
        instance: Instance {
            network: name.clone(),
            base: front.origin().ascii_serialization(),
            allow_private: false,
        },
        root_kind: PORTAL.into(),
        root_id: Some(format!("{}{query}", front.path())),
        handle: None,
    };
    let (connector, schema) = shared(name.as_str(), definition);
    Ok(Network::mined(connector, schema).with_front(Front {
        url: front.into(),
        reference,
        text: text.to_owned(),
    }))
}
