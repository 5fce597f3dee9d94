//! Bytes that this version of the form wrote, and the values that they mean.
//!
//! `golden.txt` has one line for each kind of message: its name and its bytes, in hexadecimal. Where the bytes change, the form
//! has changed: then [`VERSION`] takes the next number, unless no build with the present one was ever given away.

use std::fmt::Write as _;
use std::sync::Arc;

use freshet_store::row::{LinkSweep, ListPage, Listing, Parked, RelationSweep, Withheld};
use freshet_types::{
    Account, AccountState, Address, AuthScheme, AuthUse, Complaint, Coverage, CrossLink, DefinitionVersion,
    End, Fault, FaultKind, Interval, Lead, LimitReading, Link, Mark, Method, NetworkName, PageKind, PostKind,
    Pulse, QuotaKey, QuotaNeed, Redirect, Redirects, Relation, RobotKind, Share, SourceId, SourceState, Span,
    Tag, Thing, Timetable,
};

use super::*;

const FILE: &str = "src/wire/tests/golden.txt";
const AT: Timestamp = Timestamp::from_ms(1_790_000_000_123);

fn network() -> NetworkName {
    "mastodon:a.example".into()
}

fn request() -> Request {
    let key = QuotaKey { network: network(), rule: "api".into(), holder: "ip".into() };
    Request {
        method: Method::Post,
        headers: vec![("accept".to_owned(), "application/json".to_owned())],
        body: Some("{}".to_owned()),
        auth: Some(AuthUse {
            credential: "work".into(),
            scheme: AuthScheme::Header { name: "x-key".to_owned() },
        }),
        needs: vec![QuotaNeed { key, limit: 300, window: Span::from_secs(300), units: 1 }],
        allow_private: true,
        is_page: true,
        redirects: Redirects::Told(vec![redirect()]),
        patience: Some(Span::from_secs(4)),
        ..Request::get(&network(), "https://a.example/api?limit=40")
    }
}

fn redirect() -> Redirect {
    Redirect { status: 302, location: "/there".to_owned() }
}

fn response() -> Response {
    Response {
        status: 200,
        headers: vec![("etag".to_owned(), "W/1".to_owned())],
        body: vec![0, 200, 255],
        url: "https://a.example/api".to_owned(),
        received_at: AT,
    }
}

fn observation() -> Observation {
    let post = Post {
        id: "12".to_owned(),
        kind: PostKind::new("job").in_space(Some("item")),
        author: Some("7".to_owned()),
        created_at: Some(AT),
        is_edit_claimed: true,
        text: "grüß".to_owned(),
        tags: vec!["rivers".to_owned()],
        is_embedded: true,
        plinks: vec![("likes".into(), 3.into()), ("share".into(), Primitive::Float(0.5))],
        slinks: vec![CrossLink {
            kind: freshet_types::LinkKind::Sp,
            value: Some(7.into()),
            evidence: freshet_types::Evidence::new("/text", "v/1 (7)"),
            ..CrossLink::new("video", Address::new(&"video".into(), "post", "v/1"))
        }],
        slinks_seen: vec!["video".into()],
        ..Post::default()
    };
    let account = Account {
        id: "7".to_owned(),
        handle: Some("ada".to_owned()),
        followers_count: Some(-1),
        state: AccountState::Moved,
        opts_out: true,
        ..Account::default()
    };
    Observation {
        posts: vec![post],
        accounts: vec![account],
        relations: vec![Relation { source: "7".to_owned(), target: "8".to_owned() }],
        tags: vec![Tag { account: "7".to_owned(), name: "rivers".to_owned() }],
        leads: vec![Lead {
            endpoint: "threads".into(),
            robot: RobotKind::Comment,
            root_kind: "thread".into(),
            root_id: "/t/1".to_owned(),
            title: Some("A thread".to_owned()),
            active_at: Some(AT),
            grain: Span::MINUTE,
        }],
        things: vec![Thing {
            id: "3".to_owned(),
            kind: "place".into(),
            name: Some("Gent".to_owned()),
            plinks: vec![("longitude".into(), Primitive::Float(3.7))],
            ..Thing::default()
        }],
        links: vec![Link {
            from: End { kind: "account".into(), id: "7".to_owned() },
            name: "hometown".into(),
            to: End { kind: "place".into(), id: "3".to_owned() },
            is_member: false,
        }],
    }
}

