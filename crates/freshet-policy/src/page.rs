//! Pages that are not lists (a profile, a page of a wiki): what a series of looks says of when they change. Steps 1 and 10 of 10.
//!
//! A page says nothing of when it changed; it can only be compared with what it was. Each look leaves its similarity to the copy
//! that is stored, and to the look before ([`Sketch`]).
//!
//! | paper | here |
//! |---|---|
//! | PTS, the similarity series of a page | [`PageModel::looks`], of the last [`LOOKS_MAX`] looks |
//! | ζ, the maximum similarity: what stayed that similar has not changed | [`PageModel::similarity_max`] |
//! | the plan T′ | [`PageModel::plan`], with rates learned from the series (`rates`) |
//!
//! **Noise.** Many pages differ at every fetch: a token, an advertisement, a counter. What differs between two looks a minute apart is
//! taken for noise, since no crawl could keep up with it. So the second look at a page follows the first at once; if it differs,
//! a third follows, which tells noise (it differs again) from a change that happened to fall between the two; and when
//! [`EDITS_RUN`] looks in a row all brought a change, the next one measures again. ζ lies below the noise by a margin. A
//! change that is smaller than the noise is not seen before others have added up to more: similarities are to the stored copy.
//!
//! Of a change counts what it lost beyond the noise. Cost: a look O(1) beside its sketch; about 2 KB a page.

mod ages;
mod plan;
mod rates;

pub use ages::{AgedLook, Ages};
pub use plan::{PagePlan, PageReason, PlannedLook, Terms};

use freshet_types::{Span, Timestamp};

use crate::change::ChangeRate;
use crate::change::kind::Week;
use crate::pack::{Reader, Writer};
use crate::refresh::Sketch;
use crate::stored::{self, Extras};
use crate::{ChangeModel as _, Look, Pool};

/// Looks that are remembered; fruitless ones in a row count as one, so that they reach back over twenty changes at least.
const LOOKS_MAX: usize = 64;
/// ζ of a page without noise: what is more similar than this is a date or a counter somewhere on it.
const SIMILARITY_MAX: f64 = 0.97;
/// How far ζ lies below the noise at most, since that varies and sketches err; less where there is hardly any.
const NOISE_MARGIN: f64 = 0.08;
/// Looks that are at most this far apart show noise.
const NOISE_GAP: Span = Span::from_secs(600);
/// Measures of noise that are remembered; the most similar of them counts.
const MEASURES_MAX: usize = 3;
/// Changed looks in a row after which noise is measured again.
const EDITS_RUN: usize = 3;
/// And again with every so many more.
const EDITS_RUN_AGAIN: usize = 8;
/// The name under which the model is stored, in the place of a policy's.
const NAME: &str = "refresh";

/// One look at a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageLook {
    pub at: Timestamp,
    /// To the copy that was stored before the look.
    pub similarity: f64,
    /// It was less similar than ζ: the page has changed.
    pub is_edit: bool,
    /// What the change left of the page, noise not counted; 1 where there was none.
    left: f64,
}

/// What is known of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageModel {
    rate: ChangeRate,
    looks: Vec<PageLook>,
    /// Of the copy that is stored.
    stored: Sketch,
    /// Of the last look.
    last: Sketch,
    /// Similarities that are due to noise alone, the newest last.
    measures: Vec<f64>,
}

