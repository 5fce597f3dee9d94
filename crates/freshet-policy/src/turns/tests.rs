//! Lines by hand: who has the next turn, who keeps a place, who is dropped.

use super::*;

fn turns(order: TurnOrder, numbers: impl IntoIterator<Item = u32>) -> Turns {
    let mut turns = Turns::new(order, 7);
    numbers.into_iter().for_each(|number| turns.join(number));
    turns
}

/// So many turns of those that are not in `soon` or `gone`; faster sources have larger numbers.
fn popped(turns: &mut Turns, count: usize, soon: &[u32], gone: &[u32]) -> Vec<u32> {
    let standing = |number: u32| match number {
        number if soon.contains(&number) => Standing::Soon,
        number if gone.contains(&number) => Standing::Gone,
        _ => Standing::Ready,
    };
    let mut dropped = Vec::new();
    (0..count).map_while(|_| turns.pop(standing, f64::from, &mut dropped)).collect()
}

#[test]
fn each_order_goes_round() {
    let given = [3, 1, 4, 2, 5];
    for (order, expected) in [
        (TurnOrder::Number, [1, 2, 3, 4, 5, 1, 2]),
        (TurnOrder::Ring, [3, 1, 4, 2, 5, 3, 1]),
        (TurnOrder::Pipes, [1, 3, 5, 4, 2, 1, 3]),
    ] {
        let mut turns = turns(order, given);
        assert_eq!(popped(&mut turns, 7, &[], &[]), expected, "{order:?}");
        assert_eq!((turns.round(), turns.left(), turns.len()), (2, 3, 5), "{order:?}");
    }
}

#[test]
fn who_cannot_be_visited_keeps_its_place_and_stalls_nobody() {
    let mut line = turns(TurnOrder::Number, 1..=4);
    assert_eq!(popped(&mut line, 2, &[1], &[]), [2, 3]);
    assert_eq!(popped(&mut line, 2, &[], &[]), [1, 4], "it goes as soon as it can");
    assert_eq!(popped(&mut line, 5, &[1], &[]), [2, 3, 4, 2, 3], "without it a new round begins");
    assert!(popped(&mut line, 9, &[1, 2, 3, 4], &[]).is_empty(), "nobody can");
}

#[test]
fn who_left_is_dropped_and_who_comes_joins_the_next_round() {
    let mut line = turns(TurnOrder::Number, 2..=4);
    assert_eq!(popped(&mut line, 1, &[], &[]), [2]);
    line.join(1);
    assert_eq!(popped(&mut line, 4, &[], &[3]), [4, 1, 2, 4]);
    assert_eq!(line.len(), 3);
    let mut ring = turns(TurnOrder::Ring, [1, 2]);
    assert_eq!(popped(&mut ring, 1, &[], &[]), [1]);
    ring.join(9);
    assert_eq!(popped(&mut ring, 4, &[], &[]), [2, 1, 9, 2], "who was visited stands before who came later");
}

#[test]
fn lots_pass_over_nobody_for_long_and_know_no_memory() {
    let mut line = turns(TurnOrder::Lots, 0..10);
    let drawn = popped(&mut line, 4000, &[3], &[7]);
    let count = |number: u32| drawn.iter().filter(|it| **it == number).count();
    assert_eq!((drawn.len(), count(3), count(7)), (4000, 0, 0));
    for number in [0, 1, 2, 4, 5, 6, 8, 9] {
        assert!((400..600).contains(&count(number)), "{number}: {}", count(number));
    }
    assert!(drawn.windows(2).any(|pair| pair[0] == pair[1]), "one may be drawn twice in a row");
    assert!(popped(&mut turns(TurnOrder::Lots, []), 1, &[], &[]).is_empty());
    assert!(popped(&mut turns(TurnOrder::Lots, [1, 2]), 3, &[1], &[2]).is_empty());
}

#[test]
fn the_place_of_a_source_is_told_from_what_is_stored() {
    let at = Timestamp::from_secs;
    let member = |number: u32, visited_s: Option<i64>| Member {
        number,
        visited_at: visited_s.map(at),
        rate_per_s: f64::from(number),
    };
    // The round began at 100: one and two have had their turns.
    let line = [member(2, Some(110)), member(1, Some(105)), member(4, Some(50)), member(3, None)];
    for (order, number, expected) in [
        (TurnOrder::Number, 3, Some(0)),
        (TurnOrder::Number, 4, Some(1)),
        (TurnOrder::Number, 1, Some(2)),
        (TurnOrder::Number, 2, Some(3)),
        (TurnOrder::Ring, 3, Some(0)),
        (TurnOrder::Ring, 2, Some(3)),
        // The pipes are 1, 3, 4, 2.
        (TurnOrder::Pipes, 4, Some(1)),
        (TurnOrder::Pipes, 2, Some(5)),
        (TurnOrder::Lots, 2, None),
        (TurnOrder::Number, 9, None),
    ] {
        assert_eq!(before(order, &line, number, at(100)), expected, "{order:?} {number}");
    }
}
