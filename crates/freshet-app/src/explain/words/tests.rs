//! Facts as people read them, whole and under their headings.

use freshet_report::explain::{DueReason, NextVisit, When};

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
        "weight: 2.5 as set; nobody asked about it in the last 7 days; 3.00 times the mean by its rank, so it \
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
fn what_is_not_kept_reads_as_a_sentence() {
    check(
        &Fact::NotKept { is_network: true, is_taken: true },
        "content",
        "content: not kept (of its network nothing is), goes to subscribers",
    );
    check(
        &Fact::NotKept { is_network: false, is_taken: false },
        "content",
        "content: not kept (it was added so), nobody takes it",
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
        is_page: false,
        connected_at,
        is_covered,
        bill: is_covered.then_some((1, 12)),
        why: why.map(str::to_owned),
    };
    check(
        &streamed(true, Some(at(9_940)), true, None),
        "stream",
        "stream: its server sends posts by itself, through `local`: connected 1m 00s ago; it sends all posts, so visits are \
         for reconciliation only; so far it took 1 request and spared 12 visits",
    );
    let page = Fact::Streamed {
        stream: "updates".to_owned(),
        is_complete: false,
        is_page: true,
        connected_at: Some(at(9_940)),
        is_covered: false,
        bill: None,
        why: None,
    };
    check(
        &page,
        "stream",
        "stream: its server tells on a page, `updates`, what changed: asked for again and again, first 1m 00s ago; who stands \
         on it is visited",
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
    let turn = |before_count, is_drawn| Fact::Turn { round: 3, before_count, sources_count: 40, is_drawn };
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
