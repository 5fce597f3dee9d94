//! Searching: posts in the store by their text. It asks nobody; accounts on a network are found by [`crate::find`].

use freshet_report::search::FoundPost;
use freshet_report::time::UnixNumber;
use freshet_store::api::interest::Inquiry;
use freshet_store::row::Hit;

use crate::config::Globals;
use crate::data::Data;
use crate::failure::Failure;
use crate::notice;

/// The posts that match, at most so many, and what of them is to be counted once they are shown ([`crate::interest`]).
pub fn posts(globals: &Globals, query: &str, limit: usize) -> anyhow::Result<(Vec<FoundPost>, Inquiry)> {
    let hits = open(globals)?.store.search(query, limit).map_err(misuse)?;
    let inquiry = Inquiry { posts: hits.iter().map(|hit| hit.row.object).collect(), ..Inquiry::default() };
    Ok((hits.into_iter().map(found_post).collect(), inquiry))
}

/// The directory, for looking; where the search index is behind what was collected, it is brought up to date first, if that
/// may be.
fn open(globals: &Globals) -> anyhow::Result<Data> {
    let data = Data::look(globals)?;
    if !data.store.is_search_behind()? {
        return Ok(data);
    }
    Ok(Data::open(globals).unwrap_or_else(|_| {
        notice::note("the newest posts are not in the search index yet, and it cannot be written to");
        data
    }))
}

/// A query that is not understood is the person's slip, not the store's failure.
pub fn misuse(error: freshet_store::api::StoreError) -> anyhow::Error {
    match error {
        freshet_store::api::StoreError::Query { .. } => Failure::misuse(error.to_string())
            .hint("words, \"a phrase\", a OR b, NOT c, pre*; quote what holds other signs")
            .into(),
        other => other.into(),
    }
}

/// A post that was found, as searches show it.
pub fn found_post(hit: Hit) -> FoundPost {
    let (network, post) = (hit.row.network, hit.row.post);
    FoundPost {
        id: format!("{network}/{}/{}", post.kind, post.id),
        network,
        author: hit.row.author_handle.or(post.author),
        created_at: post.created_at.and_then(UnixNumber::of),
        snippet: hit.snippet,
        text: post.text,
        url: post.url,
    }
}
