//! What can be known to be wrong with a constraint before any object is judged.
//!
//! Names that stand for nothing, functions that do not exist, loops in loops in loops, and, given
//! a network's schema, paths that no object of the network can have, or that a crawl can never fill, and what is no condition.
//! On the way it is noted which collections are asked for. Findings carry the column.

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};
use cel::{Context, ExecutionError, Program};
use freshet_types::{LinkKind, LinkType, Schema};

use super::sort::{self, Sort};
use super::window::{FOLLOWED_BY, RATE, WITHIN};

/// Loops inside loops that a constraint may have; the work grows with this power.
const LOOPS_MAX: usize = 2;
/// Links from object to object that a crawl follows for one judgement: a reply, what it replies to, its author.
pub const STEPS_MAX: usize = 3;

/// Column from 1, and what is wrong there.
type Finding = (usize, String);

/// Whether CEL takes this as a name.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    let is_start = chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    is_start && chars.all(|rest| rest.is_ascii_alphanumeric() || rest == '_')
}

/// Deepest nesting of brackets, texts in quotes left out.
pub(super) fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for sign in signs(text) {
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// How many signs there are, texts in quotes left out.
pub(super) fn sign_count(text: &str) -> usize {
    signs(text).count()
}

/// Everything outside quotes that is not a letter, a digit or a blank.
fn signs(text: &str) -> impl Iterator<Item = char> {
    let (mut quote, mut is_escaped) = (None, false);
    text.chars().filter(move |&char| {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if char == '\\' => is_escaped = true,
            Some(end) if char == end => quote = None,
            None if matches!(char, '"' | '\'') => quote = Some(char),
            _ => {}
        }
        quote.is_none() && char.is_ascii_punctuation() && !matches!(char, '_' | '"' | '\'')
    })
}

/// How deep the tree is. Recurses, so it runs where the parser runs.
pub(super) fn depth(expr: &IdedExpr) -> usize {
    let deepest = |parts: &mut dyn Iterator<Item = &IdedExpr>| parts.map(depth).max().unwrap_or(0);
    1 + match &expr.expr {
        Expr::Select(select) => depth(&select.operand),
        Expr::Call(call) => deepest(&mut call.target.as_deref().into_iter().chain(&call.args)),
        Expr::List(list) => deepest(&mut list.elements.iter()),
        Expr::Comprehension(loops) => deepest(
            &mut [&loops.iter_range, &loops.accu_init, &loops.loop_cond, &loops.loop_step, &loops.result]
                .into_iter(),
        ),
        Expr::Map(map) => deepest(&mut map.entries.iter().filter_map(|entry| match &entry.expr {
            EntryExpr::MapEntry(entry) => Some(&entry.value),
            EntryExpr::StructField(_) => None,
        })),
        Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => 0,
    }
}

/// Checks that every name and function exists; the object is called `name`.
pub(super) fn names(program: &Program, name: &str) -> Result<(), Finding> {
    let mut walk = Walk::new(program, name, None, None);
    walk.infer(program.expression()).map(drop)
}

/// Why a crawl never knows this link of objects of this type; `None` where it does.
pub(crate) type Obstacle<'a> = &'a dyn Fn(&str, &str) -> Option<String>;

/// A collection that a constraint asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The links that lead from the object to the owner of the collection; none where it is the object itself.
    pub path: Vec<String>,
    /// Type of the owner.
    pub owner: String,
    /// The association that it is.
    pub link: String,
    /// Values of its members are asked for, not only how many there are and when they came.
    pub is_read: bool,
    /// It is gone through in a loop inside a loop.
    pub is_nested: bool,
}

/// Checks that every path exists on objects of `type_name` in this network; with an `obstacle`, that a crawl can know it,
/// too. Gives the collections that it asks for.
pub(super) fn paths(
    program: &Program,
    type_name: &str,
    schema: &Schema,
    obstacle: Option<Obstacle<'_>>,
) -> Result<Vec<Asked>, Finding> {
    if !schema.types.contains_key(type_name) {
        let known: Vec<_> = schema.types.keys().map(String::as_str).collect();
        return Err((
            1,
            format!("`{}` has no type `{type_name}`, only {}", schema.network, known.join(", ")),
        ));
    }
    let mut walk = Walk::new(program, type_name, Some(schema), obstacle);
    let whole = walk.infer(program.expression())?;
    match whole.no_condition() {
        Some(why) => Err(walk.at(program.expression(), why)),
        None => Ok(walk.asked),
    }
}

