//! Step 6 of 10, read: which links turn the page of a list, told from all other links.
//!
//! A link turns the page when its address differs from that of the page in one number ([`crate::address::turn`]), and the place of
//! that number is known to be a page number: because links that *read* 1, 2, 3 lead to evenly spaced values of it, or because
//! the page itself says `rel=next`. Words and arrows choose among such links, they never make one. So links to the next
//! *thread*, to a post, or to another order of the list are not mistaken for pages.
//!
//! Traps: a Next that leads back or to the same page is refused; where a site says `rel=next` in its head, that is believed
//! and its visible Next is not, and where the head is silent there is no next page. What it does not do: fetch. Whether a server
//! ignores the number shows only in what it answers; learning compares such pages.

mod run;
mod stated;
mod words;

use std::borrow::Cow;

use freshet_types::Map;

use crate::address::{self, Slot, Turner};
use crate::page::{Link, Page};

use run::Row;
use stated::Position;
use words::Direction;

/// A number on a link that may be that of a page.
const NUMBER_MAX: i64 = 100_000;

/// The pages around a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pager {
    /// The page after this one.
    pub next: Option<String>,
    /// The page before.
    pub previous: Option<String>,
    /// The last page, where the page links to it.
    pub last: Option<String>,
    /// The page says that the list goes on, and no link leads there.
    pub is_broken_off: bool,
    /// Links that were refused, and why.
    pub complaints: Vec<String>,
}

/// What speaks for a place of page numbers on one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// A link with a word or an arrow.
    Word,
    /// Links that read 1, 2, 3 and lead to evenly spaced values.
    Numbers,
    /// The page says `rel=next` or `rel=prev`.
    Relation,
}

/// A link that changes one number of the page's address.
struct Step<'a> {
    link: &'a Link,
    text: Cow<'a, str>,
    slot: Slot,
    from: Option<i64>,
    to: Option<i64>,
    number: Option<i64>,
    direction: Option<Direction>,
}

impl Step<'_> {
    /// A word proves a place only where the number comes or goes: from thread 8 to thread 9 it changes, too.
    fn may_be_word(&self) -> bool {
        self.from.is_none() || self.to.is_none() || matches!(self.slot, Slot::Tail(_))
    }
}

/// Places of page numbers that one page speaks for.
pub fn evidence(page: &Page) -> Vec<(Slot, Evidence)> {
    let steps = steps(page, &[]);
    let mut found: Map<Slot, Evidence> = Map::default();
    let mut add = |slot: &Slot, evidence: Evidence| {
        let known = found.entry(slot.clone()).or_insert(evidence);
        *known = (*known).max(evidence);
    };
    for step in &steps {
        if page.is_relation(step.link, "next") || page.is_relation(step.link, "prev") {
            add(&step.slot, Evidence::Relation);
        } else if matches!(step.direction, Some(Direction::Next | Direction::Previous)) && step.may_be_word()
        {
            add(&step.slot, Evidence::Word);
        }
    }
    let position = Position::of(page);
    for step in steps.iter().filter(|step| is_neighbour(step, &steps, position)) {
        add(&step.slot, Evidence::Numbers);
    }
    let mut slots: Vec<&Slot> = steps.iter().map(|step| &step.slot).collect();
    slots.sort_unstable();
    slots.dedup();
    for slot in slots {
        let points: Vec<_> =
            steps.iter().filter(|it| it.slot == *slot).filter_map(|it| Some((it.number?, it.to))).collect();
        let from = steps.iter().find(|it| it.slot == *slot).and_then(|it| it.from);
        if is_even(&points, from) {
            add(slot, Evidence::Numbers);
        }
    }
    for place in run::own_rows(page).iter().filter_map(|row| row.place(page)) {
        std::iter::once(&place.slot).chain(&place.beside).for_each(|slot| add(slot, Evidence::Numbers));
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// Whether a step rises by words and arrows as page numbers do: as far to the next page as another to the previous one, or to the
/// neighbour of the page that this page says it is.
fn is_neighbour(step: &Step<'_>, steps: &[Step<'_>], position: Option<Position>) -> bool {
    let (opposite, along) = match step.direction {
        Some(Direction::Next) => (Direction::Previous, 1),
        Some(Direction::Previous) => (Direction::Next, -1),
        _ => return false,
    };
    let Some(to) = step.to else { return false };
    let from = step.from.unwrap_or(0);
    let is_back = |it: &Step<'_>| {
        it.slot == step.slot
            && it.direction == Some(opposite)
            && it.to.is_some_and(|it| it - from == from - to)
    };
    let is_told = |at: Position| {
        let target = at.page + along;
        // Pages are counted from one, from nought, or by their first record.
        let is_counted = to == target || (from == at.page - 1 && to == target - 1);
        let is_offset = from * (target - 1) == to * (at.page - 1);
        (1..=at.count).contains(&target) && from != to && (is_counted || is_offset)
    };
    (step.from.is_some() && from != to && steps.iter().any(is_back)) || position.is_some_and(is_told)
}

