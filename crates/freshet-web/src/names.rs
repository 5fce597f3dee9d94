//! What people know a source by: a handle, a title, the author and first words of a post; else its id.

use freshet_app::data::Data;
use freshet_app::plain::plain;
use freshet_app::text::{one_line, shorten};

use freshet_store::browse::{Browse as _, RootName};
use freshet_types::Source;

use super::answer::Answer;

/// Letters of a post that are shown as its name.
const WORDS_CHARS_MAX: usize = 60;

/// The name of a source, in one line.
pub(super) fn name(data: &Data, source: &Source) -> Answer<String> {
    Ok(shown(source, data.store.root_name(source)?))
}

/// The names of sources, each in one line.
pub(super) fn names(data: &Data, sources: &[Source]) -> Answer<Vec<String>> {
    let known = data.store.root_names(sources)?;
    Ok(sources.iter().zip(known).map(|(source, known)| shown(source, known)).collect())
}

fn shown(source: &Source, known: RootName) -> String {
    let words = known.text.map(|text| shorten(&plain(&text), WORDS_CHARS_MAX));
    let words = words.filter(|words| !words.is_empty()).map(|words| format!("“{words}”"));
    let parts: Vec<String> = known.who.into_iter().chain(words).collect();
    if parts.is_empty() { one_line(&source.root_id) } else { one_line(&parts.join(": ")) }
}
