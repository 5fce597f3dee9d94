//! Step 6 of 10: from a response to a page.
//!
//! Never fails as a whole: the status decides first, then the body is parsed, then every item is
//! mapped on its own, and what cannot be used becomes a complaint. All lists are bounded. Posts
//! come newest first where the endpoint lists newest first, even when the server was asked to
//! go upwards and lists oldest first.

mod group;
mod items;
mod sample;
mod timetable;

use freshet_types::definition::{BodyFormat, NewerStyle, Role};
use freshet_types::{Complaint, Intent, Outcome, Page, PageKind, Response, Target, Timestamp, Validators};

use crate::definition::Plan;
use crate::definition::plan::{EndpointPlan, GroupPlan};
use crate::expression::{Expression, Scope};
use crate::format::{Parsed, Text, Tree};
use crate::outcome::{self, LazyBody};
use crate::paging::{self, Answer, Ends};
use crate::{format, limits};

pub(crate) use items::Tally;

/// Complaints kept of one page; the rest is summed up.
pub(crate) const COMPLAINTS_MAX: usize = 50;
/// Ids of members taken from one page.
pub(crate) const MEMBERS_MAX: usize = 20_000;

/// The status of an answer that promises to have no body.
const NO_CONTENT: u16 = 204;

/// What an answer shows, with the tally that `networks read` reports.
pub(crate) fn read(
    plan: &Plan,
    endpoint: &EndpointPlan,
    target: &Target<'_>,
    intent: &Intent,
    response: &Response,
    now: Timestamp,
) -> (Page, Tally) {
    let group = endpoint.group.as_ref();
    let endpoint = endpoint.stand_in(intent).map_or(endpoint, |place| &plan.endpoints[place]);
    let mut page = Page { kind: endpoint.public.kind, validators: validators(response), ..Page::default() };
    if matches!(intent, Intent::Members(_)) && page.kind == PageKind::Post {
        page.kind = PageKind::Posts;
    }
    let text = Text::new(response, plan.encoding);
    let mut body = Body { plan, format: endpoint.format, response, text: &text, parsed: None };
    page.outcome = outcome::judge(&plan.outcomes, &endpoint.key, response, &mut body, now);
    let is_refused = page.outcome != Outcome::Ok;
    let needs_body = plan.limits.iter().any(crate::definition::plan::LimitPlan::needs_body);
    let tree = if needs_body { body.tree().unwrap_or(&Tree::Null) } else { &Tree::Null };
    page.limits = limits::read(&plan.limits, response, tree, now);
    outcome::set_until(&mut page.outcome, &page.limits);
    let mut tally = Tally::default();
    if response.status == 304 {
        page.is_unchanged = true;
    } else if (200..300).contains(&response.status) && response.status != NO_CONTENT {
        tally = read_body(plan, (endpoint, group), target, (intent, now), &mut body, &mut page);
    }
    let is_empty = page.observation == freshet_types::Observation::default();
    // An object that was asked for by id and is not among those shown does not exist.
    let is_silent = is_empty && page.complaints.is_empty() && !page.is_unchanged;
    if is_silent && endpoint.rule.role == Role::Single && page.outcome == Outcome::Ok {
        page.outcome = Outcome::Gone;
    }
    // A member that is not there says nothing about the list that names it.
    if matches!(intent, Intent::Members(_)) && page.outcome == Outcome::Gone {
        page.outcome = Outcome::Ok;
    }
    if page.is_unread() {
        page.outcome = Outcome::Unreadable;
    }
    // An error in the place of what was asked for is not that, badly written.
    if is_empty && is_refused {
        page.complaints.retain(|complaint| complaint.place == "body");
    }
    if is_empty && page.outcome != Outcome::Ok {
        page.kind = PageKind::Error;
        page.next = None;
        page.members.clear();
    }
    (page, tally)
}

/// What a tree shows that is no whole answer: a message of a stream.
pub(crate) fn read_message(
    plan: &Plan,
    endpoint: &EndpointPlan,
    target: &Target<'_>,
    tree: &Tree<'_>,
    now: Timestamp,
) -> Page {
    let mut page = Page { kind: endpoint.public.kind, ..Page::default() };
    let scope = Scope { root: "", url: "", body: tree };
    let mut reader = items::Reader::new(plan, endpoint, target, (scope, now), &mut page);
    reader.read(tree, false);
    reader.finish();
    page
}

fn validators(response: &Response) -> Validators {
    let header = |name| response.header(name).map(str::to_owned);
    Validators { etag: header("etag"), last_modified: header("last-modified") }
}

