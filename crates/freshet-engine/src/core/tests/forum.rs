//! Forums in the core: whose turn it is, pages that cannot be read, another look at old pages.

use freshet_network::networks::{Front, Network};
use freshet_policy::forum::ListKind;
use freshet_store::row::LeadTold;
use freshet_types::list::{BOARD, PORTAL, THREAD};
use freshet_types::{
    AskRefused, Complaint, Connector, Endpoint, IdOrder, Intent, Lead, ListOrder, PageKind, Politeness,
    Reference, Request, Response, Target,
};

use super::*;
use crate::budget::Budgets;
use crate::forum::Share;
use crate::relearn::RELEARN_EVERY;

const FORUM: &str = "forum-f.example";

/// A forum whose pages are made by hand.
#[derive(Debug)]
struct ByHand {
    endpoints: Vec<Endpoint>,
}

impl ByHand {
    fn new() -> Self {
        let endpoint = |name: &str, root_kind: &str, robot, kind, order| Endpoint {
            name: name.into(),
            robot: Some(robot),
            root_kind: root_kind.into(),
            kind,
            page_size: 10,
            id_order: IdOrder::None,
            order,
            is_window: false,
            relation: None,
            link: None,
            counted_by: None,
            members_max: 0,
            group: freshet_types::GroupAsk::default(),
            politeness: Politeness { pause: Span::ZERO, in_flight_max: 1 },
        };
        Self {
            endpoints: vec![
                endpoint("threads", BOARD, RobotKind::Status, PageKind::Lists, ListOrder::NewestFirst),
                endpoint("posts", THREAD, RobotKind::Comment, PageKind::Comments, ListOrder::OldestFirst),
            ],
        }
    }
}

impl Connector for ByHand {
    fn name(&self) -> &str {
        FORUM
    }
    fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }
    fn lookup(&self) -> Option<&Endpoint> {
        None
    }
    fn single(&self, _: &str) -> Option<&Endpoint> {
        None
    }
    fn ask(&self, target: &Target<'_>, _: &Intent) -> Result<Request, AskRefused> {
        Ok(Request::get(&target.instance.network, format!("https://f.example{}", target.root)))
    }
    fn read(&self, _: &Target<'_>, _: &Intent, _: &Response, _: Timestamp) -> Page {
        Page::default()
    }
}

/// A core that knows so many boards and threads of a forum, all due.
fn forum(share: Share, board_count: u32, thread_count: u32) -> Bench {
    let mut bench = forum_by("change-rate", share, board_count, thread_count);
    // What a person allows is no part of these plays.
    bench.tell(Event::Budgets(Budgets([(FORUM.into(), "1000/s".parse().unwrap())].into())));
    bench
}

/// The same by another policy.
fn forum_by(policy: &str, share: Share, board_count: u32, thread_count: u32) -> Bench {
    let mut bench = Bench::new(policy);
    bench.core.options.forum_share = share;
    let instance =
        Instance { network: FORUM.into(), base: "https://f.example".to_owned(), allow_private: false };
    let reference =
        Reference { instance: instance.clone(), root_kind: PORTAL.into(), root_id: None, handle: None };
    let front = Front { url: "https://f.example/".to_owned(), reference, text: String::new() };
    let network = Network::mined(Arc::new(ByHand::new()), freshet_types::Schema::default()).with_front(front);
    bench.core.networks.add(vec![network]);
    bench.wait(Span::ZERO);
    bench.tell(Event::Instances(vec![instance]));
    let board = (0..board_count).map(|id| ("threads", RobotKind::Status, BOARD, id));
    let thread = (0..thread_count).map(|id| ("posts", RobotKind::Comment, THREAD, id + board_count));
    let sources: Vec<Source> = board
        .chain(thread)
        .map(|(endpoint, robot, kind, id)| Source {
            id: SourceId(id + 1),
            ..Source::new(&FORUM.into(), endpoint, robot, kind, &format!("/{kind}/{id}"))
        })
        .collect();
    bench.know_all(sources);
    bench
}

