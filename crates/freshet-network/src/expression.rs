//! Expressions of a mapping, compiled: where a value stands, and what is made of it.
//!
//! Part of step 6 of 10. Pointers are split once, patterns and jq programs compiled once. All
//! of it is total: what is not there, or of another type, is `None`, and the caller decides
//! whether to complain. Ids come out as strings whatever they were.

mod beside;
mod number;

use std::borrow::Cow;

use crate::element;
use crate::format::{Keys, Tree};
use crate::jq::Jq;
use crate::selector::Selector;
use crate::times;
use freshet_types::definition::TimeFormat;
use freshet_types::{Primitive, PrimitiveKind, Timestamp};
use regex::Regex;

pub(crate) use beside::Beside;
use number::{to_float, to_int};

/// Whole numbers from here on have neighbours that read alike, where they do not fit into 64 bits (2^53).
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;

/// What expressions know beside the item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    /// Id of the object the visit is about.
    pub(crate) root: &'a str,
    /// The address that answered.
    pub(crate) url: &'a str,
    /// The whole answer.
    pub(crate) body: &'a Tree<'a>,
}

/// A JSON pointer, split.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pointer(Vec<String>);

impl Pointer {
    /// Splits a pointer [RFC 6901], or says what is wrong with it.
    pub(crate) fn compile(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let Some(rest) = text.strip_prefix('/') else {
            return Err(format!("`{text}` is not a JSON pointer: it begins with `/`, or is empty"));
        };
        Ok(Self(rest.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect()))
    }

    /// Names the keys on its way.
    pub(crate) fn name_keys(&self, keys: &mut Keys) {
        self.0.iter().for_each(|part| keys.add(part));
    }

    /// The value it leads to; null counts as nothing.
    pub(crate) fn get<'v>(&self, value: &'v Tree<'v>) -> Option<&'v Tree<'v>> {
        let mut at = value;
        for part in &self.0 {
            at = match at {
                Tree::Object(map) => map.get(part)?,
                Tree::Array(list) => list.get(part.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        (!at.is_null()).then_some(at)
    }
}

/// One expression.
#[derive(Debug)]
pub(crate) enum Expression {
    /// A JSON pointer.
    Pointer(Pointer),
    /// Pointers with an array between each two of them: `/facets/*/features/*/tag`.
    Every(Vec<Pointer>),
    /// A jq program.
    Jq(Box<Jq>),
    /// Elements of a page, or an attribute of them.
    Css(Selector),
    /// The id the visit is about.
    Root,
    /// The address that answered.
    Url,
    Literal(String),
}

impl Expression {
    /// Compiles an expression, or says what is wrong with it.
    pub(crate) fn compile(text: &str) -> Result<Self, String> {
        Ok(match text {
            "$root" => Self::Root,
            "$url" => Self::Url,
            _ if text.starts_with("css:") => Self::Css(Selector::compile(&text["css:".len()..])?),
            _ => match (text.strip_prefix("jq:"), text.strip_prefix('=')) {
                (Some(program), _) => Self::Jq(Box::new(Jq::compile(program)?)),
                (_, Some(literal)) => Self::Literal(literal.to_owned()),
                _ if text.starts_with('$') => {
                    return Err(format!("there is no `{text}`; there are `$root` and `$url`"));
                }
                _ if format!("{text}/").contains("/*/") => Self::Every(every(text)?),
                _ => Self::Pointer(Pointer::compile(text)?),
            },
        })
    }

    /// Names the keys that it looks at.
    pub(crate) fn name_keys(&self, keys: &mut Keys) {
        match self {
            Self::Pointer(pointer) => pointer.name_keys(keys),
            Self::Every(pointers) => pointers.iter().for_each(|pointer| pointer.name_keys(keys)),
            Self::Jq(_) => keys.keep_all(),
            Self::Css(_) | Self::Root | Self::Url | Self::Literal(_) => {}
        }
    }

    /// Its values; pointers give at most one, and arrays stay arrays.
    pub(crate) fn values<'v>(&self, item: &'v Tree<'v>, scope: Scope<'v>) -> Vec<Cow<'v, Tree<'v>>> {
        match self {
            Self::Pointer(pointer) => pointer.get(item).map(Cow::Borrowed).into_iter().collect(),
            Self::Every(pointers) => walk(pointers, item).into_iter().map(Cow::Borrowed).collect(),
            Self::Jq(jq) => jq.run(item).into_iter().map(Cow::Owned).collect(),
            Self::Css(selector) => selector.all(item).into_iter().map(Cow::Borrowed).collect(),
            _ => self.first(item, scope).into_iter().collect(),
        }
    }

    /// Its first value.
    pub(crate) fn first<'v>(&self, item: &'v Tree<'v>, scope: Scope<'v>) -> Option<Cow<'v, Tree<'v>>> {
        match self {
            Self::Pointer(pointer) => pointer.get(item).map(Cow::Borrowed),
            Self::Every(pointers) => walk(pointers, item).first().copied().map(Cow::Borrowed),
            Self::Jq(jq) => jq.run(item).into_iter().next().map(Cow::Owned),
            Self::Css(selector) => selector.first(item).map(Cow::Borrowed),
            Self::Root => Some(Cow::Owned(Tree::from(scope.root))),
            Self::Url => Some(Cow::Owned(Tree::from(scope.url))),
            Self::Literal(text) => Some(Cow::Owned(Tree::from(text.clone()))),
        }
    }
}

