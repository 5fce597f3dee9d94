//! Adding: from what people type to sources in the store.
//!
//! Nothing is fetched, but for addresses that no network knows: their feed is looked for ([`feed`]), and forums must be learned first ([`forum`]). A handle becomes an id on the first visit. What cannot be understood is
//! told by line with its reason and costs nothing else: the rest is added. When
//! nothing is understood, nothing is stored, not even a data directory. Adding
//! the same again changes nothing, so a list may be added whenever it has grown.

mod feed;
mod forum;

pub use forum::may_be_forum;

use std::path::PathBuf;

use freshet_fetch::http::guard::is_forbidden;
use freshet_network::networks::Networks;
use freshet_network::{reference, robot};
use freshet_report::add::{AddReport, Refused};
use freshet_store::api::Store;
use freshet_store::control::{Control, SourcesChange};
use freshet_store::row::{InstanceRow, OnDelete, Storing};
use freshet_types::definition::OnDelete as Declared;
use freshet_types::{
    Connector, Map, NetworkName, Reference, RobotKind, RobotState, Set, Source, SourceId, Span, Timestamp,
    Weight,
};
use url::{Host, Url};

use crate::config::Globals;
use crate::data::{self, Data};
use crate::failure::Failure;
use crate::notice;
use crate::progress::Progress;
use crate::text::{grouped, shorten};
use crate::viewers;
use crate::weight;
use crate::when::When;

/// References added in one transaction: few enough to hold, many enough to be quick.
const BATCH: usize = 4096;
/// Refused references that are kept for the report; the rest is only counted.
const REFUSED_MAX: usize = 1000;
/// Refused references shown to people.
const REFUSED_SHOWN_MAX: usize = 20;
/// Characters shown of a reason when there are many.
const WHY_CHARS_MAX: usize = 160;

/// What names a single page.
const PAGE_PREFIX: &str = "page:";
/// What names a feed, whatever its address looks like.
const FEED_PREFIX: &str = "rss:";
/// What to do about an address behind which nothing was found.
const INSTEAD: &str = "give the address of its feed if it has one, or watch the page itself with `--as page`";

/// What may be given, in one breath.
const UNDERSTOOD: &str = "give a profile URL, @user@host, a Bluesky handle or at:// URI, a feed URL, \
     any other address with `--as page`, or a file of these with -f; `freshet add --help` shows examples";

/// What a file may be.
const LISTED: &str = "give a text file with a reference a line, OPML, or CSV (Mastodon, twarc, minet; --column NAME names the \
     column); `-` is standard input";

/// The number that the store gives what is forgotten: it is not added.
const FORGOTTEN: SourceId = SourceId(0);

/// The robots that start with what a person adds; the others find their work in the change log.
const FIRST_ROBOTS: [RobotKind; 2] = [RobotKind::Status, RobotKind::User];

/// What somebody wants to add.
#[derive(Clone, Debug, Default)]
pub struct AddWish {
    /// References, as typed.
    pub references: Vec<String>,
    /// A file of them; `-` is standard input.
    pub file: Option<PathBuf>,
    /// The column of a CSV file that holds them.
    pub column: Option<String>,
    /// History before this is not wanted.
    pub since: Option<When>,
    /// Posts older than this are dropped.
    pub retention: Option<Span>,
    /// How much the waiting of their posts counts; what is known keeps its weight unless it is said.
    pub weight: Option<Weight>,
    /// Whether what they bring is kept, where a person says so; what is known stays as it is otherwise.
    pub keeping: Option<Storing>,
    /// Loopback and private addresses are permitted.
    pub allow_private: bool,
    /// They are front pages of forums.
    pub is_forum: bool,
    /// They are single pages, whatever else their addresses may look like.
    pub is_page: bool,
    /// As whom they are read, and the network that this credential is for.
    pub seen_as: Option<(String, NetworkName)>,
}

/// A report while references are added one by one.
#[derive(Default)]
struct Adding {
    report: AddReport,
    /// What was tried as a forum in vain, and what came of it.
    tried: Map<String, String>,
}

