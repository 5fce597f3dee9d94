//! Invented words: the same number gives the same text.

const WORDS: [&str; 24] = [
    "river", "mill", "about", "stone", "because", "lantern", "under", "seven", "quiet", "copper", "without",
    "meadow", "harbour", "bridge", "often", "garden", "paper", "northern", "window", "behind", "morning",
    "salt", "timber", "valley",
];
const NAMES: [&str; 12] =
    ["ada", "brook", "cyril", "dana", "emil", "freya", "goran", "hilde", "ivo", "jana", "kolya", "lena"];

/// What an author adds to a post.
const SECOND_THOUGHTS: &str = "on second thoughts otherwise";

/// A stream of numbers from one (Steele 2014).
fn mixed(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::from_fn(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = state;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some(value ^ (value >> 31))
    })
}

fn sentence(seed: u64, count: usize) -> String {
    let words: Vec<&str> =
        mixed(seed).take(count).map(|it| WORDS[(it % WORDS.len() as u64) as usize]).collect();
    words.join(" ")
}

pub(super) fn board(number: u32) -> String {
    format!("Board of {}", sentence(u64::from(number) | 1 << 40, 2))
}

pub(super) fn title(thread: u32) -> String {
    sentence(u64::from(thread) | 1 << 41, 3 + thread as usize % 4)
}

pub(super) fn author(number: u32) -> String {
    format!("{}{number}", NAMES[number as usize % NAMES.len()])
}

/// One to six paragraphs, and one more where the author had second thoughts.
pub(super) fn text(post: u32, is_edited: bool) -> Vec<String> {
    let seed = u64::from(post) | 1 << 42;
    let lengths = mixed(seed).take(1 + post as usize % 6).enumerate();
    let paragraph = |(index, it): (usize, u64)| sentence(seed + 1 + index as u64, 5 + (it % 40) as usize);
    lengths.map(paragraph).chain(is_edited.then(|| SECOND_THOUGHTS.to_owned())).collect()
}