/// The whole value.
impl Default for Expression {
    fn default() -> Self {
        Self::Pointer(Pointer::default())
    }
}

fn every(text: &str) -> Result<Vec<Pointer>, String> {
    let text = text.strip_suffix("/*").map_or_else(|| text.to_owned(), |head| format!("{head}/*/"));
    text.split("/*").map(|part| Pointer::compile(part.trim_end_matches('/'))).collect()
}

/// The values at the end of all ways through the arrays.
fn walk<'v>(pointers: &[Pointer], item: &'v Tree<'v>) -> Vec<&'v Tree<'v>> {
    let Some((first, rest)) = pointers.split_first() else { return vec![item] };
    let Some(value) = first.get(item) else { return Vec::new() };
    match value {
        Tree::Array(list) if !rest.is_empty() => {
            list.iter().flat_map(|element| walk(rest, element)).collect()
        }
        single => {
            if rest.is_empty() {
                vec![single]
            } else {
                Vec::new()
            }
        }
    }
}

/// A field: where it stands, and what is made of it.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) expressions: Vec<Expression>,
    pub(crate) each: Option<Pointer>,
    pub(crate) only_where: Option<Pointer>,
    pub(crate) time: TimeFormat,
    pub(crate) prefix: String,
    pub(crate) suffix: String,
    pub(crate) pattern: Option<Regex>,
    pub(crate) to: Option<String>,
    pub(crate) beside: Option<Beside>,
    /// Values that are known, where others are worth a complaint.
    pub(crate) known: Vec<String>,
}

impl Field {
    /// The first value that is a text, number or boolean, as text; an empty text is none.
    pub(crate) fn text(&self, item: &Tree<'_>, scope: Scope<'_>) -> Option<String> {
        // A pointer to a text is nine tenths of all fields, and needs no intermediate value.
        if let [Expression::Pointer(pointer)] = self.expressions.as_slice()
            && self.is_plain()
        {
            return scalar(pointer.get(item)?);
        }
        if self.each.is_some() || self.only_where.is_some() {
            return self.texts(item, scope).into_iter().next();
        }
        let found = |expression: &Expression| {
            let value = expression.first(item, scope)?;
            scalar(&value).and_then(|text| self.dress(text, scope))
        };
        self.expressions.iter().find_map(found)
    }

