//! The facts of an explanation, each with what it stands on, and without words: those are made where they are shown.

use freshet_types::SourceState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Behaviour, Counts, DueReason};
use crate::hubs::HubLine;
use crate::pairs::Pairs;
use crate::time::UnixNumber;

/// One thing that is known of a source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "fact")]
pub enum Fact {
    /// When it was visited and will be.
    Visits {
        /// The last visit.
        visited_at: Option<UnixNumber>,
        /// The next one.
        next: NextVisit,
        /// Its state.
        #[schemars(with = "String")]
        state: SourceState,
    },
    /// What the publisher of a feed says about when to come.
    Publisher {
        /// It may be kept for so long.
        ttl_s: Option<f64>,
        /// It says to change this often.
        every_s: Option<f64>,
        /// Hours of the day, in UTC, in which it is silent.
        silent_hours: Vec<u32>,
        /// Days of the week on which it is silent; 0 is Monday.
        silent_days: Vec<u32>,
        /// Who tells subscribers of its news.
        hub: Option<String>,
        /// What becomes of that in the run under way, where it asks hubs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hub_line: Option<Box<HubLine>>,
        /// Until when it is left alone for that, where this is to come.
        not_before: Option<UnixNumber>,
    },
    /// A person chose how often it is visited.
    Pinned {
        /// From one visit to the next.
        every_s: f64,
    },
    /// What it shows goes to subscribers and is not kept.
    NotKept {
        /// Nothing of its network is; otherwise it was told so itself.
        is_network: bool,
        /// A subscription takes posts.
        is_taken: bool,
    },
    /// How much the waiting of its posts counts.
    Weight {
        /// By what a person set and by what people ask about.
        counts: Counts,
    },
    /// A thread waits longer, because its last look brought nothing.
    Silence {
        /// How long it waits.
        wait_s: f64,
        /// Its newest post.
        since: Option<UnixNumber>,
    },
    /// Which model foretells lists like this.
    Model {
        /// Its name.
        model: String,
        /// Which lists, in words.
        lists: String,
        /// The errors of all models that were tried.
        errors: Pairs<String, f64>,
    },
    /// What sets the time of its next visit.
    Due {
        /// What.
        reason: DueReason,
        /// The policy's name.
        policy: String,
        /// The longest that anything stays unvisited.
        ceiling_s: f64,
        /// It would be due then, were it not for its silence.
        is_overruled: bool,
    },
    /// Its place among those that are visited in turn.
    Turn {
        /// Which round it is since the run began.
        round: u64,
        /// Sources that have their turn before it; none where lots are drawn, or they are too many to be counted.
        before_count: Option<u64>,
        /// Sources that stand in line.
        sources_count: u64,
        /// Each is as likely as the others, whoever was visited before.
        is_drawn: bool,
    },
    /// It was looked at by calls for several sources.
    Grouped {
        /// Sources that one call can be for, by the network's definition.
        roots_max: usize,
        /// Such a call shows the posts themselves, as one list; otherwise it tells who has news.
        shows_posts: bool,
        /// Looks that the call of another source was for as well.
        shared_count: usize,
        /// Of so many, the last ones.
        looks_count: usize,
        /// The last of the shared ones.
        last_at: Option<UnixNumber>,
    },
    /// What its profile says of how much it posts.
    Profile {
        /// Posts a day since the account was made.
        told_per_day: f64,
        /// Posts a day that are expected by that alone: nearer to the mean of all.
        expected_per_day: f64,
    },
    /// What the next visit is expected to find.
    Expected {
        /// Posts by then.
        posts: f64,
        /// How long they will have waited, summed.
        wait_s: f64,
    },
    /// How often a source posts that no policy times.
    Pace {
        /// Posts a day.
        per_day: f64,
        /// Its newest post.
        last_post_at: Option<UnixNumber>,
    },
    /// How often it posts.
    Rate {
        /// Posts a day in the long run.
        mean_per_day: f64,
        /// Posts a day that are expected now.
        now_per_day: f64,
        /// Its newest post.
        last_post_at: Option<UnixNumber>,
    },
    /// How it behaves.
    Kind {
        /// The kind.
        kind: Behaviour,
    },
    /// What today is by its calendar, and which table of posts by hours speaks for it.
    Table {
        /// The holiday's name.
        holiday: Option<String>,
        /// It is a day of the weekend, and no holiday.
        is_weekend: bool,
        /// Whose table it is.
        speaker: DayTable,
    },
    /// What a visit costs and is worth.
    Cost {
        /// Requests of it.
        calls: f64,
        /// Waiting of posts, summed, that it must end.
        price_post_s: f64,
        /// What it would be worth now, in units of its price.
        worth_now: f64,
    },
    /// When it would be due if something were different.
    Otherwise {
        /// After one more post.
        one_more_post: When,
        /// At twice the price.
        price_doubled: When,
        /// At half the price.
        price_halved: When,
        /// Without a ceiling.
        no_ceiling: When,
    },
    /// What the looks at a single page have shown.
    Looks {
        /// How many are remembered.
        count: usize,
        /// Those that found a change.
        changed_count: usize,
        /// The last of them, the newest last.
        series: Vec<LookTold>,
        /// How similar two looks at once are: below 1 where the page differs at every fetch.
        noise: f64,
        /// What is at least this similar to the stored copy has not changed.
        similarity_max: f64,
    },
    /// The plan of a single page.
    Refresh {
        /// What sets the time of the next look.
        reason: RefreshReason,
        /// The looks of the coming days; none before the page is known.
        planned: Vec<PlannedTold>,
        /// What a look must save: waiting of posts, for which the changed share of the page stands.
        price_post_s: f64,
        /// How much of the page the copy shows on average, if the plan is kept.
        accuracy: Option<f64>,
        /// The longest that anything stays unvisited.
        ceiling_s: f64,
    },
    /// Its server sends posts by itself.
    Streamed {
        /// The name of the stream.
        stream: String,
        /// All posts of the list are sent; otherwise some are, and each makes it due.
        is_complete: bool,
        /// It is no connection but a page that is asked for again and again.
        #[serde(default)]
        is_page: bool,
        /// Connected since then; `None` while it is not.
        connected_at: Option<UnixNumber>,
        /// It was visited after the stream was connected, so the stream covers it.
        is_covered: bool,
        /// Requests that the stream took in this run, and visits that it spared.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bill: Option<(u64, u64)>,
        /// Why it is not connected.
        why: Option<String>,
    },
    /// A constraint says that it is not visited again.
    HeldBack {
        /// The expression that is not true of what it belongs to.
        constraint: String,
    },
    /// It is a list of members that the robot `link` is not to gather.
    Unchosen {
        /// Which: `network/type.link`.
        collection: String,
    },
    /// It rests, and is looked at now and then.
    Rests {
        /// Why.
        because: String,
    },
    /// What of it is proven complete.
    Coverage {
        /// How much.
        covered: Covered,
    },
    /// Its last visit failed.
    Failure {
        /// Why.
        why: String,
    },
}

