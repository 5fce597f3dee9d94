//! Rings against a queue in memory, with crashes between and mangled files.

use std::collections::BTreeSet;
use std::fs;

use freshet_types::RobotKind;
use proptest::prelude::*;
use tempfile::TempDir;

use super::coordinator::Coordinator;
use super::order::Turns;
use super::*;

/// Fewer than the memory part holds.
const WINDOW: usize = 4;
/// Small enough that every run crosses segments and overflows the memory part.
const SMALL: RingOptions = RingOptions { memory_max: 5, segment_entries: 7, is_fsynced: false };

#[derive(Clone, Debug)]
enum Action {
    Log(usize),
    Pop,
    /// Out of turn.
    PopAt(usize),
    Done(usize),
    PutBack(usize),
    Tend,
    Sync,
    /// The process dies; then this happens to the files.
    Crash(Mangle),
}

#[derive(Clone, Debug)]
enum Mangle {
    Nothing,
    Truncate(u64),
    Double(usize),
    Flip(usize),
    LoseCheckpoint,
    FlipCheckpoint(usize),
    LoseSegment(usize),
}

fn mangle() -> impl Strategy<Value = Mangle> {
    prop_oneof![
        6 => Just(Mangle::Nothing),
        3 => (0_u64..200).prop_map(Mangle::Truncate),
        2 => (1_usize..100).prop_map(Mangle::Double),
        2 => (1_usize..100).prop_map(Mangle::Flip),
        1 => Just(Mangle::LoseCheckpoint),
        1 => (0_usize..60).prop_map(Mangle::FlipCheckpoint),
        1 => (0_usize..5).prop_map(Mangle::LoseSegment),
    ]
}

fn action(crash: impl Strategy<Value = Mangle> + 'static) -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => (0_usize..6).prop_map(Action::Log),
        5 => Just(Action::Pop),
        5 => any::<usize>().prop_map(Action::PopAt),
        3 => any::<usize>().prop_map(Action::Done),
        3 => any::<usize>().prop_map(Action::PutBack),
        2 => Just(Action::Tend),
        1 => Just(Action::Sync),
        2 => crash.prop_map(Action::Crash),
    ]
}

fn segment_files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ring"));
    files.sort();
    files
}

fn apply_mangle(dir: &Path, mangle: &Mangle) {
    let files = segment_files(dir);
    let checkpoint = dir.join("status.checkpoint");
    let Some(newest) = files.last() else { return };
    let mut bytes = fs::read(newest).unwrap();
    match *mangle {
        Mangle::Nothing => {}
        Mangle::Truncate(count) => bytes.truncate(bytes.len().saturating_sub(count as usize)),
        Mangle::Double(count) => bytes.extend_from_within(bytes.len().saturating_sub(count)..),
        Mangle::Flip(from_end) => {
            if let Some(byte) = bytes.len().checked_sub(from_end).and_then(|at| bytes.get_mut(at)) {
                *byte ^= 0x10;
            }
        }
        Mangle::LoseCheckpoint => {
            let _ = fs::remove_file(&checkpoint);
        }
        Mangle::FlipCheckpoint(at) => {
            if let Ok(mut content) = fs::read(&checkpoint) {
                let at = at % content.len();
                content[at] ^= 1;
                fs::write(&checkpoint, content).unwrap();
            }
        }
        Mangle::LoseSegment(which) => return fs::remove_file(&files[which % files.len()]).unwrap(),
    }
    fs::write(newest, bytes).unwrap();
}

/// A ring, the log that feeds it, and what must come out of it.
struct Run {
    dir: TempDir,
    ring: Ring,
    log: Vec<(u64, Vec<u64>)>,
    next_id: u64,
    alive: BTreeSet<u64>,
    leased: Vec<u64>,
}

