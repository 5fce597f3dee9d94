//! Algorithm 1 of seed 004: pages joined into index lists and post lists.
//!
//! | paper | here |
//! |---|---|
//! | `p_new`, `OutLinks` of `p_new` (pagination links) | [`ChainPage`], its `turns` |
//! | `sim(p_new, N_index) < δ` | `kind`: only pages of one kind are joined |
//! | `link_j ∈ OutLinks_i` and `p_new = link_j`, or the other way round | an edge of [`join`] |
//! | concatenate `p_new` into the list of `p_i` | pages with one leader |
//!
//! The order inside a list follows its next links from the page that no next link leads to. A list whose pages chain without
//! a hole is complete as far as it was sampled; [`PageList::is_chained`] says whether this one does.

use freshet_types::Map;

use crate::definition::PageKind;

/// What is needed of a page: its key, and the keys that its pagination leads to.
#[derive(Clone, Debug)]
pub struct ChainPage {
    pub kind: PageKind,
    /// The key of its address.
    pub key: String,
    /// The key of the next page.
    pub next: Option<String>,
    /// The keys of all pages that its pagination leads to.
    pub turns: Vec<String>,
}

/// Pages of one list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageList {
    /// Index or post.
    pub kind: PageKind,
    /// Its pages in order.
    pub pages: Vec<usize>,
    /// Whether each page's next link leads to the page after it, up to the end.
    pub is_chained: bool,
}

/// Joins pages into lists, in the order of their first pages.
pub fn join(pages: &[ChainPage]) -> Vec<PageList> {
    let mut at_key: Map<(&str, PageKind), usize> = Map::default();
    for (at, page) in pages.iter().enumerate() {
        at_key.entry((page.key.as_str(), page.kind)).or_insert(at);
    }
    let mut leaders: Vec<usize> = (0..pages.len()).collect();
    for (at, page) in pages.iter().enumerate().filter(|(_, page)| is_list(page.kind)) {
        for turn in page.turns.iter().chain(&page.next) {
            if let Some(&other) = at_key.get(&(turn.as_str(), page.kind)) {
                let (one, two) = (leader(&leaders, at), leader(&leaders, other));
                leaders[one.max(two)] = one.min(two);
            }
        }
    }
    let mut members: Map<usize, Vec<usize>> = Map::default();
    for (at, page) in pages.iter().enumerate() {
        if is_list(page.kind) {
            members.entry(leader(&leaders, at)).or_default().push(at);
        }
    }
    let mut lists: Vec<PageList> =
        members.into_values().map(|members| ordered(pages, &at_key, &members)).collect();
    lists.sort_by_key(|list| list.pages.iter().min().copied());
    lists
}

fn is_list(kind: PageKind) -> bool {
    matches!(kind, PageKind::Index | PageKind::Post)
}

fn leader(leaders: &[usize], mut at: usize) -> usize {
    while leaders[at] != at {
        at = leaders[at];
    }
    at
}

fn ordered(pages: &[ChainPage], at_key: &Map<(&str, PageKind), usize>, members: &[usize]) -> PageList {
    let kind = pages[members[0]].kind;
    let next = |at: usize| {
        pages[at].next.as_deref().and_then(|key| at_key.get(&(key, kind)).copied()).filter(|&it| it != at)
    };
    let is_led_to = |at: usize| members.iter().any(|&other| next(other) == Some(at));
    let first = members.iter().copied().find(|&at| !is_led_to(at)).unwrap_or(members[0]);
    let mut chain = vec![first];
    while let Some(after) = chain.last().and_then(|&at| next(at)).filter(|it| !chain.contains(it)) {
        chain.push(after);
    }
    let is_chained = chain.len() == members.len() && chain.last().is_some_and(|&at| pages[at].next.is_none());
    let rest = members.iter().copied().filter(|at| !chain.contains(at)).collect::<Vec<_>>();
    chain.extend(rest);
    PageList { kind, pages: chain, is_chained }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(key: &str, next: Option<&str>, turns: &[&str]) -> ChainPage {
        ChainPage {
            kind: PageKind::Post,
            key: key.to_owned(),
            next: next.map(ToOwned::to_owned),
            turns: turns.iter().map(|it| (*it).to_owned()).collect(),
        }
    }

    #[test]
    fn pages_are_joined_along_their_pagination() {
        let pages = [
            page("a3", None, &["a1", "a2"]),
            page("b1", None, &[]),
            page("a1", Some("a2"), &["a3"]),
            page("a2", Some("a3"), &["a1"]),
            page("c1", Some("c2"), &["c2"]),
        ];
        let lists = join(&pages);
        let found: Vec<_> = lists.iter().map(|it| (it.pages.clone(), it.is_chained)).collect();
        assert_eq!(found, [(vec![2, 3, 0], true), (vec![1], true), (vec![4], false)]);
    }
}
