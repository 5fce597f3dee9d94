//! How the facts of an explanation read: one heading and some lines each, the same for the terminal and for the page.
//!
//! Which facts hold is found out in the other files of `explain/`; here they are only worded. What is said of the time of the next
//! visit is in `words/timing.rs`, by which way posts come in `words/way.rs`.

mod timing;
mod way;

use freshet_report::explain::{Behaviour, Counts, Covered, DayTable, Fact};
use freshet_report::pairs::Pairs;
use freshet_report::time::UnixNumber;
use freshet_types::{Span, Timestamp};

use self::timing::{because, due, looks, otherwise, refresh, silence, turn};
use self::way::way;
use super::publisher;
use crate::text::{count, one_line, relative};

/// A worth beyond this many percent is told as this many.
const WORTH_PERCENT_MAX: f64 = 99_999.0;

/// A fact in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// What it is about.
    pub heading: &'static str,
    /// The heading is a part of the sentence: `cost: 1.0 calls`. Others name their subject themselves.
    pub is_spoken: bool,
    /// The sentence, broken where its parts end; a line of a terminal holds most of them.
    pub lines: Vec<String>,
}

impl Words {
    fn spoken(heading: &'static str, line: impl Into<String>) -> Self {
        Self { heading, is_spoken: true, lines: vec![line.into()] }
    }

    fn own(heading: &'static str, line: impl Into<String>) -> Self {
        Self { heading, is_spoken: false, lines: vec![line.into()] }
    }

    fn and(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.lines.extend(lines);
        self
    }

    /// What it says below its heading.
    pub fn text(&self) -> String {
        self.lines.join(" ")
    }

    /// The whole sentence.
    pub fn sentence(&self) -> String {
        if self.is_spoken { format!("{}: {}", self.heading, self.text()) } else { self.text() }
    }
}

/// What a fact says, at this instant.
pub fn words(fact: &Fact, now: Timestamp) -> Words {
    match fact {
        Fact::Visits { visited_at, next, state } => {
            let visited =
                visited_at.map_or("never visited".to_owned(), |at| format!("last visited {}", ago(at, now)));
            Words::own(
                "visits",
                format!("{visited}; next visit: {}; state: {}", due(*next, now), state.name()),
            )
        }
        Fact::Publisher { .. } => Words::spoken("publisher", publisher::sentence(fact, now)),
        Fact::Pinned { every_s } => {
            Words::spoken("pinned", format!("it is visited every {}, whatever that is worth", span(*every_s)))
        }
        Fact::Weight { counts } => weight(counts),
        Fact::Silence { wait_s, since } => silence(*wait_s, *since, now),
        Fact::Model { model, lists, errors } => foretold(model, lists, errors),
        Fact::Due { reason, policy, ceiling_s, is_overruled } => {
            let why = because(*reason, policy, *ceiling_s);
            if *is_overruled {
                Words::own("otherwise", format!("without that silence: {why}"))
            } else {
                Words::spoken("why then", why)
            }
        }
        Fact::Turn { round, before_count, sources_count, is_drawn } => {
            turn(*round, *before_count, *sources_count, *is_drawn)
        }
        Fact::Grouped { roots_max, shows_posts, shared_count, looks_count, last_at } => {
            grouped((*roots_max, *shows_posts), (*shared_count, *looks_count), *last_at, now)
        }
        Fact::Profile { told_per_day, expected_per_day } => profile(*told_per_day, *expected_per_day),
        Fact::Expected { posts, wait_s } => Words::spoken(
            "expected",
            format!("{posts:.2} posts by then, having waited {} in all", span(*wait_s)),
        ),
        Fact::Pace { per_day, last_post_at } => {
            Words::spoken("expected", format!("{per_day:.2} posts a day{}", last_post(*last_post_at, now)))
        }
        Fact::Rate { mean_per_day, now_per_day, last_post_at } => {
            let last = last_post(*last_post_at, now);
            Words::spoken("rate", format!("{mean_per_day:.2} posts a day, now {now_per_day:.2}{last}"))
        }
        Fact::Kind { kind } => Words::spoken("kind", format!("{} ({})", kind.name(), behaviour(*kind))),
        Fact::Table { holiday, is_weekend, speaker } => table(holiday.as_deref(), *is_weekend, *speaker),
        Fact::Cost { calls, price_post_s, worth_now } => {
            let percent = (worth_now * 100.0).min(WORTH_PERCENT_MAX);
            let must = span(*price_post_s);
            Words::spoken(
                "cost",
                format!(
                    "{calls:.1} calls; a visit must end {must} of waiting; now it is worth {percent:.0} %"
                ),
            )
        }
        Fact::Otherwise { one_more_post, price_doubled, price_halved, no_ceiling } => {
            otherwise([*one_more_post, *price_doubled, *price_halved, *no_ceiling], now)
        }
        Fact::Looks { count, changed_count, series, noise, similarity_max } => {
            looks((*count, *changed_count), series, (*noise, *similarity_max))
        }
        Fact::Refresh { reason, planned, price_post_s, accuracy, ceiling_s } => {
            refresh((*reason, *ceiling_s), planned, (*price_post_s, *accuracy), now)
        }
        Fact::Rests { because } => {
            Words::own("note", format!("it rests and is looked at now and then: {because}"))
        }
        Fact::Coverage { covered } => Words::own("coverage", coverage(covered, now)),
        Fact::Failure { why } => Words::spoken("last failure", one_line(why)),
        _ => way(fact, now),
    }
}

