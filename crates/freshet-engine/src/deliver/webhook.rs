//! A web address as a subscriber: a batch is one POST of JSON, acknowledged by any 2xx.
//!
//! 410 ends the subscription; every other answer, and none at all, is tried again with a growing wait, also by the next run. The
//! socket, the signature and the address guard are `fetch`'s (`fetch::hook`).

use freshet_fetch::hook::{Hook, HookAnswer};
use serde_json::Value;

use super::{Ack, Batch, Outlet};

/// The header that names the subscription.
const NAME_HEADER: &str = "freshet-subscription";
/// The header that holds the cursor: a batch that comes again has the same first record.
const CURSOR_HEADER: &str = "freshet-cursor";

/// An address that is told.
pub(super) struct Webhook {
    pub(super) name: String,
    pub(super) hook: Hook,
}

impl Outlet for Webhook {
    fn deliver(&mut self, batch: &Batch) -> Result<Ack, String> {
        let headers = [(NAME_HEADER, self.name.clone()), (CURSOR_HEADER, batch.cursor.to_string())];
        let answer = self.hook.post(body(&self.name, batch), &headers).map_err(|fault| fault.message)?;
        judged(&answer)
    }
}

/// `{"subscription": …, "cursor": …, "records": […]}`.
pub(crate) fn body(name: &str, batch: &Batch) -> String {
    let name = Value::from(name);
    format!(r#"{{"subscription":{name},"cursor":{},"records":[{}]}}"#, batch.cursor, batch.lines.join(","))
}

fn judged(answer: &HookAnswer) -> Result<Ack, String> {
    let said = if answer.said.is_empty() { String::new() } else { format!(": {}", answer.said) };
    match answer.status {
        200..=299 => Ok(Ack::Taken),
        410 => Ok(Ack::Gone(format!("it answered 410, gone{said}"))),
        status @ 300..=399 => {
            Err(format!("it answered {status}, a redirect, and none is followed; subscribe the new address"))
        }
        status => Err(format!("it answered {status}{said}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_judged() {
        for (status, said, expected) in [
            (200, "thanks", "Ok(Taken)"),
            (204, "", "Ok(Taken)"),
            (410, "moved on", "Ok(Gone(\"it answered 410, gone: moved on\"))"),
            (302, "", "redirect"),
            (401, "who?", "Err(\"it answered 401: who?\")"),
            (503, "", "Err(\"it answered 503\")"),
        ] {
            let got = judged(&HookAnswer { status, said: said.to_owned() });
            assert!(format!("{got:?}").contains(expected), "{status}: {got:?}");
        }
    }

    #[test]
    fn a_batch_is_one_document() {
        let batch = Batch { cursor: 9, lines: vec!["{\"a\":1}".into(), "{\"b\":2}".into()] };
        let read: Value = serde_json::from_str(&body("a\"b", &batch)).unwrap();
        assert_eq!(
            read,
            serde_json::json!({ "subscription": "a\"b", "cursor": 9, "records": [{"a": 1}, {"b": 2}] })
        );
    }
}
