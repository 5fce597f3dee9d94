//! The data directory: what lies where, opening it, and who runs in it.
//!
//! ```text
//! store.sqlite       everything that was learned, unless `--store` names another store
//! rings/             memory+disk queues of the robots
//! viewers/NAME/      what one viewer sees beyond that, in a store of its own
//! networks/*.toml    definitions that replace or join the shipped ones
//! credentials.age    secrets, encrypted; `.lock` beside it while they are changed
//! alerts.toml        rules and receivers of alerts, where they are not the usual
//! dashboard.password argon2 hash of the dashboard's password, where one was set
//! lock               held by the one process that runs; its number stands inside
//! ```
//!
//! Its owner alone may look into it ([`private`]). Commands that only read open it for reading: nothing in it is made,
//! moved or noted. Any number of commands may open it at once; only `run` takes the lock. The lock is the
//! operating system's and dies with its process, so a crash leaves nothing to clean up.

pub mod private;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use freshet_fetch::{LiveVault, RemoteClock, Vault};
use freshet_network::networks::Networks;
use freshet_store::api::Store;
use freshet_store::setting::Setting;
use freshet_store::viewed::Viewed;
use freshet_store::viewers::Viewers;
use freshet_store::{Access, Options};
use freshet_types::{Clock, SteadyClock, SystemClock, Timestamp, Viewer};
use secrecy::SecretString;

use crate::config::Globals;
use crate::failure::Failure;
use crate::place::{Place, StoreAddress};
use crate::{identity, mined, notice, progress, text};

/// What `--clock` is given to return to the computer's clock.
pub const CLOCK_SYSTEM: &str = "system";
/// Setting under which the store remembers the clock.
const CLOCK: Setting<String> = Setting::new("clock");
/// Setting under which the store remembers the contact for the user agent.
pub const CONTACT: Setting<String> = Setting::new("contact");
/// What servers are told when nobody said whom to write to.
pub const CONTACT_UNKNOWN: &str = "contact-not-given@freshet.invalid";
/// Largest definition file; the shipped ones are a twentieth of it.
pub(crate) const DEFINITION_BYTES_MAX: u64 = 1024 * 1024;
/// A look by `status` holds the lock for an instant, so a `run` tries more than once.
const LOCK_ATTEMPTS: u32 = 10;
/// Wall time between two of these attempts.
const LOCK_GAP: Duration = Duration::from_millis(30);

/// An open data directory.
#[derive(Debug)]
pub struct Data {
    place: Place,
    /// The store in it, or the one that was named; as a viewer, with what that viewer sees over it.
    pub store: Box<dyn Store>,
    /// As whom it is read.
    viewer: Option<Viewer>,
}

impl Data {
    /// Opens the directory; it is made where it is missing.
    pub fn create(globals: &Globals) -> anyhow::Result<Self> {
        let data = Self::create_for_all(globals)?;
        match &globals.viewer {
            Some(viewer) => {
                drop(data.viewers().create(viewer, Options::default())?);
                data.seen_as(viewer, Access::Write)
            }
            None => Ok(data),
        }
    }

    /// The same as everybody sees it, whoever is named.
    pub(crate) fn create_for_all(globals: &Globals) -> anyhow::Result<Self> {
        Self::open_existing(globals)
    }

    /// Opens the directory, which must be there.
    pub fn open(globals: &Globals) -> anyhow::Result<Self> {
        Self::find(globals)?;
        let data = Self::open_existing(globals)?;
        match &globals.viewer {
            Some(viewer) => data.seen_as(viewer, Access::Write),
            None => Ok(data),
        }
    }

    /// Opens the directory, which must be there, for looking: nothing is made, moved or noted in it. A clock that is to be
    /// remembered is the one thing that needs more.
    pub fn look(globals: &Globals) -> anyhow::Result<Self> {
        Self::find(globals)?;
        let data = Self::reader(&globals.place())?;
        let is_other = globals.clock.is_some() && CLOCK.get(&data.store)? != globals.clock;
        let data = if is_other { Self::open_existing(globals)? } else { data };
        match &globals.viewer {
            Some(viewer) => data.seen_as(viewer, Access::Read),
            None => Ok(data),
        }
    }

