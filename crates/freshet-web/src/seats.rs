//! Places of which there are few: connections, downloads, pages that listen. Nobody takes them all.
//!
//! A place belongs to the address that took it ([`Peer`]), and one address has a share only. Whoever
//! comes when all are taken gets the place of somebody who only sits there: first of those who hold the
//! most, the longest quiet one. A place where something is done is never taken away. So a stranger who
//! opens connections and says nothing keeps nobody out, not even his neighbour at the same address.
//! What is done with a place is not known here.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

/// Who asks, as far as an address tells: one of IPv4, or the 64 bits of IPv6 that one household is
/// given and in which it may choose at will.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Peer(IpAddr);

impl From<IpAddr> for Peer {
    fn from(address: IpAddr) -> Self {
        /// The part of an address that its owner chooses.
        const CHOSEN_BITS: u32 = 64;
        Self(match address.to_canonical() {
            IpAddr::V6(ip) if !ip.is_loopback() => {
                Ipv6Addr::from_bits(ip.to_bits() >> CHOSEN_BITS << CHOSEN_BITS).into()
            }
            other => other,
        })
    }
}

/// How many there are, and for whom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Places in all.
    pub(super) max: usize,
    /// Those that one address may have.
    pub(super) share: usize,
    /// How long somebody must have been quiet to lose a place to another.
    pub(super) patience: Duration,
}

/// The places of one kind.
#[derive(Debug)]
pub(super) struct Seats {
    room: Room,
    occupied: Mutex<Occupied>,
}

#[derive(Debug, Default)]
struct Occupied {
    number_next: u64,
    seats: BTreeMap<u64, Holder>,
}

#[derive(Debug)]
struct Holder {
    peer: Peer,
    /// `None` while something is done there.
    quiet_since: Option<Instant>,
    /// Its end tells the holder that the place is gone.
    _told: oneshot::Sender<()>,
}

impl Seats {
    pub(super) fn new(room: Room) -> Arc<Self> {
        Arc::new(Self { room, occupied: Mutex::default() })
    }

    /// A place for this address; `None` when all that it may have are in use.
    pub(super) fn occupy(self: &Arc<Self>, peer: Peer) -> Option<(Arc<Seat>, Loss)> {
        let now = Instant::now();
        let mut occupied = self.lock();
        let own = occupied.count(peer);
        if own >= self.room.share || occupied.seats.len() >= self.room.max {
            let is_own_only = own >= self.room.share;
            let number = occupied.quietest(self.room.patience, now, |holder, count| {
                holder == peer || (!is_own_only && count > own)
            })?;
            occupied.seats.remove(&number);
        }
        let number = occupied.number_next;
        occupied.number_next += 1;
        let (told, loss) = oneshot::channel();
        occupied.seats.insert(number, Holder { peer, quiet_since: Some(now), _told: told });
        Some((Arc::new(Seat { seats: Arc::clone(self), number }), Loss(loss)))
    }

    fn lock(&self) -> MutexGuard<'_, Occupied> {
        self.occupied.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, number: u64, quiet_since: Option<Instant>) {
        if let Some(holder) = self.lock().seats.get_mut(&number) {
            holder.quiet_since = quiet_since;
        }
    }
}

impl Occupied {
    fn count(&self, peer: Peer) -> usize {
        self.seats.values().filter(|holder| holder.peer == peer).count()
    }

    /// Of whom may lose a place: one of those who have the most, and of these the longest quiet.
    fn quietest(
        &self,
        patience: Duration,
        now: Instant,
        may_lose: impl Fn(Peer, usize) -> bool,
    ) -> Option<u64> {
        let mut counts = BTreeMap::<Peer, usize>::new();
        for holder in self.seats.values() {
            *counts.entry(holder.peer).or_default() += 1;
        }
        let quiet = self.seats.iter().filter_map(|(number, holder)| {
            let since = holder.quiet_since?;
            let count = *counts.get(&holder.peer)?;
            let is_quiet = now.saturating_duration_since(since) >= patience;
            (is_quiet && may_lose(holder.peer, count)).then_some((count, since, *number))
        });
        let quiet = quiet.min_by_key(|(count, since, number)| (std::cmp::Reverse(*count), *since, *number));
        quiet.map(|(_, _, number)| number)
    }
}

