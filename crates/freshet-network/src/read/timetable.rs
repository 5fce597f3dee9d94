//! What a feed says about when to come, from the one shape of all feeds to a [`Timetable`].
//!
//! Part of step 6 of 10. What cannot be understood counts as not said: nobody complains about an hour named "midnight".

use freshet_types::Timetable;

use crate::format::Tree;

/// Longest address of a hub that is kept.
const HUB_BYTES_MAX: usize = 1 << 10;
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const MINUTES_OF_DAY: u32 = 24 * 60;

/// What a feed says.
pub(super) fn read(feed: &Tree<'_>) -> Timetable {
    let Tree::Object(values) = feed else { return Timetable::default() };
    let text = |key: &str| values.get(key).and_then(|value| value.as_str());
    let number = |key: &str| {
        values.get(key).and_then(|value| u32::try_from(value.as_i64()?).ok()).filter(|&it| it > 0)
    };
    let texts = |key: &str| match values.get(key) {
        Some(Tree::Array(list)) => list.iter().filter_map(|it| it.as_str()).collect(),
        _ => Vec::new(),
    };
    // Some write 24 for midnight.
    let hours = texts("skip_hours").into_iter().filter_map(|hour| hour.trim().parse::<u32>().ok());
    let days = texts("skip_days").into_iter().filter_map(day);
    Timetable {
        ttl_min: number("ttl_min"),
        period_min: text("period").and_then(|period| period_min(period, number("frequency").unwrap_or(1))),
        skip_hours: hours.filter(|&hour| hour <= 24).fold(0, |bits, hour| bits | 1 << (hour % 24)),
        skip_days: days.fold(0, |bits, day| bits | 1 << day),
        hub: text("hub").filter(|hub| hub.len() <= HUB_BYTES_MAX).map(str::to_owned),
    }
}

fn day(name: &str) -> Option<u8> {
    let head = name.trim().get(..3)?.to_ascii_lowercase();
    DAYS.iter().position(|day| *day == head).and_then(|place| u8::try_from(place).ok())
}

/// Minutes between two changes: a period, and how often it changes in one.
fn period_min(period: &str, frequency: u32) -> Option<u32> {
    let minutes = match period.trim().to_ascii_lowercase().as_str() {
        "hourly" => 60,
        "daily" => MINUTES_OF_DAY,
        "weekly" => 7 * MINUTES_OF_DAY,
        "monthly" => 30 * MINUTES_OF_DAY,
        "yearly" => 365 * MINUTES_OF_DAY,
        _ => return None,
    };
    Some((minutes / frequency).max(1))
}
