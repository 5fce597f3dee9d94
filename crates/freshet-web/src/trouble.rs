//! What the run says is wrong at the moment: the store, servers that do not answer, who does not take news.
//!
//! Taken from the live report as it is (`trouble`, `servers`, `subscribers`), bounded for show; where the
//! report has nothing of the kind, nothing is shown. It judges nothing itself.

use serde_json::{Value, json};

/// Servers shown; the report has the others, and says how many there are.
const SERVERS_SHOWN: usize = 20;
/// Subscribers shown.
const SUBSCRIBERS_SHOWN: usize = 20;

/// What the overview shows of it.
pub(super) fn shown(status: &Value) -> Value {
    let list = |key: &str| status[key].as_array().map_or(&[][..], Vec::as_slice);
    let (servers, subscribers) = (list("servers"), list("subscribers"));
    let servers_count = status["servers_count"].as_u64().and_then(|count| usize::try_from(count).ok());
    let servers_count = servers_count.unwrap_or(0).max(servers.len());
    let few = &servers[..servers.len().min(SERVERS_SHOWN)];
    let trouble = Some(&status["trouble"]).filter(|trouble| trouble["what"].is_string());
    json!({
        "trouble": trouble,
        "servers": few,
        "servers_left_count": servers_count - few.len(),
        "subscribers": subscribers[..subscribers.len().min(SUBSCRIBERS_SHOWN)],
        "is_any": trouble.is_some() || !few.is_empty(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_made_of_nothing_and_much_is_cut() {
        for (status, expected) in [
            (json!({}), false),
            (json!({ "trouble": null, "servers": [], "subscribers": [] }), false),
            (json!({ "trouble": { "what": "locked" } }), true),
            (json!({ "servers": [{ "network": "n" }] }), true),
        ] {
            assert_eq!(shown(&status)["is_any"], expected, "{status}");
        }
        let many = json!({ "servers": vec![json!({}); 50], "servers_count": 7000 });
        let shown = shown(&many);
        assert_eq!(shown["servers"].as_array().map(Vec::len), Some(SERVERS_SHOWN));
        assert_eq!(shown["servers_left_count"], 7000 - SERVERS_SHOWN);
    }
}
