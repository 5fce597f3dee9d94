//! Several tokens in turn: each has its own quota, and those of one app share the app's.

use freshet_types::{Fault, Holder, Request, Response};
use futures::future::BoxFuture;

use super::*;

/// More than the quotas can serve.
const ACCOUNTS: usize = 80;
/// Requests an hour that the network allows a user, and an app.
const PER_USER: usize = 200;
const PER_APP: usize = 300;
const WINDOW: Span = Span::HOUR;

/// Counts who was shown when; the world itself knows no limit here.
#[derive(Debug)]
struct Counting {
    world: WorldFetch,
    clock: VirtualClock,
    seen: Mutex<Vec<(Arc<str>, Timestamp)>>,
}

impl Fetch for Counting {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let auth = request.auth.as_ref().expect("every request shows a token");
        self.seen.lock().unwrap().push((Arc::clone(&auth.credential), self.clock.now()));
        self.world.fetch(request)
    }
}

/// Most requests in any window, of those that are meant.
fn busiest(seen: &[(Arc<str>, Timestamp)], is_meant: impl Fn(&str) -> bool) -> usize {
    let times: Vec<Timestamp> = seen.iter().filter(|(name, _)| is_meant(name)).map(|(_, at)| *at).collect();
    let within = |from: Timestamp| times.iter().filter(|at| **at >= from && **at < from + WINDOW).count();
    times.iter().map(|from| within(*from)).max().unwrap_or(0)
}

fn check(credentials: &[(&str, &str)], most: usize, least: usize) {
    let options = WorldOptions {
        seed: 43,
        accounts: ACCOUNTS as u32,
        posts_per_day: 40.0,
        limits: crate::Limits::OFF,
        ..WorldOptions::default()
    };
    let mut scene = Scene::new(options, Span::MINUTE * 10.0);
    let quotas = format!(
        "[[quotas]]\nname = \"user\"\nscope = \"user\"\nlimit = {PER_USER}\nwindow = \"1h\"\n\n\
         [[quotas]]\nname = \"app\"\nscope = \"app\"\nlimit = {PER_APP}\nwindow = \"1h\"\n\n"
    );
    let text = include_str!("../../../../../networks/mastodon.toml");
    let (head, rest) = text.split_once("[[quotas]]").unwrap();
    let (_, tail) = rest.split_once("# The headers speak").unwrap();
    scene.networks.apply_definition("mastodon.toml", &format!("{head}{quotas}# {tail}")).unwrap();
    let holder = |&(name, app): &(&str, &str)| Holder { app: app.into(), ..Holder::alone(name.into()) };
    scene.credentials = credentials.iter().map(holder).collect();
    let counting = Arc::new(Counting {
        world: WorldFetch::new(Arc::clone(&scene.world), Arc::new(scene.clock.clone())),
        clock: scene.clock.clone(),
        seen: Mutex::default(),
    });
    scene.fetch = Some(Arc::clone(&counting) as Arc<dyn Fetch>);
    let mut driver = scene.start(scene.store(ACCOUNTS));
    driver.run_for(WINDOW * 3.0).unwrap();
    let seen = counting.seen.lock().unwrap();
    let all = busiest(&seen, |_| true);
    assert!((least..=most).contains(&all), "{credentials:?}: {all} in one window");
    for (name, _) in credentials {
        let own = busiest(&seen, |one| one == *name);
        assert!(own <= PER_USER, "{name}: {own} in one window");
        assert!(own * credentials.len() * 2 > all, "{name}: {own} of {all} is no fair turn");
    }
}

#[test]
fn two_tokens_of_one_app_share_its_limit() {
    check(&[("one", "app")], PER_USER, PER_USER * 3 / 4);
    check(&[("one", "app"), ("two", "app")], PER_APP, PER_APP * 3 / 4);
    check(&[("one", "app"), ("two", "other")], PER_USER * 2, PER_USER * 3 / 2);
}
