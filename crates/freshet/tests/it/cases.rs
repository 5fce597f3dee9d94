//! The two use-cases of `SocWeb`, each with one command, on two simulated networks over HTTP.
//!
//! Each runs until it has collected what its rules are about, however long that takes; then what it stored is compared with the rules.

use std::fs::File;
use std::time::Duration;

use freshet_store::api::{Flow, Store};
use freshet_store::browse::KindCount;
use freshet_store::row::{AccountRow, Filter, LinkQuery, ThingRow};
use freshet_store::testing;
use freshet_types::{Primitive, RobotKind, Source, Span, Timestamp, VisitSummary};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::freshet::bare;
use crate::support::process::Process;
use crate::support::until;

/// Longest that a crawl may take to collect what is looked for.
const LIMIT: Duration = Duration::from_mins(4);
/// Longest that it may take to stop.
const STOP_LIMIT: Duration = Duration::from_secs(30);
/// Objects read at once; the networks are smaller.
const MANY: usize = 100_000;

/// A use-case that ran: its report, and what it stored.
struct Ran {
    report: Value,
    store: Box<dyn Store>,
    _folder: TempDir,
}

/// Runs a use-case until it has collected enough, and stops it as a person would.
fn run(case: &str, has_enough: impl Fn(&dyn Store) -> bool) -> Ran {
    let folder = TempDir::with_prefix("freshet-it-").expect("a folder for the test");
    let (kept, out) = (folder.path().join("kept"), folder.path().join("out"));
    let file = File::create(&out).expect("a file for the report");
    let mut command = bare(&["demo", case, "--headless", "--format", "json", "--keep"]);
    let mut process = Process::start(command.arg(&kept).stdout(file));
    let path = kept.join("store.sqlite");
    until("the store is there", LIMIT, || path.is_file().then_some(()));
    // The first instants of a store have no tables.
    until(case, LIMIT, || {
        assert!(process.status().is_none(), "`demo {case}` ended by itself");
        let store = std::panic::catch_unwind(|| testing::reader(&path)).ok()?;
        has_enough(&*store).then_some(())
    });
    process.send("TERM");
    let status = process.finish_within(STOP_LIMIT);
    assert!(status.is_some_and(|status| status.success()), "`demo {case}`: {status:?}");
    let text = std::fs::read_to_string(&out).expect("the report can be read");
    let report = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{case}: {error}\n{text}"));
    Ran { report, store: testing::reader(&path), _folder: folder }
}

/// How many objects of the networks of a definition are stored, of one type or of all.
fn count(store: &dyn Store, definition: &str, kind: Option<&str>) -> u64 {
    let counts = store.count_by_kind().expect("the store can be read").into_iter();
    let is_meant =
        |it: &KindCount| it.network.definition() == definition && kind.is_none_or(|kind| it.kind == kind);
    counts.filter(is_meant).map(|it| it.count).sum()
}

/// An album, and how many photos of it are stored.
struct Album {
    row: ThingRow,
    photos: usize,
}

impl Album {
    fn all(store: &dyn Store) -> Vec<Self> {
        let rows = store.things(&Filter::default(), MANY).expect("the store can be read").rows;
        let albums = rows.into_iter().filter(|row| &*row.thing.kind == "album");
        albums
            .map(|row| {
                let query = LinkQuery {
                    network: &row.network,
                    object: ("album", &row.thing.id),
                    is_inward: false,
                    name: Some("photos"),
                    with_cancelled: true,
                    limit: MANY,
                };
                let photos = store.links_of(&query).expect("the store can be read").len();
                Self { row, photos }
            })
            .collect()
    }

    /// Whether the rule let nobody ask for its photos: it was a week old when it was first seen, or too little talked about.
    fn is_refused(&self) -> bool {
        let comments = self.row.thing.plinks.iter().find(|(name, _)| &**name == "comment_count");
        let is_lively = comments.is_some_and(|(_, value)| matches!(value, Primitive::Int(1001..)));
        let is_old = self.row.thing.created_at.is_none_or(|at| self.row.seen_at - at >= Span::DAY * 7.0);
        is_old || !is_lively
    }
}

/// Posts of accounts that are visited once: the rule says 60, and a few may be deleted meanwhile.
const QUIET_MAX: i64 = 55;
const LIVELY_MIN: i64 = 61;
/// After the profile is read, what was on its way already may still come; in simulated time, a few seconds on the wall.
const SETTLES: Span = Span::from_secs(40 * 60);
/// Everybody who may be visited again is within this; two ceilings of the demo and more.
const AGAIN: Span = Span::HOUR;

/// Somebody whose profile was read.
struct Person {
    posts_count: i64,
    /// When the profile was read first.
    known_at: Timestamp,
    /// The starts of all visits after it had settled.
    later: Vec<Timestamp>,
}

