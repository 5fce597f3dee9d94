//! When a source is visited next and why then, in words: its pace, its turn, its plan, and what would change it.
//!
//! That a visit is due is judged in `explain/why.rs` and below; nothing is judged here.

use freshet_report::explain::{DueReason, LookTold, NextVisit, PlannedTold, RefreshReason, When};
use freshet_report::time::UnixNumber;
use freshet_types::Timestamp;

use super::{Words, ago, span};
use crate::text::count;

pub(super) fn due(next: NextVisit, now: Timestamp) -> String {
    match next {
        NextVisit::Paused => "none while it is paused".to_owned(),
        NextVisit::Removed => "none, it was removed".to_owned(),
        NextVisit::Due(When::Now) => "due now".to_owned(),
        NextVisit::Due(When::At(at)) => ago(at, now),
        NextVisit::Due(When::Never) => "never".to_owned(),
    }
}

pub(super) fn silence(wait_s: f64, since: Option<UnixNumber>, now: Timestamp) -> Words {
    let since = since.map_or(String::new(), |at| format!("its last post: {}; ", ago(at, now)));
    Words::spoken("why then", format!("its last look brought nothing, so it waits {}:", span(wait_s))).and([
        format!("{since}each fruitless look makes the wait longer,"),
        "up to 30 days; activity that its board shows brings the visit forward".to_owned(),
    ])
}

pub(super) fn because(reason: DueReason, policy: &str, ceiling_s: f64) -> String {
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

pub(super) fn turn(round: u64, before_count: Option<u64>, sources_count: u64, is_drawn: bool) -> Words {
    let all = count(sources_count, "source");
    let place = match before_count {
        _ if is_drawn => format!("lots are drawn: each of {all} is as likely to be next as the others"),
        Some(0) => format!("it is next of {all}"),
        Some(before) => format!("{} before it of {all}", count(before, "turn")),
        None => format!("one of {all}"),
    };
    Words::spoken("turn", format!("round {round}; {place}"))
}

pub(super) fn looks(
    (all, changed): (usize, usize),
    series: &[LookTold],
    (noise, similarity_max): (f64, f64),
) -> Words {
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

pub(super) fn refresh(
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

pub(super) fn otherwise(all: [When; 4], now: Timestamp) -> Words {
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