/// Where an object stands.
#[derive(Clone, PartialEq)]
enum Place {
    /// So many links from the object that is judged.
    Path(Vec<String>),
    /// It is a member of a collection.
    Member,
    /// A member links to it.
    Beyond,
}

impl Place {
    fn after(&self, link: &str) -> Self {
        match self {
            Self::Path(path) => Self::Path(path.iter().cloned().chain([link.to_owned()]).collect()),
            Self::Member | Self::Beyond => Self::Beyond,
        }
    }
}

/// What an expression stands for, as far as paths are concerned.
#[derive(Clone, PartialEq)]
enum Shape {
    Object(String, Place),
    Links(LinkKind, String, Place),
    /// A collection of this type, and its place among those asked for.
    Many(String, Option<usize>),
    Value(Sort),
    Other,
}

impl Shape {
    fn sort(&self) -> Sort {
        if let Self::Value(sort) = self { *sort } else { Sort::Any }
    }

    /// Why this is nothing that is true or false.
    fn no_condition(&self) -> Option<String> {
        match self {
            Self::Value(sort) => sort.no_condition(),
            Self::Object(name, _) => Some(format!("this is an object (`{name}`); ask for a value of it")),
            Self::Many(..) => Some("this is a collection; ask for `.size() > 0` or `.exists(…)`".to_owned()),
            Self::Links(..) => Some("these are links; name one of them".to_owned()),
            Self::Other => None,
        }
    }
}

struct Walk<'p> {
    program: &'p Program,
    name: &'p str,
    schema: Option<&'p Schema>,
    /// Objects are judged one by one, as the pages of a crawl show them: what it can never know.
    obstacle: Option<Obstacle<'p>>,
    scope: Vec<(String, Shape)>,
    asked: Vec<Asked>,
}

impl<'p> Walk<'p> {
    fn new(
        program: &'p Program,
        name: &'p str,
        schema: Option<&'p Schema>,
        obstacle: Option<Obstacle<'p>>,
    ) -> Self {
        Self { program, name, schema, obstacle, scope: Vec::new(), asked: Vec::new() }
    }

    fn at(&self, expr: &IdedExpr, what: String) -> Finding {
        let offset = self.program.source_info().offset_for(expr.id).map_or(0, |(start, _)| start);
        (offset as usize + 1, what)
    }

