//! Folders of saved pages: `index.tsv` says which file came from which address, and when.

use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use flate2::read::GzDecoder;
use freshet_forum::charset;
use freshet_forum::page::{Page, Source};
use freshet_forum::tree::BYTES_MAX;
use url::Url;

use crate::failure::Failure;

/// Pages of one folder; learning needs a few thousand at most.
const PAGES_MAX: usize = 20_000;
/// The table of a folder.
const TABLE: &str = "index.tsv";

/// A saved page.
#[derive(Debug)]
pub struct Saved {
    /// Its name in the table.
    pub file: String,
    /// What it holds.
    pub page: Page,
}

/// Reads all pages that the folder's table names.
pub fn read(folder: &Path) -> anyhow::Result<Vec<Saved>> {
    let table = folder.join(TABLE);
    let text = std::fs::read_to_string(&table).map_err(|error| {
        let failure = Failure::misuse(format!("cannot read `{}`: {error}", table.display()));
        anyhow::Error::from(
            failure.hint("the folder needs a table with the columns `file`, `url` and `captured`"),
        )
    })?;
    let mut rows = text.lines().map(|line| line.split('\t').map(str::trim).collect::<Vec<&str>>());
    let head = rows.next().unwrap_or_default();
    let column = |name: &str| head.iter().position(|it| *it == name);
    let (Some(file), Some(url)) = (column("file"), column("url")) else {
        let failure = Failure::misuse(format!("`{}` has no columns `file` and `url`", table.display()));
        return Err(failure.hint("its first line names the columns, with tabs between them").into());
    };
    let captured = column("captured");
    let mut pages = Vec::new();
    for row in rows.filter(|row| row.iter().any(|cell| !cell.is_empty())).take(PAGES_MAX) {
        let cell = |at: usize| row.get(at).copied().unwrap_or_default();
        let address = Url::parse(cell(url))
            .with_context(|| format!("`{}` in `{}` is no address", cell(url), table.display()))?;
        let fetched_s = captured
            .map(cell)
            .and_then(|it| jiff::fmt::rfc2822::parse(it).ok())
            .map(|it| it.timestamp().as_second());
        pages.push(page(&folder.join(cell(file)), cell(file), &address, fetched_s)?);
    }
    Ok(pages)
}

/// Reads one page; without its address, relative links lead nowhere.
pub fn one(path: &Path, url: Option<&Url>) -> anyhow::Result<Saved> {
    let file = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(url) = url else {
        let failure = Failure::misuse(format!("where does `{}` come from?", path.display()));
        return Err(failure.hint("give its address with --url").into());
    };
    page(path, &file, url, None)
}

fn page(path: &Path, file: &str, url: &Url, fetched_s: Option<i64>) -> anyhow::Result<Saved> {
    let bytes = bytes(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let html = charset::utf8(&bytes, None);
    let page = Page::read(&Source { html: &html, url, fetched_s });
    Ok(Saved { file: file.to_owned(), page })
}

/// One byte more than is read of a page, so that a longer one is seen to be longer.
fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    let mut bytes = Vec::new();
    let limit = BYTES_MAX as u64 + 1;
    if path.extension().is_some_and(|it| it == "gz") {
        GzDecoder::new(file).take(limit).read_to_end(&mut bytes)?;
    } else {
        file.take(limit).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
