//! How the facts of an explanation read: one heading and some lines each, the same for the terminal and for the page.

use freshet_report::explain::{
    Behaviour, Counts, Covered, DayTable, DueReason, Fact, LookTold, NextVisit, PlannedTold, RefreshReason,
    When,
};
use freshet_report::pairs::Pairs;
use freshet_report::time::UnixNumber;
use freshet_types::{Span, Timestamp};

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
        Fact::Streamed { .. } | Fact::HeldBack { .. } => way(fact, now),
        Fact::Rests { because } => {
            Words::own("note", format!("it rests and is looked at now and then: {because}"))
        }
        Fact::Coverage { covered } => Words::own("coverage", coverage(covered, now)),
        Fact::Failure { why } => Words::spoken("last failure", one_line(why)),
    }
}

/// By which way its posts come, or why they do not.
fn way(fact: &Fact, now: Timestamp) -> Words {
    match fact {
        Fact::HeldBack { constraint } => held_back(constraint),
        _ => Words::spoken("stream", streamed(fact, now)),
    }
}

fn streamed(fact: &Fact, now: Timestamp) -> String {
    let Fact::Streamed { stream, is_complete, connected_at, is_covered, why } = fact else {
        return String::new();
    };
    let state = match (connected_at, why) {
        (Some(at), _) => format!("connected {}", relative(at.0, now)),
        (None, Some(why)) => format!("not connected ({why}), so it is visited"),
        (None, None) => "not connected, so it is visited".to_owned(),
    };
    let meaning = match (connected_at.is_some(), is_complete, is_covered) {
        (false, ..) => "",
        (true, false, _) => "; it sends some of the posts, and each makes a visit due",
        (true, true, true) => "; it sends all posts, so visits are for reconciliation only",
        (true, true, false) => "; it sends all posts, and after one more visit there is no hole before it",
    };
    format!("its server sends posts by itself, through `{stream}`: {state}{meaning}")
}

fn held_back(constraint: &str) -> Words {
    let text = format!("it is not visited again while this constraint is not met: {constraint}");
    Words::spoken("held back", text)
}

fn foretold(model: &str, lists: &str, errors: &Pairs<String, f64>) -> Words {
    let errors: Vec<String> = errors.iter().map(|(name, error)| format!("{name} {error:.2}")).collect();
    Words::spoken("model", format!("{model}, which foretold {lists} of this forum best;"))
        .and([format!("errors: {}", errors.join(", "))])
}

