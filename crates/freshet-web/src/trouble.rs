//! What the run says is wrong at the moment: the store, servers that do not answer, who does not take news.
//!
//! Taken from the live report as it is (`trouble`, `servers`, `subscribers`), bounded for show; where the
//! report has nothing of the kind, nothing is shown. It judges nothing itself.

use freshet_report::StatusReport;
use freshet_report::run::{ServerStatus, SubscriberStatus, Trouble};
use serde::Serialize;

/// Servers shown; the report has the others, and says how many there are.
const SERVERS_SHOWN: usize = 20;
/// Subscribers shown.
const SUBSCRIBERS_SHOWN: usize = 20;

/// What the overview shows of it.
#[derive(Serialize)]
pub(super) struct Wrong {
    trouble: Option<Trouble>,
    servers: Vec<ServerStatus>,
    servers_left_count: usize,
    subscribers: Vec<SubscriberStatus>,
    is_any: bool,
}

/// What is wrong, as the last run reported it.
pub(super) fn shown(status: &StatusReport) -> Wrong {
    let work = status.work();
    let servers_count = usize::try_from(work.servers_count).unwrap_or(usize::MAX).max(work.servers.len());
    let servers: Vec<_> = work.servers.iter().take(SERVERS_SHOWN).cloned().collect();
    Wrong {
        is_any: work.trouble.is_some() || !servers.is_empty(),
        servers_left_count: servers_count - servers.len(),
        servers,
        trouble: work.trouble.clone(),
        subscribers: work.subscribers.iter().take(SUBSCRIBERS_SHOWN).cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(live: &Value) -> Wrong {
        let mut status = StatusReport::default();
        status.add_run(serde_json::from_value(live.clone()).unwrap());
        shown(&status)
    }

    #[test]
    fn nothing_is_made_of_nothing_and_much_is_cut() {
        for (live, expected) in [
            (json!({}), false),
            (json!({ "trouble": null, "servers": [], "subscribers": [] }), false),
            (json!({ "trouble": { "what": "locked" } }), true),
            (json!({ "servers": [{ "network": "n" }] }), true),
        ] {
            assert_eq!(check(&live).is_any, expected, "{live}");
        }
        assert!(!shown(&StatusReport::default()).is_any, "before the first run");
        let many = check(&json!({ "servers": vec![json!({}); 50], "servers_count": 7000 }));
        assert_eq!((many.servers.len(), many.servers_left_count), (SERVERS_SHOWN, 7000 - SERVERS_SHOWN));
    }
}
