//! The credentials of a crawl while it runs: what is added to the file or removed from it is seen within seconds.
//!
//! Opening the file is slow on purpose, so it happens beside the crawl. A file that cannot be opened changes nothing, and
//! that is told. Of several tokens for a network one is used, until a person says that its terms allow more.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use freshet_engine::core::{AskedAs, CredentialChoice};
use freshet_fetch::LiveVault;
use freshet_store::api::{Store, StoreError};
use freshet_store::viewed::Viewed;
use freshet_store::viewers::Viewers;
use freshet_store::{Access, Options};
use freshet_types::{NetworkName, Viewer};

use crate::credentials::{many_tokens, wake};
use crate::data::Data;
use crate::notice;
use crate::place::StoreAddress;

/// Wall time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What a crawl may show, as it is now.
pub(super) struct Secrets {
    vault: LiveVault,
    store: Box<dyn Store>,
    /// Where the store is, for writing.
    path: StoreAddress,
    many: Arc<RwLock<BTreeSet<String>>>,
    /// Who reads as themselves: their credentials are for nobody else.
    viewers: Viewers,
    viewer_names: Arc<RwLock<Vec<Viewer>>>,
    looked_at: Instant,
    /// A file is being opened.
    is_opening: Arc<AtomicBool>,
}

impl Secrets {
    pub(super) fn new(vault: LiveVault, data: &Data) -> anyhow::Result<Self> {
        let store = freshet_store::open(&data.store_address(), Access::Read, Options::default())?;
        let many = Arc::new(RwLock::new(many_tokens(&store)?));
        let (path, looked_at, viewers) = (data.store_address(), Instant::now(), data.viewers());
        let viewer_names = Arc::new(RwLock::new(viewers.names()));
        Ok(Self { vault, store, path, many, viewers, viewer_names, looked_at, is_opening: Arc::default() })
    }

    /// Who is asked for each request.
    pub(super) fn choice(&self) -> CredentialChoice {
        let (vault, many) = (self.vault.clone(), Arc::clone(&self.many));
        let viewers = Arc::clone(&self.viewer_names);
        Arc::new(move |network: &NetworkName, robot, asked_as: AskedAs<'_>| {
            let named = match asked_as {
                AskedAs::Everybody { named } => named,
                AskedAs::Viewer(viewer) => {
                    let mut holders = vault.now().holders(network, Some(robot), Some(viewer));
                    holders.retain(|holder| &*holder.credential == viewer);
                    return holders;
                }
            };
            let mut holders = vault.now().holders(network, Some(robot), named);
            let viewers = viewers.read().unwrap_or_else(PoisonError::into_inner);
            // What a viewer may see is not shown to everybody: not by a token in turn, nor by the only one.
            holders.retain(|holder| !viewers.contains(&holder.credential));
            let many = many.read().unwrap_or_else(PoisonError::into_inner);
            if !many.contains(network.as_str()) && !many.contains(network.definition()) {
                holders.truncate(1);
            }
            holders
        })
    }

    /// Looks whether anything changed, once in a while; called from within the run.
    pub(super) fn poll(&mut self) {
        if self.looked_at.elapsed() < LOOK_EVERY {
            return;
        }
        self.looked_at = Instant::now();
        // A store that cannot be read for a moment says the same later.
        if let Ok(many) = many_tokens(&self.store) {
            *self.many.write().unwrap_or_else(PoisonError::into_inner) = many;
        }
        *self.viewer_names.write().unwrap_or_else(PoisonError::into_inner) = self.viewers.names();
        if !self.is_opening.load(Ordering::Acquire) && self.vault.has_changed() {
            self.is_opening.store(true, Ordering::Release);
            let (vault, is_opening) = (self.vault.clone(), Arc::clone(&self.is_opening));
            let (path, viewers) = (self.path.clone(), self.viewers.clone());
            tokio::task::spawn_blocking(move || {
                reload(&vault, &path, &viewers);
                is_opening.store(false, Ordering::Release);
            });
        }
    }
}

fn reload(vault: &LiveVault, store: &StoreAddress, viewers: &Viewers) {
    match vault.reload() {
        Ok(news) => {
            for (names, word) in [(&news.added, "in use"), (&news.removed, "no longer used")] {
                if !names.is_empty() {
                    notice::note(format!("credentials {word}: {}", names.join(", ")));
                }
            }
            let fresh = vault.now().list().into_iter().filter(|info| news.added.contains(&info.name));
            let networks = fresh.map(|info| info.network).collect();
            let woken = wake_all(store, &networks).and_then(|()| wake_viewers(store, viewers, &news.added));
            if let Err(error) = woken {
                notice::warn(format!("what waited for a credential is looked at when it is due: {error}"));
            }
        }
        Err(error) => notice::warn(format!("the credentials before the change stay in use: {error}")),
    }
}

/// What viewers could not read for want of their credential is looked at again.
fn wake_viewers(store: &StoreAddress, viewers: &Viewers, added: &[Arc<str>]) -> Result<(), StoreError> {
    for name in added.iter().filter(|name| viewers.has(name)) {
        let own = viewers.open(name, Access::Write, Options::default())?.store;
        let public = freshet_store::open(store, Access::Write, Options::default())?;
        let mut viewed = Viewed::new(public, own, name).for_changes();
        for row in viewed.own().instances()? {
            wake(&mut viewed, &row.instance.network)?;
        }
    }
    Ok(())
}

fn wake_all(store: &StoreAddress, networks: &BTreeSet<NetworkName>) -> Result<(), StoreError> {
    if networks.is_empty() {
        return Ok(());
    }
    let mut store = freshet_store::open(store, Access::Write, Options::default())?;
    networks.iter().try_for_each(|network| wake(&mut store, network))
}
