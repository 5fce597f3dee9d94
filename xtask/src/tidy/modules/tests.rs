//! Small invented crates, with and without rings.

use super::super::File;
use super::super::workspace;
use super::*;

fn check(files: &[(&str, &str)], expected: &[&str]) {
    let files: Vec<File> = files
        .iter()
        .map(|(path, text)| File { path: format!("crates/{path}"), text: (*text).to_owned() })
        .collect();
    let found: Vec<String> = shortest_rings(&graphs(&workspace::sources(&files)))
        .into_iter()
        .map(|(folder, ring)| format!("{folder}: {}", ring.join(" ")))
        .collect();
    assert_eq!(found, expected, "{files:?}");
}

#[test]
fn rings_of_modules_are_found() {
    let lib = ("x/src/lib.rs", "mod a; mod b; mod c; pub use a::Alpha; use b::{Beta as B};");
    for (a, b, c, expected) in [
        ("use crate::b::X;", "", "", &[][..]),
        ("use crate::b::X;", "use crate::a::Y;", "", &["x: a b"]),
        ("use crate::{c, b::{self, X}};", "use super::c::Z;", "fn f() { crate::a::g() }", &["x: a c"]),
        ("use crate::b::X;", "use crate::c::Z;", "use super::a;", &["x: a b c"]),
        // Who hands something on is known, and so is who defines it.
        ("use crate::b::X;", "pub use crate::c::X;", "use super::a;", &["x: a c"]),
        ("use crate::b::X;", "pub use crate::a::c::X;", "", &["x: a b"]),
        // The root hands on what `a` defines.
        ("use crate::b::X;", "use crate::Alpha;", "", &["x: a b"]),
        ("use super::B;", "use crate::a::Y;", "", &["x: a b"]),
        // The root's own names are no module's.
        ("use crate::b::X;", "use crate::Root;", "", &[]),
        // Tests, comments, strings and visibility are no knowledge.
        ("use crate::b::X;", "#[cfg(test)] mod tests { use crate::a::Y; }", "", &[]),
        ("use crate::b::X;", "// crate::a::Y\nconst A: &str = \"crate::a::Y\";", "", &[]),
        ("use crate::b::X;", "pub(in crate::a) fn f() {}", "", &[]),
    ] {
        check(&[lib, ("x/src/a.rs", a), ("x/src/b.rs", b), ("x/src/c.rs", c)], expected);
    }
}

#[test]
fn rings_inside_a_folder_are_found() {
    let lib = ("x/src/lib.rs", "mod a;");
    let parent = ("x/src/a.rs", "mod b; mod c; pub(crate) use c::Gamma; use b::go;");
    for (b, c, expected) in [
        ("use super::c::X;", "use super::super::a::b::Y;", &["x::a: b c"][..]),
        ("use super::Gamma;", "use crate::a::b;", &["x::a: b c"]),
        ("use super::Other;", "use crate::a::b;", &[]),
    ] {
        check(&[lib, parent, ("x/src/a/b.rs", b), ("x/src/a/c.rs", c)], expected);
    }
}

#[test]
fn files_of_tests_are_left_out() {
    let b = ("x/src/b.rs", "#[cfg(test)] mod tests;");
    let tests = ("x/src/b/tests.rs", "use crate::a::Y;");
    check(&[("x/src/lib.rs", ""), ("x/src/a.rs", "use crate::b::X;"), b, tests], &[]);
}
