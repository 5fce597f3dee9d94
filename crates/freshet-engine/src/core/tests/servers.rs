//! Many servers, and servers that do not answer: on a clock of its own, with answers that take their time.

use std::collections::BTreeMap;

use freshet_types::{Fault, FaultKind, Outcome};

use super::*;
use crate::order::Answer;
use crate::report::{Setting, report};

/// How a server takes a request.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mood {
    Answers,
    Refuses,
    /// It takes the connection and says nothing.
    IsSilent,
    /// It says that it has a problem.
    IsIll,
}

/// Wall time after which a request is given up, unless it says otherwise.
const PATIENCE_MAX: Span = Span::from_secs(30);
const ANSWER_TIME: Span = Span::from_ms(100);

type Moods = Box<dyn Fn(u32, SourceId, Span) -> Mood>;

/// Servers with sources, and the answers on their way.
struct Field {
    bench: Bench,
    /// By server, source and time since the start.
    moods: Moods,
    began_at: Timestamp,
    answers: BTreeMap<(Timestamp, u64), (OrderId, Result<Page, Fault>)>,
    /// Requests: when, to which server, of which source, and whether it was answered.
    sent: Vec<(Span, u32, SourceId, bool)>,
}

impl Field {
    /// So many servers, and so many sources on each of the first ones, which a person wants this often; all are due.
    fn new(server_count: u32, (firsts, source_count): (u32, u32), pinned: Span, moods: Moods) -> Self {
        let mut bench = Bench::new("change-rate");
        let network = |number: u32| NetworkName::from(format!("mastodon:s{number}.example").as_str());
        let instance = |number: u32| Instance {
            network: network(number),
            base: format!("https://s{number}.example"),
            allow_private: false,
        };
        bench.tell(Event::Instances((0..server_count).map(instance).collect()));
        let source = |number: u32| {
            let (server, root) = (number / source_count, number.to_string());
            let source = Source::new(&network(server), "posts", RobotKind::Status, "account", &root);
            Source { id: SourceId(number), pinned: Some(pinned), ..source }
        };
        bench.know_all((0..firsts * source_count).map(source));
        let began_at = bench.now;
        Self { bench, moods, began_at, answers: BTreeMap::new(), sent: Vec::new() }
    }

    /// Lets time pass until then.
    fn run_until(&mut self, until: Span) {
        let until = self.began_at + until;
        while self.bench.now < until {
            self.bench.commit_all();
            self.answer_orders();
            let arrival = self.answers.first_key_value().map(|(&(at, _), _)| at);
            let next = [self.bench.core.wake_at(), arrival, Some(until)].into_iter().flatten().min();
            let next = next.unwrap_or(until).max(self.bench.now + Span::from_ms(1));
            let passed = next - self.bench.now;
            self.bench.wait(passed);
            while let Some(entry) = self.answers.first_entry()
                && entry.key().0 <= self.bench.now
            {
                let (order, result) = entry.remove();
                let (received_at, result) = (self.bench.now, result.map(|page| (page, None)));
                let result = result.map(|(page, raw)| Answer::Page(Box::new(page), raw));
                let fetched =
                    Fetched { order, fetcher: FetcherId(0), took_ms: 1, received_at, extra_count: 0, result };
                self.bench.tell(Event::Fetched(vec![fetched]));
                self.bench.commit_all();
            }
        }
    }

    fn answer_orders(&mut self) {
        while let Some(order) = self.bench.orders.pop_front() {
            let host = order.instance.network.as_str();
            let server: u32 = host["mastodon:s".len()..host.len() - ".example".len()].parse().unwrap();
            let source = SourceId(order.root.parse().unwrap());
            let at = self.bench.now - self.began_at;
            let mood = (self.moods)(server, source, at);
            let patience = order.request.patience.unwrap_or(PATIENCE_MAX).min(PATIENCE_MAX);
            let fault = |kind| Err(Fault::new(kind, format!("`{host}` is out")));
            let (duration, result) = match mood {
                Mood::Answers => (ANSWER_TIME, Ok(list(&order.root, [970_000]))),
                Mood::Refuses => (Span::from_ms(1), fault(FaultKind::Connect)),
                Mood::IsSilent => (patience, fault(FaultKind::Timeout)),
                Mood::IsIll => (ANSWER_TIME, Ok(Page { outcome: Outcome::Transient, ..Page::default() })),
            };
            self.sent.push((at, server, source, mood == Mood::Answers));
            self.answers.insert((self.bench.now + duration, order.id.visit.0), (order.id, result));
        }
    }

    /// Requests between two instants, answered or not.
    fn count(&self, from: Span, to: Span, is_meant: impl Fn(u32, SourceId, bool) -> bool) -> usize {
        let sent = self.sent.iter().filter(|(at, ..)| (from..to).contains(at));
        sent.filter(|&&(_, server, source, is_answered)| is_meant(server, source, is_answered)).count()
    }
}

fn secs(secs: i64) -> Span {
    Span::from_secs(secs)
}

