//! What posts say: composed from a key when asked, never stored.
//!
//! One key, one text, in plain words and as HTML. Several scripts, emoji and characters that
//! must be escaped occur on purpose, since readers stumble over exactly these.

/// Tags in use; small, so that tag timelines are busy.
pub(crate) const TAG_COUNT: u8 = TAGS.len() as u8;
/// Languages in use.
pub(crate) const LANGUAGE_COUNT: u8 = LANGUAGES.len() as u8;

const TAGS: [&str; 24] = [
    "rust", "cats", "garden", "music", "cycling", "books", "photos", "news", "science", "cooking", "linux",
    "art", "history", "weather", "football", "maps", "stars", "knitting", "politics", "birds", "trains",
    "café", "日本", "мир",
];

/// Code and words of each language.
const LANGUAGES: [(&str, &[&str]); 5] = [
    (
        "en",
        &[
            "the", "river", "rises", "after", "rain", "and", "nobody", "minds", "today", "we", "found", "a",
            "quiet", "path", "behind", "station", "coffee", "tastes", "better", "with", "friends", "my",
            "sister's", "dog", "barks", "at", "clouds", "new", "chapter", "finished", "slowly", "light",
            "falls", "through", "old", "windows", "R&D", "meeting", "was", "short", "why", "always", "me",
            "<sigh>", "bread", "\"new\"", "from", "oven", "again", "tomorrow",
        ],
    ),
    (
        "de",
        &[
            "der", "Fluss", "steigt", "über", "Nacht", "und", "niemand", "hört", "es", "heute", "grüßt",
            "die", "Straße", "leise", "Bücher", "schön", "wieder", "morgen", "früh", "Äpfel", "für", "alle",
        ],
    ),
    (
        "es",
        &[
            "el", "río", "crece", "después", "de", "la", "lluvia", "mañana", "¡qué", "día!", "niños", "café",
            "corazón", "otra", "vez", "también", "aquí", "canción",
        ],
    ),
    (
        "ja",
        &[
            "川が",
            "静かに",
            "流れる",
            "今日は",
            "いい",
            "天気",
            "です。",
            "猫が",
            "窓で",
            "眠る",
            "新しい",
            "本を",
            "読んだ",
        ],
    ),
    (
        "ar",
        &[
            "النهر",
            "يرتفع",
            "بعد",
            "المطر",
            "اليوم",
            "قهوة",
            "مع",
            "الأصدقاء",
            "كتاب",
            "جديد",
            "صباح",
            "الخير",
        ],
    ),
];

const EMOJI: [&str; 8] = ["🌊", "☕", "🐈", "🚲", "📚", "👩‍🔬", "🇪🇺", "✨"];

const FIRST_WORDS: [&str; 16] = [
    "brisk", "quiet", "amber", "lucid", "merry", "north", "rapid", "solar", "tidal", "urban", "vivid",
    "wild", "azure", "bold", "calm", "dusty",
];
const SECOND_WORDS: [&str; 16] = [
    "otter", "heron", "maple", "falcon", "willow", "badger", "comet", "finch", "harbor", "island", "juniper",
    "lynx", "meadow", "pebble", "raven", "sparrow",
];

/// Mixes two numbers into one that looks random; the same on every machine.
pub(crate) fn mix(seed: u64, value: u64) -> u64 {
    // The finaliser of splitmix64: every input bit moves every output bit.
    let mut bits = seed ^ value.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// The handle of account `index`; unique because the index is in it.
pub(crate) fn handle(seed: u64, index: u32) -> String {
    let key = mix(seed, u64::from(index) << 32);
    format!("{}_{}_{index}", pick(&FIRST_WORDS, key), pick(&SECOND_WORDS, key >> 8))
}

/// The name an account shows.
pub(crate) fn display_name(handle: &str, key: u64) -> String {
    let name: Vec<String> = handle.split('_').take(2).map(capitalised).collect();
    match key % 8 {
        0 => format!("{} {}", name.join(" "), pick(&EMOJI, key >> 8)),
        1 => format!("{} \"{}\"", name[0], name[name.len() - 1]),
        2 => format!("{} & co <ö>", name.join(" ")),
        _ => name.join(" "),
    }
}

/// The code of a language.
pub(crate) fn language(number: u8) -> &'static str {
    LANGUAGES[number as usize % LANGUAGES.len()].0
}

/// The name of a tag.
pub(crate) fn tag_name(tag: u8) -> &'static str {
    TAGS[tag as usize % TAGS.len()]
}

/// The tag of a name, in any case.
pub(crate) fn find_tag(name: &str) -> Option<u8> {
    TAGS.iter().position(|tag| *tag == name.to_lowercase()).map(|index| index as u8)
}

/// Which of its author's tags a post bears: none, one or two.
pub(crate) fn tags(key: u64, liked: [u8; 3]) -> impl Iterator<Item = u8> {
    let count = match (key >> 20) % 20 {
        0..11 => 0,
        11..17 => 1,
        _ => 2,
    };
    let first = liked[(key >> 28) as usize % 3];
    let second = liked[(key >> 32) as usize % 3];
    let both = [Some(first), (second != first).then_some(second)];
    both.into_iter().take(count).flatten()
}

/// The words of a post; each edit appends a remark and leaves the rest.
pub(crate) fn words(key: u64, language: u8, edit_count: usize) -> String {
    let vocabulary = LANGUAGES[language as usize % LANGUAGES.len()].1;
    let mut text = String::with_capacity(96);
    for index in 0..4 + key % 14 {
        let bits = mix(key, index);
        if index > 0 {
            text.push(' ');
        }
        text.push_str(if bits.is_multiple_of(40) {
            pick(&EMOJI, bits >> 8)
        } else {
            pick(vocabulary, bits >> 8)
        });
    }
    for edit in 0..edit_count as u64 {
        text.push_str(" – ");
        text.push_str(pick(vocabulary, mix(!key, edit)));
    }
    text
}

/// Appends `text` with the characters escaped that mean something in HTML.
pub(crate) fn push_html(out: &mut String, text: &str) {
    // Plain stretches are copied whole; these four characters are single bytes in UTF-8.
    let mut rest = text;
    while let Some(end) = rest.find(['&', '<', '>', '"']) {
        out.push_str(&rest[..end]);
        out.push_str(match rest.as_bytes()[end] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            _ => "&quot;",
        });
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
}

fn pick<'a>(list: &[&'a str], bits: u64) -> &'a str {
    list[(bits % list.len() as u64) as usize]
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