/// A page that shows something, as the endpoint of the oldest order would.
fn some_page(bench: &Bench) -> Page {
    let order = bench.orders.front().expect("an order is out");
    let mut observation = Observation::default();
    if &*order.endpoint == "posts" {
        let created_at = Some(bench.now - Span::DAY);
        observation.posts =
            vec![Post { id: order.root.clone(), kind: "post".into(), created_at, ..Post::default() }];
        return Page { kind: PageKind::Comments, observation, ..Page::default() };
    }
    observation.leads = vec![Lead {
        endpoint: "posts".into(),
        robot: RobotKind::Comment,
        root_kind: THREAD.into(),
        title: None,
        root_id: "/thread/1".to_owned(),
        active_at: Some(bench.now - Span::DAY),
        grain: Span::SECOND,
    }];
    Page { kind: PageKind::Lists, observation, ..Page::default() }
}

fn unread_page() -> Page {
    let complaints = vec![Complaint::new("page", "it shows no posts")];
    Page { kind: PageKind::Comments, complaints, ..Page::default() }
}

/// Of so many requests, those to boards.
fn boards_asked(bench: &mut Bench, count: usize) -> usize {
    let mut boards = 0;
    for _ in 0..count {
        boards += usize::from(&*bench.orders.front().expect("an order is out").endpoint == "threads");
        let page = some_page(bench);
        bench.answer(page);
        bench.commit_all();
        bench.wait(Span::from_ms(100));
    }
    boards
}

#[test]
fn the_ratio_is_held_while_both_kinds_wait() {
    for (threads, posts, expected) in [(100, 300, 50), (10, 190, 10)] {
        let mut bench = forum(Share::Ratio, 120, 300);
        let key = bench.core.servers.key_of(&NetworkName::from(FORUM)).unwrap();
        // So many that what the test itself finds does not move the ratio.
        bench.core.forums.site_mut(key).ratio.begin_with(threads * 10_000, posts * 10_000);
        let boards = boards_asked(&mut bench, 200);
        assert!(boards.abs_diff(expected) <= 6, "{boards} of 200 for {threads}:{posts}");
        let spent = bench.core.forums.site_mut(key).ratio.index_spent();
        assert!((spent - expected as f64 / 200.0).abs() < 0.04, "{spent}");
    }
    let mut bench = forum(Share::Price, 120, 300);
    assert!(boards_asked(&mut bench, 100) > 20, "by price the more urgent go first");
}

#[test]
fn a_thread_gets_the_page_when_its_board_told_of_news() {
    let mut bench = forum_by("freshet", Share::Price, 1, 4);
    assert_eq!(boards_asked(&mut bench, 5), 1, "all are read once");
    assert!(bench.orders.is_empty(), "a minute after all were read no page is worth its while");
    bench.wait(Span::DAY);
    while &*bench.orders.front().expect("the ceiling has passed").endpoint != "threads" {
        let page = some_page(&bench);
        bench.answer(page);
        bench.commit_all();
        bench.wait(Span::from_ms(100));
    }
    let (now, page) = (bench.now, some_page(&bench));
    bench.answer(page);
    let told = LeadTold {
        id: SourceId(3),
        is_thread: true,
        is_new: false,
        active_at: Some(now - Span::MINUTE),
        grain: Span::ZERO,
        newest_at: Some(now - Span::DAY),
        visited_at: Some(now - Span::HOUR * 4.0),
        due_at: Some(now),
    };
    bench.commit(Applied { told: vec![told], ..Applied::default() });
    bench.commit_all();
    bench.wait(Span::from_ms(100));
    assert_eq!(bench.orders[0].root, "/thread/2");
    let page = some_page(&bench);
    bench.answer(page);
    bench.commit_all();
    bench.wait(Span::SECOND);
    assert!(bench.orders.is_empty(), "it was read");
}

#[test]
fn where_one_kind_waits_alone_nobody_waits_for_the_other() {
    let mut bench = forum(Share::Ratio, 0, 40);
    let key = bench.core.servers.key_of(&NetworkName::from(FORUM)).unwrap();
    bench.core.forums.site_mut(key).ratio.learn(ListKind::Index, 1_000_000);
    assert_eq!(boards_asked(&mut bench, 40), 0);
}

