//! Paging: where a list goes on, and the one opaque cursor that says so.
//!
//! Part of steps 4 and 6 of 10. Whatever a network does (ids, headers, tokens, pages, offsets,
//! times, URLs), the rest of freshet sees a string. Beside the network's own cursor it can carry
//! two things, since a list of newer posts must go on as it began:
//!
//! | cursor | means |
//! |---|---|
//! | `C` | the page after cursor `C`, towards older posts |
//! | `^MS>ID` | the page above this mark, towards newer posts |
//! | `>MS>LEN>ID` + `C` | the page after `C`, but nothing at or below this mark |
//! | `#N` | page `N` of a list that has cursors on newer servers |
//! | `=C` | as `C`, where `C` itself begins with one of these signs |

use freshet_types::definition::{Ending, Paging};
use freshet_types::{Complaint, Intent, Mark, Page, PageKind, Response, Timestamp};

use crate::definition::plan::EndpointPlan;
use crate::expression::{Scope, is_true};
use crate::format::Tree;
use crate::times;

/// What stands before the number of a page, where a server gives no cursor and counts pages.
pub(crate) const NUMBERED: char = '#';

/// A cursor, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// Go up from here.
    pub(crate) above: Option<Mark>,
    /// Stop at this floor.
    pub(crate) floor: Option<Mark>,
    /// The network's own cursor.
    pub(crate) own: Option<String>,
}

impl Cursor {
    /// Takes a cursor apart; `None` if it was not made here.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if let Some(own) = text.strip_prefix('=') {
            return Some(Self { own: Some(own.to_owned()), ..Self::default() });
        }
        if let Some(rest) = text.strip_prefix('^') {
            let (ms, id) = rest.split_once('>')?;
            let mark = Mark { id: id.to_owned(), at: Timestamp::from_ms(ms.parse().ok()?) };
            return Some(Self { above: Some(mark), ..Self::default() });
        }
        if let Some(rest) = text.strip_prefix('>') {
            let (ms, rest) = rest.split_once('>')?;
            let (length, rest) = rest.split_once('>')?;
            let (id, own) = rest.split_at_checked(length.parse().ok()?)?;
            let mark = Mark { id: id.to_owned(), at: Timestamp::from_ms(ms.parse().ok()?) };
            let own = (!own.is_empty()).then(|| own.to_owned());
            return Some(Self { floor: Some(mark), own, ..Self::default() });
        }
        Some(Self { own: Some(text.to_owned()), ..Self::default() })
    }

    /// Writes it as one string.
    pub(crate) fn write(&self) -> String {
        let own = self.own.as_deref().unwrap_or_default();
        match (&self.above, &self.floor) {
            (Some(mark), _) => format!("^{}>{}", mark.at.ms(), mark.id),
            (_, Some(mark)) => format!(">{}>{}>{}{own}", mark.at.ms(), mark.id.len(), mark.id),
            _ if own.starts_with(['^', '>', '=']) => format!("={own}"),
            _ => own.to_owned(),
        }
    }
}

/// What the items of a page tell about its ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ends {
    /// Items that the page lists, in the network's count.
    pub(crate) item_count: usize,
    /// First and last listed item that has an id.
    pub(crate) first: Option<Mark>,
    pub(crate) last: Option<Mark>,
}

/// Everything that decides where a list goes on.
pub(crate) struct Answer<'a> {
    pub(crate) endpoint: &'a EndpointPlan,
    pub(crate) intent: &'a Intent,
    pub(crate) response: &'a Response,
    pub(crate) body: &'a Tree<'a>,
    pub(crate) ends: &'a Ends,
}