    fn infer(&mut self, expr: &IdedExpr) -> Result<Shape, Finding> {
        match &expr.expr {
            Expr::Ident(name) => self.ident(expr, name),
            Expr::Select(select) => {
                let operand = self.infer(&select.operand)?;
                let found = self.step(expr, operand, &select.field)?;
                if select.test && self.obstacle.is_some() && matches!(found, Shape::Many(..)) {
                    let what = "a collection is always there, were it empty; ask for its `size`".to_owned();
                    return Err(self.at(expr, what));
                }
                // `has(…)` is answered, whatever it asks about.
                Ok(if select.test { Shape::Value(Sort::Truth) } else { found })
            }
            Expr::Call(call) => self.call(expr, call),
            Expr::Comprehension(comprehension) => self.comprehension(expr, comprehension),
            Expr::List(list) => {
                list.elements.iter().try_for_each(|element| self.infer(element).map(drop))?;
                Ok(Shape::Other)
            }
            Expr::Map(map) => {
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        self.infer(&entry.key)?;
                        self.infer(&entry.value)?;
                    }
                }
                Ok(Shape::Other)
            }
            Expr::Struct(_) => Err(self.at(expr, "messages cannot be built here".to_owned())),
            Expr::Literal(literal) => Ok(Shape::Value(Sort::of_literal(literal))),
            Expr::Unspecified => Ok(Shape::Other),
        }
    }

    fn ident(&self, expr: &IdedExpr, name: &str) -> Result<Shape, Finding> {
        if let Some((_, shape)) = self.scope.iter().rev().find(|(variable, _)| variable == name) {
            return Ok(shape.clone());
        }
        if name == self.name {
            return Ok(Shape::Object(self.name.to_owned(), Place::Path(Vec::new())));
        }
        if ["depth", "now"].contains(&name) {
            return Ok(Shape::Value(Sort::Number));
        }
        // The types of CEL are names too: `type(x) == int`.
        let is_known = ["int", "uint", "double", "bool", "string", "list", "map"].contains(&name);
        if is_known || name.starts_with('@') || name.starts_with("__") {
            return Ok(Shape::Other);
        }
        Err(self.at(expr, format!("there is no `{name}` here, only `{}`, `depth` and `now`", self.name)))
    }

    fn call(&mut self, expr: &IdedExpr, call: &CallExpr) -> Result<Shape, Finding> {
        if call.func_name == operators::INDEX
            && let [container, key] = call.args.as_slice()
        {
            let container = self.infer(container)?;
            if let Expr::Literal(LiteralValue::String(name)) = &key.expr {
                return self.step(expr, container, name.inner());
            }
            self.infer(key)?;
            return Ok(self.member(container));
        }
        if [WITHIN, RATE, FOLLOWED_BY].contains(&call.func_name.as_str()) {
            return self.window(expr, call);
        }
        if is_identifier(&call.func_name) && !is_function(&call.func_name) {
            return Err(self.at(expr, format!("there is no function `{}` in CEL", call.func_name)));
        }
        let mut parts = Vec::new();
        for part in call.target.as_deref().into_iter().chain(&call.args) {
            parts.push(self.infer(part)?.sort());
        }
        // What is stored since before this was looked at is judged on.
        if let Some(why) = sort::fault(call, &parts).filter(|_| self.schema.is_some()) {
            return Err(self.at(expr, why));
        }
        Ok(match Sort::of_call(&call.func_name, &parts) {
            Sort::Any => Shape::Other,
            sort => Shape::Value(sort),
        })
    }

    /// A function over time, as the parser has made it: the collection first.
    fn window(&mut self, expr: &IdedExpr, call: &CallExpr) -> Result<Shape, Finding> {
        let name = call.func_name.as_str();
        let [list, others @ ..] = call.args.as_slice() else { return Err(self.at(expr, usage(name))) };
        if call.target.is_some() || others.len() != 2 {
            return Err(self.at(expr, usage(name)));
        }
        let shape = self.infer(list)?;
        let mut lists = vec![shape.clone()];
        for (place, other) in others.iter().enumerate() {
            let other = self.infer(other)?;
            lists.extend((name == FOLLOWED_BY && place == 0).then_some(other));
        }
        if lists.iter().any(|shape| !matches!(shape, Shape::Many(..) | Shape::Other)) {
            return Err(self.at(expr, usage(name)));
        }
        Ok(if name == RATE { Shape::Value(Sort::Number) } else { lists.pop().unwrap_or(Shape::Other) })
    }

    /// What a member of this is; its values are asked for from now on.
    fn member(&mut self, collection: Shape) -> Shape {
        let Shape::Many(kind, index) = collection else { return Shape::Other };
        let is_nested = !self.scope.is_empty();
        if let Some(asked) = index.and_then(|index| self.asked.get_mut(index)) {
            asked.is_read = true;
            asked.is_nested |= is_nested;
        }
        Shape::Object(kind, Place::Member)
    }

    fn comprehension(&mut self, expr: &IdedExpr, loops: &ComprehensionExpr) -> Result<Shape, Finding> {
        let range = self.infer(&loops.iter_range)?;
        if self.obstacle.is_some() && matches!(range, Shape::Value(_) | Shape::Object(..)) {
            return Err(self.at(expr, "only a collection can be gone through, member by member".to_owned()));
        }
        let member = self.member(range);
        if self.scope.len() >= LOOPS_MAX {
            return Err(self.at(expr, format!("loops may be nested {LOOPS_MAX} deep, not deeper")));
        }
        self.scope.push((loops.iter_var.clone(), member));
        for part in [&loops.accu_init, &loops.loop_cond, &loops.loop_step, &loops.result] {
            self.infer(part)?;
        }
        self.scope.pop();
        Ok(Shape::Other)
    }

    /// What `key` of this shape stands for.
    fn step(&mut self, expr: &IdedExpr, from: Shape, key: &str) -> Result<Shape, Finding> {
        let Some(schema) = self.schema else { return Ok(Shape::Other) };
        let (kind, type_name, place) = match from {
            Shape::Object(type_name, place) => match key {
                "plinks" => return Ok(Shape::Links(LinkKind::P, type_name, place)),
                "clinks" => return Ok(Shape::Links(LinkKind::C, type_name, place)),
                "colinks" => return Ok(Shape::Links(LinkKind::Co, type_name, place)),
                "splinks" => return Ok(Shape::Links(LinkKind::Sp, type_name, place)),
                "sclinks" => return Ok(Shape::Links(LinkKind::Sc, type_name, place)),
                "scolinks" => return Ok(Shape::Links(LinkKind::Sco, type_name, place)),
                "id" | "type" | "network" | "address" => return Ok(Shape::Value(Sort::Text)),
                _ => (None, type_name, place),
            },
            Shape::Links(kind, type_name, place) => (Some(kind), type_name, place),
            Shape::Many(type_name, _) => {
                let what = format!(
                    "this is a collection of `{type_name}`; write `.exists(x, x[\"{key}\"] > 1)` or `[0]`"
                );
                return Err(self.at(expr, what));
            }
            Shape::Value(_) => return Err(self.at(expr, format!("a value has no property `{key}`"))),
            Shape::Other => return Ok(Shape::Other),
        };
        // A type of another network: its schema is not at hand.
        let Some(object_type) = schema.types.get(&type_name) else { return Ok(Shape::Other) };
        let Some(link) = object_type.links.get(key) else {
            let known: Vec<_> = object_type.links.keys().map(String::as_str).collect();
            let what =
                format!("`{type_name}` of {} has no link `{key}`, only {}", schema.network, known.join(", "));
            return Err(self.at(expr, what));
        };
        if kind.is_some_and(|kind| kind != link.kind()) {
            return Err(self.at(expr, format!("`{key}` of `{type_name}` is a {}", link.kind())));
        }
        if let Some(why) = self.obstacle.and_then(|known| unknowable(known, &type_name, key, link, &place)) {
            return Err(self.at(expr, why));
        }
        Ok(self.shape_of(link, type_name, key, &place))
    }

    fn shape_of(&mut self, link: &LinkType, owner: String, key: &str, place: &Place) -> Shape {
        match link {
            LinkType::P(kind) | LinkType::Sp(kind) => Shape::Value(Sort::of_value(*kind)),
            LinkType::C(kind) => Shape::Object(kind.clone(), place.after(key)),
            LinkType::Co(kind) => {
                let index = match place {
                    Place::Path(path) => Some(self.ask(path, owner, key)),
                    Place::Member | Place::Beyond => None,
                };
                Shape::Many(kind.clone(), index)
            }
            LinkType::Sc(..) | LinkType::Sco(..) => Shape::Other,
        }
    }

    /// Notes that a collection is asked for; gives its place.
    fn ask(&mut self, path: &[String], owner: String, link: &str) -> usize {
        let is_same = |asked: &Asked| asked.path == path && asked.link == link;
        self.asked.iter().position(is_same).unwrap_or_else(|| {
            let (path, link) = (path.to_vec(), link.to_owned());
            self.asked.push(Asked { path, owner, link, is_read: false, is_nested: false });
            self.asked.len() - 1
        })
    }
}