impl Run {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let ring = Ring::open(dir.path(), "status", SMALL).unwrap();
        Self { dir, ring, log: Vec::new(), next_id: 0, alive: BTreeSet::new(), leased: Vec::new() }
    }

    fn act(&mut self, action: &Action) {
        match *action {
            Action::Log(count) => {
                let ids: Vec<u64> = (self.next_id..).take(count).collect();
                self.next_id += count as u64;
                self.alive.extend(&ids);
                let number = self.log.len() as u64 + 1;
                self.ring.push_from_log(number, &ids).unwrap();
                self.log.push((number, ids));
            }
            Action::Pop => {
                if let Some(id) = self.ring.pop().unwrap() {
                    assert!(id < self.next_id, "{id} was invented");
                    self.leased.push(id);
                }
            }
            Action::PopAt(which) if !self.ring.is_owing() => {
                let window = self.ring.window(WINDOW).unwrap();
                assert!(window.len() <= WINDOW);
                if !window.is_empty() {
                    let position = which % window.len();
                    assert_eq!(self.ring.pop_at(&[position]), [window[position]]);
                    self.leased.push(window[position]);
                }
            }
            Action::PopAt(_) => self.act(&Action::Pop),
            Action::Done(which) if !self.leased.is_empty() => {
                let id = self.leased.remove(which % self.leased.len());
                self.ring.done(id).unwrap();
                self.alive.remove(&id);
            }
            Action::PutBack(which) if !self.leased.is_empty() => {
                let id = self.leased.remove(which % self.leased.len());
                self.ring.put_back(id).unwrap();
                self.alive.insert(id);
            }
            Action::Done(_) | Action::PutBack(_) => {}
            Action::Tend => self.ring.tend().unwrap(),
            Action::Sync => self.ring.sync().unwrap(),
            Action::Crash(ref mangle) => self.crash(mangle),
        }
    }

    fn crash(&mut self, mangle: &Mangle) {
        self.leased.clear();
        apply_mangle(self.dir.path(), mangle);
        self.ring = Ring::open(self.dir.path(), "status", SMALL).unwrap();
        for (number, ids) in &self.log {
            self.ring.push_from_log(*number, ids).unwrap();
        }
    }

    /// Takes out everything there is, and checks that it is enough.
    fn drain(&mut self) -> Vec<u64> {
        let expected_count = self.ring.waiting_count();
        let mut out = Vec::new();
        while let Some(id) = self.ring.pop().unwrap() {
            self.ring.done(id).unwrap();
            out.push(id);
        }
        assert_eq!(out.len(), expected_count, "the count of waiting ids is right");
        out
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_and_nothing_invented(actions in prop::collection::vec(action(mangle()), 1..120)) {
        let mut run = Run::new();
        for action in &actions {
            run.act(action);
        }
        run.crash(&Mangle::Nothing);
        let out: BTreeSet<u64> = run.drain().into_iter().collect();
        prop_assert!(out.is_superset(&run.alive), "lost: {:?}", run.alive.difference(&out));
        prop_assert!(out.iter().all(|id| *id < run.next_id));
    }

    #[test]
    fn order_is_that_of_a_queue(actions in prop::collection::vec(action(Just(Mangle::Nothing)), 1..200)) {
        let mut run = Run::new();
        let mut twin: VecDeque<u64> = VecDeque::new();
        for action in &actions {
            let before = (run.next_id, run.leased.clone());
            // The queue's end is on its way back to the disk, and not in the window.
            let in_window = run.ring.window(WINDOW).unwrap().len().max(1);
            if matches!(action, Action::Crash(_)) {
                // A restart in good order, between visits.
                while !run.leased.is_empty() {
                    twin.push_back(run.leased[0]);
                    run.act(&Action::PutBack(0));
                }
                run.act(&Action::Sync);
            }
            run.act(action);
            match *action {
                Action::Log(_) => twin.extend(before.0..run.next_id),
                Action::Pop => prop_assert_eq!(run.leased.get(before.1.len()).copied(), twin.pop_front()),
                Action::PopAt(which) => {
                    prop_assert_eq!(run.leased.get(before.1.len()).copied(), twin.remove(which % in_window));
                }
                Action::PutBack(which) if !before.1.is_empty() => twin.push_back(before.1[which % before.1.len()]),
                _ => {}
            }
            prop_assert_eq!(run.ring.waiting_count(), twin.len());
            prop_assert_eq!(run.ring.len(), twin.len() + run.leased.len());
        }
        prop_assert_eq!(run.drain(), Vec::from(twin));
    }
}

