//! Constraints: which objects are wanted, as boolean rules over the object model [SocWeb, section 3.2].
//!
//! A rule is a CEL expression about one object type and may follow its links:
//!
//! ```text
//! post.plinks["likes"] > 1000 && post.clinks["location"].plinks["longitude"] < 20.0
//! account.posts.exists(p, p.likes > 1000)      the short form: any association by its name
//! account.posts.within("24h").size() > 20      conditions over time
//! depth <= 2 && now - post.created_at < span("7d")
//! ```
//!
//! `depth` counts the steps from what a person added, `now` is in milliseconds, as all times are.
//! There are three answers. A property that is not known makes the answer [`Answer::CannotTell`],
//! unless the rest decides alone: `false && unknown` is no, `true || unknown` is yes. `has(x.y)`
//! asks whether something is known, and is never uncertain. A comparison that makes no sense (a
//! text with a number) is uncertain too, and says so: a wrong rule must not drop data silently.
//!
//! The invariant: judging never fails and never changes the object. What cannot be told yet goes
//! to the [`Parking`]; nothing is fetched here.

mod check;
mod parking;
mod purpose;
mod sort;
mod value;
mod window;

use std::sync::{Arc, LazyLock};

use cel::context::VariableResolver;
use cel::{Context, Env, ExecutionError, Program, Value};
use freshet_types::{Object, Schema, Timestamp};

use check::Obstacle;
pub use check::{Asked, STEPS_MAX};
pub use parking::{Parked, Parking, Shown, Verdict};
pub use purpose::Purpose;
pub use window::AT;

/// Longest text of one constraint: a person writes a line or two.
pub(crate) const TEXT_BYTES_MAX: usize = 1024;
/// Deepest nesting of brackets in one constraint: the parser recurses.
pub(crate) const NESTING_MAX: usize = 16;
/// Most signs (operators, dots, brackets) in one constraint: chains of them make it recurse too.
pub(crate) const SIGNS_MAX: usize = 256;
/// Deepest tree that is judged; judging recurses on the caller's stack.
pub(crate) const TREE_MAX: usize = 32;
/// Stack for the parser, which takes about 130 kB a level of brackets in a debug build.
const PARSER_STACK_BYTES: usize = 64 << 20;
/// Most constraints in force at once; each is judged for every object of its type.
pub const CONSTRAINTS_MAX: usize = 256;

/// The functions and macros of CEL, made once: building them costs far more than a judgement.
static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(window::env()));

/// Whether an object is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Yes,
    /// It is not, whatever else becomes known.
    No,
    /// That depends on something not known yet.
    CannotTell {
        /// The property, as a path: `post.clinks["location"].plinks["longitude"]`.
        missing: String,
    },
}

/// Why a constraint cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConstraintError {
    /// It is longer than [`TEXT_BYTES_MAX`].
    #[error("a constraint on `{0}` has {1} bytes; at most {TEXT_BYTES_MAX} are read, so split it in two")]
    TooLong(String, usize),
    /// It exceeds [`NESTING_MAX`], [`SIGNS_MAX`] or [`TREE_MAX`].
    #[error("a constraint on `{0}` is too intricate; split it in two")]
    TooDeep(String),
    /// The parser could not run, or broke down.
    #[error("a constraint on `{0}` could not be read: {1}; write it in another way")]
    Unreadable(String, String),
    /// The name of the type is no name.
    #[error("`{0}` is not an object type; write `post`, or `network/post` for one network only")]
    BadType(String),
    /// It would decide nothing.
    #[error("a constraint on `{type_name}` for `{}` has no effect: {why}", .purpose.name())]
    NoEffect {
        /// The type it is about.
        type_name: String,
        purpose: Purpose,
        /// Why nothing follows from it.
        why: String,
    },
    /// There are more than [`CONSTRAINTS_MAX`].
    #[error("{0} constraints are too many; at most {CONSTRAINTS_MAX} can be in force")]
    TooMany(usize),
    /// Something in it is wrong.
    #[error("constraint on `{type_name}`, column {column}: {what}\n  | {text}\n  | {:>column$}", "^")]
    At {
        /// The type it is about.
        type_name: String,
        /// The constraint on one line.
        text: String,
        /// Where, from 1.
        column: usize,
        /// What is wrong.
        what: String,
    },
}