impl Person {
    fn all(store: &dyn Store) -> Vec<Self> {
        let mut sources: Vec<Source> = Vec::new();
        let read = store.each_source(&mut |source| {
            sources.push(source);
            Flow::Continue(())
        });
        read.expect("the store can be read");
        let ids: Vec<_> = sources.iter().map(|source| source.id).collect();
        let visits = store.visits_of_all(&ids, MANY).expect("the store can be read");
        let mut accounts: Vec<AccountRow> = Vec::new();
        let read = store.each_account(&Filter::default(), &mut |row| {
            accounts.push(row);
            Flow::Continue(())
        });
        read.expect("the store can be read");
        let person = |row: AccountRow| {
            let own = |kind: Option<RobotKind>| {
                let about = sources.iter().zip(&visits).filter(|(source, _)| {
                    (&*source.root_kind, &source.root_id, &source.network)
                        == ("account", &row.account.id, &row.network)
                });
                let meant = about.filter(move |(source, _)| kind.is_none_or(|kind| source.robot == kind));
                meant.flat_map(|(_, visits)| visits.iter()).collect::<Vec<&VisitSummary>>()
            };
            let known_at = own(Some(RobotKind::User)).iter().map(|visit| visit.ended_at).min()?;
            let later = own(None).into_iter().map(|visit| visit.started_at);
            let later = later.filter(|at| *at > known_at + SETTLES).collect();
            Some(Self { posts_count: row.account.posts_count?, known_at, later })
        };
        accounts.into_iter().filter_map(person).collect()
    }
}

/// The newest instant that any of them was visited at.
fn latest(people: &[Person]) -> Timestamp {
    people.iter().flat_map(|it| &it.later).copied().max().unwrap_or(Timestamp::MIN)
}

/// Whether everything that the rules of the spider let in and keep out was met.
fn has_met_its_rules(store: &dyn Store) -> bool {
    let (albums, people) = (Album::all(store), Person::all(store));
    let has_photos = albums.iter().any(|album| album.photos > 0 && !album.is_refused());
    let is_quiet =
        |it: &&Person| it.posts_count <= QUIET_MAX && latest(&people) - it.known_at > SETTLES + AGAIN;
    let is_busy = |it: &&Person| it.posts_count >= LIVELY_MIN && !it.later.is_empty();
    has_photos
        && albums.iter().filter(|album| album.is_refused()).count() > 10
        && people.iter().filter(is_quiet).count() > 5
        && people.iter().filter(is_busy).count() > 5
        && count(store, "graph", Some("post")) > 200
}

#[test]
fn a_spider_goes_to_friends_and_not_to_their_friends() {
    let Ran { report, store, .. } = run("spider", has_met_its_rules);
    let found = report["found_count"].as_u64().expect("a number");
    assert!(found > 0 && report["names_count"].as_u64() > Some(0), "{report}");
    let accounts = count(&*store, "graph", Some("account"));
    // All 200 are within a few steps of each other: whoever followed friends of friends would know most of them.
    assert!(accounts > found && accounts < 150, "{accounts} of 200, {found} were searched for");
    assert_eq!(count(&*store, "youtube", None), 0, "nobody follows links into other networks here");
    for album in Album::all(&*store).iter().filter(|album| album.is_refused()) {
        assert_eq!(
            album.photos, 0,
            "photos were collected of an album that is old or little talked about: {:?}",
            album.row
        );
    }
    for person in Person::all(&*store).iter().filter(|it| it.posts_count <= QUIET_MAX) {
        let later = &person.later;
        assert!(
            later.is_empty(),
            "{} posts, known at {}, visited at {later:?}",
            person.posts_count,
            person.known_at
        );
    }
    let of_report = |kind: &str| {
        let objects = report["objects"].as_array().expect("a list").iter();
        let of_kind = objects.filter(|it| it["type"] == kind);
        of_kind.filter_map(|it| it["count"].as_u64()).sum::<u64>()
    };
    for kind in ["account", "post", "album", "place"] {
        assert_eq!(of_report(kind), count(&*store, "graph", Some(kind)), "{kind}: {report}");
    }
}

#[test]
fn shared_videos_are_pulled_from_the_network_they_live_on() {
    let parts = [("graph", "post"), ("youtube", "video"), ("youtube", "account"), ("youtube", "comment")];
    let has_all =
        |store: &dyn Store| parts.iter().all(|(network, kind)| count(store, network, Some(kind)) > 0);
    let Ran { store, .. } = run("world", has_all);
    let (posts, videos) = (count(&*store, "graph", Some("post")), count(&*store, "youtube", Some("video")));
    assert!(videos < posts, "one post in five shares a video: {videos} of {posts}");
}
