//! A subscriber that outlives the processes that deliver to it, and what it must have got in the end.

use freshet_engine::deliver::{Ack, Batch, Open, Outlet, Subscriber};
use freshet_store::subscription;
use serde_json::Value;

use super::faulty::{Boundary, Fate};
use super::*;

/// Under which name it subscribes.
const NAME: &str = "receiver";

/// What arrived, in order: the id of each post, and whether it was told as deleted.
#[derive(Clone, Debug, Default)]
pub(super) struct Receiver(Arc<Mutex<Vec<(String, bool)>>>);

/// The way to it of one process.
struct Way {
    fate: Fate,
    receiver: Receiver,
}

impl Outlet for Way {
    fn deliver(&mut self, batch: &Batch) -> Result<Ack, String> {
        let arrive = || {
            let read = |line: &String| {
                let line: Value = serde_json::from_str(line).unwrap();
                let post = line.get("record").unwrap_or(&line);
                (post["native_id"].as_str().unwrap().to_owned(), !post["deleted_at"].is_null())
            };
            self.receiver.0.lock().unwrap().extend(batch.lines.iter().map(read));
            Ok(Ack::Taken)
        };
        self.fate.write(Boundary::Delivery, arrive).map_err(|error| error.to_string())
    }
}

impl Receiver {
    /// The subscriber of one process.
    pub(super) fn subscriber(&self, fate: &Fate) -> Subscriber {
        Subscriber::new(NAME, self.open(fate))
    }

    fn open(&self, fate: &Fate) -> Open {
        let (fate, receiver) = (fate.clone(), self.clone());
        Box::new(move || Ok(Box::new(Way { fate: fate.clone(), receiver: receiver.clone() })))
    }

    /// Makes the subscriber of one process from what the store says of it.
    pub(super) fn subscribe_by(&self, fate: &Fate, networks: &Arc<Networks>) -> SubscribeBy {
        let (receiver, fate, networks) = (self.clone(), fate.clone(), Arc::clone(networks));
        Box::new(move |row| Subscriber::of(row, &networks, receiver.open(&fate)).unwrap())
    }

    /// The subscription that a person makes, from the beginning of the log.
    pub(super) fn add_to(store: &mut dyn Store) {
        assert!(store.add_subscription(&testing::subscription(NAME, subscription::Way::Stdout), 0).unwrap());
    }

    /// It got every change at least once, and posts in the order of the log; its cursor stands at the end.
    pub(super) fn check(&self, store: &dyn Store, context: &str) {
        let changes = store.changes_above(0, usize::MAX >> 1).unwrap();
        let received = self.0.lock().unwrap();
        let mut first: Set<&str> = Set::default();
        let order: Vec<&str> =
            received.iter().map(|(id, _)| id.as_str()).filter(|id| first.insert(id)).collect();
        let mut logged: Set<&str> = Set::default();
        let ids = changes.iter().map(|change| &change.address).filter(|it| &*it.kind != robot::ACCOUNT);
        let expected: Vec<&str> =
            ids.map(|it| it.id.as_str()).filter(|id| first.contains(id) && logged.insert(id)).collect();
        assert_eq!(order, expected, "{context}: the subscriber got them in another order");
        let last: Map<&str, bool> =
            received.iter().map(|(id, is_deleted)| (id.as_str(), *is_deleted)).collect();
        let mut untold = Vec::new();
        store
            .each_post(&Filter::default(), &mut |row| {
                if last.get(row.post.id.as_str()) != Some(&row.deleted_at.is_some()) {
                    untold.push(row.post.id);
                }
                Flow::Continue(())
            })
            .unwrap();
        assert_eq!(untold, [""; 0], "{context}: the subscriber was not told of these");
        let cursor = store.cursor(&format!("deliver:{NAME}")).unwrap();
        assert_eq!(cursor, store.last_change().unwrap(), "{context}: its cursor");
    }

    /// How many records arrived, those that came twice included.
    pub(super) fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}
