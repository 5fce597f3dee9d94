//! Every list, walked page by page, gives what the truth says; limits and faults are as announced.

use freshet_types::{Clock, Map, Set};
use serde_json::Value;

use super::*;
use crate::world::{Chances, Faults, Limits, Relation, Standing, text};
use crate::{VirtualClock, WorldOptions};

fn world(accounts: u32) -> World {
    let chances = Chances {
        suspension_per_day: 0.01,
        privacy_per_day: 0.01,
        departure_per_day: 0.003,
        edit_share: 0.1,
        deletion_share: 0.1,
        ..Chances::default()
    };
    let options =
        WorldOptions { accounts, chances, limits: Limits::OFF, seed: 21, ..WorldOptions::default() };
    World::new(options).unwrap()
}

fn get(world: &mut World, target: &str) -> WorldResponse {
    let now = world.now();
    world.answer(&WorldRequest::get(target), now)
}

fn get_json(world: &mut World, target: &str) -> Value {
    let response = get(world, target);
    assert_eq!(response.status, 200, "{target}");
    serde_json::from_slice(&response.body).unwrap_or_else(|error| panic!("{target}: {error}"))
}

fn header(response: &WorldResponse, name: &str) -> Option<String> {
    response.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
}

/// The target of one relation of a `Link` header, without the host.
fn link(response: &WorldResponse, rel: &str) -> Option<String> {
    let header = header(response, "link")?;
    assert!(header.is_ascii(), "headers hold no other characters");
    let part = header.split(", ").find(|part| part.ends_with(&format!("rel=\"{rel}\"")))?;
    let (address, _) = part.trim_start_matches('<').split_once('>')?;
    address.strip_prefix("http://world.test").map(str::to_owned)
}

fn ids(response: &WorldResponse) -> Vec<u64> {
    let page: Vec<Value> = serde_json::from_slice(&response.body).unwrap();
    page.iter().map(|item| item["id"].as_str().unwrap().parse().unwrap()).collect()
}

/// Walks a list down by `rel="next"` and up by `min_id`; both give exactly `wanted`, newest first.
fn check(world: &mut World, target: &str, mut wanted: Vec<u64>) {
    wanted.sort_unstable_by(|a, b| b.cmp(a));
    let mut down = Vec::new();
    let mut next = Some(target.to_owned());
    while let Some(target) = next {
        let response = get(world, &target);
        down.extend(ids(&response));
        next = link(&response, "next");
    }
    assert_eq!(down, wanted, "{target} downward");
    let join = if target.contains('?') { '&' } else { '?' };
    let mut up = Vec::new();
    let mut bound = 0;
    loop {
        let page = ids(&get(world, &format!("{target}{join}min_id={bound}")));
        let Some(newest) = page.first() else { break };
        bound = *newest;
        up.splice(0..0, page);
    }
    assert_eq!(up, wanted, "{target} upward");
}

/// Ids of the visible posts that `keep` keeps.
fn visible(world: &World, keep: impl Fn(&crate::world::Post) -> bool) -> Vec<u64> {
    world
        .posts
        .all()
        .iter()
        .filter(|post| world.is_post_visible(post) && keep(post))
        .map(|post| post.id)
        .collect()
}

#[test]
fn every_list_of_posts_gives_each_visible_post_once() {
    let mut world = world(30);
    let hidden: Set<String> = world
        .truth()
        .filter(|line| line.hidden_at.is_some() || line.deleted_at.is_some())
        .map(|line| line.id.to_string())
        .collect();
    assert!(!hidden.is_empty());
    for index in 0..world.accounts.len() as u32 {
        let account = &world.accounts[index as usize];
        if account.standing == Standing::Departed {
            continue;
        }
        let target = format!("/api/v1/accounts/{}/statuses", account.id);
        let all = visible(&world, |post| post.author == index);
        assert!(all.iter().all(|id| !hidden.contains(&id.to_string())));
        check(&mut world, &format!("{target}?limit={}", 1 + index), all);
        let calm = visible(&world, |post| {
            post.author == index
                && match post.relation() {
                    Relation::Original => true,
                    Relation::ReplyTo(parent) => world.posts.get(parent).author == index,
                    Relation::RepostOf(_) => false,
                }
        });
        check(&mut world, &format!("{target}?limit=40&exclude_replies=true&exclude_reblogs=true"), calm);
    }
    let originals = visible(&world, |post| post.relation() == Relation::Original);
    check(&mut world, "/api/v1/timelines/public?limit=40", originals);
    let tagged = world.tagged[0].iter().filter(|post_index| world.is_visible(**post_index));
    let tagged = tagged.map(|post_index| world.posts.get(*post_index).id).collect();
    check(&mut world, "/api/v1/timelines/tag/Rust", tagged);
    let tag = text::find_tag("日本").unwrap();
    let tagged = world.tagged[tag as usize].iter().filter(|post_index| world.is_visible(**post_index));
    let tagged = tagged.map(|post_index| world.posts.get(*post_index).id).collect();
    check(&mut world, "/api/v1/timelines/tag/%E6%97%A5%E6%9C%AC?limit=2", tagged);
}

