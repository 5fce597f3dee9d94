//! Tries and pauses, on a clock of the test's own.

use freshet_store::testing;

use super::super::config::Way;
use super::super::rule::{Finding, RuleName, Rules};
use super::*;

fn receiver(name: &str) -> Receiver {
    let way = Way::Command { line: vec!["true".to_owned()], limit: std::time::Duration::from_secs(1) };
    Receiver { name: name.to_owned(), rules: Vec::new(), way }
}

fn start() -> Timestamp {
    Timestamp::from_secs(1_770_000_000)
}

/// A memory with one alert for each subject, to be told at once.
fn memory(subjects: &[&str], receivers: &[Receiver]) -> Memory {
    let mut memory = Memory::default();
    let raise = |subject: &&str| {
        let (subject, text) = ((*subject).to_owned(), String::new());
        let finding = Finding { rule: RuleName::Dead, subject, text, value: 1.0 };
        memory.raise(&Rules::default(), finding, start()).unwrap().number
    };
    let numbers: Vec<u64> = subjects.iter().map(raise).collect();
    memory.address(&numbers, receivers, start());
    memory
}

/// Who is told of which alerts at this second.
fn due(memory: &Memory, receivers: &[Receiver], second: f64) -> Vec<(String, Vec<u64>)> {
    let now = start() + Span::from_secs_f64(second);
    let due = memory.due(receivers, &Set::default(), now);
    let numbers = |alerts: &[Alert]| alerts.iter().map(|alert| alert.number).collect();
    due.iter().map(|(receiver, alerts)| (receiver.name.clone(), numbers(alerts))).collect()
}

fn failed() -> Result<(), String> {
    Err("refused".to_owned())
}

#[test]
fn a_dead_receiver_is_tried_ever_more_seldom_and_given_up() {
    let receivers = [receiver("phone")];
    let mut memory = memory(&["ada"], &receivers);
    let mut store = testing::memory();
    let (mut tried_at, mut second) = (Vec::new(), 0.0);
    while second < 100_000.0 {
        if !due(&memory, &receivers, second).is_empty() {
            tried_at.push(second as i64);
            memory.note("phone", &[1], &failed(), start() + Span::from_secs_f64(second));
            // As if the process were started anew after each try.
            memory.save(&mut store).unwrap();
            memory = Memory::from_store(&store).unwrap();
        }
        second += 1.0;
    }
    assert_eq!(tried_at, [0, 2, 10, 42, 170, 682, 2730, 10922]);
    let sent = &memory.alerts().next().unwrap().sent[0];
    assert_eq!((sent.is_ok, sent.tries_count, sent.again_at), (false, TRIES_MAX, None));
    assert_eq!(sent.why.as_deref(), Some("refused"));
}

#[test]
fn each_receiver_has_its_own_tries() {
    let receivers = [receiver("phone"), receiver("desk")];
    let mut memory = memory(&["ada", "bob"], &receivers);
    assert_eq!(
        due(&memory, &receivers, 0.0),
        [("phone".to_owned(), vec![1, 2]), ("desk".to_owned(), vec![1, 2])]
    );
    let busy: Set<String> = ["phone".to_owned()].into_iter().collect();
    assert_eq!(memory.due(&receivers, &busy, start()).len(), 1, "who is busy gets nothing more");
    memory.note("phone", &[1, 2], &failed(), start());
    memory.note("desk", &[1, 2], &Ok(()), start());
    assert!(due(&memory, &receivers, 1.0).is_empty());
    assert_eq!(due(&memory, &receivers, 2.0), [("phone".to_owned(), vec![1, 2])]);
    memory.note("phone", &[1, 2], &Ok(()), start());
    let told: Vec<u32> = memory.alerts().flat_map(|alert| &alert.sent).map(|sent| sent.tries_count).collect();
    assert_eq!(told, [2, 1, 2, 1]);
    assert!(due(&memory, &receivers, 1e9).is_empty());
}

#[test]
fn who_is_back_is_told_everything() {
    let receivers = [receiver("phone")];
    let mut memory = memory(&["ada", "bob"], &receivers);
    for second in [0.0, 2.0, 10.0] {
        memory.note("phone", &[1], &failed(), start() + Span::from_secs_f64(second));
    }
    memory.note("phone", &[2], &Ok(()), start() + Span::from_secs_f64(11.0));
    assert_eq!(due(&memory, &receivers, 11.0), [("phone".to_owned(), vec![1])]);
}

#[test]
fn nobody_waits_for_who_is_gone_or_for_a_wrong_clock() {
    let mut memory = memory(&["ada"], &[receiver("phone")]);
    assert!(!due(&memory, &[receiver("phone")], -1e6).is_empty(), "a clock that was wrong");
    memory.note("phone", &[1], &failed(), start());
    assert!(memory.drop_gone(&[receiver("desk")]) && !memory.drop_gone(&[receiver("desk")]));
    let sent = &memory.alerts().next().unwrap().sent[0];
    assert!(sent.again_at.is_none() && sent.why.as_ref().unwrap().contains("before: refused"), "{sent:?}");
}
