//! Accounts: the four kinds [CUVIM, section 3], how each is drawn, and how they stand.
//!
//! | kind | share | behaviour |
//! |---|--:|---|
//! | inactive | 45 % | a few posts a month, at any hour |
//! | unstable | 20 % | silent for days, then a burst of hours |
//! | constant | 30 % | a few posts a day around two own peaks, fewer at the weekend |
//! | authority | 5 % | about one an hour, day and night, gathered around one minute |
//!
//! Every account draws from its own stream of random numbers, so that what one does never
//! shifts what another draws.

use rand::{Rng, RngExt, SeedableRng};
use rand_distr::LogNormal;
use rand_pcg::Pcg32;

use super::rhythm::{DAY_MS, HOUR_MS, MINUTE_MS, Rhythm};
use super::text::{self, LANGUAGE_COUNT, TAG_COUNT};

/// No account posts faster than this on average; people and newsrooms sleep or edit.
const RATE_PER_DAY_MAX: f64 = 150.0;
/// Rate of an unstable account between its bursts, relative to them.
pub(crate) const QUIET_MOOD: f32 = 0.002;
/// How long an unstable account is silent, on average.
pub(crate) const QUIET_MS_MEAN: f64 = 4.0 * DAY_MS as f64;
/// How long its bursts last, on average.
pub(crate) const BURST_MS_MEAN: f64 = 9.0 * HOUR_MS as f64;

/// The four kinds of account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccountKind {
    /// A few posts a month.
    Inactive,
    /// Silent for days, then very active for hours.
    Unstable,
    /// Regular, with a daily rhythm.
    Constant,
    /// A newsroom or a machine: frequent, regular, widely followed.
    Authority,
}

/// How an account stands with its network and the public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Everybody sees it.
    Public,
    /// It shows its posts to nobody we know.
    Private,
    /// The network suspended it.
    Suspended,
    /// It was deleted for good.
    Departed,
}

/// What tests and reports may know of an account beyond its public face.
#[derive(Clone, Copy, Debug)]
pub struct AccountInfo<'a> {
    pub id: u64,
    /// Its handle, without the host.
    pub handle: &'a str,
    /// Which of the four kinds it is.
    pub kind: AccountKind,
    /// How it stands now.
    pub standing: Standing,
    /// Hour of the day (UTC) around which it posts most.
    pub peak_hour: u32,
    /// Posts so far, deleted ones included.
    pub post_count: usize,
}

/// One end of a follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// Number of the follow, rising with time.
    pub number: u32,
    /// The account at the other end.
    pub other: u32,
}

/// One account.
#[derive(Debug)]
pub(crate) struct Account {
    pub id: u64,
    pub handle: String,
    pub kind: AccountKind,
    pub rng: Pcg32,
    pub rhythm: Rhythm,
    /// Multiplies the rate; below one between the bursts of unstable accounts.
    pub mood: f32,
    /// Counts changes of plan; a planned post of an earlier round is void.
    pub round: u32,
    pub standing: Standing,
    pub standing_since_ms: i64,
    /// Since when its profile says that it is there; its id may be older.
    pub joined_ms: i64,
    /// Places of its posts, from old to new.
    pub timeline: Vec<u32>,
    /// Posts that were not deleted.
    pub post_count: u32,
    pub following: Vec<Edge>,
    pub followers: Vec<Edge>,
    /// The tags it likes.
    pub tags: [u8; 3],
    /// Number of the language it writes in.
    pub language: u8,
}

impl Account {
    /// Draws account `index`; `created_at_ms` rises with the index, hence ids do.
    pub(crate) fn draw(seed: u64, index: u32, created_at_ms: i64, rate_scale: f64) -> Self {
        let mut rng = Pcg32::seed_from_u64(text::mix(seed, u64::from(index)));
        // A low-discrepancy sequence keeps the shares right in worlds of any size.
        let offset = text::mix(seed, u64::MAX) >> 40;
        let share = (u64::from(index) + offset).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11;
        let kind = AccountKind::of_share(share as f64 / (1u64 << 53) as f64);
        let rhythm = kind.rhythm(&mut rng, rate_scale).settle();
        let tags = std::array::from_fn(|_| rng.random_range(0..TAG_COUNT));
        // Half of all write in the first language; the rest is spread over the others.
        let language = if rng.random_bool(0.5) { 0 } else { rng.random_range(0..LANGUAGE_COUNT) };
        Self {
            id: (created_at_ms as u64) << 16 | u64::from(index & 0xffff),
            handle: text::handle(seed, index),
            kind,
            rng,
            rhythm,
            mood: if kind == AccountKind::Unstable { QUIET_MOOD } else { 1.0 },
            round: 0,
            standing: Standing::Public,
            standing_since_ms: created_at_ms,
            joined_ms: created_at_ms,
            timeline: Vec::new(),
            post_count: 0,
            following: Vec::new(),
            followers: Vec::new(),
            tags,
            language,
        }
    }

    /// Since when its posts are hidden, if they are.
    pub(crate) fn hidden_since_ms(&self) -> Option<i64> {
        matches!(self.standing, Standing::Private | Standing::Suspended).then_some(self.standing_since_ms)
    }
}

impl AccountKind {
    fn of_share(share: f64) -> Self {
        match share {
            0.0..0.45 => Self::Inactive,
            0.45..0.65 => Self::Unstable,
            0.65..0.95 => Self::Constant,
            _ => Self::Authority,
        }
    }

    /// Draws the rhythm of one account of this kind; rates are log-normal, hence heavy-tailed.
    fn rhythm(self, rng: &mut impl Rng, rate_scale: f64) -> Rhythm {
        // Logarithms of the median rates 0.12, 22, 3.8 and 18 posts a day.
        let (log_median, sigma) = match self {
            Self::Inactive => (-2.12, 0.8),
            Self::Unstable => (3.09, 0.6),
            Self::Constant => (1.335, 0.6),
            Self::Authority => (2.89, 0.5),
        };
        let rates = LogNormal::new(log_median, sigma).expect("the parameters above are finite");
        let rate: f64 = rng.sample(rates);
        // Peaks gather in the afternoon and evening, but some people live at night.
        let peak_ms = (rng.random_range(12 * HOUR_MS..22 * HOUR_MS)
            + i64::from(rng.random_bool(0.2)) * rng.random_range(0..12 * HOUR_MS))
            % DAY_MS;
        let (floor, width_hours, weekend) = match self {
            Self::Inactive => (0.3, 8, rng.random_range(0.7..1.0)),
            Self::Unstable => (0.2, 8, rng.random_range(0.6..1.0)),
            Self::Constant => (0.03, rng.random_range(2..5), rng.random_range(0.35..0.85)),
            Self::Authority => (0.7, 8, rng.random_range(0.8..1.0)),
        };
        let beat_ms = rng.random_range(0..60) * MINUTE_MS;
        Rhythm {
            rate_per_day: (rate * rate_scale).min(RATE_PER_DAY_MAX),
            peak_ms,
            second_peak_ms: (peak_ms + rng.random_range(4 * HOUR_MS..8 * HOUR_MS)) % DAY_MS,
            width_ms: width_hours * HOUR_MS,
            floor,
            weekend,
            beat_ms: (self == Self::Authority).then_some(beat_ms),
            mean: 1.0,
        }
    }
}
