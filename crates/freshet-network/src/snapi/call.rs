//! One `get_object` or `get_links` under way: what to ask next, and what the answers made of it.
//!
//! The object comes first and is judged at once, so that an unwanted one costs one request. Then
//! follow its collections page by page and its single links object by object; every member is
//! judged as it arrives, and the object again at the end, when all that was asked for is known.
//!
//! Invariants: requests, pages and objects are bounded; no address is asked twice and no cursor
//! followed twice, so cycles end; a list that fails costs that list and not the call.

mod absorb;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use freshet_types::{
    Address, Complaint, Holder, Instance, Intent, LinkKind, NetworkName, Object, Observation, Outcome, Page,
    Request, Response, Set, Target, Timestamp,
};

use super::SnapiError;
use crate::constraint::{Answer, Constraints};
use crate::networks::{Network, Registry};

/// Attempts at one request before its part of the call is given up [SocWeb, section 4.1].
const ATTEMPTS_MAX: u8 = 3;
/// Complaints kept of one call.
const COMPLAINTS_MAX: usize = 200;

/// How far a call may go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOptions {
    /// Pages of one collection.
    pub pages_max: usize,
    /// Objects linked in all.
    pub objects_max: usize,
    /// Requests in all.
    pub requests_max: usize,
    /// Steps from what a person added; constraints may ask.
    pub depth: u16,
    /// On whose behalf; `None`: with any credential the network has.
    pub user_id: Option<String>,
    /// The collections that are wanted, by name; none named: all.
    pub collections: Vec<String>,
    /// What was given as the id is a handle, which is looked up first.
    pub is_handle: bool,
}

impl Default for CallOptions {
    /// About what a person waits for: a thousand objects, a hundred requests.
    fn default() -> Self {
        Self {
            pages_max: 10,
            objects_max: 1000,
            requests_max: 100,
            depth: 0,
            user_id: None,
            collections: Vec::new(),
            is_handle: false,
        }
    }
}

/// What a call needs or gives next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Send this and hand the answer to [`Call::take`].
    Ask(Request),
    /// Here is the object with the links asked for.
    Done(Object),
    /// The constraints cannot be judged yet; this is what is known.
    Parked {
        object: Object,
        /// The property that is not known.
        missing: String,
    },
    /// The constraints say no, or the request cannot be made.
    Refused(String),
    /// The network said this. If it is retryable, step again later: the call goes on.
    Failed(Outcome),
}

/// One thing to fetch.
#[derive(Clone, Debug)]
enum Errand {
    /// The object itself.
    Root,
    /// A part of one of its collections.
    List { endpoint: Arc<str>, link: String, intent: Intent, page_count: usize },
    /// An object it links to.
    Linked(Address),
}

/// A call under way.
#[derive(Debug)]
pub struct Call {
    registry: Arc<Registry>,
    constraints: Arc<Constraints>,
    network: Arc<Network>,
    instance: Instance,
    credential: Option<Holder>,
    kinds: BTreeSet<LinkKind>,
    options: CallOptions,
    root: Object,
    is_root_known: bool,
    errands: VecDeque<Errand>,
    asked: Set<String>,
    attempts: u8,
    request_count: usize,
    object_count: usize,
    setback: Option<Outcome>,
    end: Option<Step>,
    now: Timestamp,
    parked_count: usize,
    unwanted_count: usize,
    complaints: Vec<Complaint>,
    shown: Vec<(NetworkName, Observation)>,
}

impl Call {
    pub(super) fn new(
        registry: Arc<Registry>,
        constraints: Arc<Constraints>,
        network: Arc<Network>,
        instance: Instance,
        root: Object,
    ) -> Self {
        Self {
            registry,
            constraints,
            network,
            instance,
            credential: None,
            kinds: BTreeSet::new(),
            options: CallOptions::default(),
            root,
            is_root_known: false,
            errands: VecDeque::new(),
            asked: Set::default(),
            attempts: 0,
            request_count: 0,
            object_count: 0,
            setback: None,
            end: None,
            now: Timestamp::MIN,
            parked_count: 0,
            unwanted_count: 0,
            complaints: Vec::new(),
            shown: Vec::new(),
        }
    }

    pub(super) fn ask_with(
        &mut self,
        credential: Option<Arc<str>>,
        links: &[LinkKind],
        options: CallOptions,
    ) {
        self.credential = credential.map(Holder::alone);
        self.kinds = links.iter().copied().collect();
        self.options = options;
    }

