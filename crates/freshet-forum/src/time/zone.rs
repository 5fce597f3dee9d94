//! The zone of a site that never says it, estimated from when its pages were fetched.
//!
//! # Theory
//!
//! A page fetched at `t` shows a post of the instant `u` as `s = u + o`, where `o` is the offset that is sought. Nobody posts in
//! the future, so `s − t ≤ o` for every post of every page: the largest `s − t` bounds the offset from below. The offsets in
//! use on earth are few ([`OFFSETS_MIN`], all of them quarter hours), and the bound refuses all that are too small.
//!
//! Which of the others? Under the offset `o` the newest post has the age `a(o) = t + o − s`, and a larger offset makes it older.
//! Renewal theory says how old it may be (Cox 1962, backward recurrence time): at an instant that has nothing to do with
//! the posts, the time since the last one has the density
//!
//! `g(a) = #{gaps > a} / (sum of all gaps)`
//!
//! and the gaps between posts are seen on the pages, whatever the zone. A busy board has none longer than a quarter of an
//! hour, and one offset is left; one that sleeps at night shows long gaps too, and many are. What the pages were too few to
//! show is not impossible, so one gap is added that nobody has seen, with the share `U / (U + a)` longer than `a`: `U` is the longest
//! gap seen if the times reach over a whole day and its night, else all the time that they reach over.
//! With all offsets equally likely beforehand, the certainty of one is its `g` over the sum of all.
//!
//! | here | above |
//! |---|---|
//! | [`Sighting`] | `s` as written, and `t` |
//! | [`Era::weight`] | `g(a(o))`, 0 where a post would be of the future |
//! | [`Estimate::certainty`] | `g / Σ g` |
//!
//! # Assumptions, and when it stays silent
//!
//! - The site shows all its times with one offset. Summer time breaks that: pages are taken together only while they were
//!   fetched within a week ([`ERA_S_MAX`]), and where two such eras disagree there is no estimate. Posts of the other half of the
//!   year are read an hour wrong; nothing on a page says so.
//! - Clocks differ by at most [`CLOCK_S_MAX`]. One that runs ahead further leaves an offset under which the newest post is old
//!   beyond all gaps, hence little certainty.
//! - Times that count back or name their zone say nothing here and are not asked.
//! - Fewer than [`MOMENTS_MIN`] different times, or a certainty below [`CERTAINTY_MIN`]: silence.
//!
//! What it does not do: name a zone. An offset is all that times without a place can tell.

use super::{Date, DayOrder, Reader, Written};

/// The offsets that clocks on earth have, in minutes east of Greenwich.
const OFFSETS_MIN: [i32; 40] = [
    -720, -660, -600, -570, -540, -480, -420, -360, -300, -240, -210, -180, -150, -120, -60, 0, 60, 120, 180,
    210, 240, 270, 300, 330, 345, 360, 390, 420, 480, 525, 540, 570, 600, 630, 660, 720, 765, 780, 825, 840,
];
/// A server's clock may be so far ahead of ours.
const CLOCK_S_MAX: i64 = 120;
/// Pages fetched within this time are taken together: summer time begins at most once in it.
const ERA_S_MAX: i64 = 7 * DAY_S;
/// How far back gaps are taken from: what lies further back is thinned out, because boards show the last post of a thread only.
const WINDOW_S_MAX: i64 = 3 * DAY_S;
/// Times that reach over so much have shown how their people sleep.
const DAY_S: i64 = 86_400;
/// Different times that are needed to tell anything.
const MOMENTS_MIN: usize = 6;
/// An estimate that is less sure is none.
pub(crate) const CERTAINTY_MIN: f64 = 0.9;

/// A post's time on a page.
#[derive(Clone, Copy, Debug)]
pub struct Sighting {
    /// As it is written.
    pub written: Written,
    /// Seconds since 1970 when the page was fetched.
    pub fetched_s: i64,
}

impl Sighting {
    /// Whether its clock can tell a zone: it has a time of day, names no zone and does not count back.
    pub(crate) fn can_tell(written: &Written) -> bool {
        written.day_time.is_some()
            && written.offset_s.is_none()
            && !matches!(written.date, Date::Ago(..) | Date::Unix(_))
    }
}

/// The offset of a site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Seconds east of Greenwich.
    pub offset_s: i32,
    /// From [`CERTAINTY_MIN`] to 1.
    pub certainty: f64,
}

