//! A bus as a subscriber: a record is one message of NATS JetStream, and a batch is taken when the stream keeps all of them.
//!
//! A message has an id made of the subscription and the record's place in the log, so a batch that comes again leaves nothing
//! twice while the stream remembers it; a replay is another matter, and its messages have ids of their own. The socket, the
//! login and the limits are `fetch`'s (`fetch::nats`).

use freshet_fetch::nats::{Nats, NatsMessage};
use serde::Deserialize;

use super::{Ack, Batch, Outlet};

/// A bus that is told.
pub(super) struct Bus {
    pub(super) name: String,
    /// Of the subscription: grows when somebody replays it.
    pub(super) generation: u64,
    pub(super) nats: Nats,
}

/// What tells one record of a subscription from all others.
#[derive(Deserialize)]
struct Head {
    kind: String,
    /// A test has none.
    number: Option<u64>,
}

impl Outlet for Bus {
    fn deliver(&mut self, batch: &Batch) -> Result<Ack, String> {
        let messages = batch.lines.iter();
        let messages = messages
            .map(|line| NatsMessage { id: id(&self.name, self.generation, line), body: line.clone() })
            .collect();
        self.nats.publish(messages).map_err(|fault| fault.message)?;
        Ok(Ack::Taken)
    }
}

/// The id of a record; none for what is no part of the log.
fn id(name: &str, generation: u64, line: &str) -> Option<String> {
    let head: Head = serde_json::from_str(line).ok()?;
    head.number.map(|number| format!("{name}.{generation}.{number}.{}", head.kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_made_of_subscription_and_place() {
        for (line, expected) in [
            (
                r#"{"kind":"posts","number":17,"changes":["created"],"record":{"number":3}}"#,
                Some("a.2.17.posts"),
            ),
            (r#"{"kind":"deletions","number":17,"record":{}}"#, Some("a.2.17.deletions")),
            (r#"{"kind":"dropped","count":3,"total":3,"number":9}"#, Some("a.2.9.dropped")),
            (r#"{"kind":"test","sent_at":5}"#, None),
        ] {
            assert_eq!(id("a", 2, line).as_deref(), expected, "{line}");
        }
    }
}