fn timetable() -> Timetable {
    let hub = Some("https://hub.example/".to_owned());
    Timetable { ttl_min: Some(60), period_min: None, skip_hours: 3, skip_days: 1, hub }
}

fn limits() -> Vec<LimitReading> {
    vec![LimitReading {
        rule: Some("api".into()),
        remaining: Some(7),
        reset_at: Some(AT),
        ..LimitReading::default()
    }]
}

fn page() -> Page {
    Page {
        kind: PageKind::Posts,
        outcome: Outcome::RateLimited { until: Some(AT) },
        observation: observation(),
        title: Some("Posts".to_owned()),
        next: Some("max_id=12".to_owned()),
        is_broken_off: true,
        members: vec!["9".to_owned()],
        pulses: vec![Pulse { root: "7".to_owned(), value: "42".to_owned() }],
        shares: vec![Share { root: "7".to_owned(), post: "12".to_owned() }],
        is_unchanged: true,
        is_detour: true,
        validators: Validators { etag: None, last_modified: Some("yesterday".to_owned()) },
        timetable: Some(timetable()),
        limits: limits(),
        complaints: vec![Complaint::new("/0", "no id")],
    }
}

/// Every outcome.
pub(super) fn outcomes() -> Vec<Outcome> {
    vec![
        Outcome::Ok,
        Outcome::Gone,
        Outcome::RateLimited { until: None },
        Outcome::QuotaExhausted { until: Some(AT) },
        Outcome::Moved { to: "there".to_owned() },
        Outcome::Unreadable,
    ]
}

pub(super) fn order() -> Order {
    let base = "https://a.example".to_owned();
    Order {
        id: OrderId { visit: VisitId(77), number: 2 },
        request: request(),
        version: DefinitionVersion::of("name = \"mastodon\""),
        instance: Arc::new(Instance { network: network(), base, allow_private: true }),
        endpoint: "posts".into(),
        root: "7".to_owned(),
        intent: Intent::Newer(Mark { id: "12".to_owned(), at: AT }),
    }
}

/// One of each: a page with its bytes, a redirect, a fault.
fn answers() -> [Fetched; 3] {
    [
        fetched(Ok(Answer::Page(Box::new(page()), Some(vec![0, 200, 255])))),
        fetched(Ok(Answer::Redirect(redirect(), limits()))),
        fetched(Err(Fault::new(FaultKind::Replaced, "replaced meanwhile"))),
    ]
}

pub(super) fn source() -> Source {
    let mark = |id: &str| Mark { id: id.to_owned(), at: AT };
    let interval = Interval {
        newest: mark("12"),
        oldest: mark("3"),
        until: AT,
        below: Some("max_id=3".to_owned()),
        is_bottom: false,
        visit: VisitId(76),
    };
    Source {
        id: SourceId(5),
        handle: Some("ada".to_owned()),
        state: SourceState::AuthRequired,
        depth: 2,
        since: Some(AT),
        retention: Some(Span::DAY),
        weight: 1.5,
        due_at: AT,
        visited_at: Some(AT),
        attempts: 1,
        failure: Some("no".to_owned()),
        coverage: Coverage { intervals: vec![interval], ..Coverage::default() },
        model: vec![1, 255],
        validators: Validators { etag: Some("W/1".to_owned()), last_modified: None },
        timetable: timetable(),
        pulse: Some("42".to_owned()),
        read_at: Some(AT),
        pinned: Some(Span::HOUR),
        ..Source::new(&network(), "posts", RobotKind::Status, "account", "7")
    }
}