/// Whether numbers that are read and values that are led to rise together evenly; `from` is the value of the page itself.
fn is_even(points: &[(i64, Option<i64>)], from: Option<i64>) -> bool {
    let mut valued: Vec<(i64, i64)> =
        points.iter().filter_map(|(number, to)| Some((*number, (*to)?))).collect();
    valued.sort_unstable();
    valued.dedup();
    if points.iter().any(|(number, to)| to.is_none() && *number != 1) {
        return false;
    }
    match valued.as_slice() {
        [] => false,
        // One number is enough beside the page itself: page 2 of two, or the neighbour at the same distance.
        [(number, value)] => match from {
            None => *number == 2 && *value > 0,
            Some(from) => {
                let rise = (from - value).abs();
                rise > 0 && (*value == rise * number || *value == rise * (number - 1))
            }
        },
        [first, .., last] => {
            let rise = |a: &(i64, i64), b: &(i64, i64)| (b.1 - a.1, b.0 - a.0);
            let (up, along) = rise(first, last);
            up > 0
                && along > 0
                && up % along == 0
                && valued.windows(2).all(|pair| {
                    let (here, apart) = rise(&pair[0], &pair[1]);
                    apart > 0 && here == apart * (up / along)
                })
        }
    }
}

/// Whether the head of the page says where its neighbours are.
pub(crate) fn has_head_relation(page: &Page) -> bool {
    let heads = page.links.iter().filter(|link| link.is_head);
    heads.into_iter().any(|link| page.is_relation(link, "next") || page.is_relation(link, "prev"))
}

/// The pages around a page. `is_head_only`: the site's heads are believed, its visible links are not.
pub fn pager(page: &Page, slots: &[Slot], is_head_only: bool) -> Pager {
    let mut pager = Pager::default();
    let own = address::key(&page.url);
    let is_other =
        |link: &&Link| link.url.host_str() == page.url.host_str() && address::key(&link.url) != own;
    let head = |name: &str| {
        let found = page.links.iter().filter(|link| link.is_head && page.is_relation(link, name));
        found.into_iter().find(is_other).map(shown)
    };
    pager.next = head("next");
    pager.previous = head("prev").or_else(|| head("previous"));
    let steps: Vec<Step<'_>> =
        steps(page, slots).into_iter().filter(|it| !it.link.is_head && slots.contains(&it.slot)).collect();
    let is_silent =
        is_head_only && !page.links.iter().any(|link| link.is_head && page.is_relation(link, "next"));
    let row = if is_head_only { None } else { own_row(page, slots) };
    if pager.next.is_none() && !is_silent {
        pager.next = forward(page, &steps, row.as_ref(), &mut pager.complaints);
    }
    if pager.previous.is_none() && !is_head_only {
        let by_row = || row.as_ref().and_then(|row| row.link(row.current? - 1)).map(shown);
        pager.previous = backward(page, &steps).or_else(by_row);
    }
    if !is_head_only
        || pager.next.as_ref().is_some_and(|next| steps.iter().any(|step| shown(step.link) == *next))
    {
        let by_row = || row.as_ref().and_then(Row::last).map(|(_, link)| shown(link));
        pager.last = last(&steps, pager.next.is_some()).or_else(|| by_row().filter(|_| pager.next.is_some()));
    }
    if pager.next.is_none() {
        pager.find_break(page);
    }
    pager
}

impl Pager {
    /// Says where a page without a next link tells of pages after it: numbers in a row, or its place among all pages.
    fn find_break(&mut self, page: &Page) {
        let stated = Position::of(page).filter(|it| it.has_more()).map(|it| (it.page, it.count));
        let found = stated.or_else(|| run::own_rows(page).iter().find_map(Row::beyond));
        if let Some((at, count)) = found {
            self.is_broken_off = true;
            self.complaints.push(format!("this is page {at} of {count}, and no link leads to the next"));
        }
    }
}

