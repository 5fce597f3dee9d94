//! Settings with a type: a key, and what its text means.
//!
//! All keys stand in [`KEYS`], so that two owners never mean the same one; each [`Setting`] is declared where its owner
//! lives, and one whose key is not in the list does not compile. What is stored is text: the type decides by
//! [`SettingValue`] how it is written and read.

use std::marker::PhantomData;

use serde_json::Value;

use crate::api::{Settings, StoreError};

/// All keys that are stored: whose each is, and what it holds. One that ends in `/` begins the keys of many settings.
pub const KEYS: &[(&str, &str)] = &[
    ("alerts", "alerts: what they remember between runs"),
    ("budgets", "engine: what a person allows it to ask"),
    ("calendars", "engine: which days are not like others"),
    ("care_within_ms", "care: within which time exports hear of what was erased"),
    ("clock", "the data directory: the clock that it lives by"),
    ("collections", "engine: which collections the robot `link` gathers"),
    ("constraints", "engine: the rules that say which objects are wanted"),
    ("contact", "the data directory: the address in the user agent"),
    ("fed_collections", "engine: those by which its ring was fed"),
    ("fed_depth", "engine: the depth up to which the rings were fed"),
    ("focus", "engine: which posts are wanted first, and how much explores"),
    ("forgotten_salt", "store: the key of the hashes of what is forgotten"),
    ("forum_share", "`run`: how the requests of a forum are shared"),
    ("guests", "engine: what commands that ask networks beside a run were answered"),
    ("history", "engine: how much was done, point by point"),
    ("history_pace", "the terminal view: how quickly holes were filled"),
    ("hubs", "`run --websub-at`: what hubs of feeds tell it"),
    ("importance", "engine: whether weights follow what people ask about"),
    ("ledger", "engine: all quotas in one text, as older versions wrote them"),
    ("ledger/", "engine: one quota or one storm each"),
    ("many_tokens", "credentials: networks whose terms allow several tokens in turn"),
    ("parked_days", "engine: how many days an object may wait for a property"),
    ("prices", "engine: the price of each scope"),
    ("rechecks", "engine: what old pages of each forum have shown, by age"),
    ("relearnt", "engine: when each forum was learned anew"),
    ("status", "engine: the live report of the last run"),
    ("store", "exports: which store this is"),
    ("unkept_salt", "store: the key of the fingerprints of what is not kept"),
];

/// How a value is written into a setting and read back.
pub trait SettingValue: Sized {
    /// The text that is stored.
    fn to_stored(&self) -> String;
    /// What a stored text means, or why it means nothing.
    fn from_stored(text: &str) -> Result<Self, String>;
}

/// Text is stored as it is.
impl SettingValue for String {
    fn to_stored(&self) -> String {
        self.clone()
    }

    fn from_stored(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
}

impl SettingValue for u16 {
    fn to_stored(&self) -> String {
        self.to_string()
    }

    fn from_stored(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error| format!("{error}"))
    }
}

impl SettingValue for u32 {
    fn to_stored(&self) -> String {
        self.to_string()
    }

    fn from_stored(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error| format!("{error}"))
    }
}

impl SettingValue for Value {
    fn to_stored(&self) -> String {
        self.to_string()
    }

    fn from_stored(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}

/// Plain data that is stored as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: serde::Serialize + serde::de::DeserializeOwned> SettingValue for Json<T> {
    fn to_stored(&self) -> String {
        serde_json::to_string(&self.0).expect("a setting is plain data")
    }

    fn from_stored(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map(Self).map_err(|error| error.to_string())
    }
}

/// A setting: the key under which it is stored, and the type of what is stored.
#[derive(Debug)]
pub struct Setting<T> {
    key: &'static str,
    value: PhantomData<fn() -> T>,
}

impl<T: SettingValue> Setting<T> {
    /// The setting of this key, which must stand in [`KEYS`].
    pub const fn new(key: &'static str) -> Self {
        assert!(is_listed(key), "the key of a setting must stand in KEYS");
        Self { key, value: PhantomData }
    }

