//! What a run is measured by: equations 4 to 6 of the list-wise paper, by index lists and post lists, and one of our own.
//!
//! | paper | here |
//! |---|---|
//! | B = `I_new` / `I_B` (4) | [`Share::useful`]: pages of that kind with something new, of *all* pages fetched in the days that count |
//! | Cov = `I_crawl` / `I_all` (5) | [`Share::coverage`]: posts (threads) downloaded of those that exist, mean over the ends of the days that count |
//! | T = Σ Δtᵢ / N (6) | [`Share::timeliness_s`]: over what was downloaded in the days that count |
//! | – | [`Share::charged_s`]: over what was made in the days that count; what was never fetched waits until the end |
//!
//! What the index lists are worth is threads discovered, what the post lists are worth is posts. T would weigh the mirrored
//! archive in years, so it counts what was made after the start. T leaves out what was never
//! fetched (a policy looks better by losing posts), the last row does not.

use super::history::History;
use super::setup::{DAY_S, Setup};
use super::site::{Rows, Sheet};

/// Pages of one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Day {
    pages: u64,
    useful_index: u64,
    useful_posts: u64,
}

/// Figures of index lists or of post lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Share {
    pub useful: f64,
    pub coverage: f64,
    /// T; `None` where nothing was downloaded.
    pub timeliness_s: Option<f64>,
    /// The same with what was never fetched; `None` where nothing was made.
    pub charged_s: Option<f64>,
    /// Cov, T and downloads of each day.
    pub days: Vec<DayShare>,
}

/// One day of a list kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DayShare {
    /// B of the day.
    pub useful: f64,
    /// Cov at its end.
    pub coverage: f64,
    /// T of the day.
    pub timeliness_s: Option<f64>,
}

/// What one policy reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    pub policy: &'static str,
    pub index: Share,
    pub posts: Share,
    /// Pages fetched in the days that count.
    pub page_count: u64,
}

impl Figures {
    /// B over both kinds.
    pub(crate) fn useful(&self) -> f64 {
        self.index.useful + self.posts.useful
    }
}

/// Counts while a run goes on.
#[derive(Clone, Debug)]
pub struct Tally<'a> {
    history: &'a History,
    setup: Setup,
    /// When each post was downloaded; infinite for never.
    posts_s: Vec<f64>,
    /// When each thread was first shown.
    threads_s: Vec<f64>,
    days: Vec<Day>,
}

impl<'a> Tally<'a> {
    /// Nothing fetched yet.
    pub fn new(history: &'a History, setup: Setup) -> Self {
        Self {
            history,
            setup,
            posts_s: vec![f64::INFINITY; history.posts.len()],
            threads_s: vec![f64::INFINITY; history.thread_count()],
            days: vec![Day::default(); setup.days as usize + 1],
        }
    }

    /// A page was fetched.
    pub fn fetched(&mut self, now_s: f64, sheet: &Sheet) {
        let mut is_new = false;
        let mut note = |known_s: &mut f64| {
            is_new |= known_s.is_infinite();
            *known_s = known_s.min(now_s);
        };
        match &sheet.rows {
            Rows::Boards(_) => {}
            Rows::Threads(rows) => rows.iter().for_each(|row| note(&mut self.threads_s[row.thread as usize])),
            Rows::Posts(rows) => rows.iter().for_each(|row| note(&mut self.posts_s[row.post as usize])),
        }
        let number = ((now_s - self.setup.start.secs_f64()) / DAY_S).max(0.0) as usize;
        let last = self.days.len() - 1;
        let day = &mut self.days[number.min(last)];
        day.pages += 1;
        match sheet.rows {
            Rows::Boards(_) => {}
            Rows::Threads(_) => day.useful_index += u64::from(is_new),
            Rows::Posts(_) => day.useful_posts += u64::from(is_new),
        }
    }

    /// What came of it.
    pub fn figures(&self, policy: &'static str) -> Figures {
        let posts =
            self.history.posts.iter().zip(&self.posts_s).map(|(post, seen)| (post.at_s as f64, *seen));
        let threads =
            (0..self.history.thread_count() as u32).zip(&self.threads_s).filter_map(|(thread, seen)| {
                let first = self.history.thread_posts(thread).first()?;
                Some((self.history.posts[*first as usize].at_s as f64, *seen))
            });
        let counted = &self.days[(self.setup.days - self.setup.eval_days.min(self.setup.days)) as usize..];
        Figures {
            policy,
            index: self.share(threads.collect(), |day| day.useful_index),
            posts: self.share(posts.collect(), |day| day.useful_posts),
            page_count: counted.iter().map(|day| day.pages).sum(),
        }
    }

