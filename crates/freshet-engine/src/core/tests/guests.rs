//! Guests: commands that ask beside the run get grants of the same ledger, before visits, and never more than there is.

use freshet_store::control::GuestAsk;
use freshet_types::{Rate, Request};

use super::*;
use crate::guest::{Answers, GUESTS, Granted};

const PER_HOUR: u32 = 6;

fn bench() -> Bench {
    let mut bench = Bench::new("change-rate");
    let budget = (NetworkName::from(NETWORK), Rate::per_hour(PER_HOUR));
    bench.tell(Event::Budgets(Budgets([budget].into_iter().collect())));
    bench
}

fn wish(bench: &mut Bench, number: u64) {
    let request = Request::get(&NETWORK.into(), "https://a.example/".to_owned());
    bench.tell(Event::Guest(number, Box::new(GuestAsk::Grant(request))));
}

/// The answers so far: to whom, and whether with a grant.
fn answers(bench: &Bench) -> Vec<(u64, bool)> {
    let text = bench.notes.get(GUESTS.key()).map_or("[]", String::as_str);
    let answers: Answers = serde_json::from_str(text).unwrap();
    answers.0.into_iter().map(|(number, granted)| (number, granted == Granted::Now)).collect()
}

#[test]
fn guests_and_visits_share_one_budget() {
    let mut bench = bench();
    for number in 1..=20 {
        wish(&mut bench, number);
    }
    let granted = |bench: &Bench| answers(bench).iter().filter(|(_, is_granted)| *is_granted).count() as u32;
    let at_once = granted(&bench);
    assert!((1..=PER_HOUR).contains(&at_once), "{at_once}");
    assert_eq!(answers(&bench).len() as u32, at_once, "the others wait");
    bench.know(1, "7");
    assert_eq!(bench.orders.len(), 0, "what is granted is spent for everybody");
    bench.wait(Span::from_secs(11));
    assert_eq!((answers(&bench).len(), granted(&bench)), (20, at_once), "who waited long enough is told");
    // With time there is room again: for the guest first, though a visit is due.
    wish(&mut bench, 30);
    bench.wait(Span::HOUR);
    assert!(answers(&bench).contains(&(30, true)), "{:?}", answers(&bench));
}

#[test]
fn a_guest_asks_when_the_store_knows_of_its_grant() {
    let mut bench = bench();
    bench.stores = false;
    wish(&mut bench, 1);
    assert_eq!(answers(&bench), []);
    let reservation = bench.reservations.pop_front().expect("the grant is written first");
    bench.tell(Event::Reserved(reservation.number));
    assert_eq!(answers(&bench), [(1, true)]);
}

#[test]
fn what_a_guest_took_beyond_its_grant_is_charged() {
    let mut bench = bench();
    let request = Request::get(&NETWORK.into(), "https://a.example/".to_owned());
    let spent = |extra_count, is_refused| GuestAsk::Spent {
        request: request.clone(),
        extra_count,
        is_refused,
        refused_until: None,
    };
    bench.tell(Event::Guest(1, Box::new(spent(PER_HOUR * 2, false))));
    wish(&mut bench, 2);
    assert_eq!(answers(&bench), [], "nothing is left");
    let mut bench = self::bench();
    bench.tell(Event::Guest(1, Box::new(spent(0, true))));
    wish(&mut bench, 2);
    assert_eq!(answers(&bench), [], "whoever was refused waits");
}
