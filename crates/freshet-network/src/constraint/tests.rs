//! The three answers as one table, errors with their columns, and the parking.

use std::collections::BTreeMap;

use freshet_types::{LinkType, ObjectType, PrimitiveKind, Span};

use super::parking::Judge;
use super::*;

const NOW: Timestamp = Timestamp::from_secs(1_000_000);

/// A post with 5000 likes, an author with two posts, and a location that was never fetched.
fn post() -> Object {
    let object = |address: &str| Object::new(address.parse().unwrap());
    let mut author = object("social/account/7");
    author.plinks.insert("handle".to_owned(), "ada".into());
    let mut sibling = object("social/post/2");
    sibling.plinks.insert("likes".to_owned(), 3.into());
    author.colinks.insert("posts".to_owned(), vec![sibling, object("social/post/3")]);
    let mut post = object("social/post/1");
    post.plinks.insert("likes".to_owned(), 5000.into());
    post.plinks.insert("lang".to_owned(), "en".into());
    post.plinks.insert("text".to_owned(), "see https://youtu.be/abc".into());
    post.plinks.insert("score".to_owned(), freshet_types::Primitive::Float(0.5));
    post.plinks.insert("created_at".to_owned(), Timestamp::from_secs(999_000).into());
    post.clinks.insert("author".to_owned(), author);
    post.clinks.insert("location".to_owned(), object("social/place/9"));
    post
}

const UNKNOWN: &str = r#"post.plinks["none"] > 1"#;

fn check(text: &str, expected: &str) {
    let constraint = Constraint::parse("post", text).unwrap_or_else(|error| panic!("{error}"));
    let answer = match constraint.judge(&post(), 2, NOW) {
        Answer::Yes => "yes".to_owned(),
        Answer::No => "no".to_owned(),
        Answer::CannotTell { missing } => missing,
    };
    assert_eq!(answer, expected, "{text}");
}

#[test]
fn three_valued_logic() {
    let missing = r#"post.plinks["none"]"#;
    for (left, right, and, or) in [
        ("true", "true", "yes", "yes"),
        ("true", "false", "no", "yes"),
        ("false", "true", "no", "yes"),
        ("false", "false", "no", "no"),
        ("true", UNKNOWN, missing, "yes"),
        (UNKNOWN, "true", missing, "yes"),
        ("false", UNKNOWN, "no", missing),
        (UNKNOWN, "false", "no", missing),
        (UNKNOWN, UNKNOWN, missing, missing),
    ] {
        check(&format!("{left} && {right}"), and);
        check(&format!("{left} || {right}"), or);
    }
    check(&format!("!({UNKNOWN})"), missing);
    check(&format!("({UNKNOWN}) ? true : true"), missing);
    check(&format!("true ? true : {UNKNOWN}"), "yes");
    check(&format!("false && ({UNKNOWN} || true)"), "no");
    check(&format!("({UNKNOWN} && true) || post.likes > 1"), "yes");
    check(&format!("{UNKNOWN} && {UNKNOWN} && {UNKNOWN} && false"), "no");
}

