//! Viewers: who reads as themselves, with a credential of their own, and what everybody's rules are for them.
//!
//! What a viewer sees lies in a store of its own ([`freshet_store::viewers`]). The rules by which content is kept, dropped and forgotten are
//! those of everybody: they are written into a viewer's store when it is made, whenever they change, and once more at the start of a run,
//! so that nothing is lost by dying in between.

use std::ops::ControlFlow;

use freshet_network::networks::Networks;
use freshet_store::api::{Sources, Store, StoreError};
use freshet_store::control::{Control, SourcesChange};
use freshet_store::row::Storing;
use freshet_store::{Access, Options};
use freshet_types::{NetworkName, SourceId};

use crate::config::Globals;
use crate::data::{Data, vault_path};
use crate::failure::Failure;

/// Refuses a viewer of whom no credential is kept, or one whose network has no use for it; gives the network that it is for.
pub(crate) fn check(globals: &Globals, viewer: &str) -> anyhow::Result<NetworkName> {
    let dir = &globals.data_dir;
    let vault = match Data::reader(&globals.place()) {
        Ok(data) => data.vault(globals)?,
        Err(_) => globals.config.vault()?,
    };
    let Some(info) = vault.list().into_iter().find(|info| &*info.name == viewer) else {
        let failure = Failure::misuse(format!("there is no credential `{viewer}` to read with"));
        let hint = if vault_path(dir).is_file() {
            format!(
                "`freshet credentials list` shows them; `freshet credentials add NETWORK --name {viewer}` adds one"
            )
        } else {
            format!(
                "`freshet credentials add NETWORK --name {viewer}` or `freshet login NETWORK --name {viewer}` adds one"
            )
        };
        return Err(failure.hint(hint).into());
    };
    Ok(info.network)
}

/// Why a source of this network cannot be read with a credential for that one; `None` where it can.
pub(crate) fn unfit(
    networks: &Networks,
    network: &NetworkName,
    (viewer, of): (&str, &NetworkName),
) -> Option<String> {
    let takes = networks.definition(network.definition()).is_some_and(|it| !it.auth.is_empty());
    if !takes {
        return Some(format!(
            "`{network}` has no use for a credential, so nobody sees more of it as `{viewer}`"
        ));
    }
    (network != of).then(|| {
        format!("the credential `{viewer}` is for `{of}` and is shown to no other, `{network}` among them")
    })
}

/// Writes the rules of everybody into the stores of all viewers.
pub(crate) fn share_rules(data: &mut Data) -> anyhow::Result<()> {
    each(data, |public, own, _| Ok(take_over(public, own)?))
}

/// Does something with the store of each viewer, beside that of everybody.
pub(crate) fn each(
    data: &mut Data,
    mut act: impl FnMut(&mut dyn Store, &mut dyn Store, &str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let viewers = data.viewers();
    for name in viewers.names() {
        let mut overlay = viewers.open(&name, Access::Write, Options::default())?;
        act(&mut *data.store, &mut *overlay.store, &name)?;
    }
    Ok(())
}

/// What is done with deleted content, for how long posts are kept, what is not kept at all and who is forgotten.
fn take_over(public: &mut dyn Store, own: &mut dyn Store) -> Result<(), StoreError> {
    own.keep_out(&public.forgotten()?)?;
    let (rules, unkept) = (public.network_retentions()?, public.not_kept()?.networks);
    let known = public.instances()?;
    for row in own.instances()? {
        let network = &row.instance.network;
        let theirs = known.iter().find(|it| it.instance.network == *network);
        if let Some(theirs) = theirs.filter(|theirs| theirs.on_delete != row.on_delete) {
            own.set_on_delete(network, theirs.on_delete)?;
        }
        let span = rules.iter().find(|rule| rule.network == *network).map(|rule| rule.span);
        own.retain_network(network, span)?;
        own.set_keeping(network, if unkept.contains(network) { Storing::Never } else { Storing::Keep })?;
    }
    Ok(())
}

/// Finishes what was interrupted: removing viewers, telling them the rules of everybody, erasing what is forgotten.
pub(crate) fn finish(data: &mut Data) -> anyhow::Result<()> {
    // The run that says this holds the lock, so nobody else has the files of who was removed open for long.
    data.viewers().finish(true)?;
    share_rules(data)?;
    each(data, |_, own, _| {
        while own.erase_some()?.is_some() {}
        Ok(())
    })
}

/// Removes a viewer with everything that was read as it; gives whether there was anything.
pub(crate) fn remove(data: &mut Data, viewer: &str) -> anyhow::Result<bool> {
    let viewers = data.viewers();
    let is_alone = data.runner().is_none();
    if !viewers.has(viewer) {
        viewers.finish(is_alone)?;
        return Ok(false);
    }
    let overlay = viewers.open(viewer, Access::Write, Options::default())?;
    let mut ids: Vec<SourceId> = Vec::new();
    overlay.store.each_source(&mut |source| {
        ids.push(source.id);
        ControlFlow::Continue(())
    })?;
    drop(overlay);
    viewers.remove(viewer, is_alone)?;
    data.store.push_control(&Control::Sources(SourcesChange::Removed(ids)))?;
    Ok(true)
}

/// Refuses what cannot be done as a viewer.
pub fn refuse(globals: &Globals, what: &str, hint: &str) -> anyhow::Result<()> {
    match &globals.viewer {
        Some(viewer) => Err(Failure::misuse(format!("{what} as `{viewer}`")).hint(hint.to_owned()).into()),
        None => Ok(()),
    }
}
