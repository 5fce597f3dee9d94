//! Puts a crawl together from a data directory, and runs it.
//!
//! Who watches it (a view, the dashboard, alerts) is put beside it by the program. A definition that changes on disk is taken
//! in while it runs. It ends when the time is up or when it is told to.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use freshet_engine::core::CoreOptions;
use freshet_engine::deliver::way::Means;
use freshet_engine::deliver::{Readers, Subscription};
use freshet_engine::drive::{self, Kit, RunError, RunOptions, Subscribe};
use freshet_engine::forum::Share as ForumShare;
use freshet_fetch::descriptors::{self, Share};
use freshet_fetch::recording::RECORDING_BYTES_MAX;
use freshet_fetch::{CredentialInfo, Fetch, HttpFetch, HttpOptions, LiveVault, Recorder};
use freshet_frontier::Coordinator;
use freshet_network::networks::Networks;
use freshet_network::snapi::Snapi;
use freshet_policy::{DEFAULT_POLICY, Objective, POLICY_NAMES, Pacing, Policy, policy_named};
use freshet_report::RunStatus;
use freshet_store::setting::Setting;
use freshet_store::{Access, Options};
use freshet_types::{Clock, Map, Span};
use tokio::sync::watch;

use crate::config::Globals;
use crate::data::{self, Data};
use crate::failure::Failure;
use crate::relearn::Relearner;
use crate::{mined, notice, storing, subscriptions};
use secrets::Secrets;

mod secrets;

/// Memory of all rings together: 10 million ids stay under 64 MB whatever is on disk.
const RINGS_MEMORY_MAX: usize = 1 << 20;

/// How long the writer waits for a lock in one go: it tries again, and says so meanwhile.
const WRITER_BUSY: Duration = Duration::from_secs(2);
/// Setting under which the store remembers what decides between boards and threads.
const FORUM_SHARE: Setting<String> = Setting::new("forum_share");

/// What a person may choose about a crawl.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Stop after so long on the wall.
    pub lasts: Option<Duration>,
    /// Longest a source stays unvisited.
    pub ceiling: Option<Span>,
    /// Name of the policy.
    pub policy: Option<String>,
    /// What visits are to bring.
    pub objective: Objective,
    /// Sources that one call may ask about; as many as a network allows unless given.
    pub group: Option<u32>,
    /// What decides between boards and threads of a forum.
    pub forum_share: ForumShare,
    /// Keep every answer as received.
    pub keeps_raw: bool,
    /// Append every exchange to this file.
    pub record: Option<PathBuf>,
    /// Append every new, edited and deleted post to this file.
    pub deliver: Option<PathBuf>,
    /// Steps from what a person added that robots may go.
    pub depth_max: u16,
    /// No stream of a server is opened.
    pub avoids_streams: bool,
}

/// What decides between boards and threads of a forum: as asked for now, or by an earlier run.
pub fn remembered_share(data: &mut Data, asked: Option<ForumShare>) -> anyhow::Result<ForumShare> {
    if let Some(share) = asked {
        FORUM_SHARE.put(&mut data.store, &share.name().to_owned())?;
        return Ok(share);
    }
    let remembered = FORUM_SHARE.get(&data.store)?;
    Ok(remembered.and_then(|name| name.parse().ok()).unwrap_or_default())
}

/// A crawl that is ready to run.
pub struct Crawl {
    kit: Kit,
    options: RunOptions,
    choices: Choices,
    ceiling: Span,
    /// The clock of the crawl.
    pub clock: Arc<dyn Clock>,
    /// The networks that it reads.
    pub networks: Arc<Networks>,
    /// What may be shown of its credentials.
    pub credentials: Vec<CredentialInfo>,
    /// Whom servers can write to.
    pub contact: String,
    /// Where those come who read a subscription over a WebSocket.
    pub readers: Readers,
}

impl std::fmt::Debug for Crawl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crawl").field("choices", &self.choices).finish_non_exhaustive()
    }
}

