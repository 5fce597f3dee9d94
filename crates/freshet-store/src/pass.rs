//! The pass: content that is not kept, in memory between apply (step 8 of 10) and delivery (step 9 of 10).
//!
//! A run has one. Whoever applies puts in what a page showed and its rows do not keep, before the lines of the log are committed; whoever
//! reads for a subscriber finds it there by the number of the object and the fingerprint of the version that its row has.
//! Invariants: nothing of it ever touches a disk; it never holds more than its bound, the oldest goes first; what is found
//! is of exactly the version that was asked for. What is no longer there when it is asked for is lost to whoever asks: who counts that
//! is the subscriber's side.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use freshet_types::{Account, Map, Post, Primitive};

/// Most bytes that wait for subscribers. A busy crawl brings some megabytes a minute, so this is a quarter of an hour of a subscriber
/// that takes nothing, and no machine that can crawl misses it.
pub const PASS_BYTES_MAX: usize = 64 << 20;
/// What an entry takes beside its texts: its two keys, and the fields that are always there.
const ENTRY_BYTES: usize = 512;

/// What is on its way.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Post(Box<Post>),
    Account(Box<Account>),
}

impl Content {
    /// Roughly the memory that it takes.
    fn bytes(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let value = |value: &Primitive| if let Primitive::Text(text) = value { text.len() } else { 0 };
        let (texts, plinks, slinks) = match self {
            Self::Post(it) => {
                let tags: usize = it.tags.iter().map(|tag| tag.len() + size_of::<String>()).sum();
                let rest = text(&it.url) + text(&it.uri) + text(&it.lang);
                (it.text.len() + tags + rest, &it.plinks, &it.slinks)
            }
            Self::Account(it) => {
                let rest = text(&it.url) + text(&it.uri) + text(&it.location);
                (text(&it.name) + text(&it.bio) + text(&it.handle) + rest, &it.plinks, &it.slinks)
            }
        };
        let plinks: usize =
            plinks.iter().map(|(name, it)| size_of::<Primitive>() + name.len() + value(it)).sum();
        let slinks: usize = slinks
            .iter()
            .map(|link| {
                let value = link.value.as_ref().map_or(0, value);
                size_of_val(link) + link.target.id.len() + link.evidence.text.len() + value
            })
            .sum();
        ENTRY_BYTES + texts + plinks + slinks
    }
}

/// An object in one version: its number, and the fingerprint of what it says.
type Key = (u64, u64);

/// Content on its way from pages to subscribers.
#[derive(Debug)]
pub struct Pass {
    bytes_max: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// By the number of the line of the log that tells of it.
    waiting: BTreeMap<(u64, Key), (usize, Content)>,
    /// Under which number each waits.
    places: Map<Key, u64>,
    bytes: usize,
    /// Nobody takes anything: nothing needs to wait.
    is_idle: bool,
}

impl Default for Pass {
    fn default() -> Self {
        Self::with_bound(PASS_BYTES_MAX)
    }
}

impl Pass {
    /// One that holds at most so many bytes.
    pub fn with_bound(bytes_max: usize) -> Self {
        Self { bytes_max, state: Mutex::default() }
    }

    /// Content of this object in this version, of which the line of this number tells.
    pub(crate) fn put(&self, key: Key, number: u64, content: Content) {
        let mut state = self.state();
        state.remove(key);
        let bytes = content.bytes();
        if bytes > self.bytes_max || state.is_idle {
            return;
        }
        while state.bytes + bytes > self.bytes_max {
            let Some((&(_, oldest), _)) = state.waiting.first_key_value() else { break };
            state.remove(oldest);
        }
        state.bytes += bytes;
        state.places.insert(key, number);
        state.waiting.insert((number, key), (bytes, content));
    }

    /// What this version says, if it is still there.
    pub(crate) fn get(&self, key: Key) -> Option<Content> {
        let state = self.state();
        let number = *state.places.get(&key)?;
        state.waiting.get(&(number, key)).map(|(_, content)| content.clone())
    }

    /// Who takes what passes has everything up to these changes: what all of them have goes. Without anybody, nothing waits from now on.
    pub fn settle(&self, cursors: impl IntoIterator<Item = u64>) {
        let least = cursors.into_iter().min();
        let mut state = self.state();
        state.is_idle = least.is_none();
        let up_to = least.unwrap_or(u64::MAX);
        while let Some((&(number, key), _)) = state.waiting.first_key_value()
            && number <= up_to
        {
            state.remove(key);
        }
    }

    /// Roughly the memory that is taken by what waits.
    pub fn bytes(&self) -> usize {
        self.state().bytes
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn remove(&mut self, key: Key) {
        let Some(number) = self.places.remove(&key) else { return };
        let (bytes, _) = self.waiting.remove(&(number, key)).expect("what has a place waits there");
        self.bytes -= bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Content {
        Content::Post(Box::new(Post { text: text.to_owned(), ..Post::default() }))
    }

    /// A pass with room for so many small posts.
    fn room_for(count: usize) -> Pass {
        Pass::with_bound(count * content("1").bytes())
    }

    fn waiting(pass: &Pass) -> Vec<u64> {
        (1..10).filter(|object| pass.get((*object, 1)).is_some()).collect()
    }

    #[test]
    fn the_oldest_goes_when_there_is_no_more_room() {
        let pass = room_for(2);
        for object in [1, 2, 3] {
            pass.put((object, 1), object, content("a"));
        }
        assert_eq!((waiting(&pass), pass.bytes()), (vec![2, 3], pass.bytes_max));
        // The same version again, told of by a later line: it is the newest now.
        pass.put((2, 1), 4, content("b"));
        pass.put((5, 1), 5, content("c"));
        assert_eq!(waiting(&pass), [2, 5]);
        assert_eq!(pass.get((2, 1)), Some(content("b")));
        assert_eq!(pass.get((2, 9)), None, "another version");
    }

    #[test]
    fn what_is_larger_than_all_of_it_does_not_pass_and_harms_nothing() {
        let pass = room_for(2);
        pass.put((1, 1), 1, content("a"));
        pass.put((2, 1), 2, content(&"x".repeat(pass.bytes_max)));
        assert_eq!(waiting(&pass), [1]);
    }

    #[test]
    fn what_everybody_has_goes_and_without_anybody_nothing_waits() {
        let pass = room_for(5);
        for object in [1, 2, 3] {
            pass.put((object, 1), object, content("a"));
        }
        pass.settle([3, 1]);
        assert_eq!(waiting(&pass), [2, 3]);
        pass.settle([]);
        pass.put((4, 1), 4, content("a"));
        assert_eq!((waiting(&pass), pass.bytes()), (Vec::new(), 0));
        pass.settle([4]);
        pass.put((5, 1), 5, content("a"));
        assert_eq!(waiting(&pass), [5]);
    }
}
