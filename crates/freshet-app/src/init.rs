//! Making a data directory, or finding that there is one already. Harmless on a directory that is in use.

use serde::Serialize;

use crate::config::Globals;
use crate::data::{CONTACT, Data, private};

/// A data directory.
#[derive(Debug, Serialize)]
pub struct InitReport {
    /// Where it is.
    pub data: String,
    /// It was not there before.
    pub is_new: bool,
    /// The address of its clock, unless that is the computer's.
    pub clock: Option<String>,
    /// Whom servers can write to.
    pub contact: Option<String>,
}

/// Makes the directory, and keeps the contact where one is given.
pub fn init(globals: &Globals, contact: Option<&str>) -> anyhow::Result<InitReport> {
    let is_new = !globals.data_dir.join("store.sqlite").is_file();
    let mut data = Data::create(globals)?;
    for dir in [data.rings_dir(), data.dir().join("networks")] {
        private::make_dir(&dir)?;
    }
    if let Some(contact) = contact {
        CONTACT.put(&mut data.store, &contact.to_owned())?;
    }
    Ok(InitReport {
        data: globals.data_dir.display().to_string(),
        is_new,
        clock: data.clock_url()?,
        contact: data.contact(globals)?,
    })
}
