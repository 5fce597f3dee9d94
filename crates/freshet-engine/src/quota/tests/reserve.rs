//! What the store knows of the quotas: never less than was spent, and little more.

use std::collections::{BTreeMap, VecDeque};

use super::*;

/// The settings as a store keeps them.
#[derive(Default)]
struct Disk(BTreeMap<String, String>);

impl Disk {
    fn write(&mut self, reservation: &Reservation) {
        for (key, value) in &reservation.settings {
            match value {
                Some(value) => drop(self.0.insert(key.clone(), value.clone())),
                None => drop(self.0.remove(key)),
            }
        }
    }

    /// The ledger of a process that starts on it.
    fn ledger(&self, now: Timestamp) -> Ledger {
        let under = self.0.iter().filter(|(key, _)| key.starts_with(&LEDGER.key("")));
        let settings = under.map(|(key, value)| (key.clone(), value.clone())).collect();
        Ledger::from_settings(settings, self.0.get(LEDGER_BEFORE.key()).map(String::as_str), now)
    }
}

/// A crawl that is killed after so many requests, again and again, with a store that takes so long to
/// write. Gives when requests left, and how many waited for the store.
fn crawl_with_kills(need: &QuotaNeed, kill_every: usize, write_ms: i64, windows: i64) -> (Vec<i64>, usize) {
    let claim = claim(std::slice::from_ref(need));
    let (mut disk, mut now, mut sent, mut waited_count) = (Disk::default(), at(0), Vec::new(), 0);
    let end = now + need.window * windows as f64;
    while now < end {
        let mut ledger = disk.ledger(now);
        let mut writes: VecDeque<(Timestamp, Reservation)> = VecDeque::new();
        let mut held: VecDeque<u64> = VecDeque::new();
        let kill_at = sent.len() + kill_every;
        while now < end && sent.len() < kill_at {
            while let Some((_, reservation)) = writes.pop_front_if(|(due, _)| *due <= now) {
                disk.write(&reservation);
                ledger.confirm(reservation.number);
            }
            while held.pop_front_if(|number| ledger.is_written(*number)).is_some() {
                sent.push(now.ms());
                ledger.answered(&claim, &[], now);
            }
            let wake = match ledger.grant(&claim, now) {
                Ok(Some(number)) => {
                    waited_count += 1;
                    held.push_back(number);
                    now
                }
                Ok(None) => {
                    sent.push(now.ms());
                    ledger.answered(&claim, &[], now);
                    now
                }
                Err(later) => later,
            };
            if let Some(reservation) = ledger.reservation(now) {
                writes.push_back((now + Span::from_ms(write_ms), reservation));
            }
            let written_at = writes.front().map_or(Timestamp::MAX, |(due, _)| *due);
            now = now.max(wake.min(written_at));
        }
        // Killed: what was not written is lost, and starting again takes a moment.
        now = now + Span::from_ms(50);
    }
    (sent, waited_count)
}

#[test]
fn killed_again_and_again_it_never_overdraws() {
    // The last column is the least share of the limit that is spent all the same, in percent.
    for (limit, window_s, kill_every, write_ms, share_min) in [
        (300, 300, usize::MAX, 5, 84),
        (300, 300, 1000, 5, 84),
        (300, 300, 20, 5, 60),
        (300, 300, 3, 5, 35),
        (300, 300, 1, 5, 35),
        (300, 300, 1, 3000, 15),
        (300, 300, 20, 3000, 50),
        (10_000, 86_400, 7, 5, 40),
        (20, 300, 2, 5, 30),
        (1, 60, 1, 5, 40),
        (3000, 300, 50, 5, 40),
    ] {
        let need = need("ip", limit, window_s);
        let (sent, _) = crawl_with_kills(&need, kill_every, write_ms, WINDOWS);
        let shown = format!("{limit} in {window_s} s, killed after {kill_every}, written in {write_ms} ms");
        let most = most_in_any_window(&sent, window_s * 1000);
        assert!(most <= limit as usize, "{shown}: {most}");
        let percent = sent.len() as i64 * 100 / (WINDOWS * i64::from(limit));
        assert!(percent >= share_min, "{shown}: only {percent} % was spent");
    }
}

#[test]
fn a_crawl_rarely_waits_for_the_store() {
    for (limit, window_s) in [(300, 300), (3000, 300), (100, 10)] {
        let (sent, waited_count) = crawl_with_kills(&need("ip", limit, window_s), usize::MAX, 20, WINDOWS);
        let percent = waited_count * 100 / sent.len();
        assert!(percent <= 5, "{limit} in {window_s} s: {percent} % of {} requests waited", sent.len());
    }
}

#[test]
fn a_killed_process_loses_a_fiftieth_and_one_that_stops_loses_nothing() {
    let needs = [need("ip", 300, 300), need("paged", 30, 900)];
    let (mut ledger, mut disk, claim) = (Ledger::default(), Disk::default(), claim(&needs));
    let mut now = at(0);
    while now < at(300_000) {
        let granted = ledger.grant(&claim, now);
        if let Some(reservation) = ledger.reservation(now) {
            disk.write(&reservation);
            ledger.confirm(reservation.number);
        }
        match granted {
            Ok(_) => ledger.answered(&claim, &[], now),
            Err(later) => now = later.min(at(300_000)),
        }
    }
    let again_at = ledger.grant(&claim, now).unwrap_err();
    let killed_at = disk.ledger(now).grant(&claim, now).unwrap_err();
    assert!(killed_at >= again_at, "the store knew of less than was spent");
    let paged_gap = Span::from_secs(900 / 26 + 1);
    assert!(killed_at - again_at <= paged_gap, "{} were lost", killed_at - again_at);

    disk.write(&ledger.farewell(now));
    assert_eq!(disk.ledger(now).grant(&claim, now), Err(again_at));
    // The other bucket is full again, which is what a new one is: it was not kept.
    let reopened = disk.ledger(now).views(now);
    let view = ledger.views(now).into_iter().find(|view| view.key == needs[1].key).unwrap();
    assert_eq!(reopened.len(), 1);
    assert!((view.ready - reopened[0].ready).abs() < 1e-6, "{view:?} and {reopened:?}");
}

