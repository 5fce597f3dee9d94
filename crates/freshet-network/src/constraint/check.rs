//! What can be known to be wrong with a constraint before any object is judged.
//!
//! Names that stand for nothing, functions that do not exist, loops in loops in loops, and, given
//! a network's schema, paths that no object of the network can have. Findings carry the column.

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};
use cel::{Context, ExecutionError, Program};
use freshet_types::{LinkKind, LinkType, Schema};

/// Loops inside loops that a constraint may have; the work grows with this power.
const LOOPS_MAX: usize = 2;

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
    let mut walk = Walk { program, name, schema: None, is_crawl: false, scope: Vec::new() };
    walk.infer(program.expression()).map(drop)
}

/// Checks that every path exists on objects of `type_name` in this network; with `is_crawl`, that a crawl can know it, too.
pub(super) fn paths(
    program: &Program,
    type_name: &str,
    schema: &Schema,
    is_crawl: bool,
) -> Result<(), Finding> {
    if !schema.types.contains_key(type_name) {
        let known: Vec<_> = schema.types.keys().map(String::as_str).collect();
        return Err((
            1,
            format!("`{}` has no type `{type_name}`, only {}", schema.network, known.join(", ")),
        ));
    }
    let mut walk = Walk { program, name: type_name, schema: Some(schema), is_crawl, scope: Vec::new() };
    walk.infer(program.expression()).map(drop)
}

/// What an expression stands for, as far as paths are concerned.
#[derive(Clone, PartialEq)]
enum Shape {
    Object(String),
    Links(LinkKind, String),
    Many(String),
    Value,
    Other,
}

struct Walk<'p> {
    program: &'p Program,
    name: &'p str,
    schema: Option<&'p Schema>,
    /// Objects are judged one by one, as the pages of a crawl show them.
    is_crawl: bool,
    scope: Vec<(String, Shape)>,
}

impl Walk<'_> {
    fn at(&self, expr: &IdedExpr, what: String) -> Finding {
        let offset = self.program.source_info().offset_for(expr.id).map_or(0, |(start, _)| start);
        (offset as usize + 1, what)
    }

    fn infer(&mut self, expr: &IdedExpr) -> Result<Shape, Finding> {
        match &expr.expr {
            Expr::Ident(name) => self.ident(expr, name),
            Expr::Select(select) => {
                let operand = self.infer(&select.operand)?;
                self.step(expr, operand, &select.field)
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
            Expr::Literal(_) | Expr::Unspecified => Ok(Shape::Other),
        }
    }

    fn ident(&self, expr: &IdedExpr, name: &str) -> Result<Shape, Finding> {
        if let Some((_, shape)) = self.scope.iter().rev().find(|(variable, _)| variable == name) {
            return Ok(shape.clone());
        }
        if name == self.name {
            return Ok(Shape::Object(self.name.to_owned()));
        }
        // The types of CEL are names too: `type(x) == int`.
        let is_known =
            ["depth", "now", "int", "uint", "double", "bool", "string", "list", "map"].contains(&name);
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
            return Ok(match container {
                Shape::Many(kind) => Shape::Object(kind),
                _ => Shape::Other,
            });
        }
        if is_identifier(&call.func_name) && !is_function(&call.func_name) {
            return Err(self.at(expr, format!("there is no function `{}` in CEL", call.func_name)));
        }
        for part in call.target.as_deref().into_iter().chain(&call.args) {
            self.infer(part)?;
        }
        Ok(Shape::Other)
    }

    fn comprehension(&mut self, expr: &IdedExpr, loops: &ComprehensionExpr) -> Result<Shape, Finding> {
        let member = match self.infer(&loops.iter_range)? {
            Shape::Many(kind) => Shape::Object(kind),
            _ => Shape::Other,
        };
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
    fn step(&self, expr: &IdedExpr, from: Shape, key: &str) -> Result<Shape, Finding> {
        let Some(schema) = self.schema else { return Ok(Shape::Other) };
        let (kind, type_name) = match from {
            Shape::Object(type_name) => match key {
                "plinks" => return Ok(Shape::Links(LinkKind::P, type_name)),
                "clinks" => return Ok(Shape::Links(LinkKind::C, type_name)),
                "colinks" => return Ok(Shape::Links(LinkKind::Co, type_name)),
                "splinks" => return Ok(Shape::Links(LinkKind::Sp, type_name)),
                "sclinks" => return Ok(Shape::Links(LinkKind::Sc, type_name)),
                "scolinks" => return Ok(Shape::Links(LinkKind::Sco, type_name)),
                "id" | "type" | "network" | "address" => return Ok(Shape::Value),
                _ => (None, type_name),
            },
            Shape::Links(kind, type_name) => (Some(kind), type_name),
            Shape::Many(type_name) => {
                let what = format!(
                    "this is a collection of `{type_name}`; write `.exists(x, x[\"{key}\"] > 1)` or `[0]`"
                );
                return Err(self.at(expr, what));
            }
            Shape::Value => return Err(self.at(expr, format!("a value has no property `{key}`"))),
            Shape::Other => return Ok(Shape::Other),
        };
        // A type of another network: its schema is not at hand.
        let Some(object_type) = schema.types.get(&type_name) else { return Ok(Shape::Other) };
        match object_type.links.get(key) {
            Some(LinkType::Co(_)) if self.is_crawl && !is_shown_with(&type_name, key) => {
                Err(self.at(expr, never_known(&type_name, key)))
            }
            Some(link) if kind.is_none_or(|kind| kind == link.kind()) => Ok(link_shape(link)),
            Some(link) => {
                let what = format!("`{key}` of `{type_name}` is a {}", link.kind());
                Err(self.at(expr, what))
            }
            None => {
                let known: Vec<_> = object_type.links.keys().map(String::as_str).collect();
                let what = format!(
                    "`{type_name}` of {} has no link `{key}`, only {}",
                    schema.network,
                    known.join(", ")
                );
                Err(self.at(expr, what))
            }
        }
    }
}

/// Whether pages show this collection together with its object: the tags of a post, and no other.
fn is_shown_with(type_name: &str, key: &str) -> bool {
    type_name != crate::robot::ACCOUNT && key == "tags"
}

/// Why a crawl cannot judge by this collection, and what it can judge by.
fn never_known(type_name: &str, key: &str) -> String {
    let instead = match (type_name, key) {
        ("account", "posts") => "; write a rule about `post`, or ask for `account.posts_count`",
        ("account", _) => "; ask for a count, such as `account.followers_count`",
        _ => "; ask for a value of the object or of its author",
    };
    format!(
        "a crawl judges each `{type_name}` when a page shows it, and no page shows its collection `{key}`: \
         every one of them would wait in vain{instead}"
    )
}

fn link_shape(link: &LinkType) -> Shape {
    match link {
        LinkType::P(_) | LinkType::Sp(_) => Shape::Value,
        LinkType::C(kind) => Shape::Object(kind.clone()),
        LinkType::Co(kind) => Shape::Many(kind.clone()),
        LinkType::Sc(..) | LinkType::Sco(..) => Shape::Other,
    }
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
