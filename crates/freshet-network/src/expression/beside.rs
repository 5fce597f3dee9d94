//! Lists beside the items: an item names its author by number, and the answer lists the accounts elsewhere.
//!
//! Part of step 6 of 10. JSON:API puts them under `included`, Discourse under `users`. What is not found is no value. Lists are
//! short, so they are walked; how far is bounded, since every item may look something up.

use super::{ConditionPlan, Pointer, Scope, scalar};
use crate::format::Tree;

/// Elements that are looked at for one item: several times what the largest pages list beside.
const ELEMENTS_MAX: usize = 1000;

/// Where to look, and for what.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) at: Pointer,
    pub(crate) id: Pointer,
    pub(crate) value: Pointer,
    pub(crate) when: Option<ConditionPlan>,
}

impl Beside {
    /// What stands in the element of this name.
    pub(super) fn find(&self, name: &str, scope: Scope<'_>) -> Option<String> {
        let Tree::Array(list) = self.at.get(scope.body)? else { return None };
        let is_meant = |element: &&Tree<'_>| {
            self.id.get(element).and_then(scalar).as_deref() == Some(name)
                && self.when.as_ref().is_none_or(|when| when.holds(element, scope))
        };
        list.iter().take(ELEMENTS_MAX).find(is_meant).and_then(|element| scalar(self.value.get(element)?))
    }
}
