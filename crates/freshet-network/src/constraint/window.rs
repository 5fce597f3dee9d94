//! Conditions over time: how many members a collection got lately, how often it gets one, and which came after which.
//!
//! | written | is |
//! |---|---|
//! | `xs.within("24h")` | the members of the last 24 hours |
//! | `xs.rate("6h")` | members an hour, over the last 6 hours |
//! | `xs.followed_by(ys, "1h")` | the members of `ys` that came within an hour after one of `xs` |
//! | `span("7d")` | so many milliseconds, to compare times with |
//!
//! A member's time is when it was posted, and of anything else when it was first seen as a member ([`AT`]). The parser turns the
//! text of a span into a number, so that a wrong one is refused at its place. Whoever judges has the members in memory: nothing
//! is asked for here.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue};
use cel::common::types::{CelDouble, CelInt, CelList, CelString, INT_TYPE, LIST_TYPE};
use cel::common::value::{CowVal, Val};
use cel::parser::{Macro, MacroExprHelper};
use cel::{Env, ExecutionError, ParseError};
use freshet_types::Span;

/// The value that tells when an object became a member; no definition can declare a name like this.
pub const AT: &str = "@at";
pub(super) const WITHIN: &str = "within";
pub(super) const RATE: &str = "rate";
pub(super) const FOLLOWED_BY: &str = "followed_by";
const SPAN: &str = "span";
/// Longest window: a year and a day.
const WINDOW_MAX: Span = Span::from_ms(366 * 86_400_000);

type Values<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Given<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

/// The functions and macros of CEL, and those of this file.
pub(super) fn env() -> Env {
    let mut env = Env::stdlib().with_optional_support(false);
    let once = "each name is added once";
    for name in [WITHIN, RATE] {
        let windowed = Macro::receiver(name, 1, move |helper, target, args| {
            let Some((list, text)) = target.take().zip(args.pop()) else { return Ok(None) };
            let now = helper.next_expr(Expr::Ident("now".to_owned()));
            let span = literal(helper, &text)?;
            Ok(Some(call(helper, name, vec![list, span, now])))
        });
        env.add_macro(windowed).expect(once);
    }
    let followed_by = Macro::receiver(FOLLOWED_BY, 2, |helper, target, args| {
        let (text, later) = (args.pop(), args.pop());
        let (Some(list), Some(later), Some(text)) = (target.take(), later, text) else { return Ok(None) };
        let span = literal(helper, &text)?;
        Ok(Some(call(helper, FOLLOWED_BY, vec![list, later, span])))
    });
    env.add_macro(followed_by).expect(once);
    let span = Macro::global(SPAN, 1, |helper, _, args| match args.pop() {
        Some(text) => literal(helper, &text).map(Some),
        None => Ok(None),
    });
    env.add_macro(span).expect(once);
    env.add_overload(WITHIN, "list_within", vec![LIST_TYPE, INT_TYPE, INT_TYPE], within).expect(once);
    env.add_overload(RATE, "list_rate", vec![LIST_TYPE, INT_TYPE, INT_TYPE], rate).expect(once);
    env.add_overload(FOLLOWED_BY, "list_followed_by", vec![LIST_TYPE, LIST_TYPE, INT_TYPE], followed)
        .expect(once);
    env
}

fn call(helper: &mut MacroExprHelper<'_>, name: &str, args: Vec<IdedExpr>) -> IdedExpr {
    helper.next_expr(Expr::Call(CallExpr { func_name: name.to_owned(), target: None, args }))
}

/// The milliseconds of a span that is written as a text.
fn literal(helper: &mut MacroExprHelper<'_>, text: &IdedExpr) -> Result<IdedExpr, ParseError> {
    let Expr::Literal(LiteralValue::String(written)) = &text.expr else {
        return Err(helper.new_error(text.id, "a span is a text in quotes, such as \"24h\""));
    };
    let span = Span::parse(written.inner()).filter(|span| *span > Span::ZERO && *span <= WINDOW_MAX);
    let Some(span) = span else {
        let what = format!(
            "`{}` is no span; write \"90s\", \"10m\", \"24h\" or \"7d\", 366 days at most",
            written.inner()
        );
        return Err(helper.new_error(text.id, what));
    };
    Ok(helper.next_expr(Expr::Literal(LiteralValue::Int(CelInt::from(span.ms())))))
}

/// The members of a list that came after `now - span`.
fn within<'b, 'v>(args: Values<'b, 'v>) -> Given<'b, 'v> {
    let [list, span, now] = three(args)?;
    let since = int(&now)? - int(&span)?;
    let mut kept = Vec::new();
    for member in members(list)? {
        if at(&*member)? > since {
            kept.push(member);
        }
    }
    Ok(CowVal::owned(CelList::from(kept)))
}

/// Members an hour over the span that ends now.
fn rate<'b, 'v>(args: Values<'b, 'v>) -> Given<'b, 'v> {
    let [list, span, now] = three(args)?;
    let span = int(&span)?;
    let since = int(&now)? - span;
    let mut count = 0.0;
    for member in members(list)? {
        count += if at(&*member)? > since { 1.0 } else { 0.0 };
    }
    let hours = Span::from_ms(span).secs_f64() / Span::HOUR.secs_f64();
    Ok(CowVal::owned(CelDouble::from(count / hours)))
}

/// The members of the second list that came after a member of the first, by no more than the span.
fn followed<'b, 'v>(args: Values<'b, 'v>) -> Given<'b, 'v> {
    let [list, later, span] = three(args)?;
    let span = int(&span)?;
    let mut firsts = members(list)?.iter().map(|member| at(&**member)).collect::<Result<Vec<_>, _>>()?;
    firsts.sort_unstable();
    let mut kept = Vec::new();
    for member in members(later)? {
        let at = at(&*member)?;
        let before = firsts.partition_point(|first| *first < at);
        if before.checked_sub(1).is_some_and(|nearest| at - firsts[nearest] <= span) {
            kept.push(member);
        }
    }
    Ok(CowVal::owned(CelList::from(kept)))
}

fn three<'b, 'v>(args: Values<'b, 'v>) -> Result<[CowVal<'b, 'v>; 3], ExecutionError> {
    args.try_into().map_err(|args: Vec<_>| ExecutionError::invalid_argument_count(3, args.len()))
}

fn int(value: &CowVal<'_, '_>) -> Result<i64, ExecutionError> {
    match value.downcast_ref::<CelInt>() {
        Some(number) => Ok(*number.inner()),
        None => Err(unexpected(&**value, "int")),
    }
}

fn members<'v>(list: CowVal<'_, 'v>) -> Result<Vec<Box<dyn Val + 'v>>, ExecutionError> {
    Vec::try_from(list.into_owned()).map_err(|other: Box<dyn Val + 'v>| unexpected(&*other, "list"))
}

/// When a member came.
fn at(member: &dyn Val) -> Result<i64, ExecutionError> {
    let Some(object) = member.as_indexer() else { return Err(unexpected(member, "object")) };
    let found = object.get(&CelString::from(AT)).or_else(|_| object.get(&CelString::from("created_at")))?;
    int(&found)
}

fn unexpected(value: &(dyn Val + '_), want: &str) -> ExecutionError {
    ExecutionError::UnexpectedType { got: value.get_type().name().to_owned(), want: want.to_owned() }
}
