//! A network of which nothing is kept: its subscriber gets what posts say, the store does not, and what a subscriber loses when a process is killed
//! or the pass is full is counted exactly.
//!
//! The receiver outlives the processes. When one dies, it drops what it got after the cursor that is stored, since that comes again: what is
//! left are the batches that were counted.

use freshet_engine::deliver::{Ack, Batch, Outlet, Subscriber};
use freshet_store::api::{ChangeLog as _, Subscriptions as _, Unkept as _};
use freshet_store::pass::Pass;
use freshet_store::row::Storing;
use freshet_store::subscription::{self, Standing};
use serde_json::Value;

use super::faulty::{Boundary, Fate, Faulty, Side};
use super::*;

const NAME: &str = "taker";
const ACCOUNTS: usize = 3;
const SEEDS: u64 = 60;
/// Processes that die in each.
const LIVES: u64 = 4;
/// Deaths at each side of each kind of write, over all seeds: fewer would say little.
const DEATHS_MIN: u64 = 10;
/// A process that was meant to die at a write that never came is killed after so long.
const LIFE_MAX: Span = Span::from_secs(20);
/// The last one runs for so long: everything that was there at the start has been read by then.
const LAST_LIFE: Span = Span::from_secs(240);

/// One record as it arrived.
#[derive(Clone, Debug, PartialEq)]
struct Heard {
    number: u64,
    id: String,
    /// Without content, though it tells of some.
    is_lost: bool,
    text: String,
}

#[derive(Clone, Debug, Default)]
struct Taker(Arc<Mutex<Vec<Heard>>>);

struct Way(Fate, Taker);

impl Outlet for Way {
    fn deliver(&mut self, batch: &Batch) -> Result<Ack, String> {
        let arrive = || {
            self.1.0.lock().unwrap().extend(batch.lines.iter().map(|line| heard(line)));
            Ok(Ack::Taken)
        };
        self.0.write(Boundary::Delivery, arrive).map_err(|error| error.to_string())
    }
}

fn heard(line: &str) -> Heard {
    let line: Value = serde_json::from_str(line).unwrap();
    let says = |change: &Value| ["created", "edited", "restored"].contains(&change.as_str().unwrap());
    let is_bare = line["content"] == "not kept";
    assert_eq!(line["record"]["properties"]["content"] == "not kept", is_bare, "{line}");
    Heard {
        number: line["number"].as_u64().unwrap(),
        id: line["record"]["native_id"].as_str().unwrap().to_owned(),
        is_lost: is_bare && line["changes"].as_array().unwrap().iter().any(says),
        text: line["record"]["text"].as_str().unwrap().to_owned(),
    }
}

/// A world, a store that keeps nothing of it, and a subscriber.
struct Play {
    scene: Scene,
    store: Faulty<Box<dyn Store>>,
    fate: Fate,
    taker: Taker,
}

impl Play {
    fn new(seed: u64, keeping: Storing) -> Self {
        let scene = Scene::small(seed, ACCOUNTS);
        let fate = Fate::default();
        let mut store = Faulty::new(scene.store(ACCOUNTS), fate.clone());
        store.set_keeping(&Scene::network(), keeping).unwrap();
        assert!(store.add_subscription(&testing::subscription(NAME, subscription::Way::Stdout), 0).unwrap());
        Self { scene, store, fate, taker: Taker::default() }
    }

    /// A process that dies as `death` says, or lives for so long.
    fn live(&self, death: Option<(Boundary, Side, u32)>, span: Span) {
        self.fate.begin(death);
        let until = self.scene.now() + span;
        let Ok(mut driver) = self.scene.try_start(self.store.clone()) else {
            assert!(self.fate.is_dead(), "only a death ends a start");
            return self.forget_what_comes_again();
        };
        let (fate, taker, networks) =
            (self.fate.clone(), self.taker.clone(), Arc::clone(&self.scene.networks));
        let subscribe = move |row: &SubscriptionRow| {
            let (fate, taker) = (fate.clone(), taker.clone());
            let open = Box::new(move || {
                let way: Box<dyn Outlet> = Box::new(Way(fate.clone(), taker.clone()));
                Ok(way)
            });
            Subscriber::of(row, &networks, open).unwrap()
        };
        driver.subscribe_by(Box::new(subscribe)).unwrap();
        self.scene.run_until(&mut driver, &self.fate, until);
        if death.is_none() {
            driver.stop().unwrap();
        }
        self.forget_what_comes_again();
    }

    fn forget_what_comes_again(&self) {
        let cursor = self.standing().cursor;
        self.taker.0.lock().unwrap().retain(|heard| heard.number <= cursor);
    }

    fn standing(&self) -> Standing {
        self.store.subscriptions().unwrap().remove(0).standing
    }

    /// What the subscriber lost by its own account.
    fn lost_count(&self) -> u64 {
        self.taker.0.lock().unwrap().iter().filter(|heard| heard.is_lost).count() as u64
    }

