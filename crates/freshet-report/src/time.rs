//! Instants as reports write them: unix seconds, in one of two forms that programs rely on.
//!
//! Code gets a [`Timestamp`]; only the written form is a number. Which of the two forms a field has was decided when the
//! field was made and stays, because other programs read it.

use std::borrow::Cow;

use freshet_types::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Unix seconds, always written with a fraction: `1770000000.0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnixFloat(pub Timestamp);

/// Unix seconds, written as a whole number where they are whole: `1770000000`, `1770000000.25`.
///
/// "Never" and "at once" are no numbers: [`UnixNumber::of`] gives `None` for them, which is written as null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnixNumber(pub Timestamp);

impl UnixNumber {
    /// The instant, if it is one: not "never" and not "at once".
    pub fn of(at: Timestamp) -> Option<Self> {
        (at > Timestamp::MIN && at < Timestamp::MAX).then_some(Self(at))
    }
}

impl From<Timestamp> for UnixFloat {
    fn from(at: Timestamp) -> Self {
        Self(at)
    }
}

impl Serialize for UnixFloat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0.secs_f64())
    }
}

impl Serialize for UnixNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.ms() % 1000 == 0 {
            serializer.serialize_i64(self.0.secs())
        } else {
            serializer.serialize_f64(self.0.secs_f64())
        }
    }
}

/// To the nearest millisecond: the same number is written again.
fn instant(secs: f64) -> Timestamp {
    Timestamp::from_ms((secs * 1000.0).round() as i64)
}

impl<'de> Deserialize<'de> for UnixFloat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(|secs| Self(instant(secs)))
    }
}

impl<'de> Deserialize<'de> for UnixNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(|secs| Self(instant(secs)))
    }
}

fn schema() -> Schema {
    schemars::json_schema!({ "type": "number", "description": "unix seconds" })
}

impl JsonSchema for UnixFloat {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "UnixFloat".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema()
    }
}

impl JsonSchema for UnixNumber {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "UnixNumber".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema()
    }
}

/// A number that may be missing: JSON has no infinity and writes null for it. It is read back as "not a number", so that
/// one such number does not make a whole report unreadable.
pub(crate) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_keep_their_form() {
        for (ms, float, number) in [
            (2_000, "2.0", "2"),
            (1_500, "1.5", "1.5"),
            (1_770_000_000_123, "1770000000.123", "1770000000.123"),
            (-1_001, "-1.001", "-1.001"),
        ] {
            let at = Timestamp::from_ms(ms);
            assert_eq!(serde_json::to_string(&UnixFloat(at)).unwrap(), float);
            assert_eq!(serde_json::to_string(&UnixNumber(at)).unwrap(), number);
            assert_eq!(serde_json::from_str::<UnixFloat>(number).unwrap(), UnixFloat(at));
            assert_eq!(serde_json::from_str::<UnixNumber>(float).unwrap(), UnixNumber(at));
        }
        assert_eq!(UnixNumber::of(Timestamp::MIN), None);
        assert_eq!(UnixNumber::of(Timestamp::MAX), None);
    }
}
