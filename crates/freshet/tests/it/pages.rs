//! Single pages with the finished binary: added by their addresses, stored, edited, explained, and told apart from what is no page.
//!
//! Time comes from a simulated world, so that looks that are hours apart follow within seconds.

use std::time::Duration;

use freshet_fetch::hostile::{Behaviour, Hostile};

use crate::support::freshet::Freshet;
use crate::support::until;
use crate::support::world::World;

const LIMIT: Duration = Duration::from_secs(90);

fn html(text: &str) -> Behaviour {
    let body = format!("<title>Rivers</title><nav>Home</nav><p>{text}</p><script>let a = 1;</script>");
    Behaviour::answer(200, &[("Content-Type", "text/html; charset=utf-8")], body.as_bytes())
}

#[test]
fn pages_are_stored_edited_and_explained() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(Hostile::start());
    let (old, new) =
        ("the river is low in summer and people walk across", "the river has risen over both of its banks");
    server.route("/rivers", vec![html(old), html(old), html(old), html(new)]);
    server.route("/moved", vec![Behaviour::redirect(301, "/plain")]);
    let plain = Behaviour::answer(200, &[("Content-Type", "text/plain")], b"a plain text of a few words");
    server.route("/plain", vec![plain]);
    server.route("/picture", vec![Behaviour::answer(200, &[("Content-Type", "image/png")], b"\x89PNG\0\0")]);
    server.route("/gone", vec![Behaviour::answer(410, &[], b"")]);
    let world = World::start(1);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let page = |path: &str| format!("page:{}", server.url(path));
    freshet.ok(&["add", "--allow-private", &page("/rivers#sources"), &page("/picture"), &page("/gone")]);
    let said = freshet.ok(&["add", "--allow-private", "--as", "page", &server.url("/moved")]);
    assert!(said.contains("1 added"), "{said}");
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "2h"], "run.log");
    let text_of = |path: &str| {
        let url = server.url(path);
        let post = freshet.posts().into_iter().find(|post| post["native_id"] == url.as_str())?;
        post["text"].as_str().map(str::to_owned)
    };
    until("the page has changed", LIMIT, || text_of("/rivers").filter(|text| text == new));
    until("the page behind a redirect is stored", LIMIT, || text_of("/moved"));
    until("what is no page has failed", LIMIT, || {
        let said = freshet.ok(&["explain", &page("/picture")]);
        said.contains("`image/png`, which is no page of text").then_some(())
    });
    let said = freshet.ok(&["explain", &page("/gone")]);
    assert!(said.contains("state: gone"), "{said}");
    let said = freshet.ok(&["explain", &page("/rivers")]);
    assert!(said.contains("similarity to the stored copy") && said.contains("why then"), "{said}");
    let told = freshet.json(&["explain", &page("/rivers")]);
    let facts = told["sources"][0]["facts"].as_array().expect("facts are told");
    let looks = facts.iter().find(|fact| fact["fact"] == "looks").expect("the looks are told");
    assert!(looks["changed_count"].as_u64() == Some(1) && looks["count"].as_u64() >= Some(4), "{looks}");
    let found = freshet.ok(&["search", "banks"]);
    assert!(found.contains("river"), "{found}");
    drop(run);
    let edits = freshet.export("changes").into_iter().filter(|change| change["kind"] == "edited");
    assert_eq!(edits.count(), 1, "one change is one edit");
    drop(world);
}
