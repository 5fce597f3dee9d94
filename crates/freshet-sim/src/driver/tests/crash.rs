//! Killed at every kind of durable boundary, before and after the write, again and again: nothing lost, nothing doubled, and
//! subscribers got every change at least once and in order.
//!
//! Each seed is a small world of its own, crawled by several processes in turn, each of which dies at a write that the seed
//! chooses; the last one lives. What is compared is the world's truth, not another run.

use freshet_store::api::ChangeLog as _;
use freshet_types::ChangeKind;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use super::faulty::{Boundary, Fate, Faulty, Side};
use super::receiver::Receiver;
use super::*;

/// Worlds, each with deaths of its own.
const SEEDS: u64 = 1000;
/// Processes that die in each.
const LIVES: usize = 4;
/// A process that was meant to die at a write that never came is killed after so long.
const LIFE_MAX: Span = Span::from_secs(20);
/// The last one runs for so long: everything that was there at the start has been read by then.
const LAST_LIFE: Span = Span::from_secs(240);
/// How many writes of the chosen kind a process may live to see.
const WRITES_MAX: u32 = 3;
const ACCOUNTS: usize = 3;

/// One seed's world, the store that outlives its processes, and what its subscriber got.
struct Play {
    scene: Scene,
    store: Faulty<Box<dyn Store>>,
    fate: Fate,
    receiver: Receiver,
}

impl Play {
    fn new(seed: u64) -> Self {
        let mut scene = Scene::small(seed, ACCOUNTS);
        scene.depth_max = 1;
        let fate = Fate::default();
        fate.watch_rings(scene.rings.path().to_owned());
        let mut store = Faulty::new(scene.store(ACCOUNTS), fate.clone());
        Receiver::add_to(&mut store);
        Self { scene, store, fate, receiver: Receiver::default() }
    }

    /// A process that dies as `death` says, or lives for so long; gives whether it died.
    fn live(&self, death: Option<(Boundary, Side, u32)>, span: Span) -> bool {
        self.fate.begin(death);
        let until = self.scene.now() + span;
        let Ok(mut driver) = self.scene.try_start(self.store.clone()) else {
            assert!(self.fate.is_dead(), "only a death ends a start");
            return true;
        };
        let subscribe = self.receiver.subscribe_by(&self.fate, &self.scene.networks);
        driver.subscribe_by(subscribe).unwrap();
        self.scene.run_until(&mut driver, &self.fate, until);
        if death.is_none() {
            driver.stop().unwrap();
        }
        self.fate.is_dead()
    }

    /// What must hold at the end, whatever happened on the way.
    fn check(&self, seed: u64, began_at: Timestamp) {
        let authors = self.scene.accounts(ACCOUNTS);
        let stored = posts(&self.store);
        let facts = self.scene.with_world(invariant::facts);
        expect_none(
            &format!("seed {seed}: lost"),
            &invariant::nothing_lost(&facts, &stored, &authors, began_at),
        );
        expect_none(&format!("seed {seed}: invented"), &invariant::nothing_invented(&facts, &stored));
        assert_eq!(self.scene.refused_count(), 0, "seed {seed}: the quota was overdrawn");

        let changes = self.store.changes_above(0, usize::MAX >> 1).unwrap();
        let mut created: Set<u64> = Set::default();
        for change in changes.iter().filter(|change| change.kind == ChangeKind::Created) {
            assert!(created.insert(change.object), "seed {seed}: {} was created twice", change.address);
        }
        self.receiver.check(&self.store, &format!("seed {seed}"));
    }
}

/// Plays these seeds; gives how often a process died where.
fn play(seeds: std::ops::Range<u64>) -> BTreeMap<(Boundary, Side), u64> {
    let mut deaths = BTreeMap::new();
    for seed in seeds {
        let mut rng = Pcg32::seed_from_u64(seed);
        let play = Play::new(seed);
        let began_at = play.scene.now();
        for life in 0..LIVES as u64 {
            // Every kind has its turn; what is rare is not left to chance.
            let boundary =
                Boundary::ALL[((seed * LIVES as u64 + life) % Boundary::ALL.len() as u64) as usize];
            let side =
                if rng.random_bool(0.5) && boundary != Boundary::Rings { Side::Before } else { Side::After };
            play.live(Some((boundary, side, rng.random_range(1..=WRITES_MAX))), LIFE_MAX);
        }
        play.live(None, LAST_LIFE);
        play.check(seed, began_at);
        for (at, count) in play.fate.deaths() {
            *deaths.entry(at).or_insert(0) += count;
        }
    }
    deaths
}

#[test]
fn killed_at_every_boundary_nothing_is_lost_and_nothing_doubled() {
    // Two shares, since two cores are what the smallest machine has.
    let half = SEEDS / 2;
    let other = std::thread::spawn(move || play(half..SEEDS));
    let mut deaths = play(0..half);
    for (at, count) in other.join().unwrap() {
        *deaths.entry(at).or_insert(0) += count;
    }
    let total: u64 = deaths.values().sum();
    eprintln!("crash: {SEEDS} seeds, {total} deaths: {deaths:?}");
    for boundary in Boundary::ALL {
        for side in [Side::Before, Side::After] {
            // Before a ring is synced nothing of it lasts: that is after the write before.
            let can_be = (boundary, side) != (Boundary::Rings, Side::Before);
            let count = deaths.get(&(boundary, side)).copied().unwrap_or(0);
            assert!(!can_be || count > 0, "no process died {side:?} {boundary:?}");
        }
    }
}