    /// All texts of all expressions; arrays give their elements.
    pub(crate) fn texts(&self, item: &Tree<'_>, scope: Scope<'_>) -> Vec<String> {
        let mut texts = Vec::new();
        for expression in &self.expressions {
            for value in expression.values(item, scope) {
                match &*value {
                    Tree::Array(list) => {
                        texts.extend(list.iter().filter_map(|element| self.element(element, scope)));
                    }
                    single => texts.extend(self.element(single, scope)),
                }
            }
        }
        texts
    }

    fn element(&self, element: &Tree<'_>, scope: Scope<'_>) -> Option<String> {
        if self.only_where.as_ref().is_some_and(|pointer| !pointer.get(element).is_some_and(is_true)) {
            return None;
        }
        let value = self.each.as_ref().map_or(Some(element), |pointer| pointer.get(element))?;
        scalar(value).and_then(|text| self.dress(text, scope))
    }

    /// The instant; `Err` holds what is there and is no time.
    pub(crate) fn time(&self, item: &Tree<'_>, scope: Scope<'_>) -> Result<Option<Timestamp>, String> {
        for expression in &self.expressions {
            let Some(value) = expression.first(item, scope) else { continue };
            // `false` is how Reddit says "never edited", `true` "once, long ago"; others say the first with an empty text.
            if matches!(&*value, Tree::Bool(_)) || value.as_str() == Some("") {
                continue;
            }
            return times::read(&value, self.time).map(Some).ok_or_else(|| value.to_string());
        }
        Ok(None)
    }

    /// A whole number; texts and numbers with a fraction are accepted.
    pub(crate) fn int(&self, item: &Tree<'_>, scope: Scope<'_>) -> Option<i64> {
        if self.pattern.is_some() {
            return self.text(item, scope).and_then(|text| to_int(&Tree::from(text)));
        }
        self.expressions.iter().find_map(|expression| to_int(&*expression.first(item, scope)?))
    }

    /// A value of the kind that the schema wants.
    pub(crate) fn primitive(
        &self,
        kind: PrimitiveKind,
        item: &Tree<'_>,
        scope: Scope<'_>,
    ) -> Option<Primitive> {
        Some(match kind {
            PrimitiveKind::Text if self.each.is_some() => Primitive::Text(self.texts(item, scope).join(" ")),
            PrimitiveKind::Text => Primitive::Text(self.text(item, scope)?),
            PrimitiveKind::Int => Primitive::Int(self.int(item, scope)?),
            PrimitiveKind::Time => Primitive::Int(self.time(item, scope).ok()??.ms()),
            PrimitiveKind::Float => Primitive::Float(
                self.expressions.iter().find_map(|expression| to_float(&*expression.first(item, scope)?))?,
            ),
            PrimitiveKind::Bool if self.pattern.is_some() => {
                Primitive::Bool(self.text(item, scope).is_some())
            }
            PrimitiveKind::Bool => {
                let found = self.expressions.iter().find_map(|expression| expression.first(item, scope))?;
                Primitive::Bool(is_true(&found))
            }
        })
    }

    /// Whether a list or an object stands where a text should; of single plain pointers only, which nine tenths of all fields are. Where
    /// there are several, one of them may be of another shape on purpose.
    pub(crate) fn is_misshapen(&self, item: &Tree<'_>) -> bool {
        self.is_plain()
            && self.expressions.len() == 1
            && self.pointed(item).is_some_and(|value| matches!(value, Tree::Array(_) | Tree::Object(_)))
    }