/// Ten sources wanted every twenty seconds, and a minute in which their server is like this.
fn check_outage(mood: Mood) {
    let is_out = |at: Span| (secs(60)..secs(120)).contains(&at);
    let moods = move |_, _, at| if is_out(at) { mood } else { Mood::Answers };
    let mut field = Field::new(1, (1, 10), secs(20), Box::new(moods));
    field.run_until(secs(118));
    let asked = field.count(secs(60), secs(120), |_, _, _| true);
    assert!((3..=16).contains(&asked), "{mood:?}: {asked} requests in a minute");
    let now = field.bench.now;
    let told = report(&field.bench.core, &Setting::new(now, "change-rate"), now);
    let [server] = &told.work.servers[..] else { panic!("{mood:?}: {told:#?}") };
    assert_eq!(server.network.as_str(), "mastodon:s0.example");
    assert_eq!((server.is_down, told.work.servers_count), (true, 1));
    assert!(!server.said.is_empty(), "{server:?}");
    assert!(server.sources_count >= 9, "{mood:?}: {server:?}");
    field.run_until(secs(160));
    for source in (0..10).map(SourceId) {
        let visited = field.count(secs(120), secs(160), |_, of, is_answered| of == source && is_answered);
        assert!(visited > 0, "{mood:?}: {} is not visited again", source.0);
        let stored = &field.bench.sources[&source];
        assert_eq!((stored.state, stored.attempts), (SourceState::Active, 0), "{mood:?}: {}", source.0);
        assert_eq!(field.bench.slot(source).state, SourceState::Active);
    }
    assert_eq!(field.bench.core.server_views(9), (Vec::new(), 0), "{mood:?}: it is well again");
    assert!(field.bench.core.tally.failures.is_empty(), "{mood:?}");
}

#[test]
fn an_outage_of_a_minute_costs_a_few_requests_and_no_source() {
    check_outage(Mood::Refuses);
    check_outage(Mood::IsSilent);
    check_outage(Mood::IsIll);
}

/// One source of ten always meets this, the others are answered.
fn check_one(mood: Mood) {
    let moods = move |_, source, _| if source == SourceId(3) { mood } else { Mood::Answers };
    let mut field = Field::new(1, (1, 10), secs(30), Box::new(moods));
    field.run_until(secs(600));
    assert_eq!(field.bench.sources[&SourceId(3)].state, SourceState::Failed, "{mood:?}");
    let asked = field.count(Span::ZERO, secs(600), |_, source, _| source == SourceId(3));
    assert!((3..=6).contains(&asked), "{mood:?}: {asked} requests");
    for source in (0..10).map(SourceId).filter(|&source| source != SourceId(3)) {
        let visited = field.count(Span::ZERO, secs(600), |_, of, _| of == source);
        assert!(visited >= 17, "{mood:?}: {} was visited {visited} times", source.0);
    }
}

#[test]
fn what_meets_one_source_of_a_healthy_server_is_the_sources() {
    check_one(Mood::IsIll);
    check_one(Mood::IsSilent);
    check_one(Mood::Refuses);
}

#[test]
fn thousands_of_silent_servers_leave_room_for_those_that_answer() {
    let moods = |server, _, _| if server % 41 == 0 { Mood::Answers } else { Mood::IsSilent };
    let mut field = Field::new(41 * 50, (41 * 50, 1), secs(10), Box::new(moods));
    // All are met once: half of the places, four seconds each.
    let met = secs(2000 * 4 / 128 + 10);
    let end = met + secs(60);
    field.run_until(end);
    for server in (0..50).map(|number| number * 41) {
        let visited = field.count(met, end, |of, _, _| of == server);
        assert!(visited >= 5, "server {server} was visited {visited} times in a minute");
    }
    let silent = field.count(met, end, |_, _, is_answered| !is_answered);
    assert!(silent < 64 * 60, "{silent} requests to servers that are silent");
    let now = field.bench.now;
    let told = report(&field.bench.core, &Setting::new(now, "change-rate"), now);
    assert_eq!(told.work.servers_count, 2000);
    assert!(told.to_text().len() < 200_000, "a report is bounded");
}

#[test]
fn seventy_thousand_servers_are_no_more_work_each_than_one() {
    /// More would only take longer: a walk over all servers at each event is felt with these.
    const VISITED: u32 = 10_000;
    let mut field = Field::new(70_000, (VISITED, 1), Span::HOUR, Box::new(|_, _, _| Mood::Answers));
    field.run_until(secs(30));
    let visited = field.count(Span::ZERO, secs(30), |_, _, _| true);
    assert_eq!(visited, VISITED as usize);
    let now = field.bench.now;
    assert_eq!(field.bench.core.queue_sizes().0, VISITED as usize);
    let told = report(&field.bench.core, &Setting::new(now, "change-rate"), now).to_text();
    assert!(told.len() < 200_000, "a report is bounded: {} bytes", told.len());
    assert!(field.bench.core.backlogs.ready_at().is_none() && field.bench.core.rechecks.is_empty());
}

#[test]
fn what_failed_before_a_restart_is_due_when_its_server_answers() {
    let mut bench = Bench::new("change-rate");
    let (well, failed) = (SourceId(1), SourceId(2));
    bench.know(1, "7");
    assert_eq!(bench.orders.len(), 1, "a probe");
    let due_at = bench.now + Span::HOUR;
    let stored = Source { id: failed, state: SourceState::Failed, due_at, ..bench.sources[&well].clone() };
    bench.know_all([stored]);
    assert_eq!(bench.slot(failed).news_at, due_at);
    bench.answer(list("7", [970_000]));
    bench.wait(Span::from_ms(100));
    assert_eq!(bench.orders.len(), 1, "it is asked for at once");
}

#[test]
fn a_person_has_a_server_probed_at_once() {
    let mut field = Field::new(1, (1, 2), secs(20), Box::new(|_, _, _| Mood::Refuses));
    field.run_until(secs(600));
    let (views, _) = field.bench.core.server_views(1);
    let next_at = views[0].next_at.unwrap() - field.began_at;
    assert!(next_at > secs(660), "it rests until {next_at}");
    let (asked, slot) = (field.sent.len(), field.bench.stored_slot(SourceId(1)));
    field.bench.tell(Event::Wanted(vec![slot]));
    field.run_until(secs(605));
    assert_eq!(field.sent.len(), asked + 1);
}