impl Crawl {
    /// Opens everything that it takes.
    pub async fn prepare(globals: &Globals, data: &Data, choices: Choices) -> anyhow::Result<Self> {
        let clock = data.clock().await?;
        let pacing = pacing(choices.ceiling);
        let policy = policy(choices.policy.as_deref().unwrap_or(DEFAULT_POLICY), pacing)?;
        let vault = data.live_vault(globals)?;
        let contact = contact(globals, data)?;
        warn_of_unkept(data, &choices)?;
        let fetch = fetch(&choices, &contact, &clock, &vault)?;
        let mut definitions = Definitions::watch(data.networks_dir());
        let networks = Arc::new(data::networks(globals)?);
        let to_file = |path: &Path| to_file(data, path);
        let subscriptions = choices.deliver.as_deref().map(to_file).transpose()?.into_iter().collect();
        let snapi = Snapi::initialize(Arc::clone(&networks), Vec::new())?;
        let watched = Arc::clone(&networks);
        let credentials = vault.now().list();
        let means = subscriptions::means(Arc::clone(&networks), &contact, Arc::clone(&clock), vault.clone());
        let (readers, subscribe) = (means.readers.clone(), subscribe_by(data, means));
        let mut secrets = Secrets::new(vault, data)?;
        let choice = secrets.choice();
        let relearner = Relearner::new(data, &networks, &fetch);
        let kit = Kit {
            credential: choice,
            writer: freshet_store::open(
                &data.store_address(),
                Access::Write,
                Options { keep_raw: choices.keeps_raw, busy: WRITER_BUSY, ..Options::default() },
            )?,
            reader: freshet_store::open(&data.store_address(), Access::Write, Options::default())?,
            viewers: Some((
                data.viewers(),
                Options { keep_raw: choices.keeps_raw, busy: WRITER_BUSY, ..Options::default() },
            )),
            rings: Coordinator::open(&data.rings_dir(), RINGS_MEMORY_MAX)?,
            fetch,
            clock: Arc::clone(&clock),
            on_poll: Box::new(move || {
                definitions.refresh(&snapi, &watched);
                secrets.poll();
            }),
            on_unread: Box::new(move |errand| relearner.begin(errand)),
            networks: Arc::clone(&networks),
            policy,
            subscriptions,
            subscribe,
        };
        let (ceiling, options) = (pacing.ceiling, options(&choices, pacing.ceiling));
        Ok(Self { kit, options, choices, ceiling, clock, networks, credentials, contact, readers })
    }

    /// What was chosen at the start, for show.
    pub fn chosen(&self) -> Vec<(&'static str, String)> {
        chosen(&self.choices, self.ceiling)
    }

    /// Crawls until the time is up or `stopped` turns true; gives the last report.
    pub async fn run(
        self,
        stopped: watch::Receiver<bool>,
        reports: watch::Sender<RunStatus>,
    ) -> anyhow::Result<RunStatus> {
        drive::run(self.kit, self.options, stopped, reports).await.map_err(explained)
    }
}

/// A subscription into a file, which reads the store through a connection of its own.
fn to_file(data: &Data, path: &Path) -> anyhow::Result<Subscription> {
    let store = freshet_store::open(&data.store_address(), Access::Write, Options::default())?;
    Ok(Subscription::to_file(path, store)?)
}

/// Makes subscribers of the subscriptions in the store, each with a connection of its own.
fn subscribe_by(data: &Data, means: Means) -> Subscribe {
    let (path, viewers) = (data.store_address(), data.viewers());
    Box::new(move |row| {
        let store = match row.viewer() {
            Some(viewer) => viewers.open(viewer, Access::Write, Options::default()).map(|it| it.store),
            None => freshet_store::open(&path, Access::Write, Options::default()),
        };
        Ok(Subscription::new(means.subscriber(row)?, store.map_err(|error| error.to_string())?))
    })
}

/// Why a run ended, with what to do where the engine knows no better.
fn explained(error: RunError) -> anyhow::Error {
    match error {
        RunError::Unwritten { .. } => Failure::new(error.to_string())
            .hint("see that the disk has room and that no other program holds the store, then start again")
            .into(),
        // As it is: who gives hints looks for it.
        RunError::Store(error) => error.into(),
        other => other.into(),
    }
}

fn policy(name: &str, pacing: Pacing) -> Result<Arc<dyn Policy>, Failure> {
    policy_named(name, pacing).ok_or_else(|| {
        Failure::misuse(format!("there is no policy `{name}`"))
            .hint(format!("the policies are {}", POLICY_NAMES.join(", ")))
    })
}

/// How requests are sent: over HTTP, recorded where that is wanted.
fn fetch(
    choices: &Choices,
    contact: &str,
    clock: &Arc<dyn Clock>,
    vault: &LiveVault,
) -> anyhow::Result<Arc<dyn Fetch>> {
    let http = HttpFetch::new(HttpOptions::new(contact, Arc::clone(clock), vault.clone()))?;
    Ok(match &choices.record {
        Some(path) => {
            Arc::new(Recorder::create(Arc::new(http), path, vault.scrubber(), RECORDING_BYTES_MAX)?)
        }
        None => Arc::new(http),
    })
}

