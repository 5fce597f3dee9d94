//! Packing of model states into bytes and back: little-endian, fixed places, no schema.
//!
//! A model that cannot be read knows nothing: a short or odd input gives `None`, and so does a
//! number that no model writes (infinite, not a number).

use freshet_types::Timestamp;

/// Appends values.
#[derive(Debug, Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn float(mut self, value: f64) -> Self {
        self.0.extend((value as f32).to_le_bytes());
        self
    }

    pub(crate) fn floats(self, values: &[f32]) -> Self {
        values.iter().fold(self, |writer, value| writer.float(f64::from(*value)))
    }

    pub(crate) fn time(mut self, at: Timestamp) -> Self {
        self.0.extend(at.ms().to_le_bytes());
        self
    }

    pub(crate) fn byte(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    pub(crate) fn bytes(mut self, values: &[u8]) -> Self {
        self.0.extend(values);
        self
    }
}

/// Takes values off the front.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    pub(crate) fn float(&mut self) -> Option<f64> {
        let value = f64::from(f32::from_le_bytes(self.bytes(4)?.try_into().ok()?));
        value.is_finite().then_some(value)
    }

    /// A float that is a count or a length: never negative.
    pub(crate) fn amount(&mut self) -> Option<f64> {
        self.float().filter(|value| *value >= 0.0)
    }

    pub(crate) fn floats<const N: usize>(&mut self) -> Option<[f32; N]> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.amount()? as f32;
        }
        Some(values)
    }

    pub(crate) fn time(&mut self) -> Option<Timestamp> {
        Some(Timestamp::from_ms(i64::from_le_bytes(self.bytes(8)?.try_into().ok()?)))
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        Some(self.bytes(1)?[0])
    }
}