/// Sets `next` (and, where ids are counted, `members`) of a page.
pub(crate) fn go_on(answer: &Answer<'_>, page: &mut Page) {
    let asked = match answer.intent {
        Intent::First => Cursor::default(),
        Intent::Group(_) if page.kind == PageKind::Posts => Cursor::default(),
        Intent::Next(text) => Cursor::parse(text).unwrap_or_default(),
        Intent::Newer(mark) => start_newer(answer.endpoint, mark),
        Intent::Members(_) | Intent::Group(_) => return,
    };
    if let Paging::Enumerate { .. } = answer.endpoint.rule.paging {
        return count_ids(answer, &asked, page);
    }
    if asked.above.is_some() {
        page.next = upwards(answer).map(|mark| Cursor { above: Some(mark), ..Cursor::default() }.write());
        return;
    }
    match downwards(answer, asked.own.as_deref()) {
        Onward::Ends => {}
        Onward::Goes(own) => page.next = Some(Cursor { own: Some(own), ..asked }.write()),
        Onward::Breaks(why) => {
            page.is_broken_off = true;
            page.complaints.push(Complaint::new("paging", why));
        }
    }
}

/// What `Intent::Newer` stands for: a way up, or a floor on the way down.
pub(crate) fn start_newer(endpoint: &EndpointPlan, mark: &Mark) -> Cursor {
    let is_upward = endpoint.newer.as_ref().is_some_and(crate::definition::plan::NewerPlan::is_upward)
        || matches!(endpoint.rule.paging, Paging::Enumerate { .. });
    let mark = Some(mark.clone());
    if is_upward {
        Cursor { above: mark, ..Cursor::default() }
    } else {
        Cursor { floor: mark, ..Cursor::default() }
    }
}

/// The mark to go on above.
fn upwards(answer: &Answer<'_>) -> Option<Mark> {
    let newest = answer.ends.first.clone()?;
    match &answer.endpoint.rule.paging {
        // The network gives a cursor on the way up as well, and none at the top.
        Paging::Cursor { end, ends, .. } => {
            let id = body_cursor(answer, end.as_deref(), *ends)?;
            Some(Mark { id, at: newest.at })
        }
        Paging::IdBound { ends, .. } | Paging::TimeBound { ends, .. } | Paging::Offset { ends, .. } => {
            (!has_ended(answer, *ends)).then_some(newest)
        }
        _ => Some(newest),
    }
}