    /// The same as one viewer sees it, who must have a store: for looking, or for changing what is the viewer's.
    pub(crate) fn seen_as(self, viewer: &str, access: Access) -> anyhow::Result<Self> {
        let viewers = self.viewers();
        if !viewers.has(viewer) {
            let failure = Failure::misuse(format!("nothing was read as `{viewer}`"));
            let hint = format!("`freshet add REF --as {viewer}` watches something with that credential");
            return Err(failure.hint(hint).into());
        }
        let own = viewers.open(viewer, access, Options::default())?.store;
        let viewed = Viewed::new(self.store, own, viewer);
        let viewed = if access == Access::Write { viewed.for_changes() } else { viewed };
        Ok(Self { place: self.place, store: Box::new(viewed), viewer: Some(viewer.into()) })
    }

    /// A directory that is there, for looking at it as one viewer.
    pub fn reader_as(place: &Place, viewer: &str) -> anyhow::Result<Self> {
        Self::reader(place)?.seen_as(viewer, Access::Read)
    }

    /// Says what to do where there is no data directory.
    fn find(globals: &Globals) -> anyhow::Result<()> {
        let dir = &globals.data_dir;
        if dir.is_file() {
            let failure = Failure::misuse(format!("`{}` is a file, no data directory", dir.display()));
            return Err(failure.hint("name a directory with --data DIR").into());
        }
        // A store of another place needs nothing here: credentials and rings are made where they are wanted.
        if globals.store.is_none() && !globals.place().store().is_there() {
            let failure = Failure::misuse(format!("there is no data directory at `{}`", dir.display()));
            return Err(failure.hint("make one with `freshet init`, or name another with --data DIR").into());
        }
        Ok(())
    }

    fn open_existing(globals: &Globals) -> anyhow::Result<Self> {
        let place = globals.place();
        let dir = place.dir();
        private::make_dir(dir)
            .with_context(|| format!("the data directory `{}` cannot be made", dir.display()))?;
        let tightened = private::tighten(dir);
        if tightened > 0 {
            let things = text::count(tightened as u64, "thing");
            notice::note(format!("others could look into `{}`: {things} closed to them now", dir.display()));
        }
        // A store of an earlier version is brought up to date first, which may take a while.
        let mut store = progress::during("opening the store", || {
            freshet_store::open(&place.store(), Access::Write, Options::default())
        })?;
        if let Some(clock) = &globals.clock
            && CLOCK.get(&store)?.as_ref() != Some(clock)
        {
            CLOCK.put(&mut store, clock)?;
        }
        identity::make_identity(&mut store)?;
        Ok(Self { place, store, viewer: None })
    }

    /// A directory that is there, for looking only: nothing is made, moved or noted in it.
    pub fn reader(place: &Place) -> anyhow::Result<Self> {
        let store = freshet_store::open(&place.store(), Access::Read, Options::default())?;
        Ok(Self { place: place.clone(), store, viewer: None })
    }

    /// The same where the index of what is searched for may have to be written first.
    pub fn reopen_as(place: &Place, viewer: &str) -> anyhow::Result<Self> {
        let data = Self::reopen(place)?;
        let own = data.viewers().open(viewer, Access::Write, Options::default())?.store;
        let viewed = Viewed::new(data.store, own, viewer);
        Ok(Self { place: data.place, store: Box::new(viewed), viewer: Some(viewer.into()) })
    }

    /// A directory that is there, as it is.
    pub fn reopen(place: &Place) -> anyhow::Result<Self> {
        Self::reopen_with(place, Options::default())
    }

    /// The same, with these options.
    pub(crate) fn reopen_with(place: &Place, options: Options) -> anyhow::Result<Self> {
        let store = freshet_store::open(&place.store(), Access::Write, options)?;
        Ok(Self { place: place.clone(), store, viewer: None })
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        self.place.dir()
    }

    /// Where it is, and its store: for whoever opens it once more.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// As whom it is read; `None`: as everybody.
    pub fn viewer(&self) -> Option<&str> {
        self.viewer.as_deref()
    }

    /// Who reads as themselves here.
    pub fn viewers(&self) -> Viewers {
        Viewers::of(self.dir())
    }

    /// Where definitions are kept that replace or join the shipped ones.
    pub(crate) fn networks_dir(&self) -> PathBuf {
        self.dir().join("networks")
    }

    /// Where the rings are kept.
    pub(crate) fn rings_dir(&self) -> PathBuf {
        self.dir().join("rings")
    }

    /// The address of the store, for a second connection.
    pub fn store_address(&self) -> StoreAddress {
        self.place.store()
    }

