//! One export from beginning to end: what was asked, in which folder, and whether one that was interrupted goes on.

use std::io::Write;
use std::path::{Path, PathBuf};

use freshet_app::config::Globals;
use freshet_app::data::Data;
use freshet_app::failure::Failure;
use freshet_app::identity::identity;
use freshet_app::notice;
use freshet_app::text::{count, grouped};
use freshet_app::when::When;
use freshet_sink::{Format, RecordKind};

use crate::check::{check_network, check_times};
use crate::damage::Damages;
use crate::manifest::{Asked, Manifest};
use crate::part::{Part, plan};
use crate::stream::to_writer;
use crate::write::to_folder;
use crate::{Bounds, Wish};

/// What somebody wants to export.
#[derive(Clone, Debug)]
pub struct ExportWish {
    /// As which kind of file.
    pub format: Format,
    /// Which kinds of record, each in files of its own.
    pub kinds: Vec<RecordKind>,
    /// Made or changed since then.
    pub since: Option<When>,
    /// Made or changed before then.
    pub until: Option<When>,
    /// Of this network alone.
    pub network: Option<String>,
    /// One file for each day.
    pub is_split: bool,
    /// One that was interrupted is begun anew, and another one is written over.
    pub is_restart: bool,
    /// Records between two checkpoints.
    pub checkpoint_every: u64,
}

/// An export that has begun, or goes on.
#[derive(Debug)]
pub struct Export {
    data: Data,
    dir: Option<PathBuf>,
    wish: Wish,
    manifest: Manifest,
}

impl Export {
    /// Begins one, or goes on with the same that was interrupted in this folder.
    pub fn begin(globals: &Globals, wish: &ExportWish, dir: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(kind) = wish.kinds.iter().enumerate().find(|(at, kind)| wish.kinds[..*at].contains(kind))
        {
            let failure = Failure::misuse(format!("`{}` is named twice", kind.1));
            return Err(failure.hint("each kind has one file; name it once").into());
        }
        let data = Data::look(globals)?;
        check_network(&data, globals, wish.network.as_deref())?;
        let manifest = match dir {
            Some(dir) => in_folder(&data, wish, dir)?,
            None => begun(&data, wish, String::new())?,
        };
        let wish = Wish {
            format: wish.format,
            kinds: wish.kinds.clone(),
            filter: manifest.filter(),
            is_split: wish.is_split,
            up_to: manifest.up_to(),
            checkpoint_every: wish.checkpoint_every,
        };
        Ok(Self { data, dir: dir.map(Path::to_owned), wish, manifest })
    }

    /// The files that it would have.
    pub fn parts(&self) -> anyhow::Result<Vec<Part>> {
        Ok(plan(&self.data.store, &self.wish)?)
    }

    /// Writes everything into one stream; gives what had to be left out.
    pub fn into_stream(self, out: impl Write + Send + 'static) -> anyhow::Result<Damages> {
        let refuse = |message: &str, hint: &str| Err(Failure::misuse(message).hint(hint).into());
        match self.wish.kinds.as_slice() {
            _ if self.wish.is_split => {
                refuse("a split export does not fit into one stream", "write it to a directory with -o DIR")
            }
            [kind] => Ok(to_writer(&self.data.store, *kind, self.wish.format, &self.wish.filter, out)?.1),
            _ => refuse("several kinds do not fit into one stream", "write them to a directory with -o DIR"),
        }
    }

    /// Writes the files of its folder; gives what had to be left out.
    pub fn into_folder(self, globals: &Globals) -> anyhow::Result<Damages> {
        let Self { data, dir, wish, mut manifest } = self;
        let dir = dir.ok_or_else(|| Failure::misuse("an export needs a folder"))?;
        let parts = plan(&data.store, &wish)?;
        if manifest.records_count() > 0 {
            let total: u64 = parts.iter().map(|part| part.record_count).sum();
            notice::note(format!(
                "goes on where an export stopped: {} of {} records are written",
                grouped(manifest.records_count()),
                grouped(total)
            ));
        }
        let result = to_folder(&data.store, &dir, &wish, &parts, &mut manifest);
        if !manifest.planned_files.is_empty() || manifest.is_complete {
            // Also where it stopped halfway: there are files by then.
            manifest.remember(globals, &dir, false);
        }
        let damages = result?;
        for &kind in &wish.kinds {
            notice::note(written(kind, &wish, &manifest, &dir));
        }
        Ok(damages)
    }
}

/// What was written of one kind, and where.
fn written(kind: RecordKind, wish: &Wish, manifest: &Manifest, dir: &Path) -> String {
    let ours =
        |name: &str| name.starts_with(&format!("{kind}/")) || name == format!("{kind}.{}", wish.format);
    let files: Vec<_> = manifest.files.iter().filter(|file| ours(&file.name)).collect();
    let records: u64 = files.iter().map(|file| file.records_count).sum();
    let target = if wish.is_split { format!("{kind}/") } else { format!("{kind}.{}", wish.format) };
    let days = if wish.is_split { format!(", {}", count(files.len() as u64, "day")) } else { String::new() };
    format!("{records} {kind}{days} in {}", dir.join(target).display())
}

/// The export of the same that was interrupted in this folder, or one that begins.
fn in_folder(data: &Data, wish: &ExportWish, dir: &Path) -> anyhow::Result<Manifest> {
    let store = identity(&data.store)?;
    let Some(mut former) = Manifest::read(dir)? else { return begun(data, wish, store) };
    if former.is_of_another(&store) && !wish.is_restart {
        let failure =
            Failure::misuse(format!("`{}` holds an export of another data directory", dir.display()));
        return Err(failure.hint("name another folder, or write over it with --restart").into());
    }
    let is_interrupted = !former.is_complete && !wish.is_restart;
    if is_interrupted && former.asked == asked(data, wish) {
        former.keep_what_is_there(dir);
        return Ok(former);
    }
    if is_interrupted {
        notice::note("an export of something else was interrupted here; this one begins anew");
    }
    let mut manifest = begun(data, wish, store)?;
    manifest.replace(former, dir);
    Ok(manifest)
}

fn begun(data: &Data, wish: &ExportWish, store: String) -> anyhow::Result<Manifest> {
    let resolve = |when: Option<When>| when.map(|when| when.resolve(|| data.now())).transpose();
    let times = check_times(resolve(wish.since)?, resolve(wish.until)?)?;
    let manifest = Manifest::new(asked(data, wish), store, times, Bounds::now(&data.store)?);
    Ok(manifest.begun_at(data.now_for_report(None)))
}

fn asked(data: &Data, wish: &ExportWish) -> Asked {
    Asked {
        format: wish.format.to_string(),
        kinds: wish.kinds.iter().map(ToString::to_string).collect(),
        since: wish.since.map(|when| when.to_string()),
        until: wish.until.map(|when| when.to_string()),
        network: wish.network.clone(),
        split: wish.is_split.then(|| "day".to_owned()),
        viewer: data.viewer().map(str::to_owned),
    }
}