#[test]
fn what_left_out_of_turn_stays_out_after_a_restart() {
    let mut run = Run::new();
    run.act(&Action::Log(6));
    for position in [2, 3] {
        run.act(&Action::PopAt(position));
        run.act(&Action::Done(0));
    }
    run.act(&Action::Sync);
    run.crash(&Mangle::Nothing);
    assert_eq!(run.drain(), [0, 1, 3, 5]);
    // A torn tail gives places anew: what comes to stand in a hole is no hole.
    run.act(&Action::Log(3));
    run.act(&Action::PopAt(2));
    run.act(&Action::Done(0));
    run.act(&Action::Sync);
    run.crash(&Mangle::Truncate(40));
    assert!(run.drain().into_iter().collect::<BTreeSet<u64>>().is_superset(&[6, 7].into()));
}

#[test]
fn the_best_leave_first_and_for_the_exploring_share_the_oldest() {
    let check = |scores: &[f64], count: usize, explore_percent: u8, expected: &[usize]| {
        assert_eq!(Turns::default().choose(scores, count, explore_percent), expected, "{scores:?}");
    };
    check(&[], 3, 50, &[]);
    check(&[1.0, 5.0, 3.0, 4.0], 2, 0, &[1, 3]);
    check(&[1.0, 5.0, 3.0, 4.0], 9, 0, &[0, 1, 2, 3]);
    check(&[1.0, 5.0, 3.0, 4.0], 2, 50, &[0, 1]);
    check(&[1.0, 5.0, 3.0, 4.0], 3, 100, &[0, 1, 2]);
    check(&[0.0; 4], 2, 10, &[0, 1]);
    check(&[f64::NAN, f64::NEG_INFINITY, 0.0], 1, 0, &[2]);
    check(&[1.0, 2.0], 1, 200, &[0]);
}

/// Whatever comes later is worth more: the worst that can happen to those who wait.
#[test]
fn every_id_leaves_in_the_end() {
    const OLD: u64 = 3;
    for (explore_percent, turns_max) in
        [(100, 3), (30, 10), (10, 30), (0, (OLD as usize) * (order::TAKEN_MAX + 1))]
    {
        let dir = TempDir::new().unwrap();
        let mut ring = Ring::open(dir.path(), "status", RingOptions::default()).unwrap();
        (0..OLD).for_each(|id| ring.push(id).unwrap());
        let mut turns = Turns::default();
        let mut left = BTreeSet::new();
        for turn in 0..turns_max as u64 {
            ring.push(OLD + turn).unwrap();
            let scores: Vec<f64> = ring.window(64).unwrap().iter().map(|id| *id as f64).collect();
            let positions = turns.choose(&scores, 1, explore_percent);
            for id in ring.pop_at(&positions) {
                ring.done(id).unwrap();
                left.insert(id);
            }
            assert!(ring.taken.len() <= order::TAKEN_MAX);
        }
        assert!((0..OLD).all(|id| left.contains(&id)), "{explore_percent}: {turns_max} turns");
        assert_eq!(left.len(), turns_max, "one a turn");
    }
}

#[test]
fn an_id_put_back_before_a_crash_comes_once() {
    let mut run = Run::new();
    run.act(&Action::Log(4));
    for (is_popped_first, is_synced) in [(true, true), (false, true), (false, false)] {
        if is_popped_first {
            run.act(&Action::Pop);
        }
        if is_synced {
            run.act(&Action::Sync);
        }
        if !is_popped_first {
            run.act(&Action::Pop);
        }
        run.act(&Action::PutBack(0));
        run.act(&Action::Tend);
        run.crash(&Mangle::Nothing);
        assert_eq!(run.ring.len(), 4);
    }
    let mut out = run.drain();
    assert_eq!(out, [3, 0, 1, 2], "three went round");
    out.sort_unstable();
    assert_eq!(out, [0, 1, 2, 3]);
}

#[test]
fn consumed_segments_are_deleted() {
    let mut run = Run::new();
    for _ in 0..50 {
        run.act(&Action::Log(5));
        for _ in 0..5 {
            run.act(&Action::Pop);
            run.act(&Action::Done(0));
        }
        run.act(&Action::Sync);
    }
    assert_eq!(segment_files(run.dir.path()).len(), 1);
    run.crash(&Mangle::Nothing);
    assert_eq!((run.ring.log_cursor(), run.ring.len(), run.ring.warnings().len()), (50, 0, 0));
}

