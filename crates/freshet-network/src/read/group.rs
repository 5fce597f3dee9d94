//! Answers about many roots at once: the pulse of each, or whose each post of a merged list is.
//!
//! What lacks an id, a root or a pulse is left out: whoever asked goes by what is there, and asks singly about the rest.

use freshet_types::{Intent, Page, Pulse, Share};

use super::texts;
use crate::definition::plan::{EndpointPlan, GroupPlan, Shows};
use crate::expression::Scope;
use crate::format::Tree;

/// Roots on whose lists one post may stand.
const ROOTS_OF_POST_MAX: usize = 100;

/// Adds to a page what an answer shows of the roots that were asked about; of a list's own first page, its pulse.
pub(super) fn read(
    group: &GroupPlan,
    endpoint: &EndpointPlan,
    (intent, tree): (&Intent, &Tree<'_>),
    scope: Scope<'_>,
    page: &mut Page,
) {
    match (intent, &group.shows) {
        (Intent::Group(_), Shows::Pulses { id, pulse, .. }) => each_item(endpoint, tree, scope, |item| {
            let first = |at| texts(at, item, scope).into_iter().next();
            if let (Some(root), Some(value)) = (first(id), first(pulse))
                && page.pulses.len() < group.roots_max
            {
                page.pulses.push(Pulse { root, value });
            }
        }),
        (Intent::Group(_), Shows::Posts { id, root }) => each_item(endpoint, tree, scope, |item| {
            let Some(post) = texts(id, item, scope).into_iter().next() else { return };
            let roots = texts(root, item, scope).into_iter().take(ROOTS_OF_POST_MAX);
            page.shares.extend(roots.map(|root| Share { root, post: post.clone() }));
        }),
        (Intent::First, Shows::Pulses { seen: Some(seen), .. }) => {
            let value = texts(seen, tree, scope).into_iter().next();
            page.pulses.extend(value.map(|value| Pulse { root: scope.root.to_owned(), value }));
        }
        _ => {}
    }
}

/// Each item that the answer lists.
fn each_item(endpoint: &EndpointPlan, tree: &Tree<'_>, scope: Scope<'_>, mut with: impl FnMut(&Tree<'_>)) {
    for group in endpoint.items.iter().filter(|group| group.is_listed) {
        for value in &group.at.values(tree, scope) {
            let items = match &**value {
                Tree::Array(list) => list.as_slice(),
                single => std::slice::from_ref(single),
            };
            for item in items {
                if let Some(item) = group.each.as_ref().map_or(Some(item), |pointer| pointer.get(item)) {
                    with(item);
                }
            }
        }
    }
}
