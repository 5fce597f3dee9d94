//! Thirty days of everything at once: a network and a forum, delivery, constraints, robots, drains, kills, and faults of servers,
//! store and clock. The invariants of docs/invariants.md that can be seen from outside hold, and each fault proves that it fired.

use std::collections::BTreeMap;

use freshet_engine::constrain::setting::{Rule, set_rules};
use freshet_store::api::Trouble;
use freshet_types::{Fault, FaultKind, Politeness, Request, Response};
use futures::future::BoxFuture;

use super::faulty::{Fate, Faulty};
use super::forum_site::ForumSite;
use super::receiver::Receiver;
use super::*;

const ACCOUNTS: usize = 6;
const DAYS: f64 = 30.0;
const CEILING: Span = Span::from_secs(12 * 3600);
const MANNERS: Politeness = Politeness { pause: Span::ZERO, in_flight_max: 4 };
/// By so much the clock is set back.
const SET_BACK: Span = Span::from_secs(2 * 3600);
/// How long what is under way takes to end when the store takes nothing.
const GRACE: Span = Span::MINUTE;
/// While it is in force, only posts with this letter are wanted; between these hours.
const CONSTRAINT: (&str, f64, f64) = ("post.text.contains('a')", 240.0, 480.0);

/// What a server does instead of answering, from one hour to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weather {
    Refuses,
    Silent,
    TooMany,
    Ill,
    ForumRefuses,
}

const WEATHER: [(f64, f64, Weather); 5] = [
    (30.0, 33.0, Weather::Refuses),
    (54.0, 56.0, Weather::Silent),
    (100.0, 101.0, Weather::TooMany),
    (150.0, 152.0, Weather::Ill),
    (200.0, 206.0, Weather::ForumRefuses),
];

/// What people, the machine and the disk do, by the hour.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// The store takes nothing, or takes everything again.
    Trouble(Option<Trouble>),
    /// The process is killed, or asked to end; another one begins.
    Kill,
    Drain,
    Robot(RobotKind, RobotState),
    Constrain(Option<&'static str>),
    /// The computer's clock is set back; the next process begins by it.
    SetClockBack,
}

const ACTS: [(f64, Act); 17] = [
    (20.0, Act::Kill),
    (31.0, Act::Kill),
    (60.0, Act::Drain),
    (90.0, Act::Robot(RobotKind::Relation, RobotState::Running)),
    (120.0, Act::Kill),
    (140.0, Act::Robot(RobotKind::Relation, RobotState::Paused)),
    (210.0, Act::Trouble(Some(Trouble::Busy))),
    (210.5, Act::Trouble(None)),
    (CONSTRAINT.1, Act::Constrain(Some(CONSTRAINT.0))),
    (260.0, Act::Drain),
    (300.0, Act::Trouble(Some(Trouble::Full))),
    (302.0, Act::Trouble(None)),
    (350.0, Act::SetClockBack),
    (353.0, Act::Kill),
    (400.0, Act::Drain),
    (CONSTRAINT.2, Act::Constrain(None)),
    (600.0, Act::Kill),
];

/// The true time: that of the process's clock, and by how much that one is wrong.
#[derive(Clone, Debug)]
struct TrueClock(Arc<Mutex<(VirtualClock, Span)>>);

impl Clock for TrueClock {
    fn now(&self) -> Timestamp {
        let (clock, error) = &*self.0.lock().unwrap();
        clock.now() + *error
    }
}

/// The servers, and the weather over them.
#[derive(Debug)]
struct Sky {
    world: WorldFetch,
    forum: Arc<ForumSite>,
    clock: TrueClock,
    began_at: Timestamp,
    fired: Mutex<BTreeMap<Weather, u64>>,
}

impl Fetch for Sky {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let hours = (self.clock.now() - self.began_at).secs_f64() / 3600.0;
        let is_forum = !request.url.contains(HOST);
        let is_meant = |weather: Weather| (weather == Weather::ForumRefuses) == is_forum;
        let now = WEATHER.into_iter().find(|&(from, to, it)| hours >= from && hours < to && is_meant(it));
        let Some((_, _, weather)) = now else {
            return if is_forum { self.forum.fetch(request) } else { self.world.fetch(request) };
        };
        *self.fired.lock().unwrap().entry(weather).or_default() += 1;
        let (status, headers) = match weather {
            Weather::Refuses | Weather::ForumRefuses => {
                let fault = Fault::new(FaultKind::Connect, "the connection is refused");
                return Box::pin(std::future::ready(Err(fault)));
            }
            Weather::Silent => return Box::pin(std::future::pending()),
            Weather::TooMany => (429, vec![("retry-after".to_owned(), "1200".to_owned())]),
            Weather::Ill => (503, Vec::new()),
        };
        let (url, received_at) = (request.url.clone(), self.clock.now());
        let body = br#"{"error":"no"}"#.to_vec();
        Box::pin(std::future::ready(Ok(Response { status, headers, body, url, received_at })))
    }
}