    /// Begins with the object itself, where the network can show it.
    pub(super) fn with_root(mut self) -> Result<Self, SnapiError> {
        if !self.options.is_handle && self.network.connector.single(&self.root.address.kind).is_none() {
            return self.with_lists();
        }
        self.asked.insert(self.root.address.to_string());
        self.errands.push_back(Errand::Root);
        Ok(self)
    }

    /// Begins with the links; the object itself is asked for only where they stand in it.
    pub(super) fn with_links(self) -> Result<Self, SnapiError> {
        let are_lists = self.kinds.iter().all(|&kind| kind == LinkKind::Co);
        if are_lists && !self.options.is_handle { self.with_lists() } else { self.with_root() }
    }

    fn with_lists(mut self) -> Result<Self, SnapiError> {
        self.plan_lists();
        if self.errands.is_empty() {
            return Err(SnapiError::NoEndpoint {
                network: self.network.name.to_string(),
                kind: self.root.address.kind.to_string(),
            });
        }
        Ok(self)
    }

    /// How many members cannot be judged yet. Whoever stores what was shown has them parked.
    pub fn parked_count(&self) -> usize {
        self.parked_count
    }

    /// How many members the constraints kept out.
    pub fn unwanted_count(&self) -> usize {
        self.unwanted_count
    }

    /// What the answers showed since this was last asked, page by page, whatever came of it: the caller may store it.
    pub fn take_shown(&mut self) -> Vec<(NetworkName, Observation)> {
        std::mem::take(&mut self.shown)
    }

    /// The address that the object has by now: a handle that was looked up has become an id.
    pub fn address(&self) -> &Address {
        &self.root.address
    }

    /// What could not be used or reached, in the order met.
    pub fn complaints(&self) -> &[Complaint] {
        &self.complaints
    }

    /// What is needed next. Asking twice without an answer in between gives the same.
    pub fn step(&mut self) -> Step {
        loop {
            if let Some(outcome) = self.setback.take() {
                return Step::Failed(outcome);
            }
            if let Some(end) = &self.end {
                return end.clone();
            }
            if self.errands.is_empty() {
                self.plan_linked();
            }
            let Some(errand) = self.errands.front().cloned() else {
                self.finish();
                continue;
            };
            if self.request_count >= self.options.requests_max {
                let what = format!("stopped after {} requests", self.request_count);
                self.complain(&self.root.address.to_string(), what);
                self.errands.clear();
                continue;
            }
            match self.request(&errand) {
                Ok(request) => return Step::Ask(request),
                Err(reason) => self.give_up(&errand, reason),
            }
        }
    }

    /// Works in the answer to what [`Call::step`] asked; gives what the network said by it.
    pub fn on_answer(&mut self, response: &Response, now: Timestamp) -> Outcome {
        self.now = now;
        let Some(errand) = self.errands.front().cloned() else { return Outcome::Ok };
        self.request_count += 1;
        let Some((network, page)) = self.read(&errand, response) else { return Outcome::Ok };
        self.complain_all(page.complaints.clone());
        match &page.outcome {
            Outcome::Ok => {
                self.attempts = 0;
                self.errands.pop_front();
                self.absorb(errand, &page);
                self.shown.push((network, page.observation));
            }
            outcome => self.fail(outcome.clone()),
        }
        page.outcome
    }

    /// Nothing came back, or something that is no answer; counts as an attempt.
    pub fn fail(&mut self, outcome: Outcome) {
        let Some(errand) = self.errands.front().cloned() else { return };
        self.attempts += 1;
        if outcome.is_retryable() && self.attempts < ATTEMPTS_MAX {
            self.setback = Some(outcome);
        } else if matches!(errand, Errand::Root) {
            self.end = Some(Step::Failed(outcome));
        } else {
            self.give_up(&errand, format!("the network says {}", outcome.name()));
        }
    }

    fn give_up(&mut self, errand: &Errand, reason: String) {
        self.attempts = 0;
        self.errands.pop_front();
        match errand {
            Errand::Root => self.end = Some(Step::Refused(reason)),
            Errand::List { endpoint, .. } => self.complain(endpoint, reason),
            Errand::Linked(address) => self.complain(&address.to_string(), reason),
        }
    }

