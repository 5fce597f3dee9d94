//! Why a source is visited when it is, in numbers: what a policy answers to `freshet explain`.

use freshet_types::Timestamp;

use crate::calendar::{Calendar, DayKind};
use crate::change::HashTable;
use crate::change::hash::Speaker;
use crate::change::kind::Kind;

/// What set the time of the next visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Then a visit is worth its price.
    Worth,
    /// Sooner would be worth it, but nothing is looked at more often than this.
    Floor,
    /// Later would do, but nothing stays unvisited longer.
    Ceiling,
    /// Later would do, but the quota suffices for more rounds through all sources than that.
    Rounds,
    /// Later would do, but its list shows its newest posts only, and what is expected would fill too much of it.
    Window,
    /// Its turn: the policy knows no worth, the quota sets the pace.
    Turn,
}

impl Reason {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Worth => "worth",
            Self::Floor => "floor",
            Self::Ceiling => "ceiling",
            Self::Rounds => "rounds",
            Self::Window => "window",
            Self::Turn => "turn",
        }
    }
}

/// A decision and what it stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explanation {
    /// When the source is due.
    pub due_at: Timestamp,
    /// What set that time.
    pub reason: Reason,
    /// Posts expected since the last visit, by then.
    pub posts_expected: f64,
    /// Seconds that these posts will have waited, summed: what the visit saves from growing.
    pub wait_s_expected: f64,
    /// Posts a second expected now.
    pub rate_now_per_s: f64,
    /// Posts a second in the long run.
    pub rate_per_s: f64,
    /// What a visit costs, in post-seconds.
    pub price: f64,
    /// What a visit now would be worth, in units of its price: at 1 it is due.
    pub worth_now: f64,
    /// How the account behaves.
    pub kind: Kind,
    /// When it would be due if …
    pub otherwise: Otherwise,
}

/// The same decision under other circumstances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Otherwise {
    /// … the last visit had found one more post, just made.
    pub one_more_post: Timestamp,
    /// … a visit cost twice as much.
    pub price_doubled: Timestamp,
    /// … a visit cost half as much.
    pub price_halved: Timestamp,
    /// … there were no ceiling.
    pub no_ceiling: Timestamp,
}

/// What a day is by the calendar, and which table of posts by hours speaks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// The holiday's name.
    pub holiday: Option<String>,
    /// It is a day of the weekend, and no holiday.
    pub is_weekend: bool,
    /// Whose table it is.
    pub speaker: Speaker,
}

impl Spoken {
    pub(crate) fn of(table: &HashTable, calendar: &Calendar, at: Timestamp) -> Self {
        let kind = calendar.kind_of(calendar.day_and_hour(at).0);
        let holiday = if let DayKind::Holiday(name) = kind { Some(name.to_owned()) } else { None };
        Self { holiday, is_weekend: kind == DayKind::Weekend, speaker: table.speaker(kind) }
    }
}
