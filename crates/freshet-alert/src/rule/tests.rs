//! Each rule, on both sides of its threshold.

use super::*;

fn now() -> Timestamp {
    Timestamp::from_secs(1_770_000_000)
}

/// Ten posts a day for a month, visited an hour ago, with nothing to say.
fn known() -> Known {
    Known {
        label: "social ada (posts)".to_owned(),
        network: "social".to_owned(),
        state: SourceState::Active,
        is_thread: false,
        visited_at: Some(now() - Span::HOUR),
        last_post_at: Some(now() - Span::HOUR * 3.0),
        evidence: (300, Span::DAY * 30.0),
        expected: 1.0,
        latest: Some((1, 1.0)),
        lost: Vec::new(),
        failure: None,
        is_server_down: false,
    }
}

fn check(known: &Known, expected: &[RuleName]) {
    let found = judge(&Rules::default(), known, now());
    let rules: Vec<RuleName> = found.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, expected, "{found:?}");
    for finding in found {
        assert!(finding.text.contains("ada") && finding.value.is_finite(), "{finding:?}");
    }
}

#[test]
fn sources() {
    use RuleName::{Burst, Dead, Hole, Silence};
    let at = now() - Span::DAY;
    check(&known(), &[]);
    // A weekend without a post is no wonder, three days are.
    check(&Known { expected: 20.0, ..known() }, &[]);
    check(&Known { expected: 30.0, ..known() }, &[Silence]);
    check(&Known { expected: 30.0, is_thread: true, ..known() }, &[]);
    // Who is hardly known surprises nobody.
    check(&Known { expected: 30.0, evidence: (19, Span::DAY * 30.0), ..known() }, &[]);
    check(&Known { expected: 30.0, evidence: (300, Span::DAY), ..known() }, &[]);
    check(&Known { expected: 30.0, state: SourceState::OptedOut, ..known() }, &[]);
    check(&Known { latest: Some((20, 1.0)), ..known() }, &[]);
    check(&Known { latest: Some((60, 1.0)), ..known() }, &[Burst]);
    check(&Known { latest: Some((60, 50.0)), ..known() }, &[]);
    check(&Known { state: SourceState::Gone, ..known() }, &[Dead]);
    check(&Known { state: SourceState::Suspended, visited_at: None, ..known() }, &[Dead]);
    check(&Known { state: SourceState::Failed, ..known() }, &[]);
    check(&Known { state: SourceState::Failed, visited_at: Some(now() - Span::DAY), ..known() }, &[Dead]);
    // Its server is told of instead, also where the source was never visited.
    for visited_at in [None, Some(now() - Span::DAY)] {
        let failed = Known { state: SourceState::Failed, visited_at, is_server_down: true, ..known() };
        check(&failed, &[]);
        check(&Known { state: SourceState::Gone, ..failed }, &[Dead]);
    }
    check(&Known { lost: vec![(now(), Some(at), 0.4)], ..known() }, &[]);
    check(&Known { lost: vec![(now(), Some(at), 9.0), (at, None, 2.0)], ..known() }, &[Hole, Hole]);
}

#[test]
fn a_store_in_trouble() {
    for (seconds, is_told) in [(0, false), (9, false), (10, true), (86_400, true)] {
        let trouble = ("the disk is full", now() - Span::from_secs(seconds), "make room");
        let found = judge_store(&Rules::default(), trouble, now());
        assert_eq!(found.is_some(), is_told, "{seconds} s: {found:?}");
        assert!(found.is_none_or(|it| it.text.contains("full") && it.text.contains("make room")));
    }
}

#[test]
fn a_rule_that_is_off_says_nothing() {
    let mut rules = Rules::default();
    for rule in &mut rules.0 {
        rule.is_on = false;
    }
    let loud = Known { state: SourceState::Gone, lost: vec![(now(), None, 9.0)], ..known() };
    assert!(judge(&rules, &loud, now()).is_empty());
    assert!(judge_login(&rules, "social", 9).is_none());
}

#[test]
fn quotas_and_logins() {
    let quota = |left_min: i64| Quota {
        name: "social api ip".to_owned(),
        window: Span::HOUR,
        blocked_until: Some(now() + Span::MINUTE * left_min as f64),
    };
    for (left_min, is_found) in [(-1, false), (14, false), (15, true), (60, true)] {
        assert_eq!(judge_quota(&Rules::default(), &quota(left_min), now()).is_some(), is_found, "{left_min}");
    }
    assert!(judge_login(&Rules::default(), "social", 0).is_none());
    assert!(judge_login(&Rules::default(), "social", 2).unwrap().text.contains("2 sources"));
}

#[test]
fn names_are_read_back() {
    for rule in RuleName::ALL {
        assert_eq!(rule.name().parse(), Ok(rule));
        assert_eq!(RuleName::ALL[rule as usize], rule);
    }
    assert!("nonsense".parse::<RuleName>().unwrap_err().contains("silence"));
}

#[test]
fn servers() {
    for (minutes, is_found) in [(4.0, false), (5.0, true), (600.0, true)] {
        let down = Down {
            network: "social".to_owned(),
            since: now() - Span::MINUTE * minutes,
            said: "no connection".to_owned(),
            sources_count: 12,
        };
        let found = judge_server(&Rules::default(), &down, now());
        assert_eq!(found.is_some(), is_found, "{minutes} minutes");
        let text = found.map_or(String::new(), |finding| finding.text);
        assert!(!is_found || (text.contains("12 sources wait") && text.contains("no connection")), "{text}");
    }
}
