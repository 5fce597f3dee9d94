//! Learns a folder of saved pages and prints what each page is: the quick way to try a change of mining.
//!
//! `cargo run -p freshet-forum --example folder -- DIR [--learn]`: DIR holds pages (`*.html`, `*.html.gz`) and `index.tsv`.

use std::io::{Read as _, Write as _};
use std::path::Path;

use freshet_forum::{
    inspect::inspect,
    learn::learn,
    page::{Page, Source},
};
use url::Url;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(arguments.first().ok_or("name a folder")?);
    let is_learning = arguments.iter().any(|it| it == "--learn");
    let table = std::fs::read_to_string(folder.join("index.tsv"))?;
    let mut pages = Vec::new();
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let mut html = Vec::new();
        let bytes = std::fs::read(folder.join(cells[0]))?;
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut html)?;
        let url = Url::parse(cells[1])?;
        let fetched_s = cells
            .get(2)
            .and_then(|it| jiff::fmt::rfc2822::parse(it).ok())
            .map(|it| it.timestamp().as_second());
        pages.push((cells[0].to_owned(), Page::read(&Source { html: &html, url: &url, fetched_s })));
    }
    let (names, pages): (Vec<String>, Vec<Page>) = pages.into_iter().unzip();
    let learned = learn(&pages);
    let mut out = std::io::stdout().lock();
    if is_learning {
        writeln!(out, "{}\n", learned.report)?;
        writeln!(out, "{}", learned.definition.to_toml())?;
        return Ok(());
    }
    for (name, page) in names.iter().zip(&pages) {
        let reading = inspect(page, &learned.definition);
        let mut value = serde_json::to_value(&reading)?;
        value["file"] = name.as_str().into();
        writeln!(out, "{value}")?;
    }
    Ok(())
}