    /// What should stand there and does not, though something does; of single plain pointers, as [`Self::is_misshapen`]. An empty
    /// list is how some write nothing, `false` too.
    pub(crate) fn lacks(&self, kind: PrimitiveKind, item: &Tree<'_>) -> Option<&'static str> {
        if !self.is_plain() || self.expressions.len() != 1 {
            return None;
        }
        let is_something = match self.pointed(item)? {
            Tree::Null | Tree::Bool(false) => false,
            Tree::Str(text) => !text.is_empty(),
            Tree::Array(list) => !list.is_empty(),
            // Of an object only what is looked at was kept.
            Tree::Object(_) | Tree::Bool(true) | Tree::Number(_) => true,
        };
        let wanted = match kind {
            PrimitiveKind::Text => "text",
            PrimitiveKind::Int | PrimitiveKind::Float => "number",
            PrimitiveKind::Time => "time that is understood",
            PrimitiveKind::Bool => return None,
        };
        is_something.then_some(wanted)
    }

    /// Whether something stands where elements of a list should be looked into, and is no list.
    pub(crate) fn is_unlisted(&self, item: &Tree<'_>) -> bool {
        let is_single = |value: &Tree<'_>| match value {
            Tree::Str(text) => !text.is_empty(),
            Tree::Number(_) | Tree::Bool(true) => true,
            _ => false,
        };
        self.each.is_some() && self.expressions.len() == 1 && self.pointed(item).is_some_and(is_single)
    }

    /// Whether a truth stands there, which names nothing.
    pub(crate) fn is_truth(&self, item: &Tree<'_>) -> bool {
        self.pointed(item).is_some_and(|value| matches!(value, Tree::Bool(_)))
    }

    /// Whether the item has a place for it, with a value or with none: an empty text or list says as much as a full one.
    pub(crate) fn is_shown(&self, item: &Tree<'_>) -> bool {
        self.expressions.iter().any(|expression| match expression {
            Expression::Pointer(pointer) => pointer.get(item).is_some(),
            Expression::Every(pointers) => pointers.first().is_some_and(|first| first.get(item).is_some()),
            Expression::Jq(jq) => !jq.run(item).is_empty(),
            // A page that is shaped otherwise shows nothing there; that ends no link.
            Expression::Css(selector) => selector.first(item).is_some(),
            Expression::Root | Expression::Url | Expression::Literal(_) => true,
        })
    }

    /// Whether anything stands there, an empty text excepted.
    pub(crate) fn is_there(&self, item: &Tree<'_>) -> bool {
        self.pointed(item).is_some_and(|value| value.as_str() != Some(""))
    }

    /// Whether a number stands there that lost digits when it was read.
    pub(crate) fn is_inexact(&self, item: &Tree<'_>) -> bool {
        let is_rounded = |value: &Tree<'_>| matches!(value, Tree::Number(number) if number.as_f64().is_some_and(|it| number.is_f64() && it.abs() >= EXACT_BELOW));
        self.pointed(item).is_some_and(is_rounded)
    }

    /// The first value that a pointer leads to.
    fn pointed<'v>(&self, item: &'v Tree<'v>) -> Option<&'v Tree<'v>> {
        self.expressions.iter().find_map(|expression| match expression {
            Expression::Pointer(pointer) => pointer.get(item),
            _ => None,
        })
    }

    fn is_plain(&self) -> bool {
        self.prefix.is_empty()
            && self.suffix.is_empty()
            && self.pattern.is_none()
            && self.each.is_none()
            && self.only_where.is_none()
            && self.beside.is_none()
    }

    /// Looks beside, and applies pattern, prefix and suffix.
    fn dress(&self, text: String, scope: Scope<'_>) -> Option<String> {
        let text = match &self.beside {
            Some(beside) => beside.find(&text, scope)?,
            None => text,
        };
        let text = match &self.pattern {
            Some(pattern) => {
                let captures = pattern.captures(&text)?;
                match &self.to {
                    Some(to) => {
                        let mut made = String::new();
                        captures.expand(to, &mut made);
                        made
                    }
                    None => captures.get(1).or(captures.get(0))?.as_str().to_owned(),
                }
            }
            None => text,
        };
        if self.prefix.is_empty() && self.suffix.is_empty() {
            return Some(text);
        }
        Some(format!("{}{text}{}", self.prefix, self.suffix))
    }
}