/// The run of thirty days.
struct Month {
    scene: Scene,
    sky: Arc<Sky>,
    clock: TrueClock,
    store: Faulty<Box<dyn Store>>,
    fate: Fate,
    receiver: Receiver,
    began_at: Timestamp,
    /// Requests with their true times.
    journal: Vec<Exchange>,
    /// What the reports said was wrong.
    troubles: Set<String>,
    starts_count: u32,
}

impl Month {
    fn new() -> Self {
        let options = WorldOptions {
            seed: 30,
            accounts: ACCOUNTS as u32,
            posts_per_day: 2.0,
            history: Span::DAY * 5.0,
            ..WorldOptions::default()
        };
        let mut scene = Scene::new(options, CEILING);
        let began_at = scene.now();
        let clock = TrueClock(Arc::new(Mutex::new((scene.clock.clone(), Span::ZERO))));
        let world = WorldFetch::new(Arc::clone(&scene.world), Arc::new(clock.clone()));
        let forum = Arc::new(ForumSite::new(began_at, Arc::new(clock.clone())));
        let mut inner = scene.store(ACCOUNTS);
        forum.furnish(&scene.networks, &mut inner);
        let fired = Mutex::default();
        let sky = Arc::new(Sky { world, forum, clock: clock.clone(), began_at, fired });
        scene.fetch = Some(Arc::clone(&sky) as Arc<dyn Fetch>);
        let fate = Fate::default();
        let store = Faulty::new(inner, fate.clone());
        let (receiver, journal, troubles) = (Receiver::default(), Vec::new(), Set::default());
        Self { scene, sky, clock, store, fate, receiver, began_at, journal, troubles, starts_count: 0 }
    }

    fn start(&mut self) -> Driver<Faulty<Box<dyn Store>>> {
        self.starts_count += 1;
        let mut driver = self.scene.start(self.store.clone());
        driver.subscribe(self.receiver.subscriber(&self.fate)).unwrap();
        driver
    }

    fn at(&self, hours: f64) -> Timestamp {
        self.began_at + Span::HOUR * hours
    }

    /// Runs until the true clock shows this hour; notes what reports say meanwhile.
    fn run(&mut self, driver: &mut Driver<Faulty<Box<dyn Store>>>, hours: f64) {
        while self.clock.now() < self.at(hours) {
            let left = self.at(hours) - self.clock.now();
            driver.run_for(left.min(Span::MINUTE * 10.0)).unwrap();
            self.troubles.extend(driver.report.work.trouble.as_ref().map(|it| it.part.name().to_owned()));
        }
    }

    /// Keeps what a process that ends has sent, by the true clock.
    fn keep(&mut self, driver: &mut Driver<Faulty<Box<dyn Store>>>) {
        let error = self.clock.0.lock().unwrap().1;
        let corrected = driver.journal.drain(..).map(|one| Exchange {
            sent_at: one.sent_at + error,
            answered_at: one.answered_at.map(|at| at + error),
            ..one
        });
        self.journal.extend(corrected);
    }

    fn act(
        &mut self,
        mut driver: Driver<Faulty<Box<dyn Store>>>,
        act: Act,
    ) -> Driver<Faulty<Box<dyn Store>>> {
        match act {
            Act::Trouble(trouble) => self.fate.set_trouble(trouble),
            Act::Robot(robot, state) => driver.set_robot(robot, state).unwrap(),
            Act::Constrain(text) => {
                let rule = text.map(|text| Rule::new("mastodon/post", text));
                set_rules(&mut driver.store, &rule.into_iter().collect::<Vec<_>>()).unwrap();
            }
            Act::SetClockBack => self.scene.clock.set_ahead(SET_BACK),
            Act::Drain => {
                self.keep(&mut driver);
                driver.stop().unwrap();
                return self.start();
            }
            Act::Kill => {
                self.keep(&mut driver);
                drop(driver.kill());
                let ahead = self.scene.clock.ahead();
                if ahead > Span::ZERO {
                    self.scene.clock = VirtualClock::new(self.scene.clock.now() - ahead);
                    *self.clock.0.lock().unwrap() = (self.scene.clock.clone(), ahead);
                }
                return self.start();
            }
        }
        driver
    }

    fn is_constrained(&self, at: Timestamp) -> bool {
        let (_, from, to) = CONSTRAINT;
        at >= self.at(from) - CEILING - SLACK && at < self.at(to) + CEILING + SLACK
    }

