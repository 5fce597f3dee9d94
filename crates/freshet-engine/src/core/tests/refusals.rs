//! Which answers say something about an account, and which about one of its lists alone.

use freshet_types::{Intent, Obstacle, Outcome};

use super::*;

fn refusal(outcome: Outcome) -> Page {
    Page { outcome, ..Page::default() }
}

fn owner() -> Page {
    list("7", [])
}

/// Answers a source of account 7 with these pages in turn; gives the endpoints that were asked, the state of the source, and why
/// the account is invalid, if it is.
fn visit((network, endpoint, robot): (&str, &str, RobotKind), pages: Vec<Page>) -> (Bench, String) {
    let mut bench = Bench::new("change-rate");
    let root_id = if network == NETWORK { "7" } else { "https://b.example/7" };
    let source = Source::new(&network.into(), endpoint, robot, "account", root_id);
    bench.know_all([Source { id: SourceId(1), ..source }]);
    let (mut asked, mut invalid) = (Vec::new(), None);
    for page in pages {
        asked.push(bench.orders[0].endpoint.to_string());
        bench.answer(page);
        let told = bench.uploads.iter().find_map(|upload| upload.invalid.clone());
        invalid = invalid.or(told.map(|(id, why)| format!("{id} {why}")));
        bench.commit_all();
    }
    assert!(bench.orders.is_empty(), "{:?} is asked for", bench.orders[0].endpoint);
    let state = bench.sources[&SourceId(1)].state.name();
    let told = format!("{}: {state}, {}", asked.join(" "), invalid.unwrap_or("valid".to_owned()));
    (bench, told)
}

#[test]
fn only_an_answer_about_the_account_makes_it_invalid() {
    use Outcome::{AuthRequired, Gone, Private, Suspended};
    use RobotKind::{Relation, Status, User};
    let posts = (NETWORK, "posts", Status);
    let moved = || Outcome::Moved { to: "elsewhere".to_owned() };
    for (source, pages, expected) in [
        // Its own endpoint speaks of the account.
        ((NETWORK, "account", User), vec![refusal(Gone)], "account: gone, 7 gone"),
        ((NETWORK, "account", User), vec![refusal(Private)], "account: private, 7 private"),
        ((NETWORK, "account", User), vec![refusal(moved())], "account: gone, 7 moved"),
        ((NETWORK, "account", User), vec![refusal(AuthRequired)], "account: auth_required, valid"),
        // So does "suspended", whoever is asked.
        (posts, vec![refusal(Suspended)], "posts: suspended, 7 suspended"),
        // A list speaks of itself: its owner is asked.
        (posts, vec![refusal(Gone), owner()], "posts account: gone, valid"),
        (posts, vec![refusal(Private), owner()], "posts account: private, valid"),
        (posts, vec![refusal(moved()), owner()], "posts account: gone, valid"),
        (posts, vec![refusal(Gone), refusal(Gone)], "posts account: gone, 7 gone"),
        (posts, vec![refusal(Gone), refusal(Suspended)], "posts account: suspended, 7 suspended"),
        (posts, vec![refusal(Private), refusal(Gone)], "posts account: gone, 7 gone"),
        (posts, vec![refusal(AuthRequired)], "posts: auth_required, valid"),
        ((NETWORK, "followers", Relation), vec![refusal(Gone), owner()], "followers account: gone, valid"),
        // The network shows no accounts: nobody can be asked about the owner.
        ((SLOW_NETWORK, "feed", Status), vec![refusal(Gone)], "feed: gone, valid"),
    ] {
        assert_eq!(visit(source, pages).1, expected);
    }
}

#[test]
fn a_page_below_the_top_that_is_refused_speaks_of_itself() {
    let top = || Page { next: Some("older".to_owned()), ..list("7", [900_000, 800_000]) };
    let posts = (NETWORK, "posts", RobotKind::Status);
    let refused = Some(Obstacle::Refused);
    for (pages, expected, obstacle) in [
        (vec![top(), refusal(Outcome::Gone), owner()], "posts posts account: active, valid", refused),
        // The account itself is gone: if it comes back, so does its history.
        (
            vec![top(), refusal(Outcome::Gone), refusal(Outcome::Gone)],
            "posts posts account: gone, 7 gone",
            None,
        ),
    ] {
        let (bench, told) = visit(posts, pages);
        assert_eq!(told, expected);
        let holes = bench.sources[&SourceId(1)].coverage.holes();
        assert_eq!(holes[0].obstacle, obstacle, "{told}: {holes:?}");
    }
}

#[test]
fn an_owner_who_cannot_be_asked_now_is_asked_with_the_next_look() {
    let mut bench = Bench::new("change-rate");
    let id = bench.know(1, "7");
    bench.answer(refusal(Outcome::Gone));
    bench.answer(refusal(Outcome::RateLimited { until: Some(bench.now + Span::HOUR) }));
    bench.commit_all();
    let slot = bench.slot(id);
    assert_eq!((slot.state, slot.is_backlogged, slot.is_leased), (SourceState::Gone, false, false));
    bench.wait(Span::DAY + Span::HOUR);
    assert_eq!((&*bench.orders[0].endpoint, &bench.orders[0].intent), ("posts", &Intent::First));
}
