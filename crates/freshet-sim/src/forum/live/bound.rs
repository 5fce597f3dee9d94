//! A bound on the pages of a forum: every request needs a unit of a quota that gives so many a day, evenly.

use std::sync::Arc;

use freshet_network::networks::Network;
use freshet_types::{
    AskRefused, Connector, Endpoint, Intent, Page, QuotaKey, QuotaNeed, Request, Response, Span, Target,
    Timestamp,
};

use super::super::setup::DAY_S;

/// The rule's name.
const RULE: &str = "pages";

/// A connector whose requests are bounded.
#[derive(Debug)]
struct Bounded {
    inner: Arc<dyn Connector>,
    pages_per_day: f64,
}

/// The same network, with so many pages a day.
pub(super) fn bounded(mut network: Network, pages_per_day: f64) -> Network {
    network.connector = Arc::new(Bounded { inner: network.connector, pages_per_day });
    network
}

impl Connector for Bounded {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn endpoints(&self) -> &[Endpoint] {
        self.inner.endpoints()
    }

    fn lookup(&self) -> Option<&Endpoint> {
        self.inner.lookup()
    }

    fn single(&self, root_kind: &str) -> Option<&Endpoint> {
        self.inner.single(root_kind)
    }

    fn ask(&self, target: &Target<'_>, intent: &Intent) -> Result<Request, AskRefused> {
        let mut request = self.inner.ask(target, intent)?;
        let network = target.instance.network.clone();
        let key = QuotaKey { network, rule: RULE.into(), holder: "ip".into() };
        // Of two units in a window the ledger leaves one alone: one page in each, none saved up.
        let window = Span::from_secs_f64(DAY_S / self.pages_per_day.max(1e-3));
        request.needs.push(QuotaNeed { key, limit: 2, window, units: 1 });
        Ok(request)
    }

    fn read(&self, target: &Target<'_>, intent: &Intent, response: &Response, now: Timestamp) -> Page {
        self.inner.read(target, intent, response, now)
    }
}