    /// Its key, for whoever writes many settings at once.
    pub const fn key(&self) -> &'static str {
        self.key
    }

    /// Its value; `None` where it was never written. A text that cannot be read is an error.
    pub fn get(&self, store: &(impl Settings + ?Sized)) -> Result<Option<T>, StoreError> {
        let Some(text) = store.setting(self.key)? else { return Ok(None) };
        T::from_stored(&text).map(Some).map_err(|why| StoreError::Setting { key: self.key, why })
    }

    /// Its value; `None` where it was never written, or cannot be read.
    pub fn find(&self, store: &(impl Settings + ?Sized)) -> Result<Option<T>, StoreError> {
        Ok(store.setting(self.key)?.and_then(|text| T::from_stored(&text).ok()))
    }

    /// Writes it.
    pub fn put(&self, store: &mut (impl Settings + ?Sized), value: &T) -> Result<(), StoreError> {
        store.set_setting(self.key, &value.to_stored())
    }
}

/// Many settings whose keys begin alike, written and read together.
#[derive(Clone, Copy, Debug)]
pub struct SettingGroup {
    prefix: &'static str,
}

impl SettingGroup {
    /// The settings whose keys begin so; the beginning must stand in [`KEYS`].
    pub const fn new(prefix: &'static str) -> Self {
        assert!(is_listed(prefix), "the beginning of the keys must stand in KEYS");
        Self { prefix }
    }

    /// The key of the setting of this name.
    pub fn key(self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// All of them, in order of key: keys and texts.
    pub fn all(self, store: &(impl Settings + ?Sized)) -> Result<Vec<(String, String)>, StoreError> {
        store.settings_under(self.prefix)
    }
}

/// Whether a key stands in [`KEYS`]; by hand, because texts cannot be compared otherwise while compiling.
const fn is_listed(key: &str) -> bool {
    let mut index = 0;
    while index < KEYS.len() {
        if is_same(KEYS[index].0.as_bytes(), key.as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_listed_once_and_in_order() {
        assert!(KEYS.is_sorted_by(|one, next| one.0 < next.0), "{KEYS:?}");
        assert!(KEYS.iter().all(|(key, what)| !key.is_empty() && !what.is_empty()));
        assert!(is_listed("ledger/") && is_listed("store"));
        assert!(!is_listed("ledge") && !is_listed("stores") && !is_listed(""));
    }

    fn check<T: SettingValue + PartialEq + std::fmt::Debug>(value: &T, stored: &str, wrong: Option<&str>) {
        assert_eq!(value.to_stored(), stored);
        assert_eq!(T::from_stored(stored).as_ref(), Ok(value));
        assert!(wrong.is_none_or(|wrong| T::from_stored(wrong).is_err()), "{wrong:?}");
    }

    #[test]
    fn values_are_stored_as_plain_text_or_json() {
        check(&"a \"b\"".to_owned(), "a \"b\"", None);
        check(&7_u16, "7", Some("70000"));
        check(&70_000_u32, "70000", Some("x"));
        check(&serde_json::json!({"a": 1}), r#"{"a":1}"#, Some("{"));
        check(&Json(vec![1, 2]), "[1,2]", Some("[1,"));
    }

    #[test]
    fn what_cannot_be_read_is_named_or_passed_over() {
        const DAYS: Setting<u32> = Setting::new("parked_days");
        let mut store = crate::testing::memory();
        assert_eq!(DAYS.get(&store).unwrap(), None);
        DAYS.put(&mut store, &3).unwrap();
        assert_eq!(DAYS.get(&store).unwrap(), Some(3));
        store.set_setting(DAYS.key(), "soon").unwrap();
        assert!(DAYS.get(&store).unwrap_err().to_string().contains("`parked_days`"));
        assert_eq!(DAYS.find(&store).unwrap(), None);
        assert_eq!(SettingGroup::new("ledger/").key("a"), "ledger/a");
    }
}
