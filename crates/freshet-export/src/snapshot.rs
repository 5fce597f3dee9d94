//! Snapshots: a folder to cite, and the check that it is still what it was.
//!
//! ```text
//! README.md       what this is, when and how it was made, with what holes
//! data/           all records, as an export writes them, and its manifest
//! ids.txt         the addresses of all posts
//! coverage.jsonl  for each watched list, what is proven complete and what is not
//! networks/       the definitions by which the networks were read
//! snapshot.json   all of the README's facts, for programs
//! SHA256SUMS      of every file above; `sha256sum -c SHA256SUMS` checks them too
//! ```
//!
//! It is made in a neighbour folder and renamed at the end, so that a folder of this name is whole. What is
//! proven complete is written down before the records are taken, so that a crawl that goes on meanwhile
//! only adds records that nothing is claimed of. One that was interrupted goes on where it was, with
//! what was proven then ([`begun`]). The hash of `SHA256SUMS` names the snapshot: who has it can tell
//! whether a copy is the one that was cited.

mod begun;
mod coverage;
mod readme;
pub(crate) mod sums;

pub use sums::verify;

use std::ops::ControlFlow;
use std::path::Path;

use anyhow::Context as _;
use freshet_app::config::Globals;
use freshet_app::data::{self, Data};
use freshet_app::failure::Failure;
use freshet_app::focus;
use freshet_app::identity::identity;
use freshet_app::networks::text_of;
use freshet_app::notice;
use freshet_app::when::When;
use freshet_engine::constrain::setting;
use freshet_network::networks::Networks;
use freshet_report::snapshot::{SnapshotDefinition, SnapshotReport};
use freshet_sink::{Format, RecordKind};
use freshet_types::{Set, Timestamp};

use crate::{
    Asked, Bounds, Manifest, Wish, check_network, check_times, day_name, hash_file, hold, plan, to_folder,
};
use begun::{Begun, Paths};
use readme::Facts;

/// Format of the folder; it changes when a reader must.
const SNAPSHOT_VERSION: u32 = 1;
/// Everything there is.
const KINDS: [RecordKind; 6] = RecordKind::ALL;

/// What somebody wants a snapshot of.
#[derive(Clone, Debug)]
pub struct SnapshotWish {
    /// As which kind of file records are written.
    pub format: Format,
    /// Posts made since then.
    pub since: Option<When>,
    /// Posts made before then.
    pub until: Option<When>,
    /// Of this network alone.
    pub network: Option<String>,
    /// What it is called.
    pub title: Option<String>,
    /// One that was interrupted is begun anew.
    pub is_restart: bool,
    /// Records between two checkpoints.
    pub checkpoint_every: u64,
}

/// Makes one in a folder that is not there yet.
pub fn make(globals: &Globals, args: &SnapshotWish, dir: &Path) -> anyhow::Result<SnapshotReport> {
    if !begun::is_empty(dir) {
        let failure = Failure::misuse(format!("`{}` is there already", dir.display()));
        return Err(failure.hint("a snapshot is never written over; name a new folder").into());
    }
    let data = Data::look(globals)?;
    check_network(&data, globals, args.network.as_deref())?;
    times(&data, args)?;
    let networks = data::networks(globals)?;
    let store = identity(&data.store)?;
    let wanted = Begun {
        store,
        asked: asked(&data, args),
        made_at_ms: data.now_for_report(None).ms(),
        coverage: None,
    };
    let paths = Paths::new(dir)?;
    let mut begun = begun::find_or_begin(&paths, wanted, args.is_restart)?;
    let part = paths.part.clone();
    let _held = hold(&part)?;
    let coverage = if let Some(coverage) = begun.coverage.clone() {
        coverage
    } else {
        let coverage = coverage::write(&data, &networks, args.network.as_deref(), &part)?;
        begun.coverage = Some(coverage.clone());
        begun.write(&paths)?;
        coverage
    };
    let (wish, manifest) = export_records(&data, args, &begun, &part)?;
    let definitions = write_definitions(&data, &networks, &part)?;
    write_ids(&data, &wish, &part)?;
    let facts = Facts {
        version: SNAPSHOT_VERSION,
        freshet: env!("CARGO_PKG_VERSION"),
        title: args.title.clone(),
        made_at: Timestamp::from_ms(begun.made_at_ms),
        since: wish.filter.since,
        until: wish.filter.until,
        network: args.network.clone(),
        format: wish.format.name(),
        days: days(&data, &wish)?,
        counts: counts(&manifest),
        deleted_count: data.store.counts()?.deleted,
        constraints: setting::rules(&data.store)?,
        focus: focus::only(&data.store)?,
        definitions,
        coverage,
    };
    write(&part, "README.md", &facts.text())?;
    write(&part, "snapshot.json", &(serde_json::to_string_pretty(&facts.report())? + "\n"))?;
    let (id, files) = sums::write(&part)?;
    paths.finish()?;
    manifest.remember(globals, dir, true);
    Ok(SnapshotReport {
        snapshot: dir.display().to_string(),
        id,
        posts_count: facts.count_of(RecordKind::Posts),
        files_count: files.len(),
        bytes: files.iter().map(|file| file.bytes).sum(),
    })
}