/// One look at a single page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LookTold {
    /// When.
    pub at: Option<UnixNumber>,
    /// To the copy that was stored then.
    pub similarity: f64,
    /// It found a change.
    pub is_changed: bool,
}

/// One planned look at a single page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedTold {
    /// When.
    pub at: Option<UnixNumber>,
    /// What it saves until the look after it, in post-seconds.
    pub saved_post_s: f64,
}

/// What sets the time of the next look at a single page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RefreshReason {
    /// It measures what differs at every fetch.
    Noise,
    /// Too little is known of it: gaps grow.
    Exploring,
    /// Then a look is worth its price.
    Worth,
    /// Nothing stays unvisited longer.
    Ceiling,
}

/// A table of posts by hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DayTable {
    /// That of workdays.
    Workday,
    /// That of weekends.
    Weekend,
    /// That of all holidays that were seen.
    Holidays,
    /// That of the same holiday as it was seen before.
    Own,
}

/// The next visit of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NextVisit {
    /// None while it is paused.
    Paused,
    /// None, since it was removed.
    Removed,
    /// It is due.
    Due(When),
}

/// An instant as a schedule knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// By now.
    Now,
    /// Then.
    At(UnixNumber),
    /// At no time.
    Never,
}

impl When {
    /// How this instant stands to the present.
    pub fn of(at: freshet_types::Timestamp, now: freshet_types::Timestamp) -> Self {
        match UnixNumber::of(at) {
            _ if at <= now => Self::Now,
            Some(at) => Self::At(at),
            None => Self::Never,
        }
    }
}

/// What of a source is proven complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Covered {
    /// Nothing of it is collected, because its owner asks for that.
    OptedOut,
    /// What it showed is stored; of a profile there is nothing older that could be missing.
    Shown,
    /// All of it, up to this instant.
    Until(UnixNumber),
    /// All of it: it was empty.
    Empty,
    /// Nothing yet.
    Nothing,
    /// It has holes, and no request can close them.
    Shut {
        /// How many.
        holes_count: usize,
        /// Why not.
        obstacle: String,
    },
    /// It has holes.
    Holes {
        /// How many.
        holes_count: usize,
    },
}