    fn complain(&mut self, place: &str, what: String) {
        self.complain_all(vec![Complaint::new(place, what)]);
    }

    fn complain_all(&mut self, complaints: Vec<Complaint>) {
        let room = COMPLAINTS_MAX.saturating_sub(self.complaints.len());
        self.complaints.extend(complaints.into_iter().take(room));
    }

    /// The network, server, endpoint and root of an errand.
    fn target_of(&self, errand: &Errand) -> Result<(Arc<Network>, Instance, Arc<str>, String), String> {
        let single = |network: &Network, kind: &str| {
            let endpoint = network.connector.single(kind).map(|endpoint| Arc::clone(&endpoint.name));
            endpoint.ok_or_else(|| format!("`{}` cannot show one `{kind}`", network.name))
        };
        let (network, instance) = (&self.network, &self.instance);
        match errand {
            Errand::Root => {
                let endpoint = if self.options.is_handle {
                    let lookup = network.connector.lookup().map(|endpoint| Arc::clone(&endpoint.name));
                    lookup.ok_or_else(|| format!("`{}` cannot look up a handle; give an id", network.name))?
                } else {
                    single(network, &self.root.address.kind)?
                };
                Ok((Arc::clone(network), instance.clone(), endpoint, self.root.address.id.clone()))
            }
            Errand::List { endpoint, .. } => Ok((
                Arc::clone(network),
                instance.clone(),
                Arc::clone(endpoint),
                self.root.address.id.clone(),
            )),
            Errand::Linked(address) if address.network == instance.network => Ok((
                Arc::clone(network),
                instance.clone(),
                single(network, &address.kind)?,
                address.id.clone(),
            )),
            Errand::Linked(address) => {
                let missing = || format!("the network of `{address}` has no definition");
                let network = self.registry.get(address.network.definition()).ok_or_else(missing)?;
                let instance = self.registry.instance_of(&address.network).ok_or_else(missing)?;
                Ok((Arc::clone(network), instance, single(network, &address.kind)?, address.id.clone()))
            }
        }
    }

    fn request(&self, errand: &Errand) -> Result<Request, String> {
        let (network, instance, endpoint, root) = self.target_of(errand)?;
        let target = self.target(&instance, &endpoint, &root);
        network.connector.ask(&target, intent(errand)).map_err(|refused| refused.0)
    }

    fn read(&self, errand: &Errand, response: &Response) -> Option<(NetworkName, Page)> {
        let (network, instance, endpoint, root) = self.target_of(errand).ok()?;
        let target = self.target(&instance, &endpoint, &root);
        let page = network.connector.read(&target, intent(errand), response, self.now);
        Some((instance.network.clone(), page))
    }

    fn target<'t>(&'t self, instance: &'t Instance, endpoint: &'t str, root: &'t str) -> Target<'t> {
        // A credential belongs to the network of the call, and is shown to no other.
        let credential = self.credential.as_ref().filter(|_| instance.network == self.instance.network);
        Target { instance, endpoint, root, credential, validators: None }
    }

    /// All that was asked for is known: the last judgement.
    ///
    /// An object that was not fetched itself is not judged, only what it links to was.
    fn finish(&mut self) {
        let answer = if self.is_root_known {
            self.constraints.judge(&self.root, self.options.depth, self.now)
        } else {
            Answer::Yes
        };
        match answer {
            Answer::No => self.refuse(),
            Answer::CannotTell { missing } => {
                self.end = Some(Step::Parked { object: self.root.clone(), missing });
            }
            Answer::Yes => {
                let mut object = self.root.clone();
                let is_wanted = |kind: LinkKind| self.kinds.contains(&kind);
                object.plinks.retain(|_, _| is_wanted(LinkKind::P));
                object.clinks.retain(|_, _| is_wanted(LinkKind::C));
                object.colinks.retain(|_, _| is_wanted(LinkKind::Co));
                object.splinks.retain(|_, _| is_wanted(LinkKind::Sp));
                object.sclinks.retain(|_, _| is_wanted(LinkKind::Sc));
                object.scolinks.retain(|_, _| is_wanted(LinkKind::Sco));
                self.end = Some(Step::Done(object));
            }
        }
    }
}

fn intent(errand: &Errand) -> &Intent {
    match errand {
        Errand::List { intent, .. } => intent,
        Errand::Root | Errand::Linked(_) => &Intent::First,
    }
}
