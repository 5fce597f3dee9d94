//! jq programs in definitions, for what a pointer cannot say.
//!
//! Part of step 6 of 10. A program must end and must look at nothing but the item: words that
//! loop without bound, read the environment or the clock are refused when the definition is
//! loaded, outputs are capped, and every step is charged to a budget ([`meter`]). Slow compared with pointers (some
//! 30 000 items a second), so definitions use it for the odd tenth only.

mod meter;

use std::fmt;
use std::sync::LazyLock;

use jaq_core::data::JustLut;
use jaq_core::load::parse::Def;
use jaq_core::load::{self, Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Filter, Vars};
use jaq_json::Val;
use serde_json::Value;

use crate::format::{Tree, owned};

/// Most values that one program may give for one item.
pub(crate) const OUTPUTS_MAX: usize = 10_000;
/// Longest program: one line of a definition.
const PROGRAM_BYTES_MAX: usize = 4096;
/// The program's name among the filters.
const PROGRAM: &str = "freshet_program";
/// Words that loop without bound, define such loops, multiply what they are given, or look outside the item.
const REFUSED_WORDS: [&str; 28] = [
    "def",
    "repeat",
    "while",
    "until",
    "range",
    "recurse",
    "reduce",
    "foreach",
    "input",
    "inputs",
    "env",
    "ENV",
    "now",
    "import",
    "include",
    "debug",
    "stderr",
    "halt",
    "halt_error",
    "limit",
    "input_filename",
    "combinations",
    "transpose",
    "path",
    "del",
    "delpaths",
    "pick",
    "setpath",
];

/// The filters that every program may use; reading them takes longer than reading a program.
static KNOWN: LazyLock<Vec<Def<&'static str>>> =
    LazyLock::new(|| jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).collect());

/// A compiled program.
pub(crate) struct Jq {
    program: String,
    filter: Filter<JustLut<Val>>,
}

impl fmt::Debug for Jq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "jq:{}", self.program)
    }
}

impl Jq {
    /// Compiles a program, or says why it cannot be used.
    pub(crate) fn compile(program: &str) -> Result<Self, String> {
        if program.len() > PROGRAM_BYTES_MAX {
            return Err(format!("a jq program has at most {PROGRAM_BYTES_MAX} bytes"));
        }
        if program.contains("\\(") {
            return Err("texts with programs inside, `\\(…)`, are not allowed here: join with `+`".to_owned());
        }
        if let Some(word) = words(program).find(|word| REFUSED_WORDS.contains(word)) {
            return Err(format!(
                "`{word}` is not allowed in a jq program here: it might not end, or looks outside"
            ));
        }
        if outside_texts(program).any(|c| c == '*') {
            return Err(
                "`*` is not allowed in a jq program here: it can repeat a text a billion times".to_owned()
            );
        }
        let arena = Arena::default();
        let unread = |near: String| {
            format!("the jq program cannot be read: {}", near.chars().take(120).collect::<String>())
        };
        let Some(term) = load::parse(program, |parser| parser.term()) else {
            // What is wrong with it is told in its own words.
            let written = Loader::new([]).load(&arena, File { code: program, path: () });
            let errors = written.err().unwrap_or_default();
            return Err(unread(errors.first().map(|it| format!("{:?}", it.1)).unwrap_or_default()));
        };
        let metered = Def { name: PROGRAM, args: Vec::new(), body: meter::metered(term)? };
        let mut known: Vec<Def<&str>> = KNOWN.clone();
        known.push(metered);
        let modules = Loader::new(known)
            .load(&arena, File { code: PROGRAM, path: () })
            .map_err(|_| unread("its parts do not fit together".to_owned()))?;
        let funs = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs()).chain([meter::fun()]);
        let filter = Compiler::default().with_funs(funs).compile(modules).map_err(|errors| {
            let unknown =
                errors.iter().flat_map(|(_, list)| list).map(|(name, _)| *name).next().unwrap_or("?");
            format!("the jq program uses `{unknown}`, which does not exist")
        })?;
        Ok(Self { program: program.to_owned(), filter })
    }

    /// The values that the program gives for an item; errors of the program end the list.
    pub(crate) fn run(&self, item: &Tree<'_>) -> Vec<Tree<'static>> {
        let Some(input) =
            serde_json::to_vec(item).ok().and_then(|bytes| jaq_json::read::parse_single(&bytes).ok())
        else {
            return Vec::new();
        };
        meter::refill();
        let ctx = Ctx::<JustLut<Val>>::new(&self.filter.lut, Vars::new([]));
        let outputs = self.filter.id.run((ctx, input)).map_while(|output| jaq_core::unwrap_valr(output).ok());
        let values: Vec<Value> = outputs.take(OUTPUTS_MAX).map(|output| to_json(&output)).collect();
        // Half of what a program wants to say is not what it says.
        if meter::is_used_up() {
            return Vec::new();
        }
        values.into_iter().filter(|value| !value.is_null()).map(owned).collect()
    }
}