fn asked(data: &Data, args: &SnapshotWish) -> Asked {
    Asked {
        format: args.format.to_string(),
        kinds: KINDS.iter().map(ToString::to_string).collect(),
        since: args.since.map(|when| when.to_string()),
        until: args.until.map(|when| when.to_string()),
        network: args.network.clone(),
        split: None,
        viewer: data.viewer().map(str::to_owned),
    }
}

/// The instants that are meant.
fn times(data: &Data, args: &SnapshotWish) -> anyhow::Result<(Option<Timestamp>, Option<Timestamp>)> {
    let resolve = |when: Option<When>| when.map(|when| when.resolve(|| data.now())).transpose();
    check_times(resolve(args.since)?, resolve(args.until)?)
}

/// All records, as an export.
fn export_records(
    data: &Data,
    args: &SnapshotWish,
    begun: &Begun,
    part: &Path,
) -> anyhow::Result<(Wish, Manifest)> {
    let dir = part.join("data");
    let mut manifest = if let Some(mut manifest) = Manifest::read(&dir)? {
        manifest.keep_what_is_there(&dir);
        manifest
    } else {
        let times = times(data, args)?;
        let (asked, bounds) = (begun.asked.clone(), Bounds::now(&data.store)?);
        Manifest::new(asked, begun.store.clone(), times, bounds)
            .begun_at(Timestamp::from_ms(begun.made_at_ms))
    };
    let wish = Wish {
        format: args.format,
        kinds: KINDS.to_vec(),
        filter: manifest.filter(),
        is_split: false,
        up_to: manifest.up_to(),
        checkpoint_every: args.checkpoint_every,
    };
    let parts = plan(&data.store, &wish)?;
    let damages = to_folder(&data.store, &dir, &wish, &parts, &mut manifest)?;
    if !damages.is_empty() {
        damages.tell();
        let failure = Failure::new("the store is damaged, and a snapshot must be whole");
        return Err(failure
            .hint("`freshet check` says what is wrong; `freshet export` takes out the rest")
            .into());
    }
    Ok((wish, manifest))
}

fn counts(manifest: &Manifest) -> Vec<(String, u64)> {
    let of = |kind: RecordKind| {
        let is_of = |name: &str| name.split(['.', '/']).next() == Some(kind.name());
        manifest.files.iter().filter(|file| is_of(&file.name)).map(|file| file.records_count).sum()
    };
    KINDS.iter().map(|&kind| (kind.to_string(), of(kind))).collect()
}

/// First and last day with a post.
fn days(data: &Data, wish: &Wish) -> anyhow::Result<Option<(String, String)>> {
    let wish = Wish { kinds: vec![RecordKind::Posts], is_split: true, ..wish.clone() };
    let parts = plan(&data.store, &wish)?;
    let days = || parts.iter().filter_map(|part| part.day);
    Ok(days().min().zip(days().max()).map(|(first, last)| (day_name(first), day_name(last))))
}

/// The addresses of all posts, one a line, in the order of first sight.
fn write_ids(data: &Data, wish: &Wish, part: &Path) -> anyhow::Result<()> {
    use std::io::Write as _;
    let path = part.join("ids.txt");
    let cannot = || format!("`{}` cannot be written", path.display());
    let file = std::fs::File::create(&path).with_context(cannot)?;
    let mut out = std::io::BufWriter::new(file);
    let mut written = Ok(());
    data.store.each_post(&wish.filter, &mut |row| {
        if row.object > wish.up_to.of(RecordKind::Posts) {
            return ControlFlow::Break(());
        }
        if row.is_outside {
            return ControlFlow::Continue(());
        }
        written = writeln!(out, "{}/{}/{}", row.network, row.post.kind, row.post.id);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written.and_then(|()| out.flush()).with_context(cannot)
}

/// The definitions of the networks that were read, as text, each with its hash.
fn write_definitions(
    data: &Data,
    networks: &Networks,
    part: &Path,
) -> anyhow::Result<Vec<SnapshotDefinition>> {
    let names: Set<String> =
        data.store.instances()?.iter().map(|row| row.instance.network.definition().to_owned()).collect();
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort();
    let dir = part.join("networks");
    std::fs::create_dir_all(&dir).with_context(|| format!("`{}` cannot be made", dir.display()))?;
    let mut definitions = Vec::new();
    for name in names {
        let Some(text) = text_of(networks, &name) else {
            notice::note(format!("the definition of `{name}` is gone; the snapshot goes without it"));
            continue;
        };
        let file = format!("networks/{}.toml", name.replace(['/', ':'], "_"));
        write(part, &file, &text)?;
        let (_, sha256) = hash_file(&part.join(&file))?;
        definitions.push(SnapshotDefinition { network: name, file, sha256 });
    }
    Ok(definitions)
}

fn write(part: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let path = part.join(name);
    std::fs::write(&path, text).with_context(|| format!("`{}` cannot be written", path.display()))
}

#[cfg(test)]
mod tests;
