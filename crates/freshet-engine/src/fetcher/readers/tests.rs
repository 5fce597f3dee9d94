//! Pages that take for ever, one by one and many at once. Work waits on channels; nothing sleeps.

use super::*;

/// Longest that a test waits for what must come.
const PATIENCE: Duration = Duration::from_mins(1);
/// No wait at all for what never comes.
const AT_ONCE: Duration = Duration::from_millis(1);

/// Work that waits until it is let go, or the test ends.
fn endless() -> (mpsc::Sender<()>, impl FnOnce() -> u32 + Send + 'static) {
    let (let_go, wait) = mpsc::channel::<()>();
    (let_go, move || {
        let _ = wait.recv();
        0
    })
}

#[tokio::test]
async fn a_page_that_takes_for_ever_is_given_up_and_its_thread_replaced() {
    let readers = Readers::new(1, MEMORY_KIB_MAX).within(PATIENCE);
    let (let_go, work) = endless();
    assert_eq!(readers.within(AT_ONCE).read(10, work).await, Err(Unread::Late));
    assert_eq!(readers.stuck_count(), 1);
    // There is one turn, and it is free again.
    assert_eq!(readers.read(10, || 7).await, Ok(7));
    drop(let_go);
    // The stuck one ends at last, and is no longer counted.
    while readers.stuck_count() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn stuck_threads_are_replaced_up_to_a_bound() {
    let readers = Readers::new(1, MEMORY_KIB_MAX).within(PATIENCE);
    let mut held = Vec::new();
    for _ in 0..=STUCK_MAX {
        let (let_go, work) = endless();
        held.push(let_go);
        assert_eq!(readers.within(AT_ONCE).read(10, work).await, Err(Unread::Late));
    }
    // The last one keeps its turn, so the next read waits.
    let mut next = Box::pin(readers.read(10, || 7));
    assert!(futures::poll!(&mut next).is_pending());
    assert_eq!(readers.pool.turns.available_permits(), 0);
    drop(held.pop());
    assert_eq!(next.await, Ok(7));
}

#[tokio::test]
async fn reads_under_way_share_one_budget_of_memory() {
    let bytes = 8 << 20;
    let cost = Readers::default().pool.cost_kib(bytes);
    // Room for two and a half of them, and threads for eight.
    let readers = Readers::new(8, cost * 5 / 2).within(PATIENCE);
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let reads = (0..64).map(|_| {
        let (now, most) = (Arc::clone(&now), Arc::clone(&most));
        readers.read(bytes, move || {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::yield_now();
            now.fetch_sub(1, Ordering::SeqCst);
        })
    });
    let done = futures::future::join_all(reads).await;
    assert!(done.iter().all(Result::is_ok) && done.len() == 64);
    assert!(most.load(Ordering::SeqCst) <= 2, "{most:?}");
    // One that would take more than there is takes all of it.
    assert_eq!(readers.read(1 << 40, || 7).await, Ok(7));
}

#[tokio::test]
async fn a_reader_that_panics_fails_one_page() {
    let readers = Readers::new(1, MEMORY_KIB_MAX).within(PATIENCE);
    let failed = readers.read(10, || -> u32 { panic!("a page that nobody has foreseen") }).await;
    assert_eq!(failed, Err(Unread::Failed));
    assert_eq!(readers.read(10, || 7).await, Ok(7));
    assert_eq!(readers.pool.idle().len(), 1, "the thread lives on");
}

#[tokio::test]
async fn threads_are_used_again_and_end_with_the_pool() {
    let readers = Readers::new(2, MEMORY_KIB_MAX).within(PATIENCE);
    let name = || std::thread::current().id();
    let first = readers.read(10, name).await;
    assert_eq!(readers.read(10, name).await, first);
    let idle = readers.pool.idle().last().cloned().unwrap();
    drop(readers);
    // A thread that has ended takes no more; while it lives, it gets jobs that do nothing.
    let job = || Box::new(|| {}) as Box<dyn FnOnce()>;
    let own = mpsc::channel().0;
    drop(idle.send(Errand { job: Box::new(job), own }));
}