    fn check_network(&self) {
        let authors = self.scene.accounts(ACCOUNTS);
        let settled_at = self.clock.now() - CEILING - SLACK;
        let rows: Vec<PostRow> =
            posts(&self.store).into_iter().filter(|row| row.network == Scene::network()).collect();
        let mut world = self.scene.world.lock().unwrap();
        world.advance_to(self.clock.now());
        let facts = invariant::facts(&world);
        let is_free = |fact: &&invariant::Fact| !self.is_constrained(fact.created_at);
        let free: Vec<invariant::Fact> = facts.iter().filter(is_free).cloned().collect();
        expect_none("lost", &invariant::nothing_lost(&free, &rows, &authors, settled_at));
        expect_none("invented", &invariant::nothing_invented(&facts, &rows));
        expect_none("changes", &invariant::changes_known(&facts, &rows, &authors, REACH, settled_at));
        expect_none("coverage", &invariant::coverage_honest(&free, &rows, &all_sources(&self.store)));
        assert_eq!(world.counters().refused_count, 0, "the quota was overdrawn");
        // Half-way through the constraint nothing comes in that it does not want, and some is left out.
        let (_, from, to) = CONSTRAINT;
        let is_inside = |at: Timestamp| at >= self.at(from + 12.0) && at < self.at(to - 12.0);
        let known: Set<&str> = rows.iter().map(|row| row.post.id.as_str()).collect();
        let inside = facts.iter().filter(|fact| is_inside(fact.created_at) && authors.contains(&fact.author));
        let left_out = inside.filter(|fact| !known.contains(fact.id.as_str())).count();
        assert!(left_out > 0, "the constraint left nothing out");
        let is_wanted = |row: &&PostRow| row.post.text.contains('a') || row.post.author.is_none();
        let came =
            rows.iter().filter(|row| row.post.created_at.is_some_and(is_inside) && is_inside(row.seen_at));
        assert_eq!(came.filter(|row| !is_wanted(row)).count(), 0, "unwanted posts came in");
    }

    fn check_forum(&self) {
        let is_forum = |row: &PostRow| row.network != Scene::network();
        let stored: Vec<i64> = posts(&self.store)
            .into_iter()
            .filter(is_forum)
            .filter_map(|row| row.post.created_at.map(Timestamp::secs))
            .collect();
        let distinct: Set<i64> = stored.iter().copied().collect();
        assert_eq!(distinct.len(), stored.len(), "a post of the forum is stored twice");
        let truth: Set<i64> = self.sky.forum.posted_before(self.clock.now()).into_iter().collect();
        assert_eq!(stored.iter().filter(|at| !truth.contains(*at)).count(), 0, "posts that never were");
        let settled = self.sky.forum.posted_before(self.clock.now() - Span::DAY * 2.0);
        let lost = settled.iter().filter(|at| !distinct.contains(*at)).count();
        assert_eq!(lost, 0, "of {} posts of the forum, {} are stored", settled.len(), stored.len());
    }

    fn check_requests(&self) {
        let of_world: Vec<Exchange> =
            self.journal.iter().filter(|one| one.network == Scene::network()).cloned().collect();
        expect_none("manners", &invariant::polite(&of_world, MANNERS));
        let mut since = None;
        for (hours, act) in ACTS {
            match act {
                Act::Trouble(Some(_)) => since = Some(self.at(hours) + GRACE),
                Act::Trouble(None) => {
                    let (from, to) = (since.take().unwrap(), self.at(hours));
                    let held = self.journal.iter().filter(|one| one.sent_at >= from && one.sent_at < to);
                    assert_eq!(held.count(), 0, "requests left while the store took nothing");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn thirty_days_of_everything_hold_the_invariants() {
    let mut month = Month::new();
    let mut driver = month.start();
    for (hours, act) in ACTS {
        month.run(&mut driver, hours);
        driver = month.act(driver, act);
    }
    month.run(&mut driver, DAYS * 24.0);
    month.keep(&mut driver);
    let steps = driver.steps();
    driver.stop().unwrap();

    month.check_network();
    month.check_forum();
    month.check_requests();
    month.receiver.check(&month.store, "thirty days");
    let fired = month.sky.fired.lock().unwrap().clone();
    eprintln!(
        "thirty days: {} requests, {} starts, {} delivered, weather {fired:?}, {} writes refused, troubles {:?}, {steps} steps",
        month.journal.len(),
        month.starts_count,
        month.receiver.count(),
        month.fate.refused_count(),
        month.troubles,
    );
    for (_, _, weather) in WEATHER {
        assert!(fired.contains_key(&weather), "{weather:?} met nobody");
    }
    assert!(month.fate.refused_count() > 10, "the store was never in trouble");
    assert!(month.troubles.contains("store") && month.troubles.contains("clock"), "{:?}", month.troubles);
}
