//! Pictures of every page, for the documents.

use std::path::PathBuf;

use super::chromium::Chromium;
use super::scene::Scene;
use super::{DESK, PHONE};

/// Longest picture: more is scrolled by nobody.
const PICTURE_MAX: u32 = 1300;

/// Every page, light and dark, on a desk and on a phone.
pub(crate) fn take_pictures(scene: &Scene, browser: &mut Chromium, folder: &std::path::Path) {
    std::fs::create_dir_all(folder).expect("a folder for the pictures");
    for (name, path) in scene.pages() {
        for ((width, height), device) in [(DESK, ""), (PHONE, "-phone")] {
            for is_dark in [false, true] {
                browser.show_as(width, height, is_dark);
                browser.open(&format!("{}{path}", scene.base));
                let picture = browser.picture(width, PICTURE_MAX);
                let scheme = if is_dark { "dark" } else { "light" };
                let file: PathBuf = folder.join(format!("{name}{device}-{scheme}.png"));
                std::fs::write(&file, decoded(&picture)).expect("a picture can be written");
            }
        }
    }
}

/// The bytes of base64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => Some(u32::from(letter - b'A')),
        b'a'..=b'z' => Some(u32::from(letter - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(letter - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for six in text.bytes().filter_map(value) {
        (bits, count) = ((bits << 6) | six, count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
