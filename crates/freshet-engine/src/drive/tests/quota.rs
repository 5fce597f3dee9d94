//! The quota on the rim: what leaves stands in the store.

use std::path::PathBuf;

use super::*;
use crate::quota::LEDGER;

/// A web that never answers, and notes what the store knows of the quotas when it is asked.
#[derive(Debug)]
struct Witness {
    path: PathBuf,
    known: Arc<Mutex<Vec<usize>>>,
}

impl Fetch for Witness {
    fn fetch<'a>(&'a self, _: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let store = testing::reader(&self.path);
        self.known.lock().unwrap().push(LEDGER.all(&store).unwrap().len());
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_grant_is_in_the_store_before_its_request_leaves() {
    let dir = tempfile::tempdir().unwrap();
    let known = Arc::new(Mutex::new(Vec::new()));
    let witness = Witness { path: dir.path().join("freshet.db"), known: Arc::clone(&known) };
    let kit = kit(dir.path(), 1, Arc::new(witness));
    let mut driver = start(kit, &RunOptions::default());
    let began = Instant::now();
    while known.lock().unwrap().is_empty() {
        driver.perform().unwrap();
        driver.drain_arrived().unwrap();
        assert!(began.elapsed() < Duration::from_mins(1), "the request never leaves");
        tokio::time::sleep(SLEEP_MIN).await;
    }
    assert!(known.lock().unwrap()[0] > 0, "the store knew nothing of the grant");
    driver.end().await.unwrap();
}
