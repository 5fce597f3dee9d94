//! Many queues of numbers in one store: the buckets of the wheel.
//!
//! A queue is a list of chunks of a cache line each, fifteen numbers and a link, so that a queue
//! is read line by line instead of number by number: with ten million numbers, following a link
//! for each would wait for memory each time. Empty chunks go back to all queues. First in, first
//! out; nothing is taken from the middle.

/// Numbers of one chunk; the link makes it a cache line.
const ROOM: usize = 15;
/// Where there is no chunk.
const NONE: u32 = u32::MAX;
/// The store grows by an eighth instead of doubling.
const GROWTH_DIVISOR: usize = 8;
/// The least it grows by.
const GROWTH_MIN: usize = 64;

#[derive(Clone, Debug)]
struct Chunk {
    numbers: [u32; ROOM],
    next: u32,
}

/// Where a queue begins and ends.
#[derive(Clone, Copy, Debug)]
struct Queue {
    head: u32,
    tail: u32,
    /// The next number to take from the head.
    first: u32,
    /// The next free place of the tail.
    end: u32,
}

const EMPTY: Queue = Queue { head: NONE, tail: NONE, first: 0, end: 0 };

/// Queues of numbers.
#[derive(Debug)]
pub(super) struct Queues {
    all: Vec<Queue>,
    chunks: Vec<Chunk>,
    /// The first chunk that no queue uses.
    free: u32,
}

impl Queues {
    /// So many, all empty.
    pub(super) fn new(count: usize) -> Self {
        Self { all: vec![EMPTY; count], chunks: Vec::new(), free: NONE }
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.chunks.capacity() * size_of::<Chunk>() + self.all.capacity() * size_of::<Queue>()
    }

    pub(super) fn is_empty(&self, queue: usize) -> bool {
        self.all[queue].head == NONE
    }

    /// Appends a number.
    pub(super) fn push(&mut self, queue: usize, number: u32) {
        let Queue { tail, end, .. } = self.all[queue];
        if tail == NONE || end as usize == ROOM {
            return self.push_anew(queue, number);
        }
        self.chunks[tail as usize].numbers[end as usize] = number;
        self.all[queue].end = end + 1;
    }

    /// Appends a number in a new chunk.
    fn push_anew(&mut self, queue: usize, number: u32) {
        let chunk = self.allocate_chunk();
        self.chunks[chunk as usize].numbers[0] = number;
        let queue = &mut self.all[queue];
        match queue.tail {
            NONE => (queue.head, queue.first) = (chunk, 0),
            tail => self.chunks[tail as usize].next = chunk,
        }
        (queue.tail, queue.end) = (chunk, 1);
    }

    /// Takes the first number.
    pub(super) fn pop(&mut self, queue: usize) -> Option<u32> {
        let ends = &mut self.all[queue];
        if ends.head == NONE {
            return None;
        }
        let chunk = &mut self.chunks[ends.head as usize];
        let number = chunk.numbers[ends.first as usize];
        ends.first += 1;
        let is_drained =
            if ends.head == ends.tail { ends.first == ends.end } else { ends.first as usize == ROOM };
        if is_drained {
            let (drained, next) = (ends.head, chunk.next);
            *ends = if drained == ends.tail { EMPTY } else { Queue { head: next, first: 0, ..*ends } };
            chunk.next = self.free;
            self.free = drained;
        }
        Some(number)
    }

    /// Empties all queues.
    pub(super) fn clear(&mut self) {
        self.all.fill(EMPTY);
        self.chunks.clear();
        self.free = NONE;
    }

    fn allocate_chunk(&mut self) -> u32 {
        if self.free != NONE {
            let chunk = self.free;
            let freed = &mut self.chunks[chunk as usize];
            self.free = freed.next;
            freed.next = NONE;
            return chunk;
        }
        if self.chunks.len() == self.chunks.capacity() {
            self.chunks.reserve_exact((self.chunks.len() / GROWTH_DIVISOR).max(GROWTH_MIN));
        }
        self.chunks.push(Chunk { numbers: [0; ROOM], next: NONE });
        (self.chunks.len() - 1) as u32
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[test]
    fn they_are_queues_and_share_their_chunks() {
        let mut queues = Queues::new(3);
        let mut twins = [const { VecDeque::new() }; 3];
        let mut draw = 1_u32;
        for number in 0..20_000 {
            draw = draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let queue = (draw >> 16) as usize % 3;
            // They fill for a while, then they are drained.
            if draw >> 28 < if number % 2000 < 1000 { 9 } else { 5 } {
                queues.push(queue, number);
                twins[queue].push_back(number);
            } else {
                assert_eq!(queues.pop(queue), twins[queue].pop_front());
            }
            assert_eq!(queues.is_empty(queue), twins[queue].is_empty());
        }
        assert!(queues.chunks.len() < 100, "chunks come back: {}", queues.chunks.len());
        queues.clear();
        assert_eq!((queues.pop(0), queues.pop(1), queues.pop(2)), (None, None, None));
    }
}