/// Whom servers can write to; asking strangers' servers without it is possible, not polite.
fn contact(globals: &Globals, data: &Data) -> anyhow::Result<String> {
    if let Some(contact) = data.contact(globals)? {
        return Ok(contact);
    }
    if data.store.instances()?.iter().any(|row| !row.instance.allow_private) {
        notice::warn(
            "no contact is known, so servers cannot tell who asks; `freshet init --contact ADDRESS` sets it",
        );
    }
    Ok(data::CONTACT_UNKNOWN.to_owned())
}

/// Says what a person may not expect where content is not kept.
fn warn_of_unkept(data: &Data, choices: &Choices) -> anyhow::Result<()> {
    let Some(mut not_kept) = storing::status(&data.store)? else { return Ok(()) };
    not_kept.is_taken |= choices.deliver.is_some();
    if !not_kept.is_taken {
        notice::warn(storing::sentence(&not_kept));
    }
    if choices.record.is_some() {
        notice::warn("the recording holds every answer as received, of whatever is not kept too");
    }
    Ok(())
}

/// The choices as the engine takes them.
fn options(choices: &Choices, ceiling: Span) -> RunOptions {
    let share = Share::now();
    if share.is_scarce() {
        notice::warn(format!(
            "only {} file descriptors are allowed, so at most {} visits go on at once; `ulimit -n 4096` allows more",
            descriptors::limit(),
            share.visits_max
        ));
    }
    let visits_max = share.visits_max;
    RunOptions {
        lasts: choices.lasts,
        depth_max: choices.depth_max,
        keeps_raw: choices.keeps_raw,
        core: CoreOptions {
            ceiling,
            visits_max,
            forum_share: choices.forum_share,
            objective: choices.objective,
            uses_streams: !choices.avoids_streams,
            group_max: choices.group.map_or(usize::MAX, |group| group as usize),
            ..CoreOptions::default()
        },
        ..RunOptions::default()
    }
}

/// What was chosen at the start, for show.
fn chosen(choices: &Choices, ceiling: Span) -> Vec<(&'static str, String)> {
    let path =
        |path: &Option<PathBuf>| path.as_ref().map_or("no".to_owned(), |path| path.display().to_string());
    vec![
        ("ceiling", ceiling.to_string()),
        ("depth", choices.depth_max.to_string()),
        ("objective", choices.objective.name().to_owned()),
        ("forum_share", choices.forum_share.name().to_owned()),
        ("streams", if choices.avoids_streams { "no" } else { "where there are some" }.to_owned()),
        ("answers_kept", if choices.keeps_raw { "yes" } else { "no" }.to_owned()),
        ("recording", path(&choices.record)),
        ("delivered_to", path(&choices.deliver)),
    ]
}

fn pacing(ceiling: Option<Span>) -> Pacing {
    let usual = Pacing::default();
    let ceiling_share = if ceiling.is_some() { Pacing::WANTED_SHARE } else { Pacing::USUAL_SHARE };
    let ceiling = ceiling.unwrap_or(usual.ceiling);
    Pacing { floor: usual.floor.min(ceiling), ceiling, ceiling_share }
}

/// The definitions of the data directory, and when each was last written.
struct Definitions {
    dir: PathBuf,
    seen: Map<PathBuf, Option<SystemTime>>,
}

impl Definitions {
    /// As they are now. What is loaded after this is not missed when it changes in between.
    fn watch(dir: PathBuf) -> Self {
        let mut definitions = Self { dir, seen: Map::default() };
        definitions.changed();
        definitions
    }

    /// Those that appeared or changed since the last look.
    fn changed(&mut self) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for entry in std::fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let path = entry.path();
            let written_at = entry.metadata().and_then(|metadata| metadata.modified()).ok();
            let is_definition = path.extension().is_some_and(|ending| ending == "toml");
            if is_definition && self.seen.insert(path.clone(), written_at) != Some(written_at) {
                changed.push(path);
            }
        }
        changed
    }

    /// Applies what changed; a wrong one is told, and the old one stays in use.
    fn refresh(&mut self, snapi: &Snapi, networks: &Networks) {
        for path in self.changed() {
            let applied = data::read_definition(&path).and_then(|text| {
                if mined::is_forum(&text) {
                    return mined::apply(networks, &path, &text);
                }
                Ok(snapi.apply_definition(&path.display().to_string(), &text)?)
            });
            match applied {
                Ok(name) => tracing::info!(network = name, "definition replaced"),
                Err(error) => tracing::warn!("the old definition stays in use: {error:#}"),
            }
        }
    }
}