fn turn(round: u64, before_count: Option<u64>, sources_count: u64, is_drawn: bool) -> Words {
    let all = count(sources_count, "source");
    let place = match before_count {
        _ if is_drawn => format!("lots are drawn: each of {all} is as likely to be next as the others"),
        Some(0) => format!("it is next of {all}"),
        Some(before) => format!("{} before it of {all}", count(before, "turn")),
        None => format!("one of {all}"),
    };
    Words::spoken("turn", format!("round {round}; {place}"))
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

fn due(next: NextVisit, now: Timestamp) -> String {
    match next {
        NextVisit::Paused => "none while it is paused".to_owned(),
        NextVisit::Removed => "none, it was removed".to_owned(),
        NextVisit::Due(When::Now) => "due now".to_owned(),
        NextVisit::Due(When::At(at)) => ago(at, now),
        NextVisit::Due(When::Never) => "never".to_owned(),
    }
}

/// What a person set, what people ask about, and how near it is to what the focus wants.
fn weight(counts: &Counts) -> Words {
    let Counts { weight, eir_per_day, importance, rank, factor, has_importance } = *counts;
    let asked = if eir_per_day > 0.0 {
        format!("asked about {eir_per_day:.2} times a day (EIR), importance {importance:.2}")
    } else {
        "nobody asked about it in the last 7 days".to_owned()
    };
    let ranked = rank.map(|rank| format!("; {rank:.2} times the mean by its rank in the focus"));
    let asked = asked + &ranked.unwrap_or_default();
    let follows = if has_importance {
        format!("so it counts {:.2} in all", f64::from(weight) * factor)
    } else {
        "which changes nothing: importance is off".to_owned()
    };
    Words::spoken("weight", format!("{weight} as set; {asked},")).and([follows])
}

fn silence(wait_s: f64, since: Option<UnixNumber>, now: Timestamp) -> Words {
    let since = since.map_or(String::new(), |at| format!("its last post: {}; ", ago(at, now)));
    Words::spoken("why then", format!("its last look brought nothing, so it waits {}:", span(wait_s))).and([
        format!("{since}each fruitless look makes the wait longer,"),
        "up to 30 days; activity that its board shows brings the visit forward".to_owned(),
    ])
}

fn because(reason: DueReason, policy: &str, ceiling_s: f64) -> String {
    match reason {
        DueReason::Worth if policy == "change-rate" => "half of its usual gap has passed".to_owned(),
        DueReason::Worth => "the waiting that a visit ends is worth its price".to_owned(),
        DueReason::Floor => "nothing is looked at more often".to_owned(),
        DueReason::Rounds => {
            "little is expected, but the quota suffices to look at all this often".to_owned()
        }
        DueReason::Ceiling => format!("nothing stays unvisited longer than {}", span(ceiling_s)),
        DueReason::Window => {
            "its list shows its newest posts only, and a third of them would be new by then".to_owned()
        }
        DueReason::Turn => format!("`{policy}` visits in turn; the quota sets the pace"),
        DueReason::Silence => "its last look brought nothing".to_owned(),
    }
}

fn looks((all, changed): (usize, usize), series: &[LookTold], (noise, similarity_max): (f64, f64)) -> Words {
    let mark = |look: &LookTold| if look.is_changed { "*" } else { "" };
    let told = series.iter().map(|look| format!("{:.2}{}", look.similarity, mark(look)));
    let told: Vec<String> = told.collect();
    let of = if series.len() < all { "the last" } else { "each" };
    let words =
        Words::spoken("looks", format!("{}, {changed} with a change (*);", count(all as u64, "look")));
    let words = words.and([format!("similarity to the stored copy, {of}: {}", told.join(" "))]);
    if noise > similarity_max + 0.1 || noise > 0.999 {
        return words;
    }
    words.and([format!(
        "(it differs at every fetch, {noise:.2} similar: what is {similarity_max:.2} similar is no change)"
    )])
}

fn refresh(
    (reason, ceiling_s): (RefreshReason, f64),
    planned: &[PlannedTold],
    (price_post_s, accuracy): (f64, Option<f64>),
    now: Timestamp,
) -> Words {
    let price = span(price_post_s);
    let why = match reason {
        RefreshReason::Noise => "a look soon after the last tells what differs at every fetch".to_owned(),
        RefreshReason::Exploring => {
            "too little is known of it yet: gaps double until a plan can be made".to_owned()
        }
        RefreshReason::Worth => format!("by the plan a look then is worth its price, {price} of waiting"),
        RefreshReason::Ceiling => format!("nothing stays unvisited longer than {}", span(ceiling_s)),
    };
    let looks = planned.iter().filter_map(|look| Some((look.at?, look.saved_post_s)));
    let looks: Vec<String> =
        looks.map(|(at, saved)| format!("{} (saves {})", ago(at, now), span(saved))).collect();
    if looks.is_empty() {
        return Words::spoken("why then", why);
    }
    let share =
        accuracy.map_or(String::new(), |share| format!("; the copy shows {:.1} % of it", share * 100.0));
    Words::spoken("why then", format!("{why};")).and([format!("plan: {}{share}", looks.join(", "))])
}

fn otherwise(all: [When; 4], now: Timestamp) -> Words {
    if all == [When::Now; 4] {
        return Words::own("otherwise", "it would be due now all the same at twice the price");
    }
    let due = |when: When| match when {
        When::Now => "due now".to_owned(),
        When::At(at) => format!("due {}", ago(at, now)),
        When::Never => "due never".to_owned(),
    };
    let [one_more_post, price_doubled, price_halved, no_ceiling] = all.map(due);
    Words::own("otherwise", format!("it would be {one_more_post} after one more post,")).and([
        format!("{price_doubled} at twice the price, {price_halved} at half the price,"),
        format!("{no_ceiling} without a ceiling"),
    ])
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
mod tests {
    use super::*;

    fn at(secs: i64) -> UnixNumber {
        UnixNumber(Timestamp::from_secs(secs))
    }

    /// The fact reads so, whole and under its heading.
    fn check(fact: &Fact, heading: &str, sentence: &str) {
        let words = words(fact, Timestamp::from_secs(10_000));
        assert_eq!((words.heading, words.sentence().as_str()), (heading, sentence), "{fact:?}");
        let text = sentence.strip_prefix(&format!("{heading}: ")).unwrap_or(sentence);
        assert_eq!(words.text(), text, "{fact:?}");
    }

    #[test]
    fn facts_read_as_sentences() {
        let state = freshet_types::SourceState::Paused;
        let next = NextVisit::Paused;
        check(
            &Fact::Visits { visited_at: Some(at(9_940)), next, state },
            "visits",
            "last visited 1m 00s ago; next visit: none while it is paused; state: paused",
        );
        let asked = Counts {
            weight: 2.5,
            eir_per_day: 1.0,
            importance: 3.0,
            rank: None,
            factor: 4.0,
            has_importance: true,
        };
        check(
            &Fact::Weight { counts: asked },
            "weight",
            "weight: 2.5 as set; asked about 1.00 times a day (EIR), importance 3.00, so it counts 10.00 in all",
        );
        check(
            &Fact::Weight { counts: Counts { eir_per_day: 0.0, rank: Some(3.0), factor: 2.0, ..asked } },
            "weight",
            "weight: 2.5 as set; nobody asked about it in the last 7 days; 3.00 times the mean by its rank in the focus, so it \
             counts 5.00 in all",
        );
        let off = Counts { eir_per_day: 0.0, factor: 1.0, has_importance: false, ..asked };
        check(
            &Fact::Weight { counts: off },
            "weight",
            "weight: 2.5 as set; nobody asked about it in the last 7 days, which changes nothing: importance is off",
        );
        check(
            &Fact::Silence { wait_s: 2_592_000.0, since: Some(at(9_940)) },
            "why then",
            "why then: its last look brought nothing, so it waits 30d 0h: its last post: 1m 00s ago; each fruitless look \
             makes the wait longer, up to 30 days; activity that its board shows brings the visit forward",
        );
        let due = |reason, is_overruled| Fact::Due {
            reason,
            policy: "freshet".to_owned(),
            ceiling_s: 21_600.0,
            is_overruled,
        };
        check(&due(DueReason::Floor, false), "why then", "why then: nothing is looked at more often");
        check(
            &due(DueReason::Ceiling, true),
            "otherwise",
            "without that silence: nothing stays unvisited longer than 6h 00m",
        );
        let (soon, never) = (When::At(at(10_060)), When::Never);
        check(
            &Fact::Otherwise {
                one_more_post: When::Now,
                price_doubled: soon,
                price_halved: soon,
                no_ceiling: never,
            },
            "otherwise",
            "it would be due now after one more post, due in 1m 00s at twice the price, due in 1m 00s at half the price, due \
             never without a ceiling",
        );
    }

    #[test]
    fn what_others_tell_of_it_reads_as_sentences() {
        check(
            &Fact::Profile { told_per_day: 4.0, expected_per_day: 3.03 },
            "profile",
            "profile: 4.00 posts a day since it was made; by that alone 3.03 would be expected",
        );
        let grouped = |shows_posts, last_at| Fact::Grouped {
            roots_max: 40,
            shows_posts,
            shared_count: 7,
            looks_count: 20,
            last_at,
        };
        check(
            &grouped(false, Some(at(9_940))),
            "groups",
            "groups: one call asks about it and up to 39 others; 7 of its last 20 looks came with the call of another source, the \
             last 1m 00s ago",
        );
        check(
            &grouped(true, None),
            "groups",
            "groups: one call shows its newest posts with those of up to 39 others; 7 of its last 20 looks came with the call of \
             another source",
        );
        check(
            &Fact::Coverage { covered: Covered::Holes { holes_count: 2 } },
            "coverage",
            "2 holes; `freshet gaps` prices them",
        );
        let streamed = |is_complete, connected_at, is_covered, why: Option<&str>| Fact::Streamed {
            stream: "local".to_owned(),
            is_complete,
            connected_at,
            is_covered,
            why: why.map(str::to_owned),
        };
        check(
            &streamed(true, Some(at(9_940)), true, None),
            "stream",
            "stream: its server sends posts by itself, through `local`: connected 1m 00s ago; it sends all posts, so visits are \
             for reconciliation only",
        );
        check(
            &streamed(false, None, false, Some("it needs a credential")),
            "stream",
            "stream: its server sends posts by itself, through `local`: not connected (it needs a credential), so it is visited",
        );
        check(&Fact::Failure { why: "no\nanswer".to_owned() }, "last failure", "last failure: no answer");
    }

    #[test]
    fn turns_and_calendars_read_as_sentences() {
        let turn =
            |before_count, is_drawn| Fact::Turn { round: 3, before_count, sources_count: 40, is_drawn };
        check(&turn(Some(7), false), "turn", "turn: round 3; 7 turns before it of 40 sources");
        check(&turn(Some(0), false), "turn", "turn: round 3; it is next of 40 sources");
        check(
            &turn(None, true),
            "turn",
            "turn: round 3; lots are drawn: each of 40 sources is as likely to be next as the others",
        );
        let table = |name: Option<&str>, is_weekend, speaker| Fact::Table {
            holiday: name.map(str::to_owned),
            is_weekend,
            speaker,
        };
        check(
            &table(Some("new year"), false, DayTable::Own),
            "calendar",
            "calendar: today is the holiday new year; the table that it had the last time speaks",
        );
        check(
            &table(None, true, DayTable::Weekend),
            "calendar",
            "calendar: today is a day of the weekend; the table of weekends speaks",
        );
    }
}