/// Why a crawl cannot know this link of an object at this place.
fn unknowable(
    obstacle: Obstacle<'_>,
    type_name: &str,
    key: &str,
    link: &LinkType,
    place: &Place,
) -> Option<String> {
    let is_collection = matches!(link, LinkType::Co(_));
    match place {
        Place::Member if is_collection => Some(format!(
            "`{key}` is a collection of a member of a collection, which is not looked up; ask for a value of the member"
        )),
        Place::Beyond => Some(format!(
            "of a member only its own values are known, not `{key}` of what it links to; ask for a value of the member"
        )),
        Place::Path(path) if path.len() >= STEPS_MAX && matches!(link, LinkType::C(_)) => {
            Some(format!("at most {STEPS_MAX} links are followed from one object to the next"))
        }
        Place::Path(_) | Place::Member => obstacle(type_name, key),
    }
}

/// How a function over time is called.
fn usage(name: &str) -> String {
    let example = match name {
        RATE => "account.posts.rate(\"6h\") > 3.0",
        FOLLOWED_BY => {
            "account.posts.filter(p, …).followed_by(account.posts.filter(p, …), \"1h\").size() > 0"
        }
        _ => "account.posts.within(\"24h\").size() > 20",
    };
    format!("`{name}` is asked of a collection: `{example}`")
}

/// Whether CEL has a function of this name: only an unknown one is an undeclared reference.
fn is_function(name: &str) -> bool {
    let context = Context::with_env(super::ENV.clone());
    ["", "'x'."].iter().any(|target| match super::ENV.compile(&format!("{target}{name}()")) {
        Ok(program) => {
            !matches!(program.execute(&context), Err(ExecutionError::UndeclaredReference(found)) if *found == name)
        }
        // A macro with the wrong number of arguments; the real expression was compiled already.
        Err(_) => true,
    })
}