#[test]
fn pages_have_their_sizes_and_since_id_leaves_a_gap() {
    let mut world = world(30);
    let busiest = world.accounts.iter().filter(|account| account.standing == Standing::Public);
    let id = busiest.max_by_key(|account| account.post_count).unwrap().id;
    let target = format!("/api/v1/accounts/{id}/statuses");
    for (limit, size) in
        [("", 20), ("?limit=40", 40), ("?limit=4000", 40), ("?limit=-7", 7), ("?limit=x", 20)]
    {
        assert_eq!(ids(&get(&mut world, &format!("{target}{limit}"))).len(), size, "{limit}");
    }
    let first = ids(&get(&mut world, &format!("{target}?limit=40")));
    let oldest = first[39];
    assert_eq!(ids(&get(&mut world, &format!("{target}?since_id={oldest}"))), first[..20]);
    assert_eq!(ids(&get(&mut world, &format!("{target}?min_id={oldest}"))), first[19..39]);
    let between = format!("{target}?min_id={oldest}&max_id={}", first[30]);
    assert_eq!(ids(&get(&mut world, &between)), first[31..39]);
    let response = get(&mut world, &target);
    assert_eq!(link(&response, "prev").unwrap(), format!("{target}?min_id={}", first[0]));
    assert_eq!(link(&response, "next").unwrap(), format!("{target}?max_id={}", first[19]));
}

#[test]
fn follows_are_paged_by_their_own_numbers() {
    let mut world = world(120);
    let is_shown = |world: &World, index: u32| {
        !matches!(world.accounts[index as usize].standing, Standing::Suspended | Standing::Departed)
    };
    for index in [0, 5, 50, 119] {
        let account = &world.accounts[index];
        if account.standing != Standing::Public {
            continue;
        }
        let id = account.id;
        for (what, edges) in
            [("followers", account.followers.clone()), ("following", account.following.clone())]
        {
            let wanted: Vec<u64> = edges
                .iter()
                .rev()
                .filter(|edge| is_shown(&world, edge.other))
                .map(|edge| world.accounts[edge.other as usize].id)
                .collect();
            let mut found = Vec::new();
            let mut next = Some(format!("/api/v1/accounts/{id}/{what}?limit=3"));
            while let Some(target) = next {
                let response = get(&mut world, &target);
                found.extend(ids(&response));
                next = link(&response, "next");
            }
            assert_eq!(found, wanted, "{what} of {id}");
        }
    }
    let most = world.accounts.iter().map(|account| account.followers.len()).max().unwrap();
    assert!(most > 40, "the most popular account has {most} followers of 119");
}