fn to_json(value: &Val) -> Value {
    serde_json::from_str(&value.to_string()).unwrap_or(Value::Null)
}

/// Says of each character of a program whether it stands outside its texts.
fn outside() -> impl FnMut(char) -> bool {
    let (mut is_text, mut is_escaped) = (false, false);
    move |c: char| {
        if c == '"' && !is_escaped {
            is_text = !is_text;
        }
        is_escaped = is_text && c == '\\' && !is_escaped;
        !is_text
    }
}

fn outside_texts(program: &str) -> impl Iterator<Item = char> {
    let mut is_outside = outside();
    program.chars().filter(move |c| is_outside(*c))
}

/// The identifiers of a program that are not field names.
fn words(program: &str) -> impl Iterator<Item = &str> {
    let mut is_outside = outside();
    // A dot is kept with the word, so that `.now` is a field and `now` is not.
    let mut is_word = move |c: char| is_outside(c) && (c.is_alphanumeric() || c == '_' || c == '.');
    let pieces = program.split(move |c: char| !is_word(c));
    pieces.filter_map(|piece| piece.split('.').next()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(program: &str, item: &Value, expected: &[Value]) {
        let jq = Jq::compile(program).unwrap_or_else(|why| panic!("{program}: {why}"));
        let given: Vec<Value> = jq.run(&Tree::from(item)).iter().map(Value::from).collect();
        assert_eq!(given, expected, "{program}");
    }

    #[test]
    fn programs_give_values() {
        check(".a", &json!({"a": "x"}), &[json!("x")]);
        check(".[] | .id", &json!([{"id": 1}, {"id": "2"}]), &[json!(1), json!("2")]);
        check(
            "to_entries[] | select(.key != \"weight\") | .value",
            &json!({"5": "art", "weight": 50}),
            &[json!("art")],
        );
        check(".now", &json!({"now": 7}), &[json!(7)]);
        check(
            "select(.text == \"while\") | .id",
            &json!({"text": "while", "id": 12_345_678_901_234_567_i64}),
            &[json!(12_345_678_901_234_567_i64)],
        );
        check(".a.b.c?", &json!({"a": 3}), &[]);
    }

    /// Each of these would run for years, or take all memory there is.
    #[test]
    fn a_program_that_does_too_much_gives_nothing() {
        let many = Value::from((0..1000).collect::<Vec<_>>());
        let doubled = format!("[0]{}", "|[.,.]".repeat(200));
        for program in [
            "[.[] as $a | .[] as $b | .[] as $c | .[] as $d | $a] | length",
            "[.[] + .[] + .[] + .[]] | length",
            &doubled,
            &format!("\"abcdefgh\"{}", "|.+.".repeat(100)),
        ] {
            check(program, &many, &[]);
        }
        check("map(. + 1) | add", &many, &[json!(500_500)]);
        check("\"a*b\"", &many, &[json!("a*b")]);
    }

    #[test]
    fn programs_that_might_not_end_or_look_outside_are_refused() {
        for (program, why) in [
            ("repeat(.)", "`repeat` is not allowed"),
            ("def f: f; f", "`def` is not allowed"),
            ("$ENV.HOME", "`ENV` is not allowed"),
            ("halt_error", "`halt_error` is not allowed"),
            (r#""\(env.HOME)""#, "are not allowed here"),
            (r#""\\" + env.HOME"#, "`env` is not allowed"),
            (".a | nonsense", "`nonsense`, which does not exist"),
            (".a | (", "cannot be read"),
            ("\"a\" * 1e9", "`*` is not allowed"),
            (".a |= 1", "assignments are not allowed"),
            ("[combinations]", "`combinations` is not allowed"),
        ] {
            let error = Jq::compile(program).expect_err(program);
            assert!(error.contains(why), "{program}: {error}");
        }
    }
}
