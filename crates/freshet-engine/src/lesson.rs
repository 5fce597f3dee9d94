//! A lesson: what a page may teach a model, kept until the store has said which of its posts are new. Part of step 10 (learn) of 10.
//!
//! One definition for all who count: *a post is new when the store had not stored it before*. The walk only says which posts a look
//! tells of; those among them that the store finds new are learned from. So a post that another source brought first or that a
//! person had forgotten is no news of this one, and a pinned post of last year is none of today. What a constraint keeps out
//! was seen all the same: it is learned from where the walk had not come by it before, as if it were stored.
//!
//! Lists of lists show no posts: what is new there are the activities of their lists, as the walk finds them.

use freshet_types::{PageKind, Span, Timestamp};

use crate::walk::PageMeaning;

/// What a page may teach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lesson {
    /// When the page was seen.
    pub at: Timestamp,
    /// The list goes on below the page, so that posts older than its own may be missing.
    pub goes_on: bool,
    /// Its news are learned with those of the pages that follow: the list runs from old to new.
    pub is_held: bool,
    /// How many posts a list shows that is a window; 0 of one that is none, nothing where the page does not say.
    pub window: Option<u32>,
    told: Told,
    /// Posts that the walk had not come by before.
    fresh: Vec<Timestamp>,
    /// Lags of what appeared after the last look.
    lags: Vec<Span>,
}

/// What a look tells of, by times.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    /// Posts, new or not.
    Posts(Vec<Timestamp>),
    /// Activities that are new.
    Activities(Vec<Timestamp>),
}

impl Default for Told {
    fn default() -> Self {
        Self::Posts(Vec::new())
    }
}

impl Lesson {
    /// What this page of an endpoint of this kind, seen at `at` with so many posts in its window, may teach; takes over what of
    /// `meaning` nobody else needs.
    pub fn of(
        meaning: &mut PageMeaning,
        kind: PageKind,
        (at, window): (Timestamp, Option<u32>),
        is_tail: bool,
    ) -> Self {
        let told = match kind {
            PageKind::Lists => Told::Activities(std::mem::take(&mut meaning.news)),
            _ => Told::Posts(std::mem::take(&mut meaning.told)),
        };
        let (fresh, lags) = (meaning.news.clone(), std::mem::take(&mut meaning.lags));
        let is_held = is_tail && meaning.goes_on;
        Self { at, goes_on: meaning.goes_on, is_held, window, told, fresh, lags }
    }

    /// Of the posts that the store found new, the times of those that the look tells of, and what was fresh and is withheld;
    /// activities as they are.
    pub fn news(&mut self, new_posts: &[Timestamp], withheld: &[Timestamp]) -> Vec<Timestamp> {
        match &mut self.told {
            Told::Activities(times) => std::mem::take(times),
            Told::Posts(told) => {
                told.sort_unstable();
                let mut news = new_posts.to_vec();
                news.sort_unstable();
                let mut left = told.iter().peekable();
                news.retain(|at| {
                    while left.next_if(|told| *told < at).is_some() {}
                    left.next_if(|told| *told == at).is_some()
                });
                news.extend(self.fresh.iter().filter(|&at| withheld.contains(at)));
                news.sort_unstable();
                news
            }
        }
    }

    /// The lags of those of these news, in order of time, that appeared after the last look.
    pub(crate) fn lags<'a>(&'a self, news: &'a [Timestamp]) -> impl Iterator<Item = Span> + 'a {
        self.lags.iter().copied().filter(|&lag| news.contains(&(self.at - lag)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(told: &[i64], new_posts: &[i64], expected: &[i64], lags: &[i64]) {
        let times = |secs: &[i64]| secs.iter().copied().map(Timestamp::from_secs).collect::<Vec<_>>();
        let mut meaning = PageMeaning {
            told: times(told),
            lags: [1, 50].map(Span::from_secs).to_vec(),
            ..PageMeaning::default()
        };
        let mut lesson = Lesson::of(&mut meaning, PageKind::Posts, (Timestamp::from_secs(100), None), false);
        let news = lesson.news(&times(new_posts), &[]);
        assert_eq!(news, times(expected), "{told:?} {new_posts:?}");
        let found: Vec<i64> = lesson.lags(&news).map(|lag| lag.ms() / 1000).collect();
        assert_eq!(found, lags, "{told:?} {new_posts:?}");
    }

    #[test]
    fn news_are_what_the_store_found_new_and_the_look_tells_of() {
        check(&[], &[], &[], &[]);
        check(&[99, 50, 20], &[], &[], &[]);
        check(&[99, 50, 20], &[99, 50, 20], &[20, 50, 99], &[1, 50]);
        check(&[99, 50, 20], &[99], &[99], &[1]);
        // A pinned post that was never stored, and one that came with another source.
        check(&[99, 50], &[7, 50, 60], &[50], &[50]);
        // Two posts of one second; the look tells of one of them.
        check(&[50], &[50, 50], &[50], &[50]);
        check(&[50, 50, 99], &[99, 50, 50], &[50, 50, 99], &[1, 50]);
    }

    #[test]
    fn activities_are_news_by_themselves() {
        let mut meaning =
            PageMeaning { news: vec![Timestamp::from_secs(9)], goes_on: true, ..PageMeaning::default() };
        let mut lesson = Lesson::of(&mut meaning, PageKind::Lists, (Timestamp::from_secs(10), None), false);
        assert!(lesson.goes_on && !lesson.is_held);
        assert_eq!(lesson.news(&[], &[]), [Timestamp::from_secs(9)]);
    }

    #[test]
    fn what_a_constraint_keeps_out_is_learned_from_once() {
        let times = |secs: &[i64]| secs.iter().copied().map(Timestamp::from_secs).collect::<Vec<_>>();
        let mut meaning =
            PageMeaning { told: times(&[99, 50, 20]), news: times(&[99, 50]), ..PageMeaning::default() };
        let mut lesson = Lesson::of(&mut meaning, PageKind::Posts, (Timestamp::from_secs(100), None), false);
        // The post of 50 is stored; that of 99 is withheld; that of 20 is withheld and was seen by an earlier look.
        assert_eq!(lesson.news(&times(&[50]), &times(&[99, 20])), times(&[50, 99]));
    }
}
