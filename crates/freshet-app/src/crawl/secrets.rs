//! The credentials of a crawl while it runs: what is added to the file or removed from it is seen within seconds.
//!
//! Opening the file is slow on purpose, so it happens beside the crawl. A file that cannot be opened changes nothing, and
//! that is told. Of several tokens for a network one is used, until a person says that its terms allow more.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use freshet_engine::core::CredentialChoice;
use freshet_fetch::LiveVault;
use freshet_store::api::{Store, StoreError};
use freshet_store::{Access, Options};
use freshet_types::NetworkName;

use crate::credentials::{many_tokens, wake};
use crate::data::Data;
use crate::notice;

/// Wall time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What a crawl may show, as it is now.
pub(super) struct Secrets {
    vault: LiveVault,
    store: Box<dyn Store>,
    /// Where the store is, for writing.
    path: PathBuf,
    many: Arc<RwLock<BTreeSet<String>>>,
    looked_at: Instant,
    /// A file is being opened.
    is_opening: Arc<AtomicBool>,
}

impl Secrets {
    pub(super) fn new(vault: LiveVault, data: &Data) -> anyhow::Result<Self> {
        let store = freshet_store::open(&data.store_path(), Access::Read, Options::default())?;
        let many = Arc::new(RwLock::new(many_tokens(&store)?));
        let (path, looked_at) = (data.store_path(), Instant::now());
        Ok(Self { vault, store, path, many, looked_at, is_opening: Arc::default() })
    }

    /// Who is asked for each request.
    pub(super) fn choice(&self) -> CredentialChoice {
        let (vault, many) = (self.vault.clone(), Arc::clone(&self.many));
        Arc::new(move |network: &NetworkName, robot, named: Option<&str>| {
            let mut holders = vault.now().holders(network, Some(robot), named);
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
        if !self.is_opening.load(Ordering::Acquire) && self.vault.has_changed() {
            self.is_opening.store(true, Ordering::Release);
            let (vault, is_opening) = (self.vault.clone(), Arc::clone(&self.is_opening));
            let path = self.path.clone();
            tokio::task::spawn_blocking(move || {
                reload(&vault, &path);
                is_opening.store(false, Ordering::Release);
            });
        }
    }
}

fn reload(vault: &LiveVault, store: &Path) {
    match vault.reload() {
        Ok(news) => {
            for (names, word) in [(&news.added, "in use"), (&news.removed, "no longer used")] {
                if !names.is_empty() {
                    notice::note(format!("credentials {word}: {}", names.join(", ")));
                }
            }
            let fresh = vault.now().list().into_iter().filter(|info| news.added.contains(&info.name));
            if let Err(error) = wake_all(store, &fresh.map(|info| info.network).collect()) {
                notice::warn(format!("what waited for a credential is looked at when it is due: {error}"));
            }
        }
        Err(error) => notice::warn(format!("the credentials before the change stay in use: {error}")),
    }
}

fn wake_all(store: &Path, networks: &BTreeSet<NetworkName>) -> Result<(), StoreError> {
    if networks.is_empty() {
        return Ok(());
    }
    let mut store = freshet_store::open(store, Access::Write, Options::default())?;
    networks.iter().try_for_each(|network| wake(&mut store, network))
}
