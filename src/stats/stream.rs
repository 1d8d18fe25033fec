//! Random bits that depend on a name and a position, and on nothing else.

use rand_chacha::rand_core::{Rng, SeedableRng};
use rand_chacha::{ChaCha8Rng, ChaCha20Rng};

/// A named source of random bits.
///
/// The bits at a position depend only on the seed, the names and the position: any thread may draw
/// any part, in any order, and a comparison draws the same bits whichever other comparisons are made
/// beside it. The generator is ChaCha with 8 rounds, the same on every machine.
///
/// ```
/// use rankgate::stats::Stream;
///
/// let helpdesk = Stream::new(20260101).named("helpdesk");
/// assert_eq!(helpdesk.named("bm25"), Stream::new(20260101).named("helpdesk").named("bm25"));
/// assert_ne!(helpdesk.named("bm25"), helpdesk.named("dense"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stream {
    key: [u8; 32],
}

impl Stream {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { key: [0; 32] }.absorb(&seed.to_le_bytes())
    }

    /// A stream of its own for something within this one: a benchmark, a configuration.
    #[must_use]
    pub fn named(&self, name: &str) -> Self {
        // The length first, so that ("ab", "c") and ("a", "bc") are different streams.
        self.absorb(&(name.len() as u64).to_le_bytes()).absorb(name.as_bytes())
    }

    fn absorb(&self, bytes: &[u8]) -> Self {
        let mut key = self.key;
        for block in bytes.chunks(key.len()) {
            for (key, byte) in key.iter_mut().zip(block) {
                *key ^= byte;
            }
            ChaCha20Rng::from_seed(key).fill_bytes(&mut key);
        }
        Self { key }
    }

    /// A generator for one of 2^64 sequences of this stream, from the given 32-bit word on.
    pub(super) fn sequence(&self, sequence: u64, first_word: u64) -> ChaCha8Rng {
        let mut generator = ChaCha8Rng::from_seed(self.key);
        generator.set_stream(sequence);
        generator.set_word_pos(u128::from(first_word));
        generator
    }
}

impl Default for Stream {
    /// Seed 1, without a name.
    fn default() -> Self {
        Self::new(1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_is_a_stream_of_its_own() {
        let root = Stream::new(7);
        let long = "x".repeat(32);
        let longer = "x".repeat(33);
        let streams: HashSet<Stream> = [
            root.clone(),
            Stream::new(8),
            root.named(""),
            root.named("ab"),
            root.named("a").named("b"),
            root.named("b").named("a"),
            root.named("ab").named(""),
            root.named(&long),
            root.named(&longer),
        ]
        .into();
        assert_eq!(streams.len(), 9);
    }

    #[test]
    fn any_part_of_a_sequence_can_be_drawn_alone() {
        let stream = Stream::new(7);
        let mut whole = [0; 4096];
        stream.sequence(3, 0).fill_bytes(&mut whole);
        let mut part = [0; 100];
        stream.sequence(3, 77).fill_bytes(&mut part);
        assert_eq!(part, whole[77 * 4..][..100]);
        stream.sequence(4, 77).fill_bytes(&mut part);
        assert_ne!(part, whole[77 * 4..][..100]);
    }
}