fn foretold(model: &str, lists: &str, errors: &Pairs<String, f64>) -> Words {
    let errors: Vec<String> = errors.iter().map(|(name, error)| format!("{name} {error:.2}")).collect();
    Words::spoken("model", format!("{model}, which foretold {lists} of this forum best;"))
        .and([format!("errors: {}", errors.join(", "))])
}

fn profile(told_per_day: f64, expected_per_day: f64) -> Words {
    let told = format!("{told_per_day:.2} posts a day since it was made;");
    Words::spoken("profile", told).and([format!("by that alone {expected_per_day:.2} would be expected")])
}

fn grouped(
    (roots_max, shows_posts): (usize, bool),
    (shared_count, looks_count): (usize, usize),
    last_at: Option<UnixNumber>,
    now: Timestamp,
) -> Words {
    let others = count(roots_max.saturating_sub(1) as u64, "other");
    let does = if shows_posts { "shows its newest posts with those of" } else { "asks about it and" };
    let last = last_at.map_or(String::new(), |at| format!(", the last {}", ago(at, now)));
    let looks = count(looks_count as u64, "look");
    Words::spoken("groups", format!("one call {does} up to {others};"))
        .and([format!("{shared_count} of its last {looks} came with the call of another source{last}")])
}

fn table(holiday: Option<&str>, is_weekend: bool, speaker: DayTable) -> Words {
    let day = match holiday {
        Some(name) => format!("today is the holiday {}", one_line(name)),
        None if is_weekend => "today is a day of the weekend".to_owned(),
        None => "today is a workday".to_owned(),
    };
    let whose = match speaker {
        DayTable::Own => "that it had the last time speaks",
        DayTable::Holidays => "of other holidays speaks, since this one was not seen before",
        DayTable::Weekend if holiday.is_some() => "of weekends speaks, since no holiday was seen before",
        DayTable::Weekend => "of weekends speaks",
        DayTable::Workday if holiday.is_some() || is_weekend => {
            "of workdays speaks, since no such day was seen before"
        }
        DayTable::Workday => "of workdays speaks",
    };
    Words::spoken("calendar", format!("{day}; the table {whose}"))
}

fn span(secs: f64) -> Span {
    Span::from_secs_f64(secs)
}

fn ago(at: UnixNumber, now: Timestamp) -> String {
    relative(at.0, now)
}

fn last_post(at: Option<UnixNumber>, now: Timestamp) -> String {
    at.map_or(String::new(), |at| format!("; last post {}", ago(at, now)))
}

/// What a person set, what people ask about, and how near it is to what the focus wants, or to what was added.
fn weight(counts: &Counts) -> Words {
    let Counts { weight, eir_per_day, importance, rank, factor, has_importance } = *counts;
    let asked = if eir_per_day > 0.0 {
        format!("asked about {eir_per_day:.2} times a day (EIR), importance {importance:.2}")
    } else {
        "nobody asked about it in the last 7 days".to_owned()
    };
    let ranked = rank.map(|rank| format!("; {rank:.2} times the mean by its rank"));
    let asked = asked + &ranked.unwrap_or_default();
    let follows = if has_importance {
        format!("so it counts {:.2} in all", f64::from(weight) * factor)
    } else {
        "which changes nothing: importance is off".to_owned()
    };
    Words::spoken("weight", format!("{weight} as set; {asked},")).and([follows])
}

fn coverage(covered: &Covered, now: Timestamp) -> String {
    match covered {
        Covered::OptedOut => "nothing of it is collected".to_owned(),
        Covered::Shown => "what it showed then is stored".to_owned(),
        Covered::Until(until) => format!("complete up to {} ({})", until.0, ago(*until, now)),
        Covered::Empty => "complete: it was empty".to_owned(),
        Covered::Nothing => "nothing of it is proven complete yet".to_owned(),
        Covered::Shut { holes_count, obstacle } => {
            format!("{} that cannot be closed: {obstacle}", count(*holes_count as u64, "hole"))
        }
        Covered::Holes { holes_count } => {
            format!("{}; `freshet gaps` prices them", count(*holes_count as u64, "hole"))
        }
    }
}

fn behaviour(kind: Behaviour) -> &'static str {
    match kind {
        Behaviour::Inactive => "hardly posts",
        Behaviour::Unstable => "posts much on few days",
        Behaviour::Constant => "posts on most days",
        Behaviour::Authority => "posts much, around the clock",
    }
}

#[cfg(test)]
mod tests;