#[test]
fn paths_are_followed_as_in_the_paper() {
    let longitude = r#"post.clinks["location"].plinks["longitude"]"#;
    check(r#"post.plinks["likes"] > 1000"#, "yes");
    check(r#"post.plinks["likes"] > 1000 && post.clinks["location"].plinks["longitude"] < 20.0"#, longitude);
    check(r#"post.plinks["likes"] > 9000 && post.clinks["location"].plinks["longitude"] < 20.0"#, "no");
    check(r#"post.clinks["author"].plinks["handle"] == "ada""#, "yes");
    check(r#"post.clinks["author"].colinks["posts"][0].plinks["likes"] == 3"#, "yes");
    check(
        r#"post.clinks["author"].colinks["posts"][5].plinks["likes"] == 3"#,
        r#"a longer collection in `post.clinks["author"].colinks["posts"][5].plinks["likes"] == 3`"#,
    );
    check(r#"post["author"]["handle"] == "ada""#, "yes");
    check("post.author.handle == 'ada' && post.likes > 1000", "yes");
    check("post.location.longitude < 20.0", "post.location.longitude");
    check("post.author.posts.exists(p, p.likes > 1)", "yes");
    check("post.author.posts.exists(p, p.likes > 9)", "post.author.posts[…].likes");
    check("post.author.posts.all(p, p.likes > 9)", "no");
    check("size(post.author.posts) == 2 && size(post.plinks) > 2", "yes");
    check("has(post.plinks.likes) && !has(post.plinks.none)", "yes");
    check("'likes' in post.plinks && !('none' in post.plinks)", "yes");
    check("post.lang in ['en', 'de']", "yes");
    check("post.text.matches('youtu[.]be/[a-z]+')", "yes");
    check("post.score < 1 && post.score > 0.1", "yes");
    check("post.id == '1' && post.type == 'post' && post.network == 'social'", "yes");
    check("post.address == 'social/post/1' && post.author == post.author", "yes");
    check("depth <= 2", "yes");
    check("depth < 2", "no");
    check("now - post.created_at < 7 * 86400 * 1000", "yes");
}

#[test]
fn what_makes_no_sense_is_uncertain_and_says_why() {
    for (text, why) in [
        ("post.lang > 3", "no matching overload"),
        ("post.likes", "a truth value"),
        ("post.likes / 0 > 1", "Division by zero"),
        (r#"post.author["posts"]["likes"] > 1000"#, ".exists("),
    ] {
        let answer = Constraint::parse("post", text).unwrap().judge(&post(), 0, NOW);
        let Answer::CannotTell { missing } = answer else { panic!("{text}: {answer:?}") };
        assert!(missing.contains(why), "{text}: {missing}");
    }
}

#[test]
fn errors_point_at_the_place() {
    for (text, column, why) in [
        ("post.likes >", 13, ""),
        ("post.likes > 1 &&& true", 18, ""),
        ("tweet.likes > 1", 1, "there is no `tweet` here, only `post`"),
        ("post.likes > 1 && lenght(post.text) > 3", 25, "no function `lenght`"),
        ("post.text.sartsWith('a')", 20, "no function `sartsWith`"),
        ("post.a.all(x, x.b.all(y, y.c.all(z, z.d)))", 33, "nested 2 deep"),
        ("", 1, ""),
        ("post.a.within('soon').size() > 1", 15, "`soon` is no span"),
        ("post.a.within('0h').size() > 1", 15, "366 days at most"),
        ("post.a.rate('9999d') > 1.0", 13, "366 days at most"),
        ("post.a.within(5).size() > 1", 15, "a text in quotes"),
        ("post.within('1h').size() > 1", 12, "`within` is asked of a collection"),
        ("within(post.a, '1h').size() > 1", 7, "`within` is asked of a collection"),
    ] {
        let error = Constraint::parse("post", text).unwrap_err();
        let ConstraintError::At { column: found, ref what, .. } = error else { panic!("{text}: {error}") };
        assert_eq!(found, column, "{text}: {error}");
        assert!(what.contains(why), "{text}: {error}");
    }
    let error = Constraint::parse("post", "tweet.likes > 1").unwrap_err().to_string();
    assert!(error.ends_with("\n  | tweet.likes > 1\n  | ^"), "{error}");
}

#[test]
fn hostile_texts_are_refused_without_harm() {
    let deep =
        |open: &str, close: &str, count: usize| format!("{}1{}", open.repeat(count), close.repeat(count));
    assert!(matches!(Constraint::parse("post", &deep("(", ")", 17)), Err(ConstraintError::TooDeep(_))));
    assert!(Constraint::parse("post", &format!("{} > 0", deep("(", ")", 16))).is_ok());
    assert!(matches!(Constraint::parse("post", &"a".repeat(2000)), Err(ConstraintError::TooLong(..))));
    assert!(matches!(Constraint::parse("a b", "true"), Err(ConstraintError::BadType(_))));
    assert!(Constraint::parse("post", &format!("{} > 0", ["1"; 20].join(" + "))).is_ok());
    let chain = |count| vec!["post.likes > 1"; count].join(" && ");
    assert_eq!(Constraint::parse("post", &chain(30)).unwrap().judge(&post(), 0, NOW), Answer::Yes);
    // Whatever these give, they must neither overflow the stack nor hang.
    for (head, part, tail) in [
        ("", "!", "true"),
        ("", "-", "1 > 0"),
        ("1", "+1", " > 0"),
        ("post", ".a", " > 0"),
        ("post", "[0]", " > 0"),
        ("", "true?true:", "true"),
        ("true", "&&true", ""),
        ("true", "||true", ""),
        ("1", "==1", ""),
        ("post", ".a()", ""),
        ("", "[", ""),
        ("", "'", ""),
    ] {
        let count = (TEXT_BYTES_MAX - head.len() - tail.len()) / part.len();
        if let Ok(constraint) = Constraint::parse("post", &format!("{head}{}{tail}", part.repeat(count))) {
            constraint.judge(&post(), 0, NOW);
        }
    }
}

fn schema() -> Schema {
    let links = |links: &[(&str, LinkType)]| ObjectType {
        links: links.iter().map(|(name, link)| ((*name).to_owned(), link.clone())).collect(),
        ids: None,
    };
    Schema {
        network: "social".to_owned(),
        types: BTreeMap::from([
            (
                "post".to_owned(),
                links(&[
                    ("likes", LinkType::P(PrimitiveKind::Int)),
                    ("lang", LinkType::P(PrimitiveKind::Text)),
                    ("open", LinkType::P(PrimitiveKind::Bool)),
                    ("author", LinkType::C("account".to_owned())),
                    ("tags", LinkType::Co("tag".to_owned())),
                ]),
            ),
            ("account".to_owned(), links(&[("posts", LinkType::Co("post".to_owned()))])),
        ]),
    }
}

#[test]
fn paths_are_compared_with_the_definition() {
    for (text, why) in [
        ("post.plinks['likes'] > 1 && post.author.posts.exists(p, p.likes > 2)", None),
        ("post.plinks['lieks'] > 1", Some("no link `lieks`, only author, lang, likes, open, tags")),
        ("post.clinks['likes'] > 1", Some("is a p-link")),
        ("post.likes.count > 1", Some("a value has no property `count`")),
        ("post['author']['posts']['likes'] > 1", Some("collection of `post`")),
        ("post.author.posts.exists(p, p.lieks > 2)", Some("no link `lieks`")),
        ("post.author.posts[0].likes > 1 && post.id != '' && depth < 3", None),
        ("post.open || !post.open || (post.open ? post.likes > 1 : post.lang == 'en')", None),
        ("post.lang + '-' != 'en-' && post.likes + 1 > now - 5 && string(post.likes) == '1'", None),
        ("has(post.lang)", None),
        ("has(post.author) && !has(post.plinks.likes)", None),
        ("post.likes == null || post.lang in ['en'] || size(post.lang) > 3 || type(post.likes) == int", None),
        // None of these can be told of any object: each would let everything wait, and then be dropped.
        ("1", Some("this is a number, and a constraint is either true or false")),
        ("'yes'", Some("this is a text, and")),
        ("post.likes", Some("this is a number, and")),
        ("post.likes + 1", Some("column 12: this is a number, and")),
        ("post.lang", Some("this is a text, and")),
        ("post.author", Some("this is an object (`account`)")),
        ("post.author.posts", Some("this is a collection; ask for")),
        ("post.plinks", Some("these are links")),
        ("post.likes && post.open", Some("this is a number, and")),
        ("!post.lang", Some("this is a text, and")),
        ("post.likes ? true : false", Some("this is a number, and")),
        ("post.author.posts.exists(p, p.likes)", Some("this is a number, and")),
        ("post.lang > 3", Some("column 11: a text is compared with a number")),
        ("post.likes == '5'", Some("a number is compared with a text")),
        ("post.open == 1", Some("a truth value is compared with a number")),
        ("post.id > 100", Some("a text is compared with a number")),
        ("post.lang.matches('(')", Some("`(` is no pattern: unclosed group")),
    ] {
        let found = Constraint::parse("post", text).unwrap().check(&schema());
        match why {
            None => assert_eq!(found, Ok(()), "{text}"),
            Some(why) => assert!(found.clone().unwrap_err().to_string().contains(why), "{text}: {found:?}"),
        }
    }
    // A crawl that never hears of likes.
    let obstacle = |_: &str, link: &str| (link == "likes").then(|| "nobody brings it".to_owned());
    for (kind, text, why) in [
        ("account", "account.posts.exists(p, p.likes > 2)", Some("nobody brings it")),
        ("account", "account.posts.size() > 2", None),
        ("account", "!has(account.posts)", Some("ask for its `size`")),
        ("post", "post.likes > 1", Some("nobody brings it")),
        ("post", "post.tags.exists(t, t.id == 'rust') && post.author.id != ''", None),
        ("post", "post.author.posts.exists(p, p.author.id == post.author.id)", None),
        ("post", "post.author.posts.exists(p, p.author.posts.size() > 1)", Some("only its own values")),
        ("post", "post.author.posts.exists(p, p.tags.size() > 1)", Some("a collection of a member")),
        ("post", "post.id.exists(p, true)", Some("only a collection")),
        ("account", "depth < 2", None),
    ] {
        let found = Constraint::parse(kind, text).unwrap().check_for_crawl(&schema(), &obstacle);
        match why {
            None => assert_eq!(found, Ok(()), "{text}"),
            Some(why) => assert!(found.clone().unwrap_err().to_string().contains(why), "{text}: {found:?}"),
        }
    }
    let error = Constraint::parse("album", "album.id != ''").unwrap().check(&schema()).unwrap_err();
    assert!(error.to_string().contains("no type `album`, only account, post"), "{error}");
}

#[test]
fn it_is_noted_which_collections_are_asked_for() {
    for (kind, text, expected) in [
        ("post", "post.likes > 1 && post.author.id != ''", ""),
        ("account", "size(account.posts) > 1", "posts"),
        ("account", "account.posts.within('1h').size() > 1 && account['posts'].rate('2h') > 1.0", "posts"),
        ("account", "account.posts.exists(p, p.likes > 1)", "posts read"),
        ("post", "post.author.posts[0].likes > 1 && size(post.tags) > 1", "author.posts read, tags"),
        (
            "account",
            "account.posts.exists(p, account.posts.exists(q, q.likes > p.likes))",
            "posts read nested",
        ),
    ] {
        let asked = Constraint::parse(kind, text).unwrap().asked(&schema());
        let mark = |is_so: bool, word: &'static str| if is_so { word } else { "" };
        let show = |it: &Asked| {
            let path: Vec<_> = it.path.iter().map(String::as_str).chain([it.link.as_str()]).collect();
            format!("{}{}{}", path.join("."), mark(it.is_read, " read"), mark(it.is_nested, " nested"))
        };
        assert_eq!(asked.iter().map(show).collect::<Vec<_>>().join(", "), expected, "{text}");
    }
}

/// An account that posted `a` 30 minutes ago, `b` 20 minutes ago, `c` 2 hours ago, and whose follower came 10 minutes ago.
fn busy_account() -> Object {
    let object = |address: &str| Object::new(address.parse().unwrap());
    let member = |id: &str, text: &str, minutes: i64| {
        let mut post = object(&format!("social/post/{id}"));
        post.plinks.insert("text".to_owned(), text.into());
        post.plinks.insert("created_at".to_owned(), (NOW - Span::MINUTE * minutes as f64).into());
        post
    };
    let mut account = object("social/account/7");
    let posts = vec![member("1", "a", 30), member("2", "b", 20), member("3", "c", 120)];
    account.colinks.insert("posts".to_owned(), posts);
    let mut follower = object("social/account/8");
    follower.plinks.insert("created_at".to_owned(), 0.into());
    follower.plinks.insert(AT.to_owned(), (NOW - Span::MINUTE * 10.0).into());
    account.colinks.insert("followers".to_owned(), vec![follower]);
    account
}

#[test]
fn conditions_over_time() {
    let after = |first: &str, second: &str, span: &str| {
        let those = |text: &str| format!("account.posts.filter(p, p.text == '{text}')");
        format!("{}.followed_by({}, '{span}').size() > 0", those(first), those(second))
    };
    for (text, expected) in [
        ("account.posts.within('1h').size() == 2", "yes"),
        ("account.posts.within('3h').size() == 3", "yes"),
        ("size(account.posts.within('25m')) == 1", "yes"),
        ("account.posts.within('1h').exists(p, p.text == 'c')", "no"),
        ("account.posts.within('1h').all(p, p.text != 'c')", "yes"),
        ("account.posts.rate('30m') == 2.0", "yes"),
        ("account.posts.rate('3h') == 1.0", "yes"),
        // Of a follower it counts when it came, not when its account was made.
        ("account.followers.within('15m').size() == 1", "yes"),
        ("account.likers.within('15m').size() == 1", "account.likers"),
        (&after("a", "b", "15m"), "yes"),
        (&after("a", "b", "5m"), "no"),
        (&after("b", "a", "1h"), "no"),
        (&after("c", "b", "2h"), "yes"),
        ("now - span('1h') < now && span('1m') == 60000", "yes"),
    ] {
        let constraint = Constraint::parse("account", text).unwrap_or_else(|error| panic!("{error}"));
        let answer = match constraint.judge(&busy_account(), 0, NOW) {
            Answer::Yes => "yes".to_owned(),
            Answer::No => "no".to_owned(),
            Answer::CannotTell { missing } => missing,
        };
        assert_eq!(answer, expected, "{text}");
        assert_eq!(
            constraint.is_timed(),
            ["now", "within", "rate"].iter().any(|it| text.contains(it)),
            "{text}"
        );
    }
}

#[test]
fn a_set_says_no_before_it_is_uncertain() {
    let judge = |rules: &[(&str, &str)]| {
        let all = rules.iter().map(|(kind, text)| Constraint::parse(kind, text).unwrap()).collect();
        Constraints::new(all).unwrap().judge(&post(), 0, NOW)
    };
    let uncertain = Answer::CannotTell { missing: r#"post.plinks["none"]"#.to_owned() };
    assert_eq!(judge(&[]), Answer::Yes);
    assert_eq!(judge(&[("account", "false")]), Answer::Yes, "a rule about another type");
    assert_eq!(judge(&[("other/post", "false")]), Answer::Yes, "a rule about another network");
    assert_eq!(judge(&[("social/post", "false")]), Answer::No);
    assert_eq!(judge(&[("post", UNKNOWN), ("post", "true")]), uncertain);
    assert_eq!(judge(&[("post", UNKNOWN), ("post", "false")]), Answer::No);
    let follow = Constraint::parse("post", "false").unwrap().with_purpose(Purpose::Follow);
    let rules = Constraints::new(vec![follow]).unwrap();
    assert_eq!(rules.judge(&post(), 0, NOW), Answer::Yes, "a rule for another purpose");
    assert_eq!(rules.judge_for(Purpose::Follow, &post(), 0, NOW).0, Answer::No);
}

fn rules() -> Constraints {
    let rule = Constraint::parse("post", "post.location.longitude < 20.0").unwrap();
    Constraints::new(vec![rule]).unwrap()
}

fn parked(object: Object, at: i64) -> Parked {
    Parked::new(object, "longitude".to_owned(), Timestamp::from_secs(at), 0)
}

fn place(longitude: Option<i64>) -> Object {
    let mut place = Object::new("social/place/9".parse().unwrap());
    place.plinks.extend(longitude.map(|degrees| ("longitude".to_owned(), degrees.into())));
    place
}

#[test]
fn parked_objects_are_judged_when_the_property_arrives() {
    for (longitude, expected) in [(Some(10), "Wanted"), (Some(30), "Unwanted"), (None, "Waits")] {
        let rules = rules();
        let judge: Judge<'_> = &mut |object, depth| rules.judge(object, depth, NOW);
        let mut parking = Parking::default();
        parking.park(parked(post(), 1));
        assert!(parking.offer(&Object::new("social/post/99".parse().unwrap()), judge).is_empty());
        let verdicts = parking.offer(&place(longitude), judge);
        assert!(format!("{verdicts:?}").contains(expected), "{longitude:?}: {verdicts:?}");
        assert_eq!(parking.len(), usize::from(longitude.is_none()));
        let repeated = parking.offer(&place(longitude), judge);
        assert!(repeated.is_empty(), "no news, no verdict: {repeated:?}");
        if let [Verdict::Wanted(parked)] = verdicts.as_slice() {
            let object = &parked.object;
            assert_eq!(object.clinks["location"].plinks["longitude"], 10.into());
            assert_eq!(object.plinks["likes"], 5000.into());
        }
    }
}

#[test]
fn the_parking_expires_and_bounded() {
    let object = |number: i64| Object::new(format!("social/post/{number}").parse().unwrap());
    let mut parking = Parking::with_room_for(3);
    for number in 0..3 {
        assert_eq!(parking.park(parked(object(number), number)), None);
    }
    // Parking again keeps the age, and takes in what is new.
    let mut second_look = object(0);
    second_look.plinks.insert("likes".to_owned(), 1.into());
    assert_eq!(parking.park(parked(second_look, 50)), None);
    assert_eq!(parking.iter().next().unwrap().parked_at, Timestamp::from_secs(0));
    assert_eq!(parking.iter().next().unwrap().object.plinks["likes"], 1.into());
    let left = parking.park(parked(object(3), 3)).unwrap();
    assert_eq!(left.object.address.id, "0", "the oldest makes room");
    let expired = parking.expire(Timestamp::from_secs(12), Span::from_secs(10));
    assert_eq!(expired.iter().map(|parked| parked.object.address.id.as_str()).collect::<Vec<_>>(), ["1"]);
    assert_eq!(parking.len(), 2);
}

#[test]
fn parked_objects_are_judged_by_new_constraints() {
    for (rule, expected) in [("true", "Wanted"), ("false", "Unwanted"), (UNKNOWN, "Waits")] {
        let mut parking = Parking::default();
        parking.park(parked(post(), 1));
        let rules = Constraints::new(vec![Constraint::parse("post", rule).unwrap()]).unwrap();
        let verdicts = parking.judge_all(&mut |object, depth| rules.judge(object, depth, NOW));
        assert!(format!("{verdicts:?}").starts_with(&format!("[{expected}")), "{rule}: {verdicts:?}");
        assert_eq!(parking.get(&post().address).is_some(), expected == "Waits");
    }
    let mut parking = Parking::default();
    parking.park(parked(post(), 1));
    assert!(parking.is_about(&place(None).address) && parking.unpark(&post().address).is_some());
    assert!(!parking.is_about(&place(None).address) && parking.is_empty());
}

#[test]
fn a_later_look_keeps_what_the_first_showed() {
    let shown = |text: &str, is_embedded| {
        let post = freshet_types::Post { text: text.to_owned(), is_embedded, ..Default::default() };
        Some(Shown::Post(post))
    };
    let mut parking = Parking::default();
    parking.park(Parked { shown: shown("old", false), ..parked(post(), 1) });
    parking.park(Parked { shown: shown("new", true), depth: 4, ..parked(post(), 2) });
    let found = parking.unpark(&post().address).unwrap();
    assert_eq!((found.shown, found.depth), (shown("new", false), 0));
}

#[test]
fn parked_objects_survive_the_store() {
    let account = freshet_types::Account { id: "7".to_owned(), ..Default::default() };
    let before = Parked { shown: Some(Shown::Account(account)), ..parked(post(), 7) };
    assert_eq!(Parked::from_json(&before.to_json()).unwrap(), before);
    assert!(Parked::from_json("{}").is_err());
}
