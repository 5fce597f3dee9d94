//! Whether a constraint is a condition at all: what sort of value each part of it gives, as far as that can be told.
//!
//! A text that is compared with a number, a condition that is a number, a pattern that is none: of no object could such a rule be told,
//! so everything that it is about would wait, and be dropped in the end. What cannot be told here is [`Sort::Any`] and passes;
//! judging says then what it misses.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};
use freshet_types::PrimitiveKind;
use regex::Regex;

/// What an expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Truth,
    Number,
    Text,
    /// That cannot be told.
    Any,
}

impl Sort {
    pub(super) fn of_literal(literal: &LiteralValue) -> Self {
        match literal {
            LiteralValue::Boolean(_) => Self::Truth,
            LiteralValue::Int(_) | LiteralValue::UInt(_) | LiteralValue::Double(_) => Self::Number,
            LiteralValue::String(_) => Self::Text,
            LiteralValue::Bytes(_) | LiteralValue::Null => Self::Any,
        }
    }

    /// Times are milliseconds since 1970.
    pub(super) fn of_value(kind: PrimitiveKind) -> Self {
        match kind {
            PrimitiveKind::Bool => Self::Truth,
            PrimitiveKind::Int | PrimitiveKind::Float | PrimitiveKind::Time => Self::Number,
            PrimitiveKind::Text => Self::Text,
        }
    }

    /// Of a function or operator with parts of these sorts.
    pub(super) fn of_call(name: &str, parts: &[Self]) -> Self {
        match name {
            operators::LOGICAL_AND | operators::LOGICAL_OR | operators::LOGICAL_NOT => Self::Truth,
            operators::IN | "contains" | "startsWith" | "endsWith" | "matches" | "bool" => Self::Truth,
            _ if is_comparison(name) => Self::Truth,
            operators::NEGATE | operators::MULTIPLY | operators::DIVIDE | operators::MODULO => Self::Number,
            "size" | "int" | "uint" | "double" => Self::Number,
            "string" => Self::Text,
            operators::ADD | operators::SUBSTRACT => match parts {
                [one, other] if one == other => *one,
                _ => Self::Any,
            },
            operators::CONDITIONAL => match parts {
                [_, one, other] if one == other => *one,
                _ => Self::Any,
            },
            _ => Self::Any,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Truth => "a truth value",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Any => "a value",
        }
    }

    /// Why this is no condition.
    pub(super) fn no_condition(self) -> Option<String> {
        let example = match self {
            Self::Truth | Self::Any => return None,
            Self::Number => "compare it, as in `… > 0`",
            Self::Text => "compare it, as in `… == \"en\"` or `….contains(\"rain\")`",
        };
        Some(format!("this is {}, and a constraint is either true or false; {example}", self.name()))
    }
}

fn is_comparison(name: &str) -> bool {
    use operators::{EQUALS, GREATER, GREATER_EQUALS, LESS, LESS_EQUALS, NOT_EQUALS};
    [EQUALS, NOT_EQUALS, GREATER, GREATER_EQUALS, LESS, LESS_EQUALS].contains(&name)
}

/// Why a call with parts of these sorts can never be told.
pub(super) fn fault(call: &CallExpr, parts: &[Sort]) -> Option<String> {
    let name = call.func_name.as_str();
    if let ("matches", Some(Expr::Literal(LiteralValue::String(pattern)))) =
        (name, call.args.last().map(|it: &IdedExpr| &it.expr))
    {
        let error = Regex::new(pattern.inner()).err()?.to_string();
        let what = error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        return Some(format!("`{}` is no pattern: {what}", pattern.inner()));
    }
    let conditions = match name {
        operators::LOGICAL_AND | operators::LOGICAL_OR | operators::LOGICAL_NOT => parts,
        operators::CONDITIONAL => parts.get(..1)?,
        _ => &[],
    };
    if let Some(why) = conditions.iter().find_map(|sort| sort.no_condition()) {
        return Some(why);
    }
    match parts {
        [one, other] if is_comparison(name) && one != other && ![*one, *other].contains(&Sort::Any) => {
            Some(format!("{} is compared with {}: they are never alike", one.name(), other.name()))
        }
        _ => None,
    }
}
