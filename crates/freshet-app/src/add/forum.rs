//! `freshet add` of a forum's front page: it is learned first, and its definition kept beside those of other networks.
//!
//! A person says that it is a forum (`--as forum`), or types an address that no network understands; lists of references
//! are never fetched. A forum that is known is not learned again: its file in `networks/` may have been edited.

use anyhow::Context as _;
use freshet_forum::connector::network_name;
use freshet_forum::report::Report;
use freshet_network::networks::Networks;
use freshet_network::reference::ReferenceError;
use freshet_report::add::LearnedForum;
use freshet_types::Map;
use url::Url;

use super::AddWish;
use crate::config::Globals;
use crate::failure::Failure;
use crate::forum::site::{self, Wanted};
use crate::forum::{PAGES_USUAL, site_address};
use crate::{mined, notice, text};

/// What was learned, and of what was tried in vain what came of it.
type Learnt = (Vec<LearnedForum>, Map<String, String>);

/// Learns the forums among what was typed that are not known yet.
pub(super) fn learn_new(globals: &Globals, networks: &Networks, args: &AddWish) -> anyhow::Result<Learnt> {
    let (mut sites, mut tried) = (Vec::new(), Map::default());
    if args.is_page {
        return Ok((sites, tried));
    }
    for text in &args.references {
        let understood = networks.understand(text);
        let is_known = understood
            .as_ref()
            .is_ok_and(|it| networks.definition(it.instance.network.definition()).is_none());
        let is_said = args.is_forum;
        let is_foreign = may_be_forum(networks, text);
        let Some(front) = site_address(text).filter(|_| !is_known && (is_said || is_foreign)) else {
            continue;
        };
        if !is_said {
            notice::note(format!("`{text}` is of no network that is known; trying it as a forum"));
        }
        let wanted = Wanted { pages_max: PAGES_USUAL, allow_private: args.allow_private };
        match site::learn_site(globals, &front, wanted)
            .and_then(|learned| keep(globals, networks, text, learned))
        {
            Ok(site) => sites.push(site),
            Err(error) if is_said => return Err(error),
            // It is said with what else was not understood.
            Err(error) => {
                let what = "is of no network that is known (no profile, no feed by its address), and was tried as a forum";
                tried.insert(text.clone(), format!("`{text}` {what}: {error:#}"));
            }
        }
    }
    Ok((sites, tried))
}

/// Whether a text is an address of the web that no network knows, and no forum that is watched.
pub fn may_be_forum(networks: &Networks, text: &str) -> bool {
    matches!(networks.understand(text), Err(ReferenceError::Unknown { .. }))
        && site_address(text).is_some()
        && !is_watched(networks, text)
}

/// Whether an address lies in a forum that is known already, which is watched as a whole.
fn is_watched(networks: &Networks, text: &str) -> bool {
    let Some(url) = site_address(text) else { return false };
    let snapshot = networks.snapshot();
    let fronts = snapshot.iter().filter_map(|network| network.front.as_ref());
    fronts.filter_map(|front| site_address(&front.url)).any(|front| front.origin() == url.origin())
}

fn keep(
    globals: &Globals,
    networks: &Networks,
    text: &str,
    (learned, feed): (freshet_forum::learn::Learned, Option<Url>),
) -> anyhow::Result<LearnedForum> {
    let definition = learned.definition;
    if let Some(lack) = site::lack(&definition) {
        let mut parts = vec![format!("{lack} on {}", looked_at(&learned.report))];
        parts.extend(learned.report.doubts);
        parts.extend(feed.map(|feed| format!("the page offers a feed: `freshet add rss:{feed}` follows it")));
        let failure = Failure::new(format!("`{text}` cannot be read as a forum: {}", parts.join("; ")));
        return Err(failure.hint(format!("`freshet forum learn {text}` shows what was understood")).into());
    }
    let front =
        definition.front.as_deref().and_then(site_address).context("a learned site has an address")?;
    let name = network_name(&front);
    let dir = globals.data_dir.join("networks");
    let file = dir.join(format!("{name}.toml"));
    let written = definition.to_toml();
    std::fs::create_dir_all(&dir)
        .and_then(|()| std::fs::write(&file, &written))
        .with_context(|| format!("`{}` cannot be written", file.display()))?;
    mined::apply(networks, &file, &written)?;
    let confidence = |list: &Option<freshet_forum::definition::ListDefinition>| {
        list.as_ref().map_or(0.0, |it| it.confidence)
    };
    Ok(LearnedForum {
        network: name.to_string(),
        file,
        page_count: definition.page_count,
        index_confidence: confidence(&definition.index),
        post_confidence: confidence(&definition.post),
    })
}

/// What was looked at, by what it was taken for.
fn looked_at(report: &Report) -> String {
    let kinds: Vec<String> = report
        .kinds
        .iter()
        .map(|it| format!("{} {}", it.page_count, format!("{:?}", it.kind).to_lowercase()))
        .collect();
    format!("{} ({})", text::count(report.page_count as u64, "page"), kinds.join(", "))
}
