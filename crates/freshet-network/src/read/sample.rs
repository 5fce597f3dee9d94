//! How what a complaint is about is shown: the beginning of an item or a body, without what may be a secret.
//!
//! A sample comes from the body alone, never from a header; of JSON it has what the mapping looks at, and no text of it is longer
//! than a few lines. A body may still repeat what was asked, tokens included, so whatever stands behind such a name is left out.

use std::fmt::Write as _;
use std::sync::LazyLock;

use freshet_types::Complaint;
use regex::Regex;

use crate::format::Tree;

/// Letters shown of one text inside an item.
const TEXT_CHARS_MAX: usize = 200;
/// Elements shown of one list or object.
const ELEMENTS_MAX: usize = 40;
/// Levels shown.
const DEPTH_MAX: usize = 8;

/// What stands behind a name that sounds like a secret, in JSON, in addresses and in markup.
static SECRET: LazyLock<Regex> = LazyLock::new(|| {
    let name = r"token|secret|passw(?:or)?d|api_?key|authorization|bearer|session(?:_?id)?|cookie|signature";
    Regex::new(&format!(r#"(?i)(\b\w*(?:{name})["']?(?:\s*[=:]\s*|\s+)["']?(?:bearer\s+)?)[^\s"'&<>,;}}]+"#))
        .expect("the pattern is right")
});

/// The beginning of an item.
pub(super) fn of_item(item: &Tree<'_>) -> String {
    let mut out = String::new();
    write(item, 0, &mut out);
    scrubbed(&out)
}

/// The beginning of a body that could not be read as what it was promised to be.
pub(super) fn of_body(text: &str) -> String {
    let text = text.trim_start();
    scrubbed(&text[..text.floor_char_boundary(Complaint::SAMPLE_BYTES_MAX)])
}

fn scrubbed(text: &str) -> String {
    SECRET.replace_all(text, "${1}…").into_owned()
}

/// Writes JSON until there is enough of it; what is left out is an ellipsis.
fn write(value: &Tree<'_>, depth: usize, out: &mut String) {
    if out.len() > Complaint::SAMPLE_BYTES_MAX || depth > DEPTH_MAX {
        return out.push('…');
    }
    match value {
        Tree::Str(text) => {
            let cut: String = text.chars().take(TEXT_CHARS_MAX).collect();
            let more = if cut.len() < text.len() { "…" } else { "" };
            let _ = write!(out, "{}", serde_json::Value::from(format!("{cut}{more}")));
        }
        Tree::Array(list) => {
            out.push('[');
            for (place, element) in list.iter().take(ELEMENTS_MAX).enumerate() {
                out.push_str(if place == 0 { "" } else { "," });
                write(element, depth + 1, out);
            }
            out.push(']');
        }
        Tree::Object(map) => {
            out.push('{');
            for (place, (key, element)) in map.iter().take(ELEMENTS_MAX).enumerate() {
                let _ = write!(out, "{}{}:", if place == 0 { "" } else { "," }, serde_json::Value::from(key));
                write(element, depth + 1, out);
            }
            out.push('}');
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_secret_is_left_out() {
        for (given, shown) in [
            (r#"{"access_token":"abc","id":"1"}"#, r#"{"access_token":"…","id":"1"}"#),
            ("see https://a.example/x?access_token=abc&id=1", "see https://a.example/x?access_token=…&id=1"),
            ("Authorization: Bearer abc.def", "Authorization: Bearer …"),
            ("a token", "a token"),
            (r#"{"password": "a b"}"#, r#"{"password": "… b"}"#),
            (r#"{"text":"a key to it all"}"#, r#"{"text":"a key to it all"}"#),
        ] {
            assert_eq!(scrubbed(given), shown);
        }
    }

    #[test]
    fn samples_are_short_however_much_there_is() {
        let long = "ö".repeat(5000);
        let item = crate::format::owned(serde_json::json!({ "a": long, "b": [[[[[[[[[[1]]]]]]]]]] }));
        let sample = of_item(&item);
        assert!(sample.len() < 600 && sample.contains("…") && sample.starts_with(r#"{"a":"öö"#), "{sample}");
        let many = crate::format::owned(serde_json::json!(vec![long; 50]));
        assert!(of_item(&many).len() < 3 * Complaint::SAMPLE_BYTES_MAX);
        assert!(of_body(&"ö".repeat(5000)).len() <= Complaint::SAMPLE_BYTES_MAX);
    }
}