    /// What must hold at the end; gives how many records came without content.
    fn check(&mut self, seed: u64, began_at: Timestamp) -> u64 {
        // Whoever looks now has no pass.
        self.store.pass_through(&Arc::new(Pass::default())).unwrap();
        let (stored, facts) = (posts(&self.store), self.scene.with_world(invariant::facts));
        let authors = self.scene.accounts(ACCOUNTS);
        let lost = invariant::nothing_lost(&facts, &stored, &authors, began_at);
        expect_none(&format!("seed {seed}: lost"), &lost);
        expect_none(&format!("seed {seed}: invented"), &invariant::nothing_invented(&facts, &stored));
        let standing = self.standing();
        assert_eq!(standing.cursor, self.store.last_change().unwrap(), "seed {seed}");
        assert_eq!(standing.lost_count, self.lost_count(), "seed {seed}: what was lost is counted exactly");
        for row in &stored {
            let post = &row.post;
            assert!(row.unkept.is_some() && post.text.is_empty() && post.tags.is_empty(), "{row:?}");
            let taker = self.taker.0.lock().unwrap();
            let told: Vec<&Heard> = taker.iter().filter(|heard| heard.id == post.id).collect();
            assert!(!told.is_empty(), "seed {seed}: {} is not known to the subscriber", post.id);
        }
        for row in stored_accounts(&self.store) {
            assert_eq!((row.account.name, row.account.bio), (None, None), "seed {seed}");
        }
        standing.lost_count
    }
}

/// Texts as a subscriber has them in the end, by id. That something was deleted is told without what it said.
fn texts(play: &Play) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for heard in play.taker.0.lock().unwrap().iter() {
        let text = texts.entry(heard.id.clone()).or_default();
        if !heard.text.is_empty() {
            text.clone_from(&heard.text);
        }
    }
    texts
}

#[test]
fn what_a_subscriber_gets_is_what_it_would_get_were_it_kept() {
    let (never, keep) = (Play::new(7, Storing::Never), Play::new(7, Storing::Keep));
    for play in [&never, &keep] {
        play.live(None, Span::DAY * 2.0);
        assert_eq!((play.standing().lost_count, play.lost_count()), (0, 0));
    }
    let texts = (texts(&never), texts(&keep));
    assert!(texts.0.len() > 20 && texts.0.values().filter(|text| !text.is_empty()).count() > 20, "{texts:?}");
    assert_eq!(texts.0, texts.1);
    let of = |play: &Play| -> Vec<_> {
        let changes = play.store.changes_above(0, usize::MAX >> 1).unwrap().into_iter();
        let posts = changes.filter(|change| &*change.address.kind != robot::ACCOUNT);
        posts.map(|change| (change.kind, change.address.id, change.seen_at)).collect()
    };
    assert_eq!(of(&never), of(&keep), "posts, edits and deletions are noticed at the same looks");
    assert!(posts(&keep.store).iter().all(|row| row.unkept.is_none()), "the control keeps them");
}

#[test]
fn killed_again_and_again_what_is_lost_is_counted_exactly() {
    let boundaries = [Boundary::Apply, Boundary::Cursor, Boundary::Delivery];
    let (mut lost_count, mut kept_count) = (0, 0);
    let mut deaths: BTreeMap<_, u64> = BTreeMap::new();
    for seed in 0..SEEDS {
        let mut play = Play::new(seed, Storing::Never);
        let began_at = play.scene.now();
        for life in 0..LIVES {
            let boundary = boundaries[((seed + life) % 3) as usize];
            let side = if (seed / 3 + life) % 2 == 0 { Side::Before } else { Side::After };
            play.live(Some((boundary, side, 1 + (seed % 3) as u32)), LIFE_MAX);
        }
        play.live(None, LAST_LIFE);
        lost_count += play.check(seed, began_at);
        kept_count += texts(&play).values().filter(|text| !text.is_empty()).count();
        for (place, count) in play.fate.deaths() {
            *deaths.entry(place).or_default() += count;
        }
    }
    for boundary in boundaries {
        for side in [Side::Before, Side::After] {
            let count = deaths.get(&(boundary, side)).copied().unwrap_or_default();
            assert!(count >= DEATHS_MIN, "{count} died {side:?} {boundary:?}: {deaths:?}");
        }
    }
    eprintln!("unkept: {SEEDS} seeds, {lost_count} records without content, {kept_count} texts arrived");
    assert!(lost_count > 0 && kept_count > 0, "{lost_count} lost, {kept_count} arrived");
}

#[test]
fn what_finds_no_room_in_the_pass_is_lost_and_counted() {
    let mut play = Play::new(3, Storing::Never);
    play.scene.pass_bytes_max = 20_000;
    let began_at = play.scene.now();
    play.live(None, LAST_LIFE);
    let lost_count = play.check(3, began_at);
    let arrived = texts(&play).values().filter(|text| !text.is_empty()).count();
    assert!(lost_count > 0 && arrived > 0, "{lost_count} lost, {arrived} arrived");
}