    /// The address of the clock, unless it is the computer's.
    pub(crate) fn clock_url(&self) -> anyhow::Result<Option<String>> {
        Ok(CLOCK.get(&self.store)?.filter(|clock| clock != CLOCK_SYSTEM))
    }

    /// The clock that this directory lives by; it never runs back.
    pub async fn clock(&self) -> anyhow::Result<Arc<dyn Clock>> {
        let followed: Arc<dyn Clock> = match self.clock_url()? {
            None => Arc::new(SystemClock),
            Some(url) => Arc::new(RemoteClock::connect(&url).await.map_err(|error| {
                Failure::new(error.to_string())
                    .hint("is the simulated world running? `--clock system` returns to the computer's clock")
            })?),
        };
        Ok(Arc::new(SteadyClock::over(followed)))
    }

    /// The present by that clock.
    pub fn now(&self) -> anyhow::Result<Timestamp> {
        Ok(block_on(self.clock())?.now())
    }

    /// The present for reports, which must not fail when a simulated world has gone: then it
    /// is the last instant that a run noted.
    pub fn now_for_report(&self, noted_at: Option<Timestamp>) -> Timestamp {
        self.now().ok().or(noted_at).unwrap_or_else(|| SystemClock.now())
    }

    /// Address in the user agent, if one was given.
    pub fn contact(&self, globals: &Globals) -> anyhow::Result<Option<String>> {
        Ok(globals.config.contact.clone().or(CONTACT.get(&self.store)?))
    }

    /// Becomes the one process that runs in this directory.
    pub fn lock(&self) -> anyhow::Result<RunLock> {
        let mut file = open_lock(self.dir())
            .with_context(|| format!("the lock in `{}` cannot be made", self.dir().display()))?;
        for attempt in 1..=LOCK_ATTEMPTS {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if attempt < LOCK_ATTEMPTS => {
                    std::thread::park_timeout(LOCK_GAP);
                }
                Err(TryLockError::WouldBlock) => return Err(self.lock_refused(&mut file)),
                Err(TryLockError::Error(error)) => {
                    return Err(error)
                        .with_context(|| format!("the lock in `{}` cannot be taken", self.dir().display()));
                }
            }
        }
        let write = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            write!(file, "{}", std::process::id())?;
            file.flush()
        };
        write(&mut file).context("the lock cannot be written")?;
        Ok(RunLock { _file: file })
    }

    fn lock_refused(&self, file: &mut File) -> anyhow::Error {
        let dir = self.dir().display();
        let who = read_pid(file).map_or_else(String::new, |pid| format!(" (process {pid})"));
        let failure = Failure::new(format!("another `freshet run`{who} is at work in `{dir}`"));
        failure.hint("stop it first, or give this one its own directory with --data DIR").into()
    }

    /// The process that runs in this directory; its number where it has written it.
    pub fn runner(&self) -> Option<Runner> {
        let mut file = File::open(self.dir().join("lock")).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(Runner { pid: read_pid(&mut file) }),
            _ => None,
        }
    }

    /// All credentials: those of the file, and on top those of the environment.
    pub fn vault(&self, globals: &Globals) -> anyhow::Result<Vault> {
        let path = vault_path(self.dir());
        let mut vault = if path.is_file() {
            Vault::open(&path, &passphrase(globals, "Passphrase of the credentials file: ")?)?
        } else {
            Vault::empty()
        };
        vault.merge(globals.config.vault()?)?;
        Ok(vault)
    }

    /// The same for a process that asks networks: what they renew is saved, and what others add is seen.
    pub(crate) fn live_vault(&self, globals: &Globals) -> anyhow::Result<LiveVault> {
        let path = vault_path(self.dir());
        Ok(LiveVault::watching(self.vault(globals)?, &path, globals.config.passphrase.clone()))
    }
}

/// Held as long as this process runs in the directory.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

/// The process that runs in a data directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runner {
    pub pid: Option<u32>,
}

/// Where the credentials are kept.
pub fn vault_path(dir: &Path) -> PathBuf {
    dir.join("credentials.age")
}

fn open_lock(dir: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(dir.join("lock"))
}

