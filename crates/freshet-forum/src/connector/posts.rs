//! A page of a thread: its posts as the objects that every network has.
//!
//! A post's id is its own where pages show one, with the thread before it where ids count within a thread only. Where
//! pages show none, it is made of what does not change when the post moves to another page: thread, author, time,
//! and which of several such it is.

use std::sync::Arc;

use freshet_types::{Account, Complaint, Map, Page, Post, Primitive, Set, Target, Timestamp};
use xxhash_rust::xxh3::xxh3_64;

use super::ForumConnector;
use crate::definition::{ListDefinition, PageKind};
use crate::inspect::{PageReading, RecordReading, text_of, title};
use crate::page;

impl ForumConnector {
    pub(super) fn read_posts(
        &self,
        target: &Target<'_>,
        page: &page::Page,
        reading: &PageReading,
        mut read: Page,
    ) -> Page {
        let Some(list) = self.definition.post.as_ref().filter(|_| reading.kind == PageKind::Post) else {
            read.complaints.push(Complaint::new("page", "it shows no posts"));
            return read;
        };
        read.title = title::heading(page, &list.page_numbers);
        let thread = Thread { root: target.root, title: read.title.clone(), list };
        let mut turns: Map<(Option<&str>, Option<i64>), usize> = Map::default();
        let mut authors: Set<&str> = Set::default();
        for record in &reading.records {
            let turn = turns.entry((record.author.as_deref(), record.time)).or_default();
            *turn += 1;
            read.observation.posts.push(thread.post(page, record, *turn));
            let author = record.author.as_deref().filter(|author| authors.insert(author));
            read.observation.accounts.extend(author.map(account));
        }
        let mut ids: Set<String> = Set::default();
        let complaints = &mut read.complaints;
        read.observation.posts.retain(|post| {
            let is_new = ids.insert(post.id.clone());
            if !is_new {
                complaints
                    .push(Complaint::new("post", format!("the id `{}` comes twice on one page", post.id)));
            }
            is_new
        });
        read
    }
}

struct Thread<'a> {
    root: &'a str,
    title: Option<String>,
    list: &'a ListDefinition,
}

impl Thread<'_> {
    fn post(&self, page: &page::Page, record: &RecordReading, turn: usize) -> Post {
        let mut plinks: Vec<(Arc<str>, Primitive)> = vec![("thread".into(), self.root.into())];
        plinks.extend(self.title.as_deref().map(|title| ("thread_title".into(), title.into())));
        Post {
            id: self.id(record, turn),
            kind: "post".into(),
            author: record.author.clone(),
            created_at: record.time.map(Timestamp::from_secs),
            text: text_of(page, self.list, record),
            url: record.link.clone().or_else(|| Some(page.url.to_string())),
            plinks,
            ..Post::default()
        }
    }

    fn id(&self, record: &RecordReading, turn: usize) -> String {
        let thread = || format!("{:x}", xxh3_64(self.root.as_bytes()));
        match &record.id {
            Some(id) if self.list.has_local_ids => format!("{}-{id}", thread()),
            Some(id) => id.clone(),
            None => {
                let own = format!("{:?} {:?} {turn}", record.author, record.time);
                format!("{}-x{:x}", thread(), xxh3_64(own.as_bytes()))
            }
        }
    }
}

fn account(name: &str) -> Account {
    Account {
        id: name.to_owned(),
        handle: Some(name.to_owned()),
        name: Some(name.to_owned()),
        ..Account::default()
    }
}
