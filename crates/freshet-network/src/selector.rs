//! Selectors: which elements of a page are meant, in the words of style sheets.
//!
//! Part of step 6 of 10. `a.more[data-before] @data-before` names the attribute `data-before` of the links of the class `more` that
//! have one. There are names of elements, `.class`, `#id`, `[attribute]` with `=`, `^=`, `$=` and `*=`, a space for "somewhere inside" and `>` for
//! "directly inside". Of elements inside each other that all fit, the outermost is meant: what is found is read once, and finding it
//! takes one pass over the tree.

use crate::element;
use crate::tree::Tree;

/// Steps from the outer to the inner element: one bit each while searching.
const STEPS_MAX: usize = 16;
/// Elements that one selector finds.
const FOUND_MAX: usize = 20_000;

/// Which elements, and which attribute of them where it is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selector {
    steps: Vec<Step>,
    attribute: Option<String>,
}

/// What an element on the way must be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Step {
    /// It stands directly inside the one before.
    is_child: bool,
    /// Empty for any.
    name: String,
    tests: Vec<(String, Test)>,
}

/// What an attribute must be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Present,
    Equals(String),
    Starts(String),
    Ends(String),
    Contains(String),
    /// It is among the words.
    HasWord(String),
}

impl Selector {
    /// Compiles a selector, or says what is wrong with it.
    pub(crate) fn compile(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| {
            format!("`css:{text}` is not understood: {why}; write `div.name > a[href] @href`, for instance")
        };
        let (path, attribute) = match text.rsplit_once('@') {
            Some((path, name)) if is_name(name.trim()) => (path, Some(name.trim().to_ascii_lowercase())),
            Some(_) if !text.contains('[') => return Err(wrong("after `@` stands the name of an attribute")),
            _ => (text, None),
        };
        let mut steps = Vec::new();
        let mut rest = path.trim();
        let mut is_child = false;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix('>') {
                (is_child, rest) = (true, after.trim_start());
                continue;
            }
            let (step, after) = Step::parse(rest).map_err(wrong)?;
            steps.push(Step { is_child, ..step });
            (is_child, rest) = (false, after.trim_start());
        }
        if is_child {
            return Err(wrong("nothing stands behind `>`"));
        }
        if steps.len() > STEPS_MAX || steps.is_empty() && attribute.is_none() {
            return Err(wrong("it has 1 to 16 steps"));
        }
        Ok(Self { steps, attribute })
    }

    /// What it finds inside an element, in the order of the page.
    pub(crate) fn all<'v>(&self, item: &'v Tree<'v>) -> Vec<&'v Tree<'v>> {
        let mut found = Vec::new();
        self.walk(item, &mut |value| {
            found.push(value);
            found.len() < FOUND_MAX
        });
        found
    }

    /// The first that it finds.
    pub(crate) fn first<'v>(&self, item: &'v Tree<'v>) -> Option<&'v Tree<'v>> {
        let mut found = None;
        self.walk(item, &mut |value| {
            found = Some(value);
            false
        });
        found
    }

    fn walk<'v>(&self, item: &'v Tree<'v>, tell: &mut dyn FnMut(&'v Tree<'v>) -> bool) {
        if self.steps.is_empty() {
            self.tell(item, tell);
            return;
        }
        for child in element::children(item) {
            if !self.search(child, (1, 1), tell) {
                return;
            }
        }
    }

    /// Looks at an element and what is inside. Bit `n` of `above` says that the first `n` steps lead to an element around it, of `parent`,
    /// to the one directly around it. Gives whether to go on.
    fn search<'v>(
        &self,
        tree: &'v Tree<'v>,
        (above, parent): (u32, u32),
        tell: &mut dyn FnMut(&'v Tree<'v>) -> bool,
    ) -> bool {
        let Some(name) = element::name(tree) else { return true };
        let mut own = 0;
        for (at, step) in self.steps.iter().enumerate() {
            let reached = if step.is_child { parent } else { above };
            if reached & (1 << at) != 0 && step.fits(name, tree) {
                own |= 1 << (at + 1);
            }
        }
        if own & (1 << self.steps.len()) != 0 {
            return self.tell(tree, tell);
        }
        element::children(tree).iter().all(|child| self.search(child, (above | own, own), tell))
    }

    fn tell<'v>(&self, tree: &'v Tree<'v>, tell: &mut dyn FnMut(&'v Tree<'v>) -> bool) -> bool {
        match &self.attribute {
            None => tell(tree),
            Some(name) => element::attribute(tree, name).is_none_or(tell),
        }
    }
}

impl Step {
    /// Reads one step; gives what follows it.
    fn parse(text: &str) -> Result<(Self, &str), &'static str> {
        let mut step = Self::default();
        let mut rest = text;
        let name = name_of(rest);
        if let Some(after) = rest.strip_prefix('*') {
            rest = after;
        } else {
            step.name = name.to_ascii_lowercase();
            rest = &rest[name.len()..];
        }
        loop {
            let sign = rest.chars().next();
            match sign {
                Some(sign @ ('.' | '#')) => {
                    let name = name_of(&rest[1..]);
                    if name.is_empty() {
                        return Err("a name is missing after `.` or `#`");
                    }
                    step.tests.push(if sign == '.' {
                        ("class".to_owned(), Test::HasWord(name.to_owned()))
                    } else {
                        ("id".to_owned(), Test::Equals(name.to_owned()))
                    });
                    rest = &rest[1 + name.len()..];
                }
                Some('[') => {
                    let (inner, after) = rest[1..].split_once(']').ok_or("a `]` is missing")?;
                    step.tests.push(attribute_test(inner)?);
                    rest = after;
                }
                Some('>') | None => break,
                Some(space) if space.is_whitespace() => break,
                Some(_) => return Err("of selectors, names, `.`, `#`, `[…]`, spaces and `>` are known"),
            }
        }
        Ok((step, rest))
    }

    fn fits(&self, name: &str, tree: &Tree<'_>) -> bool {
        (self.name.is_empty() || self.name == name)
            && self.tests.iter().all(|(attribute, test)| {
                let value = element::attribute(tree, attribute).and_then(Tree::as_str);
                value.is_some_and(|value| test.holds(value))
            })
    }
}

impl Test {
    fn holds(&self, value: &str) -> bool {
        match self {
            Self::Present => true,
            Self::Equals(wanted) => value == wanted,
            Self::Starts(wanted) => value.starts_with(wanted.as_str()),
            Self::Ends(wanted) => value.ends_with(wanted.as_str()),
            Self::Contains(wanted) => value.contains(wanted.as_str()),
            Self::HasWord(wanted) => value.split_ascii_whitespace().any(|word| word == wanted),
        }
    }
}

/// What stands in brackets.
fn attribute_test(inner: &str) -> Result<(String, Test), &'static str> {
    let (name, test) = match inner.split_once('=') {
        None => (inner, Test::Present),
        Some((name, value)) => {
            let value = value.trim().trim_matches(['"', '\'']).to_owned();
            match name.chars().next_back() {
                Some('^') => (name.trim_end_matches('^'), Test::Starts(value)),
                Some('$') => (name.trim_end_matches('$'), Test::Ends(value)),
                Some('*') => (name.trim_end_matches('*'), Test::Contains(value)),
                _ => (name, Test::Equals(value)),
            }
        }
    };
    let name = name.trim();
    if is_name(name) { Ok((name.to_ascii_lowercase(), test)) } else { Err("in `[…]` stands an attribute") }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && name_of(text).len() == text.len()
}

/// The name that a text begins with.
fn name_of(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())]
}