#[test]
fn posts_are_shown_with_their_threads_reposts_and_versions() {
    let mut world = world(60);
    let post_indices: Vec<u32> =
        (0..world.post_count() as u32).filter(|post_index| world.is_visible(*post_index)).collect();
    let by = |keep: &dyn Fn(u32) -> bool| {
        post_indices.iter().copied().find(|post_index| keep(*post_index)).unwrap()
    };
    let id = |post_index: u32| world.posts.get(post_index).id;
    let repost = by(&|post_index| matches!(world.posts.get(post_index).relation(), Relation::RepostOf(_)));
    let edited = by(&|post_index| !world.posts.edits(post_index).is_empty());
    let reply = by(&|post_index| match world.posts.get(post_index).relation() {
        Relation::ReplyTo(parent) => world.is_visible(parent),
        _ => false,
    });
    let Relation::RepostOf(original) = world.posts.get(repost).relation() else { unreachable!() };
    let Relation::ReplyTo(parent) = world.posts.get(reply).relation() else { unreachable!() };
    let edit_count = world.posts.edits(edited).len();
    let [repost, edited, reply, original, parent] = [repost, edited, reply, original, parent].map(id);

    let post = get_json(&mut world, &format!("/api/v1/statuses/{repost}"));
    assert_eq!(post["reblog"]["id"], original.to_string());
    assert_eq!(post["content"], post["reblog"]["content"]);
    let booster = post["account"]["id"].clone();
    let people = get_json(&mut world, &format!("/api/v1/statuses/{original}/reblogged_by"));
    assert!(people.as_array().unwrap().iter().any(|account| account["id"] == booster));

    let page = get_json(&mut world, "/api/v1/timelines/public?limit=40");
    let liked = page.as_array().unwrap().iter().max_by_key(|post| post["favourites_count"].as_u64()).unwrap();
    let (count, id) = (liked["favourites_count"].as_u64().unwrap(), liked["id"].as_str().unwrap());
    let fans = get_json(&mut world, &format!("/api/v1/statuses/{id}/favourited_by?limit=80"));
    assert!(count > 0, "nobody likes anything: choose another seed");
    assert_eq!(fans.as_array().unwrap().len() as u64, count);

    let post = get_json(&mut world, &format!("/api/v1/statuses/{reply}"));
    assert_eq!(post["in_reply_to_id"], parent.to_string());
    let reply_id = Value::from(reply.to_string());
    let below = get_json(&mut world, &format!("/api/v1/statuses/{parent}/context"));
    assert!(below["descendants"].as_array().unwrap().iter().any(|post| post["id"] == reply_id));
    let above = get_json(&mut world, &format!("/api/v1/statuses/{reply}/context"));
    assert_eq!(above["ancestors"].as_array().unwrap().last().unwrap()["id"], parent.to_string());

    let post = get_json(&mut world, &format!("/api/v1/statuses/{edited}"));
    let history = get_json(&mut world, &format!("/api/v1/statuses/{edited}/history"));
    let versions = history.as_array().unwrap();
    assert_eq!(versions.len(), edit_count + 1);
    assert_eq!(versions[edit_count]["content"], post["content"]);
    assert_eq!(versions[edit_count]["created_at"], post["edited_at"]);
    assert_ne!(versions[0]["content"], post["content"]);
}

#[test]
fn entities_are_complete_and_agree_with_the_truth() {
    let mut world = world(20);
    let account = "id username acct display_name locked bot discoverable indexable group created_at note url uri \
                   avatar avatar_static header header_static followers_count following_count statuses_count \
                   last_status_at hide_collections noindex emojis roles fields";
    let post = "id created_at in_reply_to_id in_reply_to_account_id sensitive spoiler_text visibility language uri \
                url replies_count reblogs_count favourites_count quotes_count edited_at content reblog application \
                account media_attachments mentions tags emojis card poll quote";
    let created: Map<String, f64> =
        world.truth().map(|line| (line.id.to_string(), line.created_at)).collect();
    let page = get_json(&mut world, "/api/v1/timelines/public?limit=40");
    for item in page.as_array().unwrap() {
        let keys: Vec<&str> = item.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, post.split_whitespace().collect::<Vec<_>>());
        let keys: Vec<&str> = item["account"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, account.split_whitespace().collect::<Vec<_>>());
        let shown = item["created_at"].as_str().unwrap();
        let ms = shown.parse::<jiff::Timestamp>().unwrap().as_millisecond();
        assert_eq!(shown.len(), "2026-01-05T00:00:00.000Z".len());
        assert!((created[item["id"].as_str().unwrap()] - ms as f64 / 1000.0).abs() < 1e-6);
        assert_eq!(item["id"].as_str().unwrap().parse::<i64>().unwrap() >> 16, ms);
        assert!(item["account"]["created_at"].as_str().unwrap().ends_with("T00:00:00.000Z"));
        assert!(item["content"].as_str().unwrap().starts_with("<p>"));
    }
}