#[test]
fn lists_of_a_forum_are_read_though_their_robot_was_never_started() {
    let mut bench = forum(Share::Price, 0, 1);
    let row = |state| RobotRow { kind: RobotKind::Comment, state, credential: None };
    let page = some_page(&bench);
    bench.answer(page);
    bench.commit_all();
    bench.tell(Event::Robots(vec![row(RobotState::Stopped)]));
    bench.wait(Span::DAY * 40.0);
    assert_eq!(bench.orders.len(), 1, "stopped elsewhere");
    let page = some_page(&bench);
    bench.answer(page);
    bench.commit_all();
    bench.tell(Event::Robots(vec![row(RobotState::Paused)]));
    bench.wait(Span::DAY * 40.0);
    assert_eq!(bench.orders.len(), 0, "paused by a person");
    bench.tell(Event::Robots(vec![row(RobotState::Stopped)]));
    assert_eq!(bench.orders.len(), 1, "and no longer");
}

#[test]
fn a_server_whose_pages_cannot_be_read_is_left_alone() {
    let mut bench = forum(Share::Price, 0, 30);
    for _ in 0..UNREAD_MAX {
        bench.answer(unread_page());
        bench.commit_all();
    }
    assert_eq!(bench.orders.len(), 0, "it waits as a whole");
    let view = bench.core.unread_views().remove(0);
    assert!(
        view.until.is_some() && view.advice.contains("freshet forum learn https://f.example/"),
        "{view:?}"
    );
    let failed = bench.sources.values().find(|source| source.failure.is_some()).expect("it was noted");
    assert!(failed.failure.as_deref().is_some_and(|why| why.contains("nothing of the page can be read")));
    assert!(failed.coverage.intervals.is_empty() && failed.visited_at.is_none(), "nothing follows from it");
    bench.wait(Span::MINUTE * 59.0);
    assert_eq!(bench.orders.len(), 0);
    bench.wait(Span::MINUTE * 2.0);
    let page = some_page(&bench);
    bench.answer(page);
    bench.commit_all();
    assert!(bench.core.unread_views().is_empty() && bench.orders.len() == 1, "one that can be read ends it");
}

#[test]
fn a_definition_that_was_replaced_ends_the_wait() {
    let mut bench = forum(Share::Price, 0, 30);
    for _ in 0..UNREAD_MAX {
        bench.answer(unread_page());
        bench.commit_all();
    }
    assert_eq!(bench.orders.len(), 0);
    let learned_anew =
        bench.core.networks.snapshot().get(FORUM).and_then(|it| it.front.clone()).expect("it is a forum");
    let network =
        Network::mined(Arc::new(ByHand::new()), freshet_types::Schema::default()).with_front(learned_anew);
    bench.core.networks.add(vec![network]);
    bench.wait(Span::SECOND);
    assert_eq!(bench.orders.len(), 1);
}