fn upload() -> Upload {
    Upload {
        robot: Some(RobotKind::Status),
        depth: 1,
        observation: observation(),
        raw: Some(vec![0, 255]),
        source: Some(source()),
        brought_by: Some(SourceId(4)),
        was_opted_out: true,
        lists: Some(Listing { author: "7".to_owned(), from: Timestamp::MIN, to: AT }),
        checked: vec!["3".to_owned()],
        deleted: vec![("post".to_owned(), "3".to_owned())],
        invalid: Some(("7".to_owned(), "gone".to_owned())),
        relations_swept: Some(RelationSweep { account: "7".to_owned(), is_following: true, began_at: AT }),
        links_swept: Some(LinkSweep {
            from: End { kind: "post".into(), id: "12".to_owned() },
            name: "likers".into(),
            began_at: AT,
        }),
        opted_out: vec!["8".to_owned()],
        withheld: Withheld { posts: ["12".to_owned()].into_iter().collect(), ..Withheld::default() },
        parked: vec![Parked {
            address: "mastodon:a.example/post/12".to_owned(),
            missing: "post.likes".to_owned(),
            parked_at: AT,
            object: "{}".to_owned(),
            source: Some(SourceId(5)),
        }],
        unparked: vec!["mastodon:a.example/post/11".to_owned()],
        page: Some(ListPage {
            kind: "thread".into(),
            id: "/t/1".to_owned(),
            recheck_at: AT,
            ..ListPage::default()
        }),
        summary: Some(VisitSummary {
            id: VisitId(77),
            source: SourceId(5),
            started_at: AT,
            ended_at: AT,
            fetch_count: 2,
            new_post_count: 1,
            outcome: "ok".to_owned(),
            attempt: 1,
        }),
        viewer: Some("ada".into()),
        ..Upload::new(VisitId(77), network(), AT)
    }
}

/// All messages, as this build writes them.
pub(super) fn all() -> Vec<Vec<u8>> {
    let answers = answers().map(|answer| encode(&answer).unwrap());
    let mut all = vec![
        encode(&request()).unwrap(),
        encode(&response()).unwrap(),
        encode(&page()).unwrap(),
        encode(&observation()).unwrap(),
        encode(&order()).unwrap(),
        encode(&upload()).unwrap(),
        encode(&source()).unwrap(),
    ];
    all.extend(answers);
    all
}

/// Writes the bytes of a message down, or compares them with those that were, and reads them back.
fn check<T: Message + PartialEq + std::fmt::Debug>(told: &mut String, name: &str, message: &T) {
    let hex = |bytes: &[u8]| bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    let line = format!("{name} {}\n", hex(&encode(message).unwrap()));
    told.write_str(&line).unwrap();
    if std::env::var_os("FRESHET_BLESS").is_some() {
        return;
    }
    let file = include_str!("golden.txt");
    let before = file.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let before =
        before.unwrap_or_else(|| panic!("`{name}` is missing in {FILE}; write it with FRESHET_BLESS=1"));
    let byte = |at: usize| u8::from_str_radix(&before[at..at + 2], 16).unwrap();
    let bytes: Vec<u8> = (0..before.len()).step_by(2).map(byte).collect();
    assert_eq!(decode::<T>(&bytes).as_ref(), Ok(message), "`{name}` of version {VERSION} is read otherwise");
    assert!(
        line.trim_end().ends_with(before),
        "`{name}` is written otherwise: take the next VERSION, and write {FILE} anew with FRESHET_BLESS=1"
    );
}

#[test]
fn what_this_version_wrote_means_what_it_meant() {
    let mut told = String::new();
    check(&mut told, "request", &request());
    check(&mut told, "response", &response());
    check(&mut told, "page", &page());
    check(&mut told, "observation", &observation());
    check(&mut told, "order", &order());
    for (name, answer) in ["answer-page", "answer-redirect", "answer-fault"].into_iter().zip(answers()) {
        check(&mut told, name, &answer);
    }
    check(&mut told, "upload", &upload());
    check(&mut told, "source", &source());
    if std::env::var_os("FRESHET_BLESS").is_some() {
        std::fs::write(FILE, told).unwrap();
    }
}