/// Adds, and learns forums that are not known yet; the data directory is made only when there is something to put into it.
pub fn add(globals: &Globals, args: &AddWish) -> anyhow::Result<AddReport> {
    let networks = data::networks(globals)?;
    let mut adding = Adding::default();
    let seen_as =
        globals.viewer.as_ref().map(|viewer| anyhow::Ok((viewer.clone(), viewers::check(globals, viewer)?)));
    let args = &AddWish { seen_as: seen_as.transpose()?, ..args.clone() };
    let mut texts = gather(args, &mut adding.report)?;
    take_sites(globals, &networks, args, &mut texts, &mut adding)?;
    if !texts.iter().any(|(_, text)| may_add(&networks, args, text).is_ok()) {
        for (line, text) in &texts {
            if let Err(why) = may_add(&networks, args, text) {
                adding.refuse(*line, text, why);
            }
        }
        return Err(failure(&adding.report));
    }
    let mut data = Data::create(globals)?;
    if globals.viewer.is_some() {
        // Who is forgotten is kept out from the first page on.
        viewers::share_rules(&mut Data::create_for_all(globals)?)?;
    }
    let total = texts.len() as u64;
    let mut progress = Progress::new("references", 0, total);
    let mut done = 0;
    let mut each_batch = |count: u64| {
        progress.advance(count);
        done += count;
        notice::on_interrupt(format!(
            "stopped: {} of {} references are dealt with and kept; add the list again for the rest",
            grouped(done),
            grouped(total)
        ));
    };
    let list = List { each_batch: Some(&mut each_batch), ..List::silent(&texts) };
    add_all(&mut data, &networks, args, list, &mut adding)?;
    if globals.viewer.is_some() {
        viewers::share_rules(&mut Data::create_for_all(globals)?)?;
    }
    progress.end();
    Ok(adding.report)
}

/// Addresses that no network knows: their feeds stand in for them, and forums among them are learned.
fn take_sites(
    globals: &Globals,
    networks: &Networks,
    args: &AddWish,
    texts: &mut [(Option<u64>, String)],
    adding: &mut Adding,
) -> anyhow::Result<()> {
    let mut found = feed::find(globals, networks, args)?;
    let is_open = |text: &&String| !found.feeds.contains_key(*text);
    let references = args.references.iter().filter(is_open).cloned().collect();
    let rest = AddWish { references, ..args.clone() };
    (adding.report.learned, adding.tried) = forum::learn_new(globals, networks, &rest)?;
    for (text, why) in &mut adding.tried {
        // What is no forum after all has its feed.
        if let Some(feed) = found.spare.remove(text) {
            found.feeds.insert(text.clone(), feed);
        } else if let Some(vain) = found.vain.get(text) {
            *why = format!("{why}; {vain}; {INSTEAD}");
        }
    }
    for (_, text) in texts {
        if let Some(feed) = found.feeds.remove(&*text) {
            *text = format!("{FEED_PREFIX}{}", feed.feed);
            adding.report.feeds.push(feed);
        }
    }
    Ok(())
}

/// Adds to a data directory that is open already, and prints nothing.
pub fn add_to(globals: &Globals, data: &mut Data, args: &AddWish) -> anyhow::Result<()> {
    let mut adding = Adding::default();
    let texts = gather(args, &mut adding.report)?;
    add_all(data, &data::networks(globals)?, args, List::silent(&texts), &mut adding)?;
    if adding.report.refused_count == 0 { Ok(()) } else { Err(failure(&adding.report)) }
}

/// Adds what is understood, and tells what is not: for faces that show the report themselves.
pub fn add_typed(data: &mut Data, networks: &Networks, args: &AddWish) -> anyhow::Result<AddReport> {
    let mut adding = Adding::default();
    let texts = gather(args, &mut adding.report)?;
    add_all(data, networks, args, List::silent(&texts), &mut adding)?;
    Ok(adding.report)
}

/// Adds accounts that were found, each with what to call it: by what they mean, whatever texts would.
pub(crate) fn add_references(
    data: &mut Data,
    networks: &Networks,
    args: &AddWish,
    references: Vec<(String, Reference)>,
) -> anyhow::Result<AddReport> {
    let mut adding = Adding::default();
    let texts: Vec<_> = references.iter().map(|(text, _)| (None, text.clone())).collect();
    let found = references.into_iter().collect();
    let list = List { found, ..List::silent(&texts) };
    add_all(data, networks, args, list, &mut adding)?;
    Ok(adding.report)
}