fn read_pid(file: &mut File) -> Option<u32> {
    /// Digits of the largest process number, with room to spare.
    const PID_BYTES_MAX: u64 = 16;
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(PID_BYTES_MAX).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// The shipped definitions, and those of the data directory over them.
pub fn networks(globals: &Globals) -> anyhow::Result<Networks> {
    let networks = Networks::shipped();
    let dir = globals.data_dir.join("networks");
    let Ok(entries) = std::fs::read_dir(&dir) else { return Ok(networks) };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    // All definitions at once, since they may refer to each other; forums stand alone.
    let read = |path: PathBuf| anyhow::Ok((read_definition(&path)?, path));
    let texts = paths.into_iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    let (forums, definitions): (Vec<_>, Vec<_>) =
        texts.into_iter().partition(|(text, _)| mined::is_forum(text));
    let definitions: Vec<_> =
        definitions.into_iter().map(|(text, path)| (path.display().to_string(), text)).collect();
    networks.load(&definitions)?;
    for (text, path) in forums {
        mined::apply(&networks, &path, &text)?;
    }
    Ok(networks)
}

/// The text of a definition file.
pub fn read_definition(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let file = File::open(path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    let read = file.take(DEFINITION_BYTES_MAX + 1).read_to_string(&mut text);
    read.with_context(|| format!("`{}` cannot be read", path.display()))?;
    if text.len() as u64 > DEFINITION_BYTES_MAX {
        let message = format!("`{}` is longer than a definition may be (1 MiB)", path.display());
        return Err(Failure::misuse(message).hint("is it the right file?").into());
    }
    Ok(text)
}

/// A file to read line by line; `-` is standard input.
pub fn open_input(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    Ok(Box::new(BufReader::new(file)))
}

/// The passphrase from the environment, or from the person at the terminal.
pub fn passphrase(globals: &Globals, prompt: &str) -> anyhow::Result<SecretString> {
    if let Some(passphrase) = &globals.config.passphrase {
        return Ok(passphrase.clone());
    }
    let Some(typed) = notice::ask_secret(prompt) else {
        let failure = Failure::new("the credentials file needs a passphrase, and there is nobody to ask");
        return Err(failure.hint("give it in the environment variable FRESHET_PASSPHRASE").into());
    };
    typed.context("the passphrase cannot be read")
}

/// Runs one future to its end; commands are synchronous but for what they ask of networks.
pub fn block_on<T>(future: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("the runtime cannot be started")?.block_on(future)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn globals(dir: &Path) -> Globals {
        Globals {
            data_dir: dir.to_owned(),
            store: None,
            clock: None,
            viewer: None,
            verbosity: 0,
            config: Config::default(),
        }
    }

    #[test]
    fn one_process_runs_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let data = Data::create(&globals(dir.path())).unwrap();
        assert_eq!(data.runner(), None);
        let lock = data.lock().unwrap();
        assert_eq!(data.runner(), Some(Runner { pid: Some(std::process::id()) }));
        let refused = data.lock().map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        drop(lock);
        assert_eq!(data.runner(), None);
        data.lock().unwrap();
    }

    #[test]
    fn the_clock_is_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let mut with_clock = globals(dir.path());
        with_clock.clock = Some("http://127.0.0.1:1/clock".to_owned());
        drop(Data::create(&with_clock).unwrap());
        let data = Data::open(&globals(dir.path())).unwrap();
        assert_eq!(data.clock_url().unwrap(), with_clock.clock);
        with_clock.clock = Some(CLOCK_SYSTEM.to_owned());
        assert_eq!(Data::open(&with_clock).unwrap().clock_url().unwrap(), None);
    }

    #[test]
    fn looking_leaves_the_store_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        drop(Data::create(&globals(dir.path())).unwrap());
        let written = || std::fs::metadata(dir.path().join("store.sqlite")).unwrap().modified().unwrap();
        let before = written();
        let mut data = Data::look(&globals(dir.path())).unwrap();
        assert!(!identity::identity(&data.store).unwrap().is_empty(), "made when it was opened for writing");
        let refused = CLOCK.put(&mut data.store, &"value".to_owned()).unwrap_err().to_string();
        assert!(refused.contains("opened for reading"), "{refused}");
        drop(data);
        assert_eq!(written(), before);
        let mut other = globals(dir.path());
        other.clock = Some("http://127.0.0.1:1/clock".to_owned());
        assert_eq!(Data::look(&other).unwrap().clock_url().unwrap(), other.clock, "a clock is remembered");
    }

    #[test]
    fn a_missing_directory_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let error = Data::open(&globals(&dir.path().join("nowhere"))).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("nowhere"), "{error}");
    }
}
