//! A meter for jq programs: each step is charged for the size of what it gave, and a program that used up its budget ends.
//!
//! Part of step 6 of 10. `jaq` runs a program as far as it goes, and a short one can go very far: `.[] as $a | .[] as $b | …` visits
//! all combinations, `. + . | . + .` doubles a text each time. So the parsed program is rewritten before it is compiled: what
//! every path, operator, list, object and call gives goes through [`SPEND`], which counts all values in it and takes
//! them off the budget of the run. A list that holds itself many times over is counted in full, since it is
//! written out in full at last. After the budget is gone every step is an error, so nothing can catch it and go on.
//!
//! What it does not do: look inside filters that `jaq` brings; those that multiply what they are given are refused by name.

use std::cell::Cell;

use jaq_core::data::JustLut;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::native::{Fun, bome, run, v};
use jaq_core::path::{Part, Path};
use jaq_core::{Error, RunPtr};
use jaq_json::Val;

/// The filter that takes off the budget.
const SPEND: &str = "freshet_spend";
/// Values, and pieces of [`TEXT_UNIT_BYTES`] of texts, that all steps of one run may give together. A program over one
/// item needs some hundreds, one over a whole page some hundred thousand.
pub(super) const BUDGET: u64 = 1_000_000;
/// Bytes of a text that count as one value.
const TEXT_UNIT_BYTES: u64 = 32;

thread_local! {
    /// What is left for the run that is under way on this thread.
    static LEFT: Cell<u64> = const { Cell::new(0) };
}

/// Gives the next run on this thread a full budget.
pub(super) fn refill() {
    LEFT.set(BUDGET);
}

/// Whether the last run on this thread used up its budget.
pub(super) fn is_used_up() -> bool {
    LEFT.get() == 0
}

/// The filter itself, for the compiler.
pub(super) fn fun() -> Fun<JustLut<Val>> {
    let spend: RunPtr<JustLut<Val>> = |cv| bome(spend(cv.1));
    run::<JustLut<Val>>((SPEND, v(0), spend))
}

fn spend(value: Val) -> Result<Val, Error<Val>> {
    let left = LEFT.get();
    let left = left.saturating_sub(size(&value, left));
    LEFT.set(left);
    if left == 0 { Err(Error::str("the program does more than one item is worth")) } else { Ok(value) }
}

/// How many values there are in a value; counting ends beyond `most`.
fn size(value: &Val, most: u64) -> u64 {
    let add = |sum: u64, inner: &Val| if sum > most { sum } else { sum + size(inner, most - sum) };
    match value {
        Val::BStr(text) | Val::TStr(text) => 1 + text.len() as u64 / TEXT_UNIT_BYTES,
        Val::Arr(list) => list.iter().fold(1, add),
        Val::Obj(map) => map.iter().fold(1, |sum, (key, inner)| add(add(sum, key), inner)),
        Val::Null | Val::Bool(_) | Val::Num(_) => 1,
    }
}

/// The program with every step metered, or what in it cannot be.
pub(super) fn metered(term: Term<&str>) -> Result<Term<&str>, String> {
    Ok(match term {
        Term::Arr(Some(list)) => spent(Term::Arr(Some(inner(list)?))),
        Term::Obj(pairs) => {
            let pair = |(key, value): (Term<_>, Option<Term<_>>)| {
                Ok((metered(key)?, value.map(metered).transpose()?))
            };
            spent(Term::Obj(pairs.into_iter().map(pair).collect::<Result<_, String>>()?))
        }
        Term::Neg(of) => Term::Neg(inner(of)?),
        Term::BinOp(left, op, right) => {
            use BinaryOp::{Assign, Update, UpdateAlt, UpdateMath};
            if matches!(op, Assign | Update | UpdateAlt | UpdateMath(_)) {
                return Err("assignments are not allowed in a jq program here: build a new value".to_owned());
            }
            let gives_new = matches!(op, BinaryOp::Comma | BinaryOp::Math(_) | BinaryOp::Cmp(_));
            let whole = Term::BinOp(inner(left)?, op, inner(right)?);
            if gives_new { spent(whole) } else { whole }
        }
        Term::TryCatch(of, catch) => Term::TryCatch(inner(of)?, catch.map(inner).transpose()?),
        Term::IfThenElse(cases, other) => {
            let case = |(when, then)| Ok((metered(when)?, metered(then)?));
            let cases = cases.into_iter().map(case).collect::<Result<_, String>>()?;
            Term::IfThenElse(cases, other.map(inner).transpose()?)
        }
        Term::Call(name, arguments) => {
            let arguments = arguments.into_iter().map(metered).collect::<Result<_, String>>()?;
            spent(Term::Call(name, arguments))
        }
        Term::Path(of, Path(parts)) => {
            let part = |(part, opt)| {
                let part = match part {
                    Part::Index(at) => Part::Index(metered(at)?),
                    Part::Range(from, to) => {
                        Part::Range(from.map(metered).transpose()?, to.map(metered).transpose()?)
                    }
                };
                Ok((part, opt))
            };
            let parts = parts.into_iter().map(part).collect::<Result<_, String>>()?;
            spent(Term::Path(inner(of)?, Path(parts)))
        }
        Term::Recurse => spent(Term::Recurse),
        Term::Fold(..) | Term::Def(..) | Term::Label(..) | Term::Break(_) => {
            return Err("definitions, folds and labels are not allowed in a jq program here".to_owned());
        }
        leaf @ (Term::Id | Term::Num(_) | Term::Str(..) | Term::Arr(None) | Term::Var(_)) => leaf,
    })
}

#[expect(clippy::boxed_local, reason = "it stands in a box and goes into one")]
fn inner(term: Box<Term<&str>>) -> Result<Box<Term<&str>>, String> {
    metered(*term).map(Box::new)
}

/// What a step gives, taken off the budget.
fn spent(term: Term<&str>) -> Term<&str> {
    let spend = Term::Call(SPEND, Vec::new());
    Term::BinOp(Box::new(term), BinaryOp::Pipe(None), Box::new(spend))
}
