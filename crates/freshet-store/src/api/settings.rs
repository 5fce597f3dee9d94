//! Role: settings as a backend keeps them, texts under keys.
//!
//! Nobody above the seam uses these methods with a key of their own: a [`Setting`](crate::setting::Setting) has the key and
//! the type, and reads and writes through them.

use super::StoreError;

/// Settings as texts.
pub trait Settings {
    /// A setting.
    fn setting(&self, key: &str) -> Result<Option<String>, StoreError>;
    /// Writes a setting.
    fn set_setting(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.set_settings(&[(key.to_owned(), Some(value.to_owned()))])
    }
    /// The settings whose keys begin so, in order of key.
    fn settings_under(&self, prefix: &str) -> Result<Vec<(String, String)>, StoreError>;
    /// Writes settings, all or none; one without a value is removed.
    fn set_settings(&mut self, settings: &[(String, Option<String>)]) -> Result<(), StoreError>;
}
