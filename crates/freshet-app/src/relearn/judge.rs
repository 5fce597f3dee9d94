//! Whether what was learned anew may take the place of what was known.
//!
//! A definition that reads something is not yet right: it may take a column of joining dates for that of posts, or give posts
//! other ids or threads other addresses, and then everything would be stored twice. So what is stored is the witness. On fresh pages of threads
//! that are known, nearly all posts must be found under the ids that they have, of the same type and with the times that they
//! have; and of all fresh pages, more must be readable than before. The shares leave room for posts that are new and for times
//! that were edited, not for a mistake.

use freshet_forum::definition::{ForumDefinition, PageKind};
use freshet_forum::inspect::inspect;
use freshet_forum::page::Page;

/// Posts of known threads that must be found again, at least.
const POSTS_MIN: usize = 3;
/// Share of the posts read from known threads that must be stored under the ids read.
const KNOWN_SHARE: f64 = 0.8;
/// Share of these whose type and time must be as stored.
const SAME_SHARE: f64 = 0.9;
/// Share of the known threads of which posts must be found.
const THREADS_SHARE: f64 = 0.75;

/// Share of the threads on boards that must be known: few are while a first crawl is under way, none where addresses changed.
const LEADS_SHARE: f64 = 0.1;

/// What both definitions make of the fresh pages, and what the store knows of them.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "counts are named so everywhere")]
pub(super) struct Evidence {
    pub(super) pages_count: usize,
    /// Those with records by the old definition, and by the new one.
    pub(super) read_before_count: usize,
    pub(super) read_now_count: usize,
    /// Threads whose posts are stored, and those of which some were found.
    pub(super) threads_count: usize,
    pub(super) found_threads_count: usize,
    /// Posts read from them, those that are stored, and those that are as stored.
    pub(super) posts_count: usize,
    pub(super) known_posts_count: usize,
    pub(super) same_posts_count: usize,
    /// Threads that boards lead to, and those that are known.
    pub(super) leads_count: usize,
    pub(super) known_leads_count: usize,
}

impl Evidence {
    /// What both make of the pages.
    pub(super) fn of_pages(before: &ForumDefinition, now: &ForumDefinition, pages: &[Page]) -> Self {
        let read = |definition: &ForumDefinition| {
            let is_read = |page: &&Page| {
                let reading = inspect(page, definition);
                let is_list = matches!(reading.kind, PageKind::Index | PageKind::Post);
                // Records without times are found by anything that looks like a row.
                is_list && reading.records.iter().any(|record| record.time.is_some())
            };
            pages.iter().filter(is_read).count()
        };
        Self {
            pages_count: pages.len(),
            read_before_count: read(before),
            read_now_count: read(now),
            ..Self::default()
        }
    }

    /// The posts of a known thread: `None` where the store has none of that id, else whether it is as stored.
    pub(super) fn add_thread(&mut self, posts: &[Option<bool>]) {
        let known_count = posts.iter().flatten().count();
        self.threads_count += 1;
        self.found_threads_count += usize::from(known_count > 0);
        self.posts_count += posts.len();
        self.known_posts_count += known_count;
        self.same_posts_count += posts.iter().flatten().filter(|is_same| **is_same).count();
    }

    /// A thread that a board leads to.
    pub(super) fn add_lead(&mut self, is_known: bool) {
        self.leads_count += 1;
        self.known_leads_count += usize::from(is_known);
    }
}

/// What speaks for it; or why it is not accepted.
pub(super) fn verdict(evidence: &Evidence) -> Result<String, String> {
    let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let it = evidence;
    if it.read_now_count <= it.read_before_count {
        return Err(format!(
            "what was learned reads {} of {} fresh pages, no more than before ({})",
            it.read_now_count, it.pages_count, it.read_before_count
        ));
    }
    let is_found = share(it.found_threads_count, it.threads_count) >= THREADS_SHARE;
    if it.known_posts_count < POSTS_MIN || !is_found {
        return Err(format!(
            "what was learned finds stored posts in {} of {} known threads only",
            it.found_threads_count, it.threads_count
        ));
    }
    if share(it.known_posts_count, it.posts_count) < KNOWN_SHARE {
        return Err(format!(
            "of {} posts of known threads only {} have the ids that are stored",
            it.posts_count, it.known_posts_count
        ));
    }
    if share(it.same_posts_count, it.known_posts_count) < SAME_SHARE {
        return Err(format!(
            "of {} stored posts only {} have the times that are stored",
            it.known_posts_count, it.same_posts_count
        ));
    }
    if share(it.known_leads_count, it.leads_count) < LEADS_SHARE {
        return Err(format!(
            "of {} threads that boards lead to only {} are known: their addresses may have changed",
            it.leads_count, it.known_leads_count
        ));
    }
    Ok(format!(
        "{} of {} fresh pages can be read, {} before; {} stored posts were found again",
        it.read_now_count, it.pages_count, it.read_before_count, it.known_posts_count
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: impl Fn(&mut Evidence), expected: Result<&str, &str>) {
        let mut evidence = Evidence { pages_count: 60, read_now_count: 50, ..Evidence::default() };
        for _ in 0..8 {
            evidence.add_thread(&[Some(true); 10]);
            evidence.add_lead(true);
        }
        change(&mut evidence);
        let given = verdict(&evidence);
        let ((Ok(text), Ok(words)) | (Err(text), Err(words))) = (&given, expected) else {
            panic!("{given:?}, and {expected:?} was expected");
        };
        assert!(text.contains(words), "`{words}` is not in `{text}`");
    }

    #[test]
    fn what_is_stored_is_the_witness() {
        check(|_| (), Ok("80 stored posts were found again"));
        check(|it| it.read_before_count = 50, Err("no more than before"));
        check(|it| it.known_leads_count = 0, Err("their addresses may have changed"));
        check(|it| it.add_thread(&[None; 15]), Ok("80 stored posts"));
        check(|it| it.add_thread(&[None; 25]), Err("have the ids that are stored"));
        check(|it| it.add_thread(&[Some(false); 12]), Err("have the times that are stored"));
        check(|it| (0..4).for_each(|_| it.add_thread(&[])), Err("8 of 12 known threads only"));
        let nothing_known = |it: &mut Evidence| {
            *it = Evidence { pages_count: 60, read_now_count: 50, ..Evidence::default() };
        };
        check(nothing_known, Err("0 of 0 known threads only"));
    }
}
