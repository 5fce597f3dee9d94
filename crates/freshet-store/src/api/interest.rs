//! Role: what people ask about, counted by day, and who ranks high: what weights follow.
//!
//! Counts only: nothing of what was typed is kept. Bounded: a day has at most [`ROWS_PER_DAY_MAX`] rows of each kind, and what is
//! older than [`DAYS`] days goes when the next inquiry is counted.

use freshet_types::SourceId;

use super::StoreError;

/// Days over which interest is counted, today among them [SocWeb, 4.1].
pub const DAYS: i64 = 7;
/// Users, and pairs of a source and a user, that are counted on one day; whoever comes later that day is not counted.
/// A person asks about dozens a day; a program that asks about everything says nothing about what matters.
pub(crate) const ROWS_PER_DAY_MAX: usize = 10_000;
/// Objects of one inquiry that are counted; pages show fewer.
pub const SHOWN_MAX: usize = 1_000;

/// Somebody asked, and was shown these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inquiry {
    /// Posts, by their numbers.
    pub posts: Vec<u64>,
    /// Accounts, by their numbers.
    pub accounts: Vec<u64>,
    pub sources: Vec<SourceId>,
}

/// What was asked about a source and one of its users in the last [`DAYS`] days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterestRow {
    pub source: SourceId,
    /// Which user; the number says nothing else.
    pub user: i64,
    /// Inquiries about the user, whatever source answered.
    pub asked_count: u64,
    /// Times that something of the user and of this source was an answer.
    pub returned_count: u64,
}

/// Accounts whose score is kept; those below count as if they had none.
pub const RANKED_MAX: usize = 100_000;

/// Scores of the lists of accounts that a policy times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranked {
    /// Those of accounts that have one, in order of source.
    pub scores: Vec<(SourceId, f64)>,
    /// How many such lists are watched, with a score or without; 0 where nobody has a score.
    pub list_count: u64,
}

/// Counting what people ask about, and keeping who ranks high.
pub trait Interest {
    /// Counts these inquiries on this day (days since 1970).
    fn count_inquiries(&mut self, day: i64, inquiries: &[Inquiry]) -> Result<(), StoreError>;
    /// What was asked in the [`DAYS`] days that end with this one, in order of source and user.
    fn interest(&self, day: i64) -> Result<Vec<InterestRow>, StoreError>;
    /// These accounts, by their numbers, have these scores and no others have any; what is not above 0, or comes after [`RANKED_MAX`], is left out.
    fn set_ranks(&mut self, ranks: &[(u64, f64)]) -> Result<(), StoreError>;
    /// The scores of watched lists.
    fn ranked(&self) -> Result<Ranked, StoreError>;
}