/// The offset under which a site's times and the fetches of its pages agree best, if one is much likelier than all others.
pub fn estimate(sightings: &[Sighting], day_order: DayOrder) -> Option<Estimate> {
    let mut sightings: Vec<Sighting> =
        sightings.iter().filter(|it| Sighting::can_tell(&it.written)).copied().collect();
    sightings.sort_by_key(|it| it.fetched_s);
    let mut best: Option<Estimate> = None;
    let mut rest = sightings.as_slice();
    while let Some(first) = rest.first() {
        let end_s = first.fetched_s.saturating_add(ERA_S_MAX);
        let (era, later) = rest.split_at(rest.partition_point(|it| it.fetched_s <= end_s));
        rest = later;
        let Some(found) = Era::of(era, day_order).estimate() else { continue };
        match best {
            Some(known) if known.offset_s != found.offset_s => return None,
            Some(known) if known.certainty >= found.certainty => {}
            _ => best = Some(found),
        }
    }
    best
}

/// Times of pages that were fetched close together.
struct Era {
    sightings: Vec<Sighting>,
    day_order: DayOrder,
}

impl Era {
    /// Leaves out dates that would be of the future even in the easternmost place: they are no posts'. A day that is told by
    /// the fetch (`today`) depends on the place itself.
    fn of(sightings: &[Sighting], day_order: DayOrder) -> Self {
        let easternmost_s = OFFSETS_MIN[OFFSETS_MIN.len() - 1] * 60;
        let is_past = |it: &&Sighting| {
            if matches!(it.written.date, Date::DaysBack(_) | Date::Weekday(_)) {
                return true;
            }
            let posted_s = posted_s(it, day_order, easternmost_s);
            posted_s.is_none_or(|posted_s| posted_s <= it.fetched_s.saturating_add(CLOCK_S_MAX))
        };
        Self { sightings: sightings.iter().filter(is_past).copied().collect(), day_order }
    }

    fn estimate(&self) -> Option<Estimate> {
        let weights: Vec<(f64, i32)> =
            OFFSETS_MIN.iter().map(|minutes| (self.weight(minutes * 60), minutes * 60)).collect();
        let (weight, offset_s) = weights.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
        let sum: f64 = weights.iter().map(|(weight, _)| weight).sum();
        let certainty = if sum > 0.0 { weight / sum } else { 0.0 };
        (certainty >= CERTAINTY_MIN).then_some(Estimate { offset_s, certainty })
    }

    /// How likely the ages of the posts are under an offset, up to a factor.
    fn weight(&self, offset_s: i32) -> f64 {
        let mut moments: Vec<i64> = Vec::with_capacity(self.sightings.len());
        let mut age_s_min = i64::MAX;
        for sighting in &self.sightings {
            let Some(posted_s) = posted_s(sighting, self.day_order, offset_s) else { continue };
            let age_s = sighting.fetched_s.saturating_sub(posted_s);
            if age_s < -CLOCK_S_MAX {
                return 0.0;
            }
            age_s_min = age_s_min.min(age_s.max(0));
            moments.push(posted_s);
        }
        moments.sort_unstable_by_key(|it| std::cmp::Reverse(*it));
        moments.dedup();
        let from_s = moments.first().map_or(0, |newest_s| newest_s.saturating_sub(WINDOW_S_MAX));
        moments.truncate(moments.partition_point(|it| *it >= from_s));
        if moments.len() < MOMENTS_MIN {
            return 0.0;
        }
        let window_s = moments[0] - moments[moments.len() - 1];
        let gaps = || moments.windows(2).map(|pair| pair[0] - pair[1]);
        let unseen_s = if window_s >= DAY_S { gaps().max().unwrap_or(window_s) } else { window_s } as f64;
        let longer_count = gaps().filter(|gap_s| *gap_s > age_s_min).count() as f64;
        (longer_count + unseen_s / (unseen_s + age_s_min as f64)) / window_s as f64
    }
}

/// When a post was written, if the site is so far east of Greenwich.
fn posted_s(sighting: &Sighting, day_order: DayOrder, offset_s: i32) -> Option<i64> {
    let (fetched_s, offset_s) = (Some(sighting.fetched_s), Some(offset_s));
    let reader = Reader { day_order, fetched_s, offset_s, is_estimated: true };
    reader.read(&sighting.written).map(|moment| moment.unix_s)
}

#[cfg(test)]
mod tests;