/// A place, until this is dropped or it is given to another.
#[derive(Debug)]
pub(super) struct Seat {
    seats: Arc<Seats>,
    number: u64,
}

impl Seat {
    /// Something is done here: nobody may take it.
    pub(super) fn works(&self) {
        self.seats.note(self.number, None);
    }

    /// From now on it waits for its holder.
    pub(super) fn rests(&self) {
        self.seats.note(self.number, Some(Instant::now()));
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.lock().seats.remove(&self.number);
    }
}

/// Ends when the place was given to another.
#[derive(Debug)]
pub(super) struct Loss(oneshot::Receiver<()>);

impl Loss {
    pub(super) async fn happens(&mut self) {
        // Nothing is ever sent: the place is lost when the sender is gone.
        let _ = (&mut self.0).await;
    }

    pub(super) fn has_happened(&mut self) -> bool {
        !matches!(self.0.try_recv(), Err(oneshot::error::TryRecvError::Empty))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(text: &str) -> Peer {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn a_household_is_one_peer() {
        for (one, other, expected) in [
            ("10.0.0.1", "10.0.0.1", true),
            ("10.0.0.1", "10.0.0.2", false),
            ("10.0.0.1", "::ffff:10.0.0.1", true),
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
            ("::1", "::2", false),
        ] {
            assert_eq!(peer(one) == peer(other), expected, "{one} {other}");
        }
    }

    /// Everybody in turn takes a place; letters are addresses, capitals do something there. What is
    /// expected: who still has a place, in the order of coming, and whether the last one got it.
    #[test]
    fn a_newcomer_gets_the_place_of_whoever_holds_the_most_and_is_quiet() {
        let room = Room { max: 4, share: 3, patience: Duration::ZERO };
        for (came, expected, why) in [
            ("aab", "aab", "there is room"),
            ("aaaa", "aaa", "beyond the share the own oldest gives way"),
            ("aaabc", "aabc", "all are taken: who holds the most gives way"),
            ("abcde", "bcde", "among equals the longest quiet one"),
            ("AAAa", "AAA", "the share is in use: the newcomer is refused"),
            ("AAABc", "AAAB", "all are in use"),
            ("AAAbc", "AAAc", "whoever does something stays, whoever is quiet goes"),
            ("aaAAb", "aAAb", "those in use stay"),
            ("aabbb", "aabb", "whoever has no more than the newcomer loses nothing"),
        ] {
            let seats = Seats::new(room);
            let mut held = Vec::new();
            for letter in came.chars() {
                let letter_code = u8::try_from(letter.to_ascii_lowercase()).unwrap();
                if let Some((seat, loss)) = seats.occupy(peer(&format!("10.0.0.{letter_code}"))) {
                    if letter.is_ascii_uppercase() {
                        seat.works();
                    }
                    held.push((letter, seat, loss));
                }
            }
            let left: String = held
                .iter_mut()
                .filter_map(|(letter, _, loss)| (!loss.has_happened()).then_some(*letter))
                .collect();
            assert_eq!(left.len(), seats.lock().seats.len(), "{came}: {why}");
            assert_eq!(left, expected, "{came}: {why}");
            drop(held);
            assert!(seats.lock().seats.is_empty(), "{came}: all are given back");
        }
    }

    #[test]
    fn a_short_silence_costs_nothing_where_there_is_patience() {
        let seats = Seats::new(Room { max: 1, share: 1, patience: Duration::from_hours(1) });
        let (first, mut loss) = seats.occupy(peer("10.0.0.1")).unwrap();
        assert!(seats.occupy(peer("10.0.0.2")).is_none() && !loss.has_happened());
        drop(first);
        assert!(seats.occupy(peer("10.0.0.2")).is_some());
    }
}