impl PageModel {
    /// What these bytes say; those of another model say nothing.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(bytes).unwrap_or_default()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = stored::own(bytes, NAME)?;
        let reader = &mut reader;
        let (stored, last) = (Sketch::read(reader)?, Sketch::read(reader)?);
        let measure_count = usize::from(reader.byte()?).min(MEASURES_MAX);
        let measures = (0..measure_count).map(|_| reader.amount()).collect::<Option<_>>()?;
        let look_count = usize::from(reader.byte()?).min(LOOKS_MAX);
        let look = |reader: &mut Reader<'_>| {
            let (at, similarity, left) = (reader.time()?, reader.amount()?, reader.amount()?);
            Some(PageLook { at, similarity, left, is_edit: reader.byte()? != 0 })
        };
        let looks = (0..look_count).map(|_| look(reader)).collect::<Option<_>>()?;
        Some(Self { rate: ChangeRate::from_bytes(bytes), looks, stored, last, measures })
    }

    /// For the store: as every model's bytes they begin with the change rate, which reports read.
    pub fn to_bytes(&self) -> Vec<u8> {
        let writer = Week::default().write(stored::head(&self.rate, NAME, Extras::default()));
        let writer = self.last.write(self.stored.write(writer)).byte(self.measures.len() as u8);
        let writer = self.measures.iter().fold(writer, |writer, measure| writer.float(*measure));
        let look = |writer: Writer, look: &PageLook| {
            writer.time(look.at).float(look.similarity).float(look.left).byte(u8::from(look.is_edit))
        };
        self.looks.iter().fold(writer.byte(self.looks.len() as u8), look).0
    }

    /// Takes in a look at `at`: what the page shows, `None` where the server says that it shows what it showed before. Gives whether
    /// that is to be stored: it is the first, or the page has changed. One `is_wanted` is, whatever it shows.
    pub fn look(&mut self, at: Timestamp, text: Option<&str>, is_wanted: bool) -> bool {
        let shown = text.map_or_else(|| self.last.clone(), Sketch::of);
        let Some(before) = self.looks.last().copied() else {
            (self.stored, self.last) = (shown.clone(), shown);
            self.looks.push(PageLook { at, similarity: 1.0, is_edit: false, left: 1.0 });
            return true;
        };
        let (steady, similarity) = (shown.similarity(&self.last), shown.similarity(&self.stored));
        // Whatever the time between two looks: where they are the same, there is no noise, or less than was thought.
        let is_calmer = steady >= 1.0 || steady > self.noise() + NOISE_MARGIN;
        let is_measure = at - before.at <= NOISE_GAP;
        if is_measure && self.run() >= EDITS_RUN {
            // What was measured before all these changes says nothing of them.
            self.measures.clear();
        }
        if is_measure || is_calmer {
            self.measures.push(steady);
            self.measures.drain(..self.measures.len().saturating_sub(MEASURES_MAX));
        }
        let is_edit = similarity < self.similarity_max();
        let left = if is_edit { (similarity / self.noise()).min(1.0) } else { 1.0 };
        self.looks.push(PageLook { at, similarity, is_edit, left });
        if self.looks.len() > LOOKS_MAX {
            self.forget_one();
        }
        self.last = shown;
        if is_edit || is_wanted {
            self.stored = self.last.clone();
        }
        if is_edit {
            let look = Look { since: Some(before.at), at, news: &[at], is_full: false };
            self.rate.learn(&look, &Pool::default());
        }
        is_edit || is_wanted
    }

    /// Forgets the look that says least: of two fruitless ones in a row the earlier says nothing that the later does not.
    fn forget_one(&mut self) {
        let is_said_again = |at: &usize| !self.looks[*at].is_edit && !self.looks[at + 1].is_edit;
        // The last two tell whether noise was measured.
        let place = (1..self.looks.len().saturating_sub(2)).find(is_said_again).unwrap_or(0);
        self.looks.remove(place);
    }

    /// The looks that are remembered, the last one last.
    pub fn looks(&self) -> &[PageLook] {
        &self.looks
    }

    /// How similar two looks are between which nothing happened: 1 without noise.
    pub fn noise(&self) -> f64 {
        if self.measures.is_empty() {
            1.0
        } else {
            self.measures.iter().copied().fold(f64::MIN_POSITIVE, f64::max)
        }
    }

    /// ζ of this page.
    pub fn similarity_max(&self) -> f64 {
        let noise = self.noise();
        SIMILARITY_MAX.min(noise - NOISE_MARGIN.min(2.0 * (1.0 - noise)))
    }

    /// Looks up to the last that all found a change.
    fn run(&self) -> usize {
        self.looks.iter().rev().take_while(|look| look.is_edit).count()
    }

    /// Whether the last look came so soon after the one before that it measured noise.
    fn is_measured(&self) -> bool {
        matches!(self.looks.as_slice(), [.., before, last] if last.at - before.at <= NOISE_GAP)
    }

    /// Whether the next look is to measure noise.
    fn wants_measure(&self) -> bool {
        let run = self.run();
        match self.measures.as_slice() {
            // Tried once: where looks come late, waiting for one that does not would be a look a minute for ever.
            [] if self.looks.len() == 1 => true,
            [only] if *only < SIMILARITY_MAX && self.is_measured() => true,
            _ => run >= EDITS_RUN && (run - EDITS_RUN).is_multiple_of(EDITS_RUN_AGAIN),
        }
    }

    /// How much of the page is lost a second in the long run: what stands for posts a second.
    pub fn rate_per_s(&self) -> f64 {
        rates::Rates::of(&self.looks).mean_per_s()
    }
}

#[cfg(test)]
mod tests;