#[test]
fn a_forum_that_cannot_be_read_is_learned_anew_at_its_own_expense() {
    let mut bench = forum(Share::Price, 0, 30);
    let network = NetworkName::from(FORUM);
    bench.wait(Span::ZERO);
    assert!(bench.relearns.is_empty(), "it can be read as far as anybody knows");
    for _ in 0..UNREAD_MAX {
        bench.answer(unread_page());
        bench.commit_all();
    }
    bench.wait(Span::ZERO);
    assert!(bench.relearns.iter().eq([&network]), "{:?}", bench.relearns);
    bench.wait(Span::ZERO);
    assert_eq!(bench.relearns.len(), 1, "one errand at a time");
    let request = || Event::GrantWanted(Box::new(Request::get(&network, "https://f.example/".to_owned())));
    let key = bench.core.servers.key_of(&network).unwrap();
    bench.core.frontier.set_politeness(key, Politeness { pause: Span::MINUTE, in_flight_max: 1 });
    let fetches_count = bench.core.tally.fetches_count;
    let now = bench.now;
    bench.tell(request());
    assert_eq!(bench.granted_count, 1);
    bench.tell(request());
    assert_eq!(
        (bench.granted_count, bench.core.errands_wake_at()),
        (1, Some(now + Span::MINUTE)),
        "the pause is everybody's"
    );
    // The rest lasts as long as the errand does.
    for granted_count in 2..5 {
        bench.wait(Span::MINUTE * 50.0);
        assert_eq!(bench.granted_count, granted_count);
        assert_eq!(bench.orders.len(), 0, "nobody else asks meanwhile");
        bench.tell(request());
    }
    assert_eq!(bench.core.tally.fetches_count, fetches_count + 4);
    bench.tell(Event::RelearnEnded(network.clone(), Err("no lists were found".to_owned())));
    let note = bench.core.relearn_notes().0[&network].clone();
    assert_eq!((note.is_accepted, note.what.as_str(), note.at), (false, "no lists were found", now));
    bench.wait(Span::MINUTE * 61.0);
    assert_eq!(bench.granted_count, 4, "what an errand that ended still wanted is not granted");
    bench.answer(unread_page());
    bench.commit_all();
    bench.wait(Span::ZERO);
    assert_eq!(bench.relearns.len(), 1, "not again so soon");
    bench.wait(RELEARN_EVERY);
    while bench.core.unread_views()[0].until.is_none_or(|until| until <= bench.now) {
        bench.answer(unread_page());
        bench.commit_all();
    }
    bench.wait(Span::ZERO);
    assert_eq!(bench.relearns, [network.clone(), network]);
}

#[test]
fn an_empty_board_is_no_unreadable_one() {
    let mut bench = forum(Share::Price, 1, 0);
    bench.answer(Page { kind: PageKind::Lists, ..unread_page() });
    bench.commit_all();
    assert!(bench.core.unread_views().is_empty());
    assert!(bench.sources[&SourceId(1)].coverage.is_complete());
}

#[test]
fn an_old_page_is_looked_at_again_and_its_thread_stays_as_it_was() {
    let mut bench = forum(Share::Price, 0, 1);
    let page = some_page(&bench);
    bench.answer(page);
    bench.commit_all();
    let before = bench.sources[&SourceId(1)].clone();
    let pages =
        vec![StalePage { source: SourceId(1), cursor: Some("page=2".to_owned()), seen_at: bench.now }];
    bench.tell(Event::Stale(FORUM.into(), pages));
    bench.wait(Span::SECOND);
    assert_eq!(bench.orders.len(), 1);
    assert_eq!(bench.orders[0].intent, Intent::Next("page=2".to_owned()));
    let page = some_page(&bench);
    bench.answer(page);
    let seen = bench.uploads[0].page.clone().expect("it is a page of the thread");
    assert_eq!((seen.cursor.as_deref(), seen.shown.len(), seen.is_gone), (Some("page=2"), 1, false));
    assert!(bench.uploads[0].source.is_none() && bench.uploads[0].brought_by == Some(SourceId(1)));
    bench.commit_all();
    let after = bench.sources[&SourceId(1)].clone();
    assert_eq!((&after.coverage, after.visited_at), (&before.coverage, before.visited_at));
    assert_eq!(after.due_at, before.due_at, "its own visit is due when it was");
    assert_eq!(bench.core.rechecks.look_count(&FORUM.into()), 1, "the plan of the forum has learned from it");
    // One that is gone is forgotten, one that fails waits.
    for (page, is_gone) in [(Page::default(), true), (unread_page(), false)] {
        let pages =
            vec![StalePage { source: SourceId(1), cursor: Some("page=2".to_owned()), seen_at: bench.now }];
        bench.tell(Event::Stale(FORUM.into(), pages));
        bench.wait(Span::MINUTE);
        bench.answer(page);
        let seen = bench.uploads[0].page.clone().expect("it is a page of the thread");
        assert_eq!((seen.is_gone, seen.shown.len()), (is_gone, 0));
        bench.commit_all();
        assert_eq!(bench.sources[&SourceId(1)].state, SourceState::Active);
    }
}