/// The text of a value that is not made of others.
pub(crate) fn scalar(value: &Tree<'_>) -> Option<String> {
    match value {
        Tree::Str(text) if text.is_empty() => None,
        Tree::Str(text) => Some(text.to_string()),
        Tree::Number(number) => Some(number.to_string()),
        Tree::Bool(truth) => Some(truth.to_string()),
        // An XML element with attributes keeps its text here.
        Tree::Object(map) => map.get("#text").and_then(scalar).or_else(|| element::text(value)),
        _ => None,
    }
}

/// Whether a value counts as true: neither false, zero, empty nor a text that says so.
pub(crate) fn is_true(value: &Tree<'_>) -> bool {
    match value {
        Tree::Null | Tree::Bool(false) => false,
        Tree::Number(number) => number.as_f64() != Some(0.0),
        Tree::Str(text) => !matches!(&**text, "" | "0" | "false"),
        Tree::Array(list) => !list.is_empty(),
        _ => true,
    }
}

/// What is asked of a value.
#[derive(Debug)]
pub(crate) struct Test {
    pub(crate) each: Option<Pointer>,
    pub(crate) one_of: Option<Vec<Tree<'static>>>,
    pub(crate) is_present: Option<bool>,
    pub(crate) contains: Option<String>,
    pub(crate) matches: Option<Regex>,
}

impl Test {
    /// Whether all that is asked holds; asked nothing, whether the value is true.
    pub(crate) fn holds(&self, value: Option<&Tree<'_>>) -> bool {
        match (&self.each, value) {
            (Some(each), Some(Tree::Array(list))) => {
                list.iter().any(|element| self.holds_one(each.get(element)))
            }
            (Some(_), _) => false,
            (None, value) => self.holds_one(value),
        }
    }

    fn holds_one(&self, value: Option<&Tree<'_>>) -> bool {
        if let Some(wanted) = self.is_present
            && wanted != value.is_some()
        {
            return false;
        }
        let asks_value = self.one_of.is_some() || self.contains.is_some() || self.matches.is_some();
        let Some(value) = value else { return self.is_present.is_some() && !asks_value };
        if !asks_value && self.is_present.is_none() {
            return is_true(value);
        }
        self.one_of.as_ref().is_none_or(|list| list.iter().any(|wanted| is_alike(wanted, value)))
            && self.contains.as_ref().is_none_or(|wanted| contains(value, wanted))
            && self
                .matches
                .as_ref()
                .is_none_or(|pattern| scalar(value).is_some_and(|text| pattern.is_match(&text)))
    }
}

/// `1` and `"1"` are alike, since networks mix them.
fn is_alike(wanted: &Tree<'_>, value: &Tree<'_>) -> bool {
    match (wanted, value) {
        (Tree::Str(wanted), Tree::Str(value)) => wanted == value,
        _ => wanted == value || matches!((scalar(wanted), scalar(value)), (Some(a), Some(b)) if a == b),
    }
}

fn contains(value: &Tree<'_>, wanted: &str) -> bool {
    match value {
        Tree::Array(list) => list.iter().any(|element| scalar(element).as_deref() == Some(wanted)),
        _ => scalar(value).is_some_and(|text| text.contains(wanted)),
    }
}

/// A condition on an item.
#[derive(Debug)]
pub(crate) struct ConditionPlan {
    pub(crate) at: Expression,
    pub(crate) test: Test,
}

impl ConditionPlan {
    /// Whether it holds.
    pub(crate) fn holds(&self, item: &Tree<'_>, scope: Scope<'_>) -> bool {
        match &self.at {
            Expression::Pointer(pointer) => self.test.holds(pointer.get(item)),
            other => self.test.holds(other.first(item, scope).as_deref()),
        }
    }
}
