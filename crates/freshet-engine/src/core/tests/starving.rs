//! A server that allows few requests and whose lists lead nowhere: everybody is visited all the same.

use freshet_types::{Intent, LimitReading, Outcome};

use super::*;

const ACCOUNTS: u32 = 12;
const CALLS_PER_HOUR: u32 = 10;

/// What the server was asked for: an account's list, and its cursor.
type Asked = Map<(String, String), u32>;

/// Lets the core crawl such a server for two days; `page` gives its pages.
fn crawl(page: &dyn Fn(&Order, u32) -> Page) -> (Bench, Asked) {
    let mut bench = Bench::new("change-rate");
    for number in 1..=ACCOUNTS {
        bench.know(number, &number.to_string());
    }
    let (mut asked, mut hour, mut count) = (Asked::default(), 0, 0);
    for _ in 0..48 * 60 {
        while let Some(order) = bench.orders.front() {
            let this_hour = bench.now.ms() / Span::HOUR.ms();
            count = if this_hour == hour { count + 1 } else { 1 };
            hour = this_hour;
            let cursor = match &order.intent {
                Intent::Next(cursor) => cursor.clone(),
                _ => String::new(),
            };
            let times = asked.entry((order.root.clone(), cursor)).or_default();
            *times += 1;
            let mut answer = page(order, *times);
            let reset_at = Timestamp::from_ms((hour + 1) * Span::HOUR.ms());
            answer.limits = vec![LimitReading {
                limit: Some(CALLS_PER_HOUR),
                remaining: Some(CALLS_PER_HOUR.saturating_sub(count)),
                reset_at: Some(reset_at),
                ..LimitReading::default()
            }];
            if count > CALLS_PER_HOUR {
                *times -= 1;
                answer.observation = Observation::default();
                answer.outcome = Outcome::RateLimited { until: Some(reset_at) };
            }
            bench.answer(answer);
            bench.commit_all();
        }
        bench.wait(Span::MINUTE);
    }
    (bench, asked)
}

/// Every account is looked at often, and no page below the top more than a few times.
fn check(what: &str, below_max: u32, is_complete: bool, page: &dyn Fn(&Order, u32) -> Page) {
    let (bench, asked) = crawl(page);
    let looks = |root: u32| asked.get(&(root.to_string(), String::new())).copied().unwrap_or(0);
    let fewest = (1..=ACCOUNTS).map(looks).min().unwrap();
    assert!(fewest >= 3, "{what}: an account was looked at {fewest} times: {asked:?}");
    let below = asked.iter().filter(|((_, cursor), _)| !cursor.is_empty()).map(|(_, &times)| times);
    assert!(below.clone().max().unwrap() <= below_max, "{what}: {asked:?}");
    for source in bench.sources.values() {
        assert_eq!(source.coverage.is_complete(), is_complete, "{what}: {:?}", source.coverage);
    }
}

fn posts(order: &Order) -> Page {
    let number: i64 = order.root.parse().unwrap();
    list(&order.root, [900_000 + number, 800_000 + number])
}

#[test]
fn a_link_to_an_empty_page_starves_nobody() {
    check("every page that shows posts has a link", 2, true, &|order, _| match order.intent {
        Intent::First => Page { next: Some("older".to_owned()), ..posts(order) },
        _ => Page::default(),
    });
}

#[test]
fn a_list_that_goes_round_starves_nobody() {
    check("older leads to oldest leads to older", 4, false, &|order, _| {
        let next = match &order.intent {
            Intent::Next(cursor) if cursor == "older" => "oldest",
            _ => "older",
        };
        Page { next: Some(next.to_owned()), ..posts(order) }
    });
}
