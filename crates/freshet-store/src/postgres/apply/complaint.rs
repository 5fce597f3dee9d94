//! Step 8 of 10: apply, complaints: what could not be used of an answer, in the transaction of what could.
//!
//! Invariant: no sample shows who is forgotten. A record that could not be read has no author to go by, so every word of a sample is
//! looked at as a name; where one is on the list, the complaint is kept without its sample.

use freshet_types::{Complaint, Map};

use super::super::complaints::{self, About};
use super::super::db::{OptionalExtension, Result};
use super::{Batch, Scene};
use crate::row::Upload;

impl Batch<'_> {
    pub(super) fn complaints(&self, scene: &Scene<'_>, upload: &Upload) -> Result<()> {
        if upload.complaints.is_empty() {
            return Ok(());
        }
        let endpoint = match scene.source {
            Some(source) => {
                let mut find = self.db.prepare_cached("SELECT endpoint FROM sources WHERE id = $1")?;
                find.query_row([source], |row| row.get::<_, String>(0)).optional()?
            }
            None => None,
        };
        let about = About {
            network: scene.network,
            endpoint: endpoint.as_deref().unwrap_or_default(),
            source: scene.source,
            visit: scene.visit,
            seen_at: scene.seen_at,
        };
        let is_hidden = self.shows_forgotten(scene, upload);
        let shown: Vec<Complaint> =
            upload.complaints.iter().map(|it| self.without_forgotten(scene, it, is_hidden)).collect();
        let mut by_kind: Map<String, Vec<&Complaint>> = Map::default();
        for complaint in &shown {
            by_kind.entry(complaint.kind()).or_default().push(complaint);
        }
        let mut by_kind: Vec<_> = by_kind.into_iter().collect();
        by_kind.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        by_kind.iter().try_for_each(|(kind, all)| complaints::add(self.db, &about, kind, all))
    }

    fn without_forgotten(&self, scene: &Scene<'_>, complaint: &Complaint, is_hidden: bool) -> Complaint {
        let names = |text: &str| self.names_forgotten(scene.network_name, text);
        let is_hidden = is_hidden || names(&complaint.sample) || names(&complaint.what);
        if !is_hidden {
            return complaint.clone();
        }
        Complaint { place: complaint.place.clone(), what: complaint.kind(), sample: String::new() }
    }

    /// Whether any word of a text, or what stands between two quotes, names who or what is forgotten.
    fn names_forgotten(&self, network: &str, text: &str) -> bool {
        let is_out = |name: &str| {
            let forgotten = &self.forgotten;
            forgotten.has_account(network, name)
                || forgotten.has_handle(network, name)
                || forgotten.has_mention(network, name)
        };
        let is_end = |letter: char| !letter.is_alphanumeric() && !"-_.:@".contains(letter);
        let bare = |word: &str| is_out(word.trim_matches(|letter: char| !letter.is_alphanumeric()));
        !self.forgotten.is_empty()
            && (text.split(['"', '`']).any(is_out)
                || text.split(is_end).any(|word| is_out(word) || bare(word)))
    }
}
