//! A subscriber that outlives the processes that deliver to it, and what it must have got in the end.

use freshet_engine::deliver::Subscriber;
use freshet_sink::{Record, RecordKind, Sink, SinkError, Value};

use super::faulty::{Boundary, Fate};
use super::*;

/// Under which name it subscribes.
const NAME: &str = "receiver";

/// What arrived, in order: the id of each post, and whether it was told as deleted.
#[derive(Clone, Debug, Default)]
pub(super) struct Receiver(Arc<Mutex<Vec<(String, bool)>>>);

/// The way to it of one process: what is flushed has arrived, what is not is lost with the process.
struct Way {
    fate: Fate,
    receiver: Receiver,
    held: Vec<(String, bool)>,
}

impl Sink for Way {
    fn write(&mut self, record: &dyn Record) -> Result<(), SinkError> {
        let columns = RecordKind::Posts.columns();
        let place = |name: &str| columns.iter().position(|column| column.name == name).unwrap();
        let values = record.values();
        let Value::Text(id) = &values[place("native_id")] else { panic!("a post has an id") };
        let is_deleted = !matches!(values[place("deleted_at")], Value::Null);
        self.held.push(((*id).to_owned(), is_deleted));
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        let arrive = || {
            self.receiver.0.lock().unwrap().append(&mut self.held);
            Ok(())
        };
        let done = self.fate.write(Boundary::Delivery, arrive);
        done.map_err(|error| SinkError::Write(std::io::Error::other(error)))
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        Ok(())
    }
}

impl Receiver {
    /// The subscriber of one process.
    pub(super) fn subscriber(&self, fate: &Fate) -> Subscriber {
        let (fate, receiver) = (fate.clone(), self.clone());
        let open = move || -> Result<Box<dyn Sink>, _> {
            Ok(Box::new(Way { fate: fate.clone(), receiver: receiver.clone(), held: Vec::new() }))
        };
        Subscriber::new(NAME, Box::new(open))
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
