//! The sample trace that travels with the project: it can be read, and policies can be told apart on it.

use std::path::Path;

use freshet_sim::experiment::{Setup, run};
use freshet_sim::trace::{By, History, Window};
use freshet_types::Timestamp;

fn sample() -> History {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/congress.tsv.zst");
    let window = Window { from: Timestamp::from_secs(1_549_238_400), warm_days: 28, eval_days: 28 };
    History::read(&path, window, By::Author).expect("the sample travels with the project")
}

#[test]
fn the_sample_is_what_its_page_says() {
    let history = sample();
    assert_eq!(history.posters.len(), 60);
    assert!(history.posters.iter().zip(0..).all(|(poster, user)| poster.user == user));
    let size = std::fs::metadata(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/congress.tsv.zst"));
    assert!(size.unwrap().len() < 200_000, "samples stay small");
}

#[test]
fn policies_keep_their_order_on_it() {
    let history = sample();
    let mean_s = |name: &str| run(&history, name, &Setup::new(4.0)).unwrap().mean_delay_s.unwrap();
    let (in_turn, learned, known) = (mean_s("rr"), mean_s("freshet"), mean_s("clairvoyant"));
    assert!(learned < 0.9 * in_turn, "freshet {learned} s, round robin {in_turn} s");
    assert!(known < learned, "clairvoyant {known} s");
}
