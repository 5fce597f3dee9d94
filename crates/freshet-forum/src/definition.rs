//! The product of learning a forum: a definition that a person can read and edit.
//!
//! It says which pages there are and how their addresses look, where on a page the records are, which of their times is which,
//! and how pages are turned. Reading a page ([`crate::inspect`]) uses nothing else. Steps of paths are written `.class` or
//! `tag`; a path is the last few steps down to the element; `#2` is the second such element of a record.

use serde::{Deserialize, Serialize};

use crate::address::Slot;
use crate::record::Anchor;
use crate::time::DayOrder;

/// The version of the format that this program writes.
pub(crate) const FORMAT: u32 = 1;
/// Steps of the path to a post's body.
pub(crate) const BODY_STEPS: usize = 3;

/// What a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageKind {
    Portal,
    /// Lists threads: index-of-thread.
    Index,
    /// Lists posts: post-of-thread.
    Post,
    Other,
}

impl PageKind {
    /// Its name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portal => "portal",
            Self::Index => "index",
            Self::Post => "post",
            Self::Other => "other",
        }
    }
}

/// In which order a list runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListOrder {
    /// The newest record stands first.
    NewestFirst,
    /// The oldest record stands first.
    OldestFirst,
    /// No order can be relied on, as in threaded discussions.
    #[default]
    Mixed,
}

/// One kind of list: boards' threads, or threads' posts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListDefinition {
    /// Patterns of addresses, `*` stands for anything.
    pub urls: Vec<String>,
    /// How sure learning was, 0 to 1.
    #[serde(default)]
    pub confidence: f64,
    /// In which order the list runs.
    #[serde(default)]
    pub order: ListOrder,
    /// Where the page number stands in addresses: `?page`, `2/page-`.
    #[serde(default)]
    pub page_numbers: Vec<Slot>,
    /// The `rel=next` of the page's head is the only next link to believe.
    #[serde(default)]
    pub is_next_in_head: bool,
    /// Where a record's own time is; for threads, its last activity. The first that a record has counts.
    #[serde(default)]
    pub times: Vec<String>,
    /// Where the time of a thread's first post is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start_times: Vec<String>,
    /// Where the opening post's time is, when that post stands apart from the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub openings: Vec<Anchor>,
    /// Where the link of a record is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// Where the author's link is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// Where the text of a post is; the first that a record has counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<String>,
    /// Ids of posts are unique in their thread only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub has_local_ids: bool,
    /// Typical repeated regions, by which pages with unknown addresses are recognised.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layout: Vec<String>,
    /// Where records are anchored.
    #[serde(default)]
    pub records: Vec<Anchor>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field over by reference")]
pub(crate) fn is_false(value: &bool) -> bool {
    !value
}

/// How gently the site is visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolitenessDefinition {
    /// At least so long between two requests, in milliseconds.
    pub pause_ms: u32,
    /// At most so many at once.
    pub in_flight_max: u32,
}

impl Default for PolitenessDefinition {
    /// As a person who reads quickly.
    fn default() -> Self {
        Self { pause_ms: 1_000, in_flight_max: 1 }
    }
}

/// What holds for all times of the site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimesDefinition {
    /// Which of two numbers is the day.
    pub day_order: DayOrder,
    /// Seconds east of Greenwich for times without a zone: as the pages state it, or estimated from when they were fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset_s: Option<i32>,
    /// How sure the estimate is, 0 to 1; nothing where the pages state it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset_certainty: Option<f64>,
}

/// Pages without lists of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PagesDefinition {
    /// Patterns of addresses.
    pub urls: Vec<String>,
}

/// A forum.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForumDefinition {
    /// Version of this format.
    pub format: u32,
    /// The host that it was learned from.
    pub host: String,
    /// The address of the front page, where a crawl begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front: Option<String>,
    /// Pages that it was learned from.
    #[serde(default)]
    pub page_count: usize,
    #[serde(default, rename = "manners")]
    pub politeness: PolitenessDefinition,
    #[serde(default)]
    pub times: TimesDefinition,
    /// Pages that list boards.
    #[serde(default)]
    pub portal: PagesDefinition,
    /// Pages that were seen and hold no list: profiles, searches, forms.
    #[serde(default)]
    pub other: PagesDefinition,
    /// Lists of threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<ListDefinition>,
    /// Lists of posts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post: Option<ListDefinition>,
}

/// Why a definition cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    /// It is no TOML, or has keys that are not known.
    #[error("the forum definition cannot be read: {0}")]
    Syntax(#[from] toml::de::Error),
    /// It was written by a newer program.
    #[error("the forum definition has format {found}, this program reads {FORMAT}; learn the site again")]
    Format {
        /// What the file says.
        found: u32,
    },
}

impl ForumDefinition {
    /// Reads a definition.
    pub fn parse(text: &str) -> Result<Self, DefinitionError> {
        let definition: Self = toml::from_str(text)?;
        if definition.format != FORMAT {
            return Err(DefinitionError::Format { found: definition.format });
        }
        Ok(definition)
    }

    /// Writes it, with a few words for whoever opens the file.
    pub fn to_toml(&self) -> String {
        let body = toml::to_string_pretty(self).expect("strings, numbers and lists have a TOML form");
        format!(
            "# How {} is read, learned from {} pages. Edit it where it is wrong: `freshet forum inspect --site` uses it as it stands.\n\
             # Addresses: `*` stands for anything. Paths: the last steps down to an element, `.class` or `tag`.\n\n{body}",
            self.host, self.page_count
        )
    }

    /// The list of a kind.
    pub fn list(&self, kind: PageKind) -> Option<&ListDefinition> {
        match kind {
            PageKind::Index => self.index.as_ref(),
            PageKind::Post => self.post.as_ref(),
            PageKind::Portal | PageKind::Other => None,
        }
    }
}