#[test]
fn damage_is_told() {
    let warnings_after = |mangle: Mangle, is_synced: bool| {
        let mut run = Run::new();
        run.act(&Action::Log(5));
        run.act(&if is_synced { Action::Sync } else { Action::Tend });
        run.crash(&mangle);
        assert_eq!(run.drain().into_iter().collect::<BTreeSet<u64>>(), (0..5).collect());
        let told: Vec<String> = run.ring.warnings().iter().map(ToString::to_string).collect();
        told.join("; ")
    };
    let torn = "ring `status`: 13 bytes at its end were not whole and were cut off";
    let rebuilt = "ring `status` lost entries that had been saved; it is rebuilt from the whole change log";
    assert_eq!(warnings_after(Mangle::Nothing, true), "");
    assert_eq!(warnings_after(Mangle::Truncate(3), false), torn);
    assert_eq!(warnings_after(Mangle::Truncate(3), true), format!("{torn}; {rebuilt}"));
    assert_eq!(
        warnings_after(Mangle::FlipCheckpoint(9), true),
        "the checkpoint of ring `status` cannot be read; ids may be handed out once more"
    );
}

#[test]
fn an_id_that_was_not_popped_cannot_be_closed() {
    let mut run = Run::new();
    run.act(&Action::Log(1));
    let told = run.ring.put_back(0).unwrap_err().to_string();
    assert_eq!(
        told,
        "id 0 is not leased from ring `status`; only an id that was popped can be closed or put back"
    );
}

#[test]
fn an_entry_that_decays_while_the_ring_is_open_is_an_error() {
    let mut run = Run::new();
    run.act(&Action::Log(20));
    run.act(&Action::Sync);
    apply_mangle(run.dir.path(), &Mangle::Flip(20));
    let outcome = (0..20).try_for_each(|_| run.ring.pop().map(|_| ()));
    assert!(matches!(outcome, Err(RingError::Damaged { .. })), "{outcome:?}");
}

/// 10 million ids in all rings may cost 64 MB. Only the list of segments grows with the ids, so
/// 200 thousand and a calculation stand for ten million.
#[test]
fn memory_is_bounded() {
    const ROBOTS: usize = RobotKind::ALL.len();
    const IDS: u64 = 40_000 * ROBOTS as u64;
    const MEMORY: usize = 4_000 * ROBOTS;
    const BYTES_MAX: usize = 64 << 20;
    let dir = TempDir::new().unwrap();
    let mut rings = Coordinator::open(dir.path(), MEMORY).unwrap();
    for robot in RobotKind::ALL {
        let ring = rings.ring(robot);
        for id in 0..IDS / ROBOTS as u64 {
            ring.push(id).unwrap();
        }
        while ring.leased_count() < LEASES_MAX {
            ring.pop().unwrap().unwrap();
        }
        assert_eq!(ring.pop().unwrap(), None, "leases are bounded");
        for id in 0..BACK_BUFFER_MAX as u64 / 2 {
            ring.put_back(id).unwrap();
        }
    }
    rings.tend().unwrap();
    let memory_parts: usize = rings.rings().map(|(_, ring)| ring.memory.bytes()).sum();
    assert_eq!(memory_parts, MEMORY * 12, "the memory parts are full and no larger");
    let segment_list = 10_000_000 / 65_536 * 16 * 2;
    let of_full_size = rings.bytes() - memory_parts + segment_list + 1_048_576 * 12;
    assert!(of_full_size < BYTES_MAX, "{of_full_size} bytes with a million ids in memory");
    assert_eq!(rings.rings().map(|(_, ring)| ring.len() as u64).sum::<u64>(), IDS);
}

#[test]
fn every_robot_has_its_own_ring() {
    let dir = TempDir::new().unwrap();
    let mut rings = Coordinator::open(dir.path(), 1000).unwrap();
    for (number, robot) in RobotKind::ALL.into_iter().enumerate() {
        rings.ring(robot).push_from_log(7, &[number as u64]).unwrap();
    }
    rings.sync().unwrap();
    let mut rings = Coordinator::open(dir.path(), 1000).unwrap();
    for (number, robot) in RobotKind::ALL.into_iter().enumerate() {
        assert_eq!(rings.ring(robot).pop().unwrap(), Some(number as u64));
        assert_eq!(rings.ring(robot).log_cursor(), 7);
    }
    assert_eq!(rings.warnings().count(), 0);
}