/// The row of numbers that turns this page.
fn own_row<'a>(page: &'a Page, slots: &[Slot]) -> Option<Row<'a>> {
    run::own_rows(page)
        .into_iter()
        .find(|row| row.place(page).is_some_and(|place| slots.contains(&place.slot)))
}

fn forward(
    page: &Page,
    steps: &[Step<'_>],
    row: Option<&Row<'_>>,
    complaints: &mut Vec<String>,
) -> Option<String> {
    let is_later = |step: &&Step<'_>| match (step.from, step.to) {
        (Some(from), Some(to)) => to > from,
        (None, Some(_)) => step.number != Some(1),
        (_, None) => false,
    };
    let told = |is: &dyn Fn(&Step<'_>) -> bool| {
        steps.iter().filter(|step| is(step)).find(is_later).map(|it| shown(it.link))
    };
    let by_relation = told(&|step| page.is_relation(step.link, "next"));
    let by_word = || told(&|step| step.direction == Some(Direction::Next));
    let by_row = || row.and_then(|row| row.link(row.current? + 1)).map(shown);
    let by_number = || {
        // A row says which page this is: where it has no link to the one after it, none is.
        if row.is_some() {
            return None;
        }
        let numbered = steps.iter().filter(|step| step.number.is_some()).filter(is_later);
        numbered.min_by_key(|step| step.to).map(|step| shown(step.link))
    };
    let found = by_relation.or_else(by_word).or_else(by_row).or_else(by_number);
    let is_told =
        |step: &&Step<'_>| step.direction == Some(Direction::Next) || page.is_relation(step.link, "next");
    if found.is_none()
        && let Some(refused) = steps.iter().find(is_told)
    {
        complaints.push(format!("a link reads next and leads back: `{}`", refused.link.url));
    }
    found
}

fn backward(page: &Page, steps: &[Step<'_>]) -> Option<String> {
    let is_earlier = |step: &&Step<'_>| match (step.from, step.to) {
        (Some(from), Some(to)) => to < from,
        (Some(_), None) => true,
        (None, _) => false,
    };
    let told = steps
        .iter()
        .filter(|step| step.direction == Some(Direction::Previous) || page.is_relation(step.link, "prev"));
    let by_word = told.clone().find(is_earlier);
    let numbered = steps.iter().filter(|step| step.number.is_some()).filter(is_earlier);
    by_word.or_else(|| numbered.max_by_key(|step| step.to)).map(|step| shown(step.link))
}

fn last(steps: &[Step<'_>], has_next: bool) -> Option<String> {
    if !has_next {
        return None;
    }
    let told = steps.iter().find(|step| step.direction == Some(Direction::Last) && step.to > step.from);
    let numbered = steps.iter().filter(|step| step.number.is_some() && step.to > step.from);
    told.or_else(|| numbered.max_by_key(|step| step.to)).map(|step| shown(step.link))
}

/// All links of a page that change one number of its address.
fn steps<'a>(page: &'a Page, slots: &[Slot]) -> Vec<Step<'a>> {
    let turner = Turner::knowing(&page.url, slots);
    let mut steps: Vec<Step<'_>> = page
        .links
        .iter()
        .filter_map(|link| {
            let turn = turner.turn(&link.url)?;
            let text = page.link_text(link);
            let number = number_in(&text);
            let direction = words::direction(&text, &page.link_hint(link));
            Some(Step { link, text, slot: turn.slot, from: turn.from, to: turn.to, number, direction })
        })
        .collect();
    let has_single = steps.iter().any(|step| matches!(step.text.trim(), "›" | ">"));
    for step in &mut steps {
        // Beside a single arrow, the double one leads to the end.
        if has_single && matches!(step.text.trim(), "»" | ">>") {
            step.direction = Some(Direction::Last);
        } else if has_single && matches!(step.text.trim(), "«" | "<<") {
            step.direction = None;
        }
    }
    steps
}

/// The number that is written on a link.
fn number_on(page: &Page, link: &Link) -> Option<i64> {
    number_in(&page.link_text(link))
}

fn number_in(text: &str) -> Option<i64> {
    text.trim().parse().ok().filter(|number| (1..NUMBER_MAX).contains(number))
}

fn shown(link: &Link) -> String {
    let mut url = link.url.clone();
    url.set_fragment(None);
    url.into()
}

#[cfg(test)]
mod tests;