    /// Figures of things by when they were made and when they were seen.
    fn share(&self, things: Vec<(f64, f64)>, useful: fn(&Day) -> u64) -> Share {
        let (start_s, eval_s, end_s) = (self.setup.start.secs_f64(), self.setup.eval_s(), self.setup.end_s());
        let day_count = self.setup.days as usize;
        let day_of = |at_s: f64| ((at_s - start_s) / DAY_S).clamp(0.0, day_count as f64) as usize;
        let (mut made, mut seen) = (vec![0_u64; day_count + 1], vec![0_u64; day_count + 1]);
        let mut waits = vec![Mean::default(); day_count + 1];
        let (mut timeliness, mut charged) = (Mean::default(), Mean::default());
        for (made_s, seen_s) in things.into_iter().filter(|(made_s, _)| *made_s < end_s) {
            made[day_of(made_s)] += 1;
            if seen_s < end_s {
                seen[day_of(seen_s)] += 1;
                if made_s >= start_s {
                    waits[day_of(seen_s)].add(seen_s - made_s);
                }
                if made_s >= start_s && seen_s >= eval_s {
                    timeliness.add(seen_s - made_s);
                }
            }
            if made_s >= eval_s {
                charged.add(seen_s.min(end_s) - made_s);
            }
        }
        let (mut days, mut all, mut known) = (Vec::with_capacity(day_count), 0, 0);
        for number in 0..day_count {
            all += made[number];
            known += seen[number];
            let day = &self.days[number];
            days.push(DayShare {
                useful: ratio(useful(day), day.pages),
                coverage: if all == 0 { 1.0 } else { ratio(known, all) },
                timeliness_s: waits[number].value(),
            });
        }
        let first = day_of(eval_s).min(day_count);
        let counted = &self.days[first..day_count];
        let pages: u64 = counted.iter().map(|day| day.pages).sum();
        let mut coverage = Mean::default();
        days[first..].iter().for_each(|day| coverage.add(day.coverage));
        Share {
            useful: ratio(counted.iter().map(useful).sum(), pages),
            coverage: coverage.value().unwrap_or(1.0),
            timeliness_s: timeliness.value(),
            charged_s: charged.value(),
            days,
        }
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

#[cfg(test)]
mod tests {
    use freshet_types::Timestamp;

    use super::super::{PostRow, ThreadRow};
    use super::*;

    #[test]
    fn the_three_equations_by_hand() {
        // One thread with posts before the start, on day 0 and on day 1; the last is never fetched.
        let history = History::from_rows(vec![(0, 0, 0, 0), (0, 0, 90_000, 0), (0, 0, 180_000, 0)]);
        let setup = Setup {
            start: Timestamp::from_secs(86_400),
            days: 2,
            eval_days: 2,
            pages_per_day: 2.0,
            page_size: 10,
        };
        let mut tally = Tally::new(&history, setup);
        let row = ThreadRow { thread: 0, started_s: 0, author: 0, last_s: 90_000, post_count: 2 };
        let post = |post: u32, at_s: i64| PostRow { post, at_s, author: 0, is_edited: false };
        let sheet = |rows: Rows| Sheet { rows, page_count: 1 };
        tally.fetched(100_000.0, &sheet(Rows::Threads(vec![row])));
        tally.fetched(100_800.0, &sheet(Rows::Posts(vec![post(0, 0), post(1, 90_000)])));
        tally.fetched(170_000.0, &sheet(Rows::Posts(vec![post(0, 0), post(1, 90_000)])));
        tally.fetched(200_000.0, &sheet(Rows::Threads(vec![row])));
        let figures = tally.figures("by hand");
        assert_eq!(figures.page_count, 4);
        // One page of four with a new thread, one with new posts.
        assert!((figures.index.useful - 0.25).abs() < 1e-12 && (figures.posts.useful - 0.25).abs() < 1e-12);
        // Both of two after day 0, two of three after day 1.
        assert!((figures.posts.coverage - f64::midpoint(1.0, 2.0 / 3.0)).abs() < 1e-12);
        assert_eq!(figures.posts.timeliness_s, Some(10_800.0));
        // The unfetched post waits from 180000 until the end at 259200.
        assert_eq!(figures.posts.charged_s, Some(f64::midpoint(10_800.0, 79_200.0)));
        assert_eq!((figures.index.timeliness_s, figures.index.charged_s), (None, None));
    }
}
