//! Learns a folder of saved pages and prints what each page is: the quick way to try a change of mining.
//!
//! `cargo run -p freshet-forum --example folder -- DIR [--learn] [--every N]`: DIR holds pages (`*.html.gz`) and `index.tsv` with
//! the columns file, url, captured. `--learn` prints what was learned; `--every N` learns from every Nth page only;
//! `--alone` learns each page from itself.

use std::io::{Read as _, Write as _};
use std::path::Path;

use freshet_forum::inspect::inspect;
use freshet_forum::learn::learn;
use freshet_forum::page::{Page, Source};
use url::Url;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(arguments.first().ok_or("name a folder")?);
    let every =
        arguments.iter().position(|it| it == "--every").and_then(|at| arguments.get(at + 1)?.parse().ok());
    let every: usize = every.unwrap_or(1).max(1);
    let (mut sample, mut pages) = (Vec::new(), Vec::new());
    let table = std::fs::read_to_string(folder.join("index.tsv"))?;
    for (at, row) in table.lines().skip(1).enumerate() {
        let (name, page) = read(folder, row)?;
        if at % every == 0 {
            sample.push(read(folder, row)?.1);
        }
        pages.push((name, page));
    }
    let learned = learn(&sample);
    let mut out = std::io::stdout().lock();
    if arguments.iter().any(|it| it == "--learn") {
        writeln!(out, "{}\n\n{}", learned.report, learned.definition.to_toml())?;
        return Ok(());
    }
    let is_alone = arguments.iter().any(|it| it == "--alone");
    for (name, page) in &pages {
        let alone = is_alone.then(|| learn(std::slice::from_ref(page)).definition);
        let definition = alone.as_ref().unwrap_or(&learned.definition);
        let mut value = serde_json::to_value(inspect(page, definition))?;
        value["file"] = name.as_str().into();
        writeln!(out, "{value}")?;
    }
    Ok(())
}

fn read(folder: &Path, row: &str) -> Result<(String, Page), Box<dyn std::error::Error>> {
    let cells: Vec<&str> = row.split('\t').collect();
    let [name, address, rest @ ..] = cells.as_slice() else {
        return Err("a row needs a file and an address".into());
    };
    let packed = std::fs::read(folder.join(name))?;
    let mut html = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut html)?;
    let fetched = rest.first().and_then(|it| jiff::fmt::rfc2822::parse(it).ok());
    let fetched_s = fetched.map(|it| it.timestamp().as_second());
    let url = Url::parse(address)?;
    Ok(((*name).to_owned(), Page::read(&Source { html: &html, url: &url, fetched_s })))
}