#[test]
fn accounts_that_are_gone_suspended_or_private_look_as_they_should() {
    let mut world = world(120);
    let of = |standing| world.accounts().find(|account| account.standing == standing).unwrap();
    let facts = |standing| (of(standing).id, of(standing).handle.to_owned());
    let (gone, gone_handle) = facts(Standing::Departed);
    let (suspended, suspended_handle) = facts(Standing::Suspended);
    let (private, private_handle) = facts(Standing::Private);
    let (public, public_handle) = facts(Standing::Public);
    let deleted = world.truth().find(|line| line.deleted_at.is_some()).unwrap().id;
    let hidden = world.truth().find(|line| line.hidden_at.is_some()).unwrap().id;
    for target in [
        format!("/api/v1/accounts/{gone}"),
        format!("/api/v1/accounts/{gone}/statuses"),
        format!("/api/v1/accounts/lookup?acct={gone_handle}"),
        format!("/api/v1/accounts/lookup?acct={public_handle}@elsewhere.test"),
        format!("/api/v1/statuses/{deleted}"),
        format!("/api/v1/statuses/{hidden}/context"),
        "/api/v1/accounts/12".to_owned(),
        "/api/v1/nothing".to_owned(),
    ] {
        let response = get(&mut world, &target);
        assert_eq!(response.status, 404, "{target}");
        assert_eq!(response.body, br#"{"error":"Record not found"}"#);
    }
    let account =
        get_json(&mut world, &format!("/api/v1/accounts/lookup?acct={suspended_handle}@world.test"));
    assert_eq!((&account["id"], &account["suspended"]), (&suspended.to_string().into(), &true.into()));
    assert_eq!((&account["display_name"], &account["note"]), (&"".into(), &"".into()));
    let account = get_json(&mut world, &format!("/api/v1/accounts/{private}"));
    assert_eq!((&account["locked"], &account["suspended"]), (&true.into(), &Value::Null));
    for id in [suspended, private] {
        assert_eq!(get(&mut world, &format!("/api/v1/accounts/{id}/statuses")).body, b"[]");
    }
    for (handle, status) in
        [(gone_handle, 404), (suspended_handle, 410), (private_handle, 200), (public_handle, 200)]
    {
        let page = get(&mut world, &format!("/@{handle}"));
        assert_eq!(page.status, status, "{handle}");
        assert!(page.body.starts_with(b"<!DOCTYPE html>"));
    }
    let account = get_json(&mut world, &format!("/api/v1/accounts/{public}"));
    assert_eq!(account["locked"], false);
}

#[test]
fn a_server_says_who_it_is() {
    let mut world = world(20);
    assert_eq!(get_json(&mut world, "/api/v2/instance")["domain"], "world.test");
    assert_eq!(get_json(&mut world, "/api/v1/instance")["stats"]["user_count"], 20);
    let links = get_json(&mut world, "/.well-known/nodeinfo");
    assert_eq!(links["links"][0]["href"], "http://world.test/nodeinfo/2.0");
    assert_eq!(get_json(&mut world, "/nodeinfo/2.0")["software"]["name"], "mastodon");
    let exclusion = get(&mut world, "/robots.txt");
    assert!(String::from_utf8(exclusion.body).unwrap().contains("Disallow: /media_proxy/"));
    let info = world.accounts().find(|account| account.standing == Standing::Public).unwrap();
    let (id, handle) = (info.id.to_string(), info.handle.to_owned());
    let found = get_json(&mut world, &format!("/api/v2/search?q=@{handle}@world.test&type=accounts"));
    assert_eq!(found["accounts"][0]["id"], id.as_str());
    assert!(found["hashtags"].as_array().unwrap().is_empty());
    let tags = get_json(&mut world, &format!("/api/v1/accounts/{id}/featured_tags"));
    assert!(tags[0]["name"].is_string() && tags[0]["statuses_count"].is_string());
    let several = get_json(&mut world, &format!("/api/v1/accounts?id[]={id}&id[]=3"));
    assert_eq!(several.as_array().unwrap().len(), 1);
    let mut request = WorldRequest::get("/api/v2/instance");
    request.headers.push(("host".to_owned(), "a\"b".to_owned()));
    let named: Value = serde_json::from_slice(&world.answer(&request, Timestamp::MIN).body).unwrap();
    assert_eq!(named["domain"], DEFAULT_HOST, "a name that could spoil addresses is not taken");
    request.method = "DELETE".to_owned();
    let now = world.now();
    assert_eq!(world.answer(&request, now).status, 405);
}

#[test]
fn limits_hold_in_every_window_and_are_announced() {
    let limits = Limits { api_per_5_min: Some(10), paging_per_15_min: Some(15), ..Limits::default() };
    let mut world = World::new(WorldOptions { accounts: 3, limits, ..WorldOptions::default() }).unwrap();
    let clock = VirtualClock::new(world.now());
    let id = world.accounts().next().unwrap().id;
    let plain = WorldRequest::get(&format!("/api/v1/accounts/{id}"));
    let paging = WorldRequest::get(&format!("/api/v1/accounts/{id}/statuses?min_id=1"));
    let mut passed: Map<i64, u32> = Map::default();
    for _ in 0..600 {
        clock.advance(Span::from_ms(3700));
        let response = world.answer(&plain, clock.now());
        let window = clock.now().secs().div_euclid(300);
        let count = passed.entry(window).or_default();
        assert_eq!(response.status == 200, *count < 10, "the limit is exactly ten");
        *count += u32::from(response.status == 200);
        assert_eq!(header(&response, "x-ratelimit-limit").unwrap(), "10");
        let left: u32 = header(&response, "x-ratelimit-remaining").unwrap().parse().unwrap();
        assert_eq!(left, 10 - *count);
        let reset = header(&response, "x-ratelimit-reset").unwrap();
        assert_eq!(reset.len(), "2026-08-01T13:50:00.037659Z".len());
        let reset_ms = reset.parse::<jiff::Timestamp>().unwrap().as_millisecond();
        assert_eq!(reset_ms / 1000, (window + 1) * 300);
        if response.status == 429 {
            assert_eq!(response.body, br#"{"error":"Too many requests"}"#);
            assert_eq!(header(&response, "retry-after"), None);
        }
    }
    assert_eq!(world.counters().request_count, 600);
    assert!(world.counters().refused_count > 400);
    let refused = |world: &mut World, request: &WorldRequest, count: usize, clock: &VirtualClock| {
        (0..count).filter(|_| world.answer(request, clock.now()).status == 429).count()
    };
    clock.set(Timestamp::from_secs((clock.now().secs() / 900 + 1) * 900));
    assert_eq!(refused(&mut world, &paging, 10, &clock), 0, "ten fit into both buckets");
    clock.advance(Span::MINUTE * 5.0);
    assert_eq!(refused(&mut world, &paging, 10, &clock), 5, "the paging bucket goes on for fifteen minutes");
    let mut named = paging;
    named.headers.push(("authorization".to_owned(), "Bearer other".to_owned()));
    assert_eq!(refused(&mut world, &named, 10, &clock), 0, "a token has buckets of its own");
}

#[test]
fn faults_come_in_their_share_and_in_every_form() {
    let faults = Faults { share: 0.3, delay_max: Span::SECOND };
    let options = WorldOptions { accounts: 3, limits: Limits::OFF, faults, ..WorldOptions::default() };
    let mut world = World::new(options).unwrap();
    let target = "/api/v1/timelines/public";
    let (mut forms, mut spoilt) = ([0; 5], 0);
    for _ in 0..400 {
        let response = get(&mut world, target);
        let is_cut = serde_json::from_slice::<Value>(&response.body).is_err() && response.status == 200;
        let shown = [
            response.status == 500,
            response.status == 502,
            response.is_broken,
            is_cut,
            response.delay.ms() > 0,
        ];
        for (count, is_shown) in forms.iter_mut().zip(shown) {
            *count += u32::from(is_shown);
        }
        spoilt += u64::from(shown.contains(&true));
    }
    assert!(forms.iter().all(|count| *count > 5), "{forms:?}");
    assert!((80..160).contains(&spoilt), "{spoilt} of 400");
    assert_eq!(world.counters().fault_count, spoilt);
}

#[test]
fn what_is_asked_wrongly_never_panics() {
    let mut world = world(5);
    for target in [
        "",
        "/",
        "//",
        "?",
        "/api",
        "/api/v1/accounts//statuses",
        "/api/v1/accounts/x/statuses",
        "/@",
        "/@a/b/c",
        "/api/v1/accounts/18446744073709551616",
        "/api/v1/timelines/tag/%E6%97%A5%E6%9C%AC?limit=99999999999999999999",
        "/api/v1/timelines/public?max_id=0&min_id=18446744073709551615",
        "/%ff%fe%",
        "/api/v2/search?q=%00&limit=-1",
        "/api/v1/timelines/public?max_id=5&since_id=9",
    ] {
        let response = get(&mut world, target);
        assert!([200, 404].contains(&response.status), "{target}: {}", response.status);
    }
}