/// One rule about one object type.
#[derive(Clone, Debug)]
pub struct Constraint {
    network: Option<String>,
    type_name: String,
    purpose: Purpose,
    text: String,
    program: Arc<Program>,
}

impl Constraint {
    /// Reads a rule about objects of `type_name`: `post`, or `mastodon/post` for one network only.
    pub fn parse(type_name: &str, text: &str) -> Result<Self, ConstraintError> {
        let (network, name) = match type_name.split_once('/') {
            Some((network, name)) => (Some(network.to_owned()), name),
            None => (None, type_name),
        };
        if !check::is_identifier(name) || network.as_deref().is_some_and(str::is_empty) {
            return Err(ConstraintError::BadType(type_name.chars().take(100).collect()));
        }
        // One line, so that one caret can point into it. Line breaks mean nothing in CEL.
        let text = text.trim().replace(['\n', '\r', '\t'], " ");
        if text.len() > TEXT_BYTES_MAX {
            return Err(ConstraintError::TooLong(name.to_owned(), text.len()));
        }
        if check::nesting(&text) > NESTING_MAX || check::sign_count(&text) > SIGNS_MAX {
            return Err(ConstraintError::TooDeep(name.to_owned()));
        }
        let program = on_deep_stack(|| Self::compile(name, &text))
            .map_err(|why| ConstraintError::Unreadable(name.to_owned(), why))??;
        let purpose = Purpose::default();
        Ok(Self { network, type_name: name.to_owned(), purpose, text, program: Arc::new(program) })
    }

    /// The same for another purpose than storing.
    pub fn with_purpose(self, purpose: Purpose) -> Self {
        Self { purpose, ..self }
    }

    fn compile(name: &str, text: &str) -> Result<Program, ConstraintError> {
        let fail = |(column, what): (usize, String)| ConstraintError::At {
            type_name: name.to_owned(),
            text: text.to_owned(),
            column,
            what,
        };
        let program = ENV.compile(text).map_err(|errors| match errors.errors.first() {
            Some(error) => fail((usize::try_from(error.pos.1).unwrap_or(1).max(1), error.msg.clone())),
            None => fail((1, "it cannot be read".to_owned())),
        })?;
        if check::depth(program.expression()) > TREE_MAX {
            return Err(ConstraintError::TooDeep(name.to_owned()));
        }
        check::names(&program, name).map_err(fail)?;
        Ok(program)
    }

    /// The object type it is about.
    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    /// What it decides.
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Whether its answer may change with time alone.
    pub fn is_timed(&self) -> bool {
        self.program.expression().references().has_variable("now")
    }

    /// The network it is limited to, if any.
    pub fn network(&self) -> Option<&str> {
        self.network.as_deref()
    }

    /// Its text, on one line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it speaks about objects of this type in networks of this definition.
    pub fn speaks_of(&self, type_name: &str, definition: &str) -> bool {
        self.type_name == type_name && self.network.as_deref().is_none_or(|name| name == definition)
    }

    /// Whether it speaks about this object at all.
    pub fn is_about(&self, object: &Object) -> bool {
        self.speaks_of(&object.address.kind, object.address.network.definition())
    }

    /// Compares every path in it with what a network's definition declares.
    ///
    /// A misspelt association would otherwise park every object for ever.
    pub fn check(&self, schema: &Schema) -> Result<(), ConstraintError> {
        self.check_paths(schema, None).map(drop)
    }

    /// The same, and that a crawl can tell: `obstacle` says which links it can never know, and why.
    ///
    /// A rule about one would park every object until it expires, and the robots would never be told of any.
    pub(crate) fn check_for_crawl(
        &self,
        schema: &Schema,
        obstacle: Obstacle<'_>,
    ) -> Result<(), ConstraintError> {
        self.check_paths(schema, Some(obstacle)).map(drop)
    }

    /// The collections that it asks for, as far as it fits the network.
    pub fn asked(&self, schema: &Schema) -> Vec<Asked> {
        self.check_paths(schema, None).unwrap_or_default()
    }

    fn check_paths(
        &self,
        schema: &Schema,
        obstacle: Option<Obstacle<'_>>,
    ) -> Result<Vec<Asked>, ConstraintError> {
        let checked = check::paths(&self.program, &self.type_name, schema, obstacle);
        checked.map_err(|(column, what)| ConstraintError::At {
            type_name: self.type_name.clone(),
            text: self.text.clone(),
            column,
            what,
        })
    }

