//! Making a data directory, or finding that there is one already. Harmless on a directory that is in use.

use freshet_report::init::InitReport;

use crate::config::Globals;
use crate::data::{CONTACT, Data, private};

/// Makes the directory, and keeps the contact where one is given.
pub fn init(globals: &Globals, contact: Option<&str>) -> anyhow::Result<InitReport> {
    let place = globals.place();
    // Of a store elsewhere nothing is known before it is asked.
    let is_new =
        if globals.store.is_none() { !place.store().is_there() } else { Data::reader(&place).is_err() };
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
