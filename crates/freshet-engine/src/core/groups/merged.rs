//! Merged lists: one page that shows the newest posts of many sources. Part of steps 3 (pick) and 7 (compare) of 10.
//!
//! What the page proves for each of its members stands in [`crate::walk::merged`]. Whoever it reaches was visited, news or none: its posts
//! are stored and learned from as those of its own list are. Whoever it shows and does not reach has more news than the page could show:
//! it is told, and bids for a visit of its own; what the page shows of it is not taken, since its own list shows that again. Of whom it
//! neither reaches nor shows it says nothing: that one is due when it was, and goes with another page.
//!
//! Members are chosen so that a page reaches them (`core/groups/members.rs`). Bursts are not foreseen: where pages
//! were too short, fewer are asked for together, and where they were not, more again.
//!
//! A list that drops a member looks as if nothing was posted there. That is found out when its own list is read, which no member
//! goes without for long (`can_be_grouped`); and what is known of a list is known by its posts, not by the time of a look: nothing is lost.

use freshet_policy::group::Group;
use freshet_store::row::Upload;
use freshet_types::{
    IdOrder, Map, Observation, Page, PageKind, Post, RobotKind, ServerKey, Set, SourceId, Timestamp, VisitId,
};

use super::Core;
use crate::consent::drop_opted_out;
use crate::core::upload::empty_upload;
use crate::price::TariffKey;
use crate::walk::Seen;
use crate::walk::merged::{Reach, floor_of, reach};

/// The least share of a page's room that members are expected to fill: one that posts in bursts fills a page alone, now and then, and fewer
/// others beside it would not change that.
const FILL_MIN: f64 = 0.4;
/// How a page changes it that was too short for most of its members.
const FILL_FALL: f64 = 0.8;
/// And one that was not.
const FILL_RISE: f64 = 1.05;

impl Core {
    /// Posts that the next merged page of a server has room for; without end where calls for groups bring no posts.
    pub(in crate::core) fn room_of(&self, key: ServerKey, now: Timestamp) -> f64 {
        let group = self.group_of(key, now);
        if group.posts_max == 0 {
            return f64::INFINITY;
        }
        let fill = self.groups.fills.get(&key).copied().unwrap_or(1.0);
        Group::new(group.roots_max as f64, group.posts_max as f64).room() * fill
    }

    /// A page of a merged list was answered.
    pub(super) fn on_merged(&mut self, mut page: Page, order: IdOrder, seen: Seen, now: Timestamp) {
        let Ok(floor) = floor_of(&page, order, seen) else {
            return self.on_group_refused(seen.visit, &page, now);
        };
        let opted_out = if self.options.honours_opt_out {
            drop_opted_out(&mut page.observation, None)
        } else {
            Vec::new()
        };
        let members = self.arrive(seen.visit, now);
        let shares = self.shares_of(&members, &page);
        let none = Set::default();
        let (mut reached, mut short) = (Vec::new(), Vec::new());
        for id in members {
            let source = &self.visits[id].source;
            let own = shares.get(&source.id).unwrap_or(&none);
            match reach(floor.as_ref(), |post| own.contains(post), &source.coverage, order) {
                Reach::Whole => reached.push(id),
                Reach::Short => short.push((id, false)),
                Reach::Odd => short.push((id, true)),
            }
        }
        self.note_filled(self.visits[seen.visit].key, (reached.len(), short.len()), now);
        // Who wrote, and what others' posts show inside, is known from now on, whatever becomes of the members.
        let mut rest = std::mem::take(&mut page.observation);
        let (embedded, listed): (Vec<Post>, Vec<Post>) =
            std::mem::take(&mut rest.posts).into_iter().partition(|post| post.is_embedded);
        rest.posts = embedded;
        let upload = Upload { observation: rest, opted_out, ..empty_upload(&self.visits[seen.visit], seen) };
        self.want_upload(seen.visit, upload);
        let posts_of = |source: SourceId| -> Vec<Post> {
            let own = shares.get(&source).unwrap_or(&none);
            listed.iter().filter(|post| own.contains(&post.id)).cloned().collect()
        };
        for id in reached {
            let posts = posts_of(self.visits[id].source.id);
            self.note_shown(id, &posts, now);
            let observation = Observation { posts, ..Observation::default() };
            let share = Page { kind: PageKind::Other, observation, ..Page::default() };
            self.visits[id].walk.ask_group(Vec::new());
            self.on_page(share, None, Seen { visit: id, ..seen }, now);
        }
        for (id, is_odd) in short {
            let posts = posts_of(self.visits[id].source.id);
            self.note_shown(id, &posts, now);
            self.on_missed(id, posts.len(), is_odd, seen.at);
        }
    }

    /// How much room the posts of a member take on pages is known from those that show it.
    fn note_shown(&mut self, id: VisitId, posts: &[Post], now: Timestamp) {
        let times: Vec<Timestamp> = posts.iter().filter_map(|post| post.created_at).collect();
        self.note_recent(id, &times, now);
    }

    /// A page does not go down to the last look at a member, of which it shows so many posts, or leaves out what it should show.
    fn on_missed(&mut self, id: VisitId, shown_count: usize, is_odd: bool, at: Timestamp) {
        if shown_count == 0 && !is_odd && self.is_first_miss(id) {
            let news_at = self.sources.news_at(self.visits[id].source.id, at);
            return self.put_off(id, news_at);
        }
        let pulse = self.visits[id].source.pulse.clone();
        self.tell(id, pulse, Some((shown_count as u32).max(1)), at);
    }

    /// A merged page reached so many of its members, and so many not; one that reached nobody is a failure.
    fn note_filled(&mut self, key: ServerKey, (reached_count, short_count): (usize, usize), now: Timestamp) {
        let tariff = TariffKey::new(key, RobotKind::Status);
        if reached_count == 0 {
            self.groups.note_failure(tariff, false, now);
        } else {
            self.groups.refused.remove(&tariff);
        }
        let fill = self.groups.fills.entry(key).or_insert(1.0);
        *fill =
            (*fill * if short_count <= reached_count { FILL_RISE } else { FILL_FALL }).clamp(FILL_MIN, 1.0);
    }

    /// Which posts of a merged page are whose. A network may write the name of a root in other letters than it was asked for.
    fn shares_of(&self, members: &[VisitId], page: &Page) -> Map<SourceId, Set<String>> {
        let mut by_root: Map<String, SourceId> = Map::default();
        for &member in members {
            let source = &self.visits[member].source;
            by_root.entry(source.root_id.to_lowercase()).or_insert(source.id);
        }
        // A name as it was asked for goes before one that differs in its letters.
        by_root.extend(members.iter().map(|id| {
            let source = &self.visits[*id].source;
            (source.root_id.clone(), source.id)
        }));
        let mut shares: Map<SourceId, Set<String>> = Map::default();
        for share in &page.shares {
            let found = by_root.get(&share.root).or_else(|| by_root.get(&share.root.to_lowercase()));
            if let Some(id) = found {
                shares.entry(*id).or_default().insert(share.post.clone());
            }
        }
        shares
    }
}