    /// Judges an object that was found `depth` steps from what a person added.
    pub fn judge(&self, object: &Object, depth: u16, now: Timestamp) -> Answer {
        if !self.is_about(object) {
            return Answer::Yes;
        }
        let scene = Scene { name: &self.type_name, object, depth, now };
        let mut context = Context::with_env(Arc::clone(&ENV));
        context.set_variable_resolver(&scene);
        match self.program.execute(&context) {
            Ok(Value::Bool(true)) => Answer::Yes,
            Ok(Value::Bool(false)) => Answer::No,
            Ok(other) => Answer::CannotTell { missing: format!("a truth value, not {:?}", other.type_of()) },
            Err(error) => Answer::CannotTell { missing: self.explain(&error) },
        }
    }

    fn explain(&self, error: &ExecutionError) -> String {
        match error {
            ExecutionError::NoSuchKey(path) => path.to_string(),
            ExecutionError::IndexOutOfBounds(_) => format!("a longer collection in `{}`", self.text),
            ExecutionError::NoSuchOverload(overload)
                if overload.argument_types() == ["list", "string"] && overload.function() != "_in_" =>
            {
                "a single object; for a collection write `.exists(x, x.name > 1)` or `[0]`".to_owned()
            }
            other => format!("sense in `{}`: {other}", self.text),
        }
    }
}

/// Runs the parser where it has room; a panic of it becomes an error.
fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(PARSER_STACK_BYTES).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| format!("no thread for the parser ({error})"))?;
        thread.join().map_err(|_| "the parser broke down".to_owned())
    })
}

/// What the names in a constraint stand for; nothing is converted until it is asked for.
struct Scene<'o> {
    name: &'o str,
    object: &'o Object,
    depth: u16,
    now: Timestamp,
}

impl VariableResolver for Scene<'_> {
    fn resolve<'b>(&'b self, variable: &str) -> Option<cel::common::value::CowVal<'b, 'b>> {
        match variable {
            _ if variable == self.name => Some(value::object(self.object, self.name)),
            "depth" => Some(value::int(i64::from(self.depth))),
            "now" => Some(value::int(self.now.ms())),
            _ => None,
        }
    }
}

/// All constraints in force; an object must satisfy every one about its type.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    all: Vec<Constraint>,
}

impl Constraints {
    /// These constraints.
    pub fn new(all: Vec<Constraint>) -> Result<Self, ConstraintError> {
        if all.len() > CONSTRAINTS_MAX {
            return Err(ConstraintError::TooMany(all.len()));
        }
        Ok(Self { all })
    }

    /// Whether there are none, so that everything is wanted.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Constraint> {
        self.all.iter()
    }

    /// Whether there is any of this purpose.
    pub fn has(&self, purpose: Purpose) -> bool {
        self.all.iter().any(|constraint| constraint.purpose == purpose)
    }

    /// Those of one purpose that speak of a type in networks of this definition.
    pub fn speaking_of<'a>(
        &'a self,
        purpose: Purpose,
        type_name: &'a str,
        definition: &'a str,
    ) -> impl Iterator<Item = &'a Constraint> {
        let is_meant = move |it: &&Constraint| it.purpose == purpose && it.speaks_of(type_name, definition);
        self.all.iter().filter(is_meant)
    }

    /// Whether the object is to be stored.
    pub fn judge(&self, object: &Object, depth: u16, now: Timestamp) -> Answer {
        self.judge_for(Purpose::Store, object, depth, now).0
    }

    /// No if any of this purpose says no, else uncertain if any is uncertain, else yes; and which one that is.
    pub fn judge_for(
        &self,
        purpose: Purpose,
        object: &Object,
        depth: u16,
        now: Timestamp,
    ) -> (Answer, Option<&Constraint>) {
        let mut found = (Answer::Yes, None);
        for constraint in self.all.iter().filter(|constraint| constraint.purpose == purpose) {
            match constraint.judge(object, depth, now) {
                Answer::Yes => {}
                Answer::No => return (Answer::No, Some(constraint)),
                uncertain if found.0 == Answer::Yes => found = (uncertain, Some(constraint)),
                Answer::CannotTell { .. } => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