/// What each reference would become, without adding anything.
pub fn preview(networks: &Networks, args: &AddWish) -> Vec<Result<(Reference, Vec<Source>), String>> {
    args.references.iter().map(|text| understand(networks, text)).collect()
}

/// References with their lines, and who is told how many are dealt with.
struct List<'a> {
    texts: &'a [(Option<u64>, String)],
    /// What some of the texts mean, where that is known.
    found: Map<String, Reference>,
    each_batch: Option<&'a mut dyn FnMut(u64)>,
}

impl<'a> List<'a> {
    fn silent(texts: &'a [(Option<u64>, String)]) -> Self {
        Self { texts, found: Map::default(), each_batch: None }
    }
}

fn add_all(
    data: &mut Data,
    networks: &Networks,
    args: &AddWish,
    mut list: List<'_>,
    adding: &mut Adding,
) -> anyhow::Result<()> {
    let since = args.since.map(|when| when.resolve(|| data.now())).transpose()?;
    let stored = data.store.instances()?.into_iter();
    let stored = stored.map(|row| (row.instance.network.clone(), row)).collect();
    // Whoever weighs nothing asks no clock: a demo adds its accounts while it runs.
    let weighed = args.weight.map(|weight| (weight, data.now_for_report(None)));
    let (store, known, found) = (&mut data.store, Set::default(), std::mem::take(&mut list.found));
    let mut adder = Adder { args, weighed, since, networks, store, stored, known, found };
    let mut robots = Set::default();
    for batch in list.texts.chunks(BATCH) {
        adder.add(batch, &mut robots, adding)?;
        if let Some(each_batch) = list.each_batch.as_mut() {
            each_batch(batch.len() as u64);
        }
    }
    let running = data.store.robots()?.into_iter().filter(|row| row.state == RobotState::Running);
    let running: Vec<_> = running.map(|row| row.kind).collect();
    adding.report.stopped_robots = robots.into_iter().filter(|robot| !running.contains(robot)).collect();
    data.store.push_control(&Control::Sources(SourcesChange::Added(adding.report.added_count)))?;
    Ok(())
}

/// Everything typed and listed, with its line in the file where it has one.
fn gather(args: &AddWish, report: &mut AddReport) -> anyhow::Result<Vec<(Option<u64>, String)>> {
    let mut texts: Vec<_> = args.references.iter().map(|text| (None, text.clone())).collect();
    if let Some(path) = &args.file {
        let input = data::open_input(path)?;
        let listed = reference::list::read(input, args.column.as_deref())
            .map_err(|error| Failure::misuse(format!("`{}`: {error}", path.display())).hint(LISTED))?;
        report.refused_count += listed.complaint_count;
        report.refused.extend(listed.complaints.into_iter().map(|(line, why)| Refused {
            line: Some(line),
            reference: String::new(),
            why,
        }));
        texts.extend(listed.references.into_iter().map(|(line, text)| (Some(line), text)));
    }
    if args.is_page {
        for (_, text) in &mut texts {
            *text = as_page(text);
        }
    }
    Ok(texts)
}

/// The reference of a single page at this address.
fn as_page(text: &str) -> String {
    let text = text.trim();
    if text.starts_with(PAGE_PREFIX) {
        return text.to_owned();
    }
    let has_scheme = text.starts_with("http://") || text.starts_with("https://");
    format!("{PAGE_PREFIX}{}{text}", if has_scheme { "" } else { "https://" })
}

/// The reference and its sources, or why there are none.
fn understand(networks: &Networks, text: &str) -> Result<(Reference, Vec<Source>), String> {
    with_sources(networks, text, networks.understand(text).map_err(|error| error.to_string())?)
}

/// The same for whoever adds as a viewer: what that credential is of no use for is refused.
fn may_add(networks: &Networks, args: &AddWish, text: &str) -> Result<(Reference, Vec<Source>), String> {
    fit(networks, args, understand(networks, text)?)
}

