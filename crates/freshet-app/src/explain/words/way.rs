//! By which way the posts of a source come, in words, and what becomes of them: a stream, a constraint, a choice of collections.
//!
//! When visits come is `timing.rs`.

use freshet_report::explain::Fact;
use freshet_types::Timestamp;

use super::Words;
use crate::text::relative;

/// By which way its posts come, or why they do not.
pub(super) fn way(fact: &Fact, now: Timestamp) -> Words {
    match fact {
        Fact::HeldBack { constraint } => held_back(constraint),
        Fact::NotKept { is_network, is_taken } => {
            Words::spoken("content", not_kept((*is_network, *is_taken)))
        }
        Fact::Unchosen { collection } => unchosen(collection),
        _ => Words::spoken("stream", streamed(fact, now)),
    }
}

fn streamed(fact: &Fact, now: Timestamp) -> String {
    let Fact::Streamed { stream, is_complete, is_page, connected_at, is_covered, bill, why } = fact else {
        return String::new();
    };
    if *is_page {
        let state = match (connected_at, why) {
            (Some(at), _) => format!("asked for again and again, first {}", relative(at.0, now)),
            (None, Some(why)) => format!("not asked for now ({why})"),
            (None, None) => "not asked for now".to_owned(),
        };
        return format!(
            "its server tells on a page, `{stream}`, what changed: {state}; who stands on it is visited"
        );
    }
    let state = match (connected_at, why) {
        (Some(at), _) => format!("connected {}", relative(at.0, now)),
        (None, Some(why)) => format!("not connected ({why}), so it is visited"),
        (None, None) => "not connected, so it is visited".to_owned(),
    };
    let meaning = match (connected_at.is_some(), is_complete, is_covered) {
        (false, ..) => "",
        (true, false, _) => "; it sends some of the posts, and each makes a visit due",
        (true, true, true) => "; it sends all posts, so visits are for reconciliation only",
        (true, true, false) => "; it sends all posts, and after one more visit there is no hole before it",
    };
    let bill = bill.map_or_else(String::new, |(spent, spared)| {
        let (requests, visits) = (counted(spent, "request"), counted(spared, "visit"));
        format!("; so far it took {requests} and spared {visits}")
    });
    format!("its server sends posts by itself, through `{stream}`: {state}{meaning}{bill}")
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn held_back(constraint: &str) -> Words {
    let text = format!("it is not visited again while this constraint is not met: {constraint}");
    Words::spoken("held back", text)
}

fn unchosen(collection: &str) -> Words {
    let text = format!(
        "`{collection}` is not among what the robot `link` gathers; `freshet robots start link --only {collection}` takes it"
    );
    Words::spoken("held back", text)
}

fn not_kept((is_network, is_taken): (bool, bool)) -> String {
    let whose = if is_network { "of its network nothing is" } else { "it was added so" };
    let taken = if is_taken { "goes to subscribers" } else { "nobody takes it" };
    format!("not kept ({whose}), {taken}")
}
