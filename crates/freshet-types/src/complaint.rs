//! What could not be used of a page, so that a person can look it up.
//!
//! One malformed record never costs the page. A complaint says where it stands, what is wrong and how it begins; complaints that
//! differ only in what they quote are of one kind ([`Complaint::kind`]) and are counted together. It judges nothing: whoever reads
//! a page complains, and the store keeps a bounded number of samples.

use serde::{Deserialize, Serialize};

/// Something on a page that could not be used; counted, sampled, shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complaint {
    /// Where: a JSON pointer, an element, a header.
    pub place: String,
    /// What is wrong with it. What is quoted from the page stands between backticks.
    pub what: String,
    /// How the record begins that it is about; empty where there is none to show, or nobody may see it.
    pub sample: String,
}

impl Complaint {
    /// Longest text kept of what is wrong.
    pub(crate) const WHAT_BYTES_MAX: usize = 300;
    /// Longest place.
    const PLACE_BYTES_MAX: usize = 200;
    /// Longest sample: enough for the fields of an item, too little for a page.
    pub const SAMPLE_BYTES_MAX: usize = 1_000;

    /// A complaint about `place`.
    pub fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        let (mut place, mut what) = (place.into(), what.into());
        cut(&mut place, Self::PLACE_BYTES_MAX);
        cut(&mut what, Self::WHAT_BYTES_MAX);
        Self { place, what, sample: String::new() }
    }

    /// With the beginning of what it is about.
    #[must_use]
    pub fn with_sample(mut self, sample: impl Into<String>) -> Self {
        self.sample = sample.into();
        cut(&mut self.sample, Self::SAMPLE_BYTES_MAX);
        self
    }

    /// What is wrong, without what differs from case to case: `…` for what is quoted, `#` for a number.
    pub fn kind(&self) -> String {
        let mut kind = String::with_capacity(self.what.len());
        for (at, part) in self.what.split('`').enumerate() {
            if at % 2 == 1 {
                kind.push_str("`…`");
                continue;
            }
            let mut was_digit = false;
            for letter in part.chars() {
                if !letter.is_ascii_digit() {
                    kind.push(letter);
                } else if !was_digit {
                    kind.push('#');
                }
                was_digit = letter.is_ascii_digit();
            }
        }
        kind
    }
}

fn cut(text: &mut String, bytes_max: usize) {
    text.truncate(text.floor_char_boundary(bytes_max));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_that_differ_in_what_they_quote_are_of_one_kind() {
        for (what, kind) in [
            ("the item has no id", "the item has no id"),
            ("`never` is not a time", "`…` is not a time"),
            ("12 more complaints like these", "# more complaints like these"),
            ("`a12` and 12.5 of `", "`…` and #.# of `…`"),
            ("", ""),
        ] {
            assert_eq!(Complaint::new("/0", what).kind(), kind);
        }
    }

    #[test]
    fn all_parts_are_bounded_whatever_letters_they_have() {
        let long = "ä".repeat(5000);
        let complaint = Complaint::new(long.clone(), long.clone()).with_sample(long);
        let lengths = [complaint.place.len(), complaint.what.len(), complaint.sample.len()];
        assert_eq!(lengths, [200, 300, 1000]);
    }
}