fn fit(
    networks: &Networks,
    args: &AddWish,
    understood: (Reference, Vec<Source>),
) -> Result<(Reference, Vec<Source>), String> {
    let unfit = |(viewer, of): &(String, NetworkName)| {
        viewers::unfit(networks, &understood.0.instance.network, (viewer, of))
    };
    match args.seen_as.as_ref().and_then(unfit) {
        Some(why) => Err(why),
        None => Ok(understood),
    }
}

/// A reference with its sources, or why there are none.
fn with_sources(
    networks: &Networks,
    text: &str,
    reference: Reference,
) -> Result<(Reference, Vec<Source>), String> {
    let network = &reference.instance.network;
    let connector = networks
        .connector_for(network)
        .ok_or_else(|| format!("`{text}`: there is no definition of `{network}`"))?;
    let sources = sources(&*connector, &reference);
    if sources.is_empty() {
        let kind = &reference.root_kind;
        return Err(format!("`{text}` is one `{kind}`, and `{network}` has nothing to visit again there"));
    }
    Ok((reference, sources))
}

struct Adder<'a> {
    args: &'a AddWish,
    /// The weight that a person names, and the present.
    weighed: Option<(Weight, Timestamp)>,
    since: Option<Timestamp>,
    networks: &'a Networks,
    store: &'a mut dyn Store,
    /// Servers that were there before.
    stored: Map<NetworkName, InstanceRow>,
    /// Servers that this command has put.
    known: Set<NetworkName>,
    /// What some of the texts mean, where that is known.
    found: Map<String, Reference>,
}

impl Adder<'_> {
    fn add(
        &mut self,
        batch: &[(Option<u64>, String)],
        robots: &mut Set<RobotKind>,
        adding: &mut Adding,
    ) -> anyhow::Result<()> {
        let (mut sources, mut ends) = (Vec::new(), Vec::new());
        for (line, text) in batch {
            let understood = match self.found.remove(text) {
                Some(reference) => with_sources(self.networks, text, reference),
                None => understand(self.networks, text),
            };
            let understood = understood.and_then(|it| fit(self.networks, self.args, it));
            let (reference, made) = match understood {
                Ok(understood) => understood,
                Err(why) => {
                    adding.refuse(*line, text, why);
                    continue;
                }
            };
            if let Some(host) = self.put_instance(&reference)? {
                adding.report.private_hosts.push(host);
            }
            robots.extend(made.iter().map(|source| source.robot));
            sources.extend(made.into_iter().map(|source| Source {
                since: self.since,
                retention: self.args.retention,
                weight: self.args.weight.unwrap_or(Weight::USUAL).value(),
                handle: reference.handle.clone(),
                ..source
            }));
            ends.push((sources.len(), *line, text));
        }
        let added = self.store.add_sources(&sources)?;
        self.weigh_known(&added)?;
        if let Some(keeping) = self.args.keeping {
            let ids: Vec<SourceId> = added.iter().map(|(id, _)| *id).filter(|id| *id != FORGOTTEN).collect();
            self.store.set_keeping_of(&ids, keeping)?;
        }
        adding.report.sources_count += added.iter().filter(|(_, is_new)| *is_new).count() as u64;
        let mut start = 0;
        for (end, line, text) in ends {
            let made = &added[start..end];
            if made.iter().any(|(id, _)| *id == FORGOTTEN) {
                adding.report.forgotten_count += 1;
                adding.refuse(
                    line,
                    text,
                    format!("`{text}` is forgotten; `freshet forget --undo {text}` takes that back"),
                );
                start = end;
                continue;
            }
            let is_new = made.iter().any(|(_, is_new)| *is_new);
            let report = &mut adding.report;
            *if is_new { &mut report.added_count } else { &mut report.known_count } += 1;
            start = end;
        }
        Ok(())
    }

    /// What was there before weighs what a person says now.
    fn weigh_known(&mut self, added: &[(SourceId, bool)]) -> anyhow::Result<()> {
        let Some((weight, now)) = self.weighed else { return Ok(()) };
        let known: Vec<SourceId> =
            added.iter().filter(|(id, is_new)| !is_new && *id != FORGOTTEN).map(|(id, _)| *id).collect();
        let sources: Vec<Source> = self.store.sources(&known)?.into_iter().flatten().collect();
        if !sources.is_empty() {
            weight::weigh(self.store, sources, weight, now)?;
        }
        Ok(())
    }

    /// Makes the server known. An allowance once given is kept, and so is `on_delete`. Gives the
    /// host if it is private and not allowed: it is stored, but every visit will be refused.
    fn put_instance(&mut self, reference: &Reference) -> anyhow::Result<Option<String>> {
        let network = &reference.instance.network;
        if !self.known.insert(network.clone()) {
            return Ok(None);
        }
        let stored = self.stored.get(network);
        let mut instance = reference.instance.clone();
        instance.allow_private =
            self.args.allow_private || stored.is_some_and(|row| row.instance.allow_private);
        let on_delete = stored.map_or_else(|| self.declared(network), |row| row.on_delete);
        let host = private_host(&instance.base).filter(|_| !instance.allow_private);
        self.store.put_instance(&InstanceRow { instance, on_delete })?;
        Ok(host)
    }

    /// What the definition says of deleted posts.
    fn declared(&self, network: &NetworkName) -> OnDelete {
        let definition = self.networks.definition(network.definition());
        match definition.map(|definition| definition.on_delete) {
            Some(Declared::Redact) => OnDelete::Redact,
            Some(Declared::Keep) | None => OnDelete::Keep,
        }
    }
}