fn read_body(
    plan: &Plan,
    (endpoint, group): (&EndpointPlan, Option<&GroupPlan>),
    target: &Target<'_>,
    (intent, now): (&Intent, Timestamp),
    body: &mut Body<'_>,
    page: &mut Page,
) -> Tally {
    let response = body.response;
    let Parsed { tree, left_out, complaints, is_cut } = match body.parsed() {
        Ok(parsed) => parsed,
        // What a rule knows by status and header needs no body: NodeBB says with a bare path where a page went.
        Err(_) if page.outcome != Outcome::Ok => return Tally::default(),
        Err(what) => {
            // An API that does not keep its format has a problem; a page may be whatever it is.
            let is_page = endpoint.format == BodyFormat::Page;
            page.outcome = if is_page { Outcome::BadRequest } else { Outcome::Transient };
            let shown = sample::of_body(body.text.get());
            page.complaints.push(Complaint::new("body", what).with_sample(shown));
            return Tally::default();
        }
    };
    if tree.is_null() && page.outcome == Outcome::Ok {
        // Of one object it says that there is none. A list without anything is an empty list, so this is no list.
        if endpoint.rule.role == Role::List && endpoint.format == BodyFormat::Json {
            page.complaints.push(Complaint::new("body", "the body is `null` where a list was promised"));
        } else {
            page.outcome = Outcome::Gone;
        }
        return Tally::default();
    }
    if left_out > 0 {
        page.is_broken_off = true;
        let what =
            format!("the answer is too large: {left_out} of its elements were left out and are not read");
        page.complaints.push(Complaint::new("body", what));
    }
    if endpoint.format == BodyFormat::Feed && !is_cut {
        page.timetable = Some(timetable::read(&tree));
    }
    if is_cut {
        page.is_broken_off = true;
        // An answer that did not come whole must not be taken for known at the next visit.
        page.validators = Validators::default();
    }
    page.complaints.extend(complaints.into_iter().map(|what| Complaint::new("body", what)));
    let scope = Scope { root: target.root, url: &response.url, body: &tree };
    let is_reversed = is_oldest_first(endpoint, intent);
    let mut reader = items::Reader::new(plan, endpoint, target, (scope, now), page);
    reader.read(&tree, is_reversed);
    let tally = reader.finish();
    if let Some(group) = group {
        group::read(group, endpoint, (intent, &tree), scope, page);
    }
    if let Some(members) = &endpoint.members
        && !matches!(endpoint.rule.paging, freshet_types::definition::Paging::Enumerate { .. })
    {
        page.members = texts(&members.at, &tree, scope);
    }
    let ends = Ends { item_count: tally.item_count, first: tally.first.clone(), last: tally.last.clone() };
    paging::go_on(&Answer { endpoint, intent, response, body: &tree, ends: &ends }, page);
    tally
}

/// Whether this answer lists oldest first although the endpoint does not.
fn is_oldest_first(endpoint: &EndpointPlan, intent: &Intent) -> bool {
    let is_ascending = endpoint.newer.as_ref().is_some_and(|newer| newer.rule.style == NewerStyle::Ascending);
    is_ascending
        && match intent {
            Intent::Newer(_) => true,
            Intent::Next(cursor) => cursor.starts_with('^'),
            Intent::First | Intent::Members(_) | Intent::Group(_) => false,
        }
}

/// The texts and numbers at a place, those in lists one by one.
fn texts(at: &Expression, tree: &Tree<'_>, scope: Scope<'_>) -> Vec<String> {
    let text = |value: &Tree<'_>| match value {
        Tree::Str(text) => Some(text.to_string()),
        Tree::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let values = at.values(tree, scope);
    let flat = values.iter().flat_map(|value| match &**value {
        Tree::Array(list) => list.iter().filter_map(text).collect::<Vec<_>>(),
        single => text(single).into_iter().collect(),
    });
    flat.take(MEMBERS_MAX).collect()
}

/// The body of a response, parsed at most once.
struct Body<'a> {
    plan: &'a Plan,
    format: BodyFormat,
    response: &'a Response,
    text: &'a Text<'a>,
    parsed: Option<Result<Parsed<'a>, String>>,
}

impl<'a> Body<'a> {
    fn parse(&mut self) -> &Result<Parsed<'a>, String> {
        let (plan, response, text) = (self.plan, self.response, self.text);
        // Errors of a feed's or an XML server are looked at in their own format only when they
        // parse; error bodies in JSON are common everywhere.
        let format =
            if (200..300).contains(&response.status) { self.format } else { sniff(self.format, response) };
        self.parsed.get_or_insert_with(|| format::parse(format, &plan.keys, text))
    }

    fn parsed(&mut self) -> Result<Parsed<'a>, String> {
        self.parse();
        self.parsed.take().expect("it was parsed just now")
    }
}

fn sniff(format: BodyFormat, response: &Response) -> BodyFormat {
    let first = response.body.iter().find(|byte| !byte.is_ascii_whitespace());
    match (format, first) {
        (BodyFormat::Xml | BodyFormat::Feed | BodyFormat::Html, Some(b'{' | b'[')) => BodyFormat::Json,
        _ => format,
    }
}

impl LazyBody for Body<'_> {
    fn tree(&mut self) -> Option<&Tree<'_>> {
        self.parse().as_ref().ok().map(|parsed| &parsed.tree)
    }

    fn text(&mut self) -> &str {
        self.text.get()
    }
}
