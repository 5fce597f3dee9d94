//! Why a store could not do what it was asked to: what may pass, and what stays.
//!
//! The engine branches on [`StoreError::trouble`] alone; everything else is told to a person.

/// What keeps a store from working and may pass: by itself, or when somebody makes room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Another program holds it.
    Busy,
    /// The disk is full.
    Full,
    /// The system gives this process no more files.
    Files,
    /// The disk, or the system, failed to read or write.
    Io,
    /// The server that holds it cannot be reached.
    Away,
}

impl Trouble {
    /// What a person can do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Busy => "another program holds the store: close it, or wait until it is done",
            Self::Full => "make room on the disk of the data directory",
            Self::Files => "let the process open more files (`ulimit -n`), or start it again",
            Self::Away => "see that the PostgreSQL server is up and can be reached",
            Self::Io => "look at the disk of the data directory: is it there, whole and not full?",
        }
    }
}

/// Why the store could not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Something that may pass: nothing was changed, and the same may be tried again.
    #[error("the store cannot {doing}: {why}")]
    Passing {
        /// What keeps it.
        trouble: Trouble,
        /// What was tried.
        doing: &'static str,
        /// What the database said.
        why: String,
    },
    /// The database answered with an error that stays.
    #[error("the store cannot {doing}: {why}")]
    Database {
        /// What was tried.
        doing: &'static str,
        /// What the database said.
        why: String,
    },
    /// The data directory was written by a newer freshet.
    #[error("the store in `{path}` was written by a newer freshet (schema {found}, this one knows {known})")]
    TooNew { path: String, found: u32, known: u32 },
    /// Something stored cannot be read; what lies before it can, and perhaps what lies behind it.
    #[error("{thing} is damaged: {why}")]
    Damaged {
        /// Which thing, as a person would name it.
        thing: String,
        /// What the database said.
        why: String,
        /// Above this number the next thing can be read; `None` where nothing is known to follow.
        above: Option<u64>,
    },
    /// A setting holds a text that means nothing.
    #[error("the setting `{key}` cannot be read: {why}")]
    Setting {
        key: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// The query of `search` is not understood.
    #[error("`{query}` is not a search query: {why}")]
    Query {
        /// What was typed.
        query: String,
        /// What is wrong.
        why: String,
    },
}

impl StoreError {
    /// What keeps the store from working, where that may pass; `None` where trying again is useless.
    pub fn trouble(&self) -> Option<Trouble> {
        match self {
            Self::Passing { trouble, .. } => Some(*trouble),
            Self::Database { .. }
            | Self::TooNew { .. }
            | Self::Damaged { .. }
            | Self::Setting { .. }
            | Self::Query { .. } => None,
        }
    }
}
