//! Step 10 (learn) of 10: what a page taught is learned when the store has confirmed it.
//!
//! The lessons of a visit wait in the order of its uploads, and its summary, which carries the model, follows the last of them. A visit
//! that is killed in between loses a lesson, never a post: page and coverage are stored, and the next look learns from there.

use freshet_store::row::Applied;
use freshet_types::{RobotKind, Timestamp, VisitId};

use super::Core;
use crate::price::TariffKey;
use crate::schedule;

impl Core {
    /// The store has committed the oldest unconfirmed upload of this visit: its lesson is learned.
    pub(super) fn learn(&mut self, id: VisitId, applied: &Applied, now: Timestamp) {
        self.learn_recheck(id, applied);
        let Some(visit) = self.visits.get_mut(id) else { return };
        visit.new_post_count += u32::try_from(applied.new_posts.len()).unwrap_or(u32::MAX);
        if visit.source.robot == RobotKind::Link {
            visit.news_count = visit.news_count.saturating_add(applied.new_link_count);
        }
        let Some(mut lesson) = visit.lessons.pop_front().flatten() else { return };
        let mut news = lesson.news(&applied.new_posts, &applied.withheld_posts);
        self.tally.add_lags(lesson.lags(&news));
        visit.news_count += u32::try_from(news.len()).unwrap_or(u32::MAX);
        self.forums.note_news(visit.key, &visit.source, &news);
        let (key, source, robot) = (visit.key, visit.source.id, visit.source.robot);
        if robot == RobotKind::Comment {
            self.note_posts(key, source, &news);
        }
        self.note_recent(id, &news, now);
        let Some(visit) = self.visits.get_mut(id) else { return };
        if lesson.is_held {
            return visit.held_news.append(&mut news);
        }
        news.append(&mut visit.held_news);
        // What a stream brought before is no news of this look: its silence would teach a rate that is too low.
        if visit.is_streamed {
            return;
        }
        let tariff = TariffKey::new(visit.key, visit.source.robot);
        let market = self.prices.market(tariff, &self.ledger, now);
        schedule::learn(visit, &*self.policy, market, &lesson, &news);
    }
}
