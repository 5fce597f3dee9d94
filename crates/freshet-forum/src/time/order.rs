//! Which of two numbers is the day, and in which order a list runs.
//!
//! Seed 004, section 3.3: *since the records are generated in sequence, the timestamps should satisfy a sequential order*. One
//! `04/05/2012` says nothing; the times of a whole site do. In this order: a number above twelve is a day; a day of the week
//! written beside the date must agree; no post is written after its page was fetched; and of two orders, that in which the
//! lists run more evenly is right.
//!
//! | paper (Algorithm 2) | here |
//! |---|---|
//! | `SeqOrd`, `RevOrd` | [`Sequence::rising_count`], [`Sequence::falling_count`] |
//! | `Order = (SeqOrd − RevOrd) / (SeqOrd + RevOrd)` | [`Sequence::order`] |

use super::{Date, DayOrder, Reader, Written};

/// A clear lead of one order over the other, in votes.
const LEAD_MIN: i64 = 1;

/// How often a list rises and falls from one record to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sequence {
    /// Later than the one before: `SeqOrd`.
    pub rising_count: u32,
    /// Earlier than the one before: `RevOrd`.
    pub falling_count: u32,
}

impl Sequence {
    /// Counts one list; equal neighbours count for neither.
    pub(crate) fn add(&mut self, times: &[i64]) {
        for pair in times.windows(2) {
            self.rising_count += u32::from(pair[0] < pair[1]);
            self.falling_count += u32::from(pair[0] > pair[1]);
        }
    }

    /// `Order` of Algorithm 2: 1 when it only rises, -1 when it only falls, 0 when nothing is known.
    pub(crate) fn order(self) -> f64 {
        let (rising, falling) = (f64::from(self.rising_count), f64::from(self.falling_count));
        if rising + falling == 0.0 { 0.0 } else { (rising - falling) / (rising + falling) }
    }
}

/// One list of times of one page, with the time of its fetch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeList<'a> {
    /// The times in document order.
    pub times: &'a [Written],
    /// When the page was fetched.
    pub fetched_s: Option<i64>,
}

/// Finds the order of day and month from everything a site shows; nothing when its times do not tell.
pub(crate) fn day_order(lists: &[TimeList<'_>]) -> Option<DayOrder> {
    let lead = |votes: i64| match votes {
        LEAD_MIN.. => Some(DayOrder::DayFirst),
        ..=-1 => Some(DayOrder::MonthFirst),
        _ => None,
    };
    let all = || lists.iter().flat_map(|list| list.times.iter().map(move |it| (it, list.fetched_s)));
    lead(all().map(|(written, _)| by_size(written)).sum())
        .or_else(|| lead(all().map(|(written, _)| by_weekday(written)).sum()))
        .or_else(|| lead(all().map(|(written, fetched_s)| by_future(written, fetched_s)).sum()))
        .or_else(|| by_sequence(lists))
}

/// A number above twelve cannot be a month.
fn by_size(written: &Written) -> i64 {
    match written.date {
        Date::Numbers(first, second, _) | Date::NumbersNoYear(first, second) => {
            i64::from(first > 12) - i64::from(second > 12)
        }
        _ => 0,
    }
}

fn by_weekday(written: &Written) -> i64 {
    let Some(weekday) = written.weekday else { return 0 };
    let is_it = |order: DayOrder| {
        let moment = read(written, order, None);
        moment.is_some_and(|it| it.local.date().weekday().to_monday_one_offset() == weekday)
    };
    i64::from(is_it(DayOrder::DayFirst)) - i64::from(is_it(DayOrder::MonthFirst))
}

/// A post is not written after its page was fetched, give or take a day of zones.
fn by_future(written: &Written, fetched_s: Option<i64>) -> i64 {
    let Some(fetched_s) = fetched_s else { return 0 };
    let is_past =
        |order| read(written, order, Some(fetched_s)).is_none_or(|it| it.unix_s < fetched_s + 86_400);
    i64::from(is_past(DayOrder::DayFirst)) - i64::from(is_past(DayOrder::MonthFirst))
}

/// The order in which lists run more evenly.
fn by_sequence(lists: &[TimeList<'_>]) -> Option<DayOrder> {
    let evenness = |order: DayOrder| -> f64 {
        let mut total = 0.0;
        for list in lists {
            let ambiguous = list.times.iter().filter(|it| it.is_ambiguous());
            let times = ambiguous.filter_map(|it| read(it, order, list.fetched_s));
            let mut sequence = Sequence::default();
            sequence.add(&times.map(|it| it.unix_s).collect::<Vec<_>>());
            total += sequence.order().abs() * f64::from(sequence.rising_count + sequence.falling_count);
        }
        total
    };
    let (day_first, month_first) = (evenness(DayOrder::DayFirst), evenness(DayOrder::MonthFirst));
    if day_first > month_first {
        Some(DayOrder::DayFirst)
    } else if month_first > day_first {
        Some(DayOrder::MonthFirst)
    } else {
        None
    }
}

fn read(written: &Written, day_order: DayOrder, fetched_s: Option<i64>) -> Option<super::Moment> {
    Reader { day_order, fetched_s, ..Reader::default() }.read(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::scan;

    fn check(lists: &[&[&str]], expected: Option<DayOrder>) {
        let written: Vec<Vec<Written>> = lists
            .iter()
            .map(|list| list.iter().flat_map(|text| scan(text)).map(|(_, it)| it).collect())
            .collect();
        let fetched_s = Some(1_435_708_800);
        let lists: Vec<_> = written.iter().map(|times| TimeList { times, fetched_s }).collect();
        assert_eq!(day_order(&lists), expected, "{written:?}");
    }

    #[test]
    fn the_whole_list_tells_which_number_is_the_day() {
        check(&[&["04/05/2012 10:00", "30/05/2012 10:00"]], Some(DayOrder::DayFirst));
        check(&[&["04/05/2012 10:00"], &["05/30/2012 10:00"]], Some(DayOrder::MonthFirst));
        check(&[&["Wed, 04/04/2012 - 07:35", "Thu, 05/04/2012 - 07:35"]], Some(DayOrder::DayFirst));
        check(&[&["01/05/2012 10:00", "02/05/2012 10:00", "01/06/2012 10:00"]], Some(DayOrder::DayFirst));
        check(&[&["05/01/2012 10:00", "05/02/2012 10:00", "06/01/2012 10:00"]], Some(DayOrder::MonthFirst));
        check(&[&["02/12/2015 10:00"]], Some(DayOrder::MonthFirst));
        check(&[&["05/05/2012 10:00"]], None);
    }
}
