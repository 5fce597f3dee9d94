//! Single pages as sources: what a look at one means, and when the next one is due. Steps 7, 2 and 10 of 10.
//!
//! A page has no list and no times: [`PageModel`] compares what it shows with what is stored of it. A look that shows the same but for
//! noise teaches the model and brings the store nothing; one that shows a change brings the page, and its object is edited there like
//! any post. The model travels in the source's own record, so that page and model are stored together or not at all. Pages have
//! their own plan whatever the policy is: policies foretell posts, and a page has none.
//!
//! What it does not do: decide what a call costs. The price is that of all sources of the server.

use std::collections::BTreeMap;

use freshet_policy::page::{Ages, PageModel, PagePlan, Terms};
use freshet_policy::{Grade, Market, Pacing};
use freshet_types::{NetworkName, Page, Source, SourceState, Timestamp};

/// What old pages of threads have shown, by forum.
pub(crate) type AgesOf = BTreeMap<NetworkName, Ages>;

/// Takes in a look at a page, and leaves of it what is to be stored. One that was not active before is stored as it is: it
/// is back.
pub(crate) fn take_in(source: &mut Source, state_before: SourceState, page: &mut Page, at: Timestamp) {
    let mut model = PageModel::from_bytes(&source.model);
    let text = page.observation.posts.first().map(|post| post.text.as_str());
    let text = text.filter(|_| !page.is_unchanged);
    if text.is_none() && !page.is_unchanged {
        return; // It could not be read, and a complaint says so.
    }
    if !model.look(at, text, state_before != SourceState::Active) {
        page.observation = freshet_types::Observation::default();
    }
    source.model = model.to_bytes();
}

/// The plan of a page that was looked at `now`.
pub fn plan(source: &Source, market: &Market, pacing: Pacing, now: Timestamp) -> PagePlan {
    let terms = Terms {
        price: market.price,
        weight: f64::from(source.weight),
        floor: pacing.floor,
        ceiling: pacing.ceiling * market.ceiling_stretch.max(1.0),
    };
    PageModel::from_bytes(&source.model).plan(&terms, now)
}

/// How a page counts in the demand for visits: what it loses stands for posts.
pub(crate) fn grade(source: &Source) -> Grade {
    Grade::of(f64::from(source.weight), PageModel::from_bytes(&source.model).rate_per_s())
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshet_policy::Objective;
    use freshet_types::{Observation, Post, RobotKind};

    fn shown(text: &str) -> Page {
        let posts = vec![Post { id: "u".to_owned(), text: text.to_owned(), ..Post::default() }];
        Page { observation: Observation { posts, ..Observation::default() }, ..Page::default() }
    }

    #[test]
    fn only_what_changed_is_left_for_the_store() {
        let network = NetworkName::from("page:a.example");
        let mut source = Source::new(&network, "page", RobotKind::Status, "page", "https://a.example/");
        assert!(source.is_page());
        let text: String = (0..200).map(|word| format!("word{word}")).collect::<Vec<_>>().join(" ");
        let mut look = |hours: f64, mut page: Page, before: SourceState| {
            let at = Timestamp::from_secs(1_700_000_000) + freshet_types::Span::HOUR * hours;
            take_in(&mut source, before, &mut page, at);
            page.observation.posts.len()
        };
        let active = SourceState::Active;
        assert_eq!(look(0.0, shown(&text), active), 1, "the first");
        assert_eq!(look(1.0, shown(&text), active), 0, "the same");
        assert_eq!(look(2.0, shown(&text.replace("word199", "count8")), active), 0, "a counter");
        assert_eq!(look(3.0, Page { is_unchanged: true, ..Page::default() }, active), 0);
        assert_eq!(look(4.0, shown(&text.replace("word1", "other")), active), 1, "a change");
        assert_eq!(look(5.0, shown(&text.replace("word1", "other")), SourceState::Gone), 1, "it is back");
        assert_eq!(look(6.0, Page::default(), active), 0, "nothing could be read");
        let model = PageModel::from_bytes(&source.model);
        assert_eq!(model.looks().len(), 6);
        let market = Market { price: 112.5, ..Market::new(Objective::Delay) };
        let now = model.looks()[5].at;
        let due_at = plan(&source, &market, Pacing::default(), now).due_at;
        assert!(due_at > now && due_at - now <= Pacing::default().ceiling);
        assert!(grade(&source) != Grade::NONE);
    }
}