#[test]
fn a_refusal_is_written_at_once_and_forgotten_when_it_is_over() {
    let needs = [need("ip", 300, 300)];
    let (mut ledger, mut disk, claim) = (Ledger::default(), Disk::default(), claim(&needs));
    ask(&mut ledger, &claim, at(0)).unwrap();
    let until = ledger.refused(&claim, None, at(0));
    disk.write(&ledger.reservation(at(0)).expect("it is to be written"));
    assert_eq!(disk.ledger(at(1)).grant(&claim, at(1)), Err(until));
    // A storm needs no quota.
    let other = Claim { asker: claim.asker.clone(), needs: vec![], budgets: vec![] };
    assert_eq!(disk.ledger(at(1)).grant(&other, at(1)), Err(until));
    ledger.served(&claim);
    disk.write(&ledger.reservation(until).expect("that it is over is to be written"));
    assert_eq!(disk.ledger(until).grant(&other, until), Ok(None));
}

#[test]
fn every_server_is_remembered() {
    let claims: Vec<Claim> = (0..2500)
        .map(|number| {
            let network = NetworkName::new("net", Some(&format!("s{number}.example")));
            let mut need = need("ip", 300, 300);
            need.key.network = network.clone();
            Claim { asker: Asker { network, credential: None }, needs: vec![need], budgets: vec![] }
        })
        .collect();
    let (mut ledger, mut disk) = (Ledger::default(), Disk::default());
    for claim in &claims {
        ledger.grant(claim, at(0)).unwrap();
        ledger.answered(claim, &[], at(0));
        while ledger.grant(claim, at(1000)).is_ok() {}
    }
    disk.write(&ledger.reservation(at(1000)).unwrap());
    let mut reopened = disk.ledger(at(1001));
    let forgotten = claims.iter().filter(|claim| reopened.grant(claim, at(1001)).is_ok()).count();
    assert_eq!(forgotten, 0, "servers that are asked too much after a restart");
    // What says no more than a fresh bucket does is not kept for ever.
    let later = at(3_600_000);
    disk.write(&disk.ledger(later).reservation(later).unwrap());
    assert_eq!(disk.0.len(), 0);
}

#[test]
fn what_older_versions_wrote_is_read_once() {
    let (needs, now) = ([need("ip", 30, 900)], at(300_000));
    let mut ledger = Ledger::default();
    spend(&mut ledger, &needs, 300);
    let again_at = ledger.grant(&claim(&needs), now).unwrap_err();
    let other = Asker { network: NetworkName::from("net"), credential: Some("two".into()) };
    let refused = Claim { asker: other.clone(), needs: vec![], budgets: vec![] };
    let until = ledger.refused(&refused, None, now);
    let text = serde_json::json!({
        "saved_at": now,
        "buckets": [[needs[0].key, ledger.accounts[&needs[0].key].bucket]],
        "storms": [[other, ledger.storms[&refused.asker]]],
    });
    let mut disk = Disk::default();
    disk.0.insert(LEDGER_BEFORE.key().to_owned(), text.to_string());
    for round in ["by the old text", "by what took its place"] {
        let mut reopened = disk.ledger(now);
        let shown_at = reopened.grant(&claim(&needs), now).unwrap_err();
        assert!(shown_at >= again_at, "{round}");
        assert!(shown_at - again_at <= Span::from_secs(35), "{round}: {}", shown_at - again_at);
        assert_eq!(reopened.grant(&refused, now), Err(until), "{round}");
        if let Some(reservation) = reopened.reservation(now) {
            disk.write(&reservation);
        }
        assert!(!disk.0.contains_key(LEDGER_BEFORE.key()), "{round}");
    }
}

#[test]
fn what_cannot_be_used_is_passed_over() {
    let (needs, now) = ([need("ip", 30, 900)], at(300_000));
    let (mut ledger, mut disk) = (Ledger::default(), Disk::default());
    spend(&mut ledger, &needs, 300);
    disk.write(&ledger.farewell(now));
    let again_at = ledger.grant(&claim(&needs), now).unwrap_err();
    let (key, text) = disk.0.first_key_value().map(|(key, text)| (key.clone(), text.clone())).unwrap();
    let step = Span::MINUTE;
    for (key, text, at, expected) in [
        (key.as_str(), text.as_str(), now, Err(again_at)),
        // A clock that was put back does not give back what was spent.
        (&key, &text, now - step, Err(again_at - step)),
        // Another clock altogether.
        (&key, &text, now - Span::DAY, Ok(())),
        (&key, "", now, Ok(())),
        (&key, "{}", now, Ok(())),
        (&key, "nonsense", now, Ok(())),
        (LEDGER_BEFORE.key(), "nonsense", now, Ok(())),
        (LEDGER_BEFORE.key(), "{}", now, Ok(())),
    ] {
        let disk = Disk([(key.to_owned(), text.to_owned())].into());
        let granted = disk.ledger(at).grant(&claim(&needs), at).map(drop);
        assert_eq!(granted, expected, "`{text}` at {at}");
    }
}