/// The sources of a reference: what its first robots visit; where these have nothing to do
/// with such a thing (a thread, a tag), what any robot visits.
fn sources(connector: &dyn Connector, reference: &Reference) -> Vec<Source> {
    let of = |robot: RobotKind| {
        let id = reference.root_id.as_deref().unwrap_or_default();
        let network = &reference.instance.network;
        robot::sources_for(connector, network, robot, &reference.root_kind, id, 0)
    };
    let first: Vec<Source> = FIRST_ROBOTS.into_iter().flat_map(of).collect();
    if first.is_empty() { RobotKind::ALL.into_iter().flat_map(of).collect() } else { first }
}

/// The host of a URL that names this computer or a private address outright.
fn private_host(base: &str) -> Option<String> {
    let url = Url::parse(base).ok()?;
    let is_private = match url.host()? {
        Host::Ipv4(ip) => is_forbidden(ip.into()),
        Host::Ipv6(ip) => is_forbidden(ip.into()),
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
    };
    is_private.then(|| url.host_str().unwrap_or_default().to_owned())
}

impl Adding {
    fn refuse(&mut self, line: Option<u64>, text: &str, why: String) {
        self.report.refused_count += 1;
        let why = self.tried.get(text).cloned().unwrap_or(why);
        if self.report.refused.len() < REFUSED_MAX {
            self.report.refused.push(Refused { line, reference: text.to_owned(), why });
        }
    }
}

/// Nothing was understood: one reason in full, or many in short.
fn failure(report: &AddReport) -> anyhow::Error {
    match report.refused.as_slice() {
        [] => Failure::misuse("the list names nothing to add").hint(LISTED).into(),
        [only] => {
            let prefix = only.line.map_or_else(String::new, |line| format!("line {line}: "));
            Failure::misuse(format!("{prefix}{}", only.why)).hint(UNDERSTOOD).into()
        }
        many => {
            let shown = refusals(report);
            let message = format!("none of {} references is understood\n{shown}", many.len());
            Failure::misuse(message).hint(UNDERSTOOD).into()
        }
    }
}

/// The reasons why references were not added, a line each.
pub fn refusals(report: &AddReport) -> String {
    let line = |it: &Refused| {
        let prefix = it.line.map_or_else(String::new, |line| format!("line {line}: "));
        format!("  {prefix}{}", shorten(it.why.lines().next().unwrap_or_default(), WHY_CHARS_MAX))
    };
    let mut lines: Vec<_> = report.refused.iter().take(REFUSED_SHOWN_MAX).map(line).collect();
    if report.refused_count > REFUSED_SHOWN_MAX as u64 {
        lines.push(format!("  … and {} more", report.refused_count - REFUSED_SHOWN_MAX as u64));
    }
    lines.join("\n")
}