/// Where a list goes on below.
enum Onward {
    /// Nowhere: this was its last page.
    Ends,
    /// At the network's own cursor of the next older page.
    Goes(String),
    /// It goes on, and the page does not say where.
    Breaks(&'static str),
}

impl From<Option<String>> for Onward {
    fn from(cursor: Option<String>) -> Self {
        cursor.map_or(Self::Ends, Self::Goes)
    }
}

fn downwards(answer: &Answer<'_>, asked: Option<&str>) -> Onward {
    let number = |default: u64| asked.and_then(|text| text.parse().ok()).unwrap_or(default);
    match &answer.endpoint.rule.paging {
        Paging::None | Paging::Enumerate { .. } => Onward::Ends,
        Paging::IdBound { is_inclusive, ends, .. } => {
            if has_ended(answer, *ends) {
                return Onward::Ends;
            }
            match &answer.ends.last {
                Some(last) if *is_inclusive => before(&last.id),
                Some(last) => Onward::Goes(last.id.clone()),
                None => Onward::Breaks("no item of the page has an id from which the list could go on"),
            }
        }
        Paging::Link {} => link_next(answer.response).into(),
        Paging::Cursor { end, ends, page, .. } => {
            let found = body_cursor(answer, end.as_deref(), *ends);
            found.or_else(|| page.as_ref().and_then(|_| next_number(answer, asked))).into()
        }
        Paging::Page { first, ends, .. } => {
            let present = number(u64::from(*first));
            let plan = &answer.endpoint.paging;
            let has_more = match (&plan.more, &plan.count) {
                (Some(more), _) => more.get(answer.body).is_some_and(is_true),
                (_, Some(count)) => {
                    let last = count.get(answer.body).and_then(Tree::as_u64).unwrap_or_default();
                    present.saturating_add(1) < last.saturating_add(u64::from(*first))
                }
                _ => !has_ended(answer, *ends),
            };
            has_more.then(|| present.saturating_add(1).to_string()).into()
        }
        Paging::Offset { ends, .. } => {
            let next = number(0).saturating_add(answer.ends.item_count as u64);
            (!has_ended(answer, *ends)).then(|| next.to_string()).into()
        }
        Paging::TimeBound { format, ends, .. } => {
            if has_ended(answer, *ends) {
                return Onward::Ends;
            }
            let dated = answer.ends.last.as_ref().filter(|last| last.at > Timestamp::MIN);
            match dated.map(|last| times::write(last.at, *format)) {
                None => Onward::Breaks("the last item has no time from which the list could go on"),
                // It would be asked for for ever.
                Some(bound) if asked == Some(bound.as_str()) => Onward::Breaks(
                    "a whole page within one tick of the clock: what is below cannot be asked for",
                ),
                Some(bound) => Onward::Goes(bound),
            }
        }
        Paging::Url { .. } => {
            let link = named(answer).filter(|link| !link.is_empty());
            link.map(|link| absolute(answer.response, &link)).into()
        }
    }
}

fn has_ended(answer: &Answer<'_>, ends: Ending) -> bool {
    let count = answer.ends.item_count;
    let has_link = || answer.response.header("link").is_some();
    match ends {
        _ if count == 0 => true,
        Ending::Empty => false,
        Ending::Short => count < answer.endpoint.rule.page_size as usize,
        Ending::NoLink => has_link() && link_next(answer.response).is_none(),
    }
}

fn body_cursor(answer: &Answer<'_>, end: Option<&str>, ends: Ending) -> Option<String> {
    // An empty page with a cursor is no end: some servers filter after cutting the page.
    if ends == Ending::Short && has_ended(answer, ends) {
        return None;
    }
    let cursor = named(answer)?;
    (!cursor.is_empty() && Some(cursor.as_str()) != end).then_some(cursor)
}

/// The text or number at the place that paging looks at.
fn named(answer: &Answer<'_>) -> Option<String> {
    let scope = Scope { root: "", url: &answer.response.url, body: answer.body };
    match &*answer.endpoint.paging.at.first(answer.body, scope)? {
        Tree::Str(text) => Some(text.to_string()),
        Tree::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The number of the next page, where a server says nothing of cursors and showed something.
fn next_number(answer: &Answer<'_>, asked: Option<&str>) -> Option<String> {
    let number_of = |cursor: &str| cursor.strip_prefix(NUMBERED)?.parse().ok();
    let present: u64 = asked.and_then(number_of).unwrap_or(1);
    let is_silent = answer.ends.item_count > 0 && named(answer).is_none();
    is_silent.then(|| format!("{NUMBERED}{}", present.saturating_add(1)))
}

/// The id before this one, where ids are numbers of any length; there is none before zero.
fn before(id: &str) -> Onward {
    let mut digits = id.as_bytes().to_vec();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Onward::Breaks("the last id is no number, so there is none before it to go on from");
    }
    for digit in digits.iter_mut().rev() {
        if *digit > b'0' {
            *digit -= 1;
            let text = String::from_utf8(digits).expect("digits are ASCII");
            let short = text.trim_start_matches('0');
            return Onward::Goes(if short.is_empty() { "0" } else { short }.to_owned());
        }
        *digit = b'9';
    }
    Onward::Ends
}

/// The target with `rel="next"` of the `Link` headers [RFC 8288], made absolute.
pub(crate) fn link_next(response: &Response) -> Option<String> {
    let headers = response.headers.iter().filter(|(name, _)| name == "link").map(|(_, value)| value.as_str());
    for header in headers {
        let mut rest = header;
        while let Some((_, after)) = rest.split_once('<') {
            let (target, parameters) = after.split_once('>')?;
            let end = parameters.find(",<").or_else(|| parameters.find(", <")).unwrap_or(parameters.len());
            let is_next =
                parameters[..end].split(';').filter_map(|one| one.split_once('=')).any(|(name, value)| {
                    let value = value.trim().trim_matches(['"', ',', ' ']);
                    name.trim().eq_ignore_ascii_case("rel")
                        && value.split(' ').any(|rel| rel.eq_ignore_ascii_case("next"))
                });
            if is_next {
                return Some(absolute(response, target));
            }
            rest = &parameters[end..];
        }
    }
    None
}

fn absolute(response: &Response, link: &str) -> String {
    let joined = url::Url::parse(&response.url).and_then(|base| base.join(link));
    joined.map_or_else(|_| link.to_owned(), String::from)
}

/// Ids counted down from the highest, or up from a mark.
fn count_ids(answer: &Answer<'_>, asked: &Cursor, page: &mut Page) {
    let size = u64::from(answer.endpoint.rule.page_size);
    let Some(highest) = named(answer).and_then(|text| text.parse::<u64>().ok()) else { return };
    if let Some(mark) = &asked.above {
        let Ok(known) = mark.id.parse::<u64>() else { return };
        let top = highest.min(known + size);
        page.members = (known + 1..=top).rev().map(|id| id.to_string()).collect();
        let above = Mark { id: top.to_string(), at: mark.at };
        page.next = (top < highest).then(|| Cursor { above: Some(above), ..Cursor::default() }.write());
        return;
    }
    let top = asked.own.as_deref().and_then(|text| text.parse().ok()).unwrap_or(highest).min(highest);
    let bottom = top.saturating_sub(size);
    page.members = (bottom + 1..=top).rev().map(|id| id.to_string()).collect();
    page.next = (bottom > 0).then(|| bottom.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_back() {
        let mark = Mark { id: "at://did:plc:x/p>q/3k".to_owned(), at: Timestamp::from_ms(12) };
        for cursor in [
            Cursor { own: Some("112".into()), ..Cursor::default() },
            Cursor { own: Some("=odd".into()), ..Cursor::default() },
            Cursor { own: Some("^odd".into()), ..Cursor::default() },
            Cursor { above: Some(mark.clone()), ..Cursor::default() },
            Cursor { floor: Some(mark.clone()), own: Some("112".into()), ..Cursor::default() },
            Cursor { floor: Some(mark), ..Cursor::default() },
        ] {
            assert_eq!(Cursor::parse(&cursor.write()), Some(cursor));
        }
        assert_eq!(Cursor::parse("^x"), None);
        assert_eq!(Cursor::parse(">1>99>abc"), None);
    }

    #[test]
    fn one_is_subtracted_from_ids_of_any_length() {
        for (id, less) in [
            ("10", Some("9")),
            ("1000000000000000000000", Some("999999999999999999999")),
            ("0", None),
            ("x", None),
            ("1", Some("0")),
        ] {
            let found = match before(id) {
                Onward::Goes(id) => Some(id),
                Onward::Ends | Onward::Breaks(_) => None,
            };
            assert_eq!(found.as_deref(), less, "{id}");
        }
    }

    #[test]
    fn link_headers_are_read() {
        let response = |link: &str| Response {
            status: 200,
            headers: vec![("link".to_owned(), link.to_owned())],
            body: Vec::new(),
            url: "https://example.org/api?x=1".to_owned(),
            received_at: Timestamp::from_secs(0),
        };
        for (link, next) in [
            (
                r#"<https://example.org/a?max_id=7>; rel="next", <https://example.org/a?min_id=9>; rel="prev""#,
                Some("https://example.org/a?max_id=7"),
            ),
            (
                r#"<https://example.org/a?min_id=9>; rel="prev",<https://example.org/a?x=1,2>; rel=next"#,
                Some("https://example.org/a?x=1,2"),
            ),
            (r#"</b?page=2>; title="a, b"; rel="last next""#, Some("https://example.org/b?page=2")),
            (r#"<https://example.org/a>; rel="prev""#, None),
            ("nonsense", None),
        ] {
            assert_eq!(link_next(&response(link)).as_deref(), next, "{link}");
        }
    }
}
