//! Random bits that depend on a name and a position, and on nothing else.

use std::convert::Infallible;

use rand::TryRng;

/// A named source of random bits.
///
/// The bits at a position depend only on the seed, the names and the position: any thread may draw
/// any part, in any order, and a comparison draws the same bits whichever other comparisons are made
/// beside it. They are the same on every machine.
///
/// The generator is SplitMix64, whose n-th number is a function of n. It is chosen for its speed in
/// builds without optimization, which is how `cargo test` builds its dependencies: there ChaCha takes
/// many times as long.
///
/// ```
/// use rankgate::stats::Stream;
///
/// let helpdesk = Stream::new(20260101).for_name("helpdesk");
/// assert_eq!(helpdesk.for_name("bm25"), Stream::new(20260101).for_name("helpdesk").for_name("bm25"));
/// assert_ne!(helpdesk.for_name("bm25"), helpdesk.for_name("dense"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stream {
    state: u64,
}

/// One of the 2^64 sequences of random numbers in a stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sequence {
    state: u64,
}

/// A [`rand`] generator over one sequence of a [`Stream`]; made by [`Stream::rng`].
#[derive(Debug, Clone)]
pub struct StreamRng {
    sequence: Sequence,
    position: u64,
}

impl TryRng for StreamRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        // The high half: it is the better mixed one.
        self.try_next_u64().map(|bits| (bits >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let bits = self.sequence.at(self.position);
        self.position = self.position.wrapping_add(1);
        Ok(bits)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let bits = self.try_next_u64()?.to_le_bytes();
            chunk.copy_from_slice(&bits[..chunk.len()]);
        }
        Ok(())
    }
}

/// The increment of SplitMix64: the golden ratio in 64 bits.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads every bit of a number over all bits: David Stafford's variant 13 of the finalizer of
/// MurmurHash3.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

impl Stream {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: 0 }.absorb(seed)
    }

    /// A stream of its own for something within this one: a benchmark, a configuration.
    pub fn for_name(&self, name: &str) -> Self {
        // The length first, so that ("ab", "c") and ("a", "bc") are different streams.
        name.as_bytes().chunks(8).fold(self.absorb(name.len() as u64), |stream, chunk| {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            stream.absorb(u64::from_le_bytes(bytes))
        })
    }

    fn absorb(self, bits: u64) -> Self {
        Self { state: mix(self.state.wrapping_add(GOLDEN) ^ mix(bits.wrapping_add(GOLDEN))) }
    }

    /// A generator for [`rand`], over one of the stream's sequences: for resampling of one's own with
    /// random numbers that are the same on every machine.
    ///
    /// ```
    /// use rand::RngExt;
    /// use rankgate::stats::Stream;
    ///
    /// let draw = || Stream::new(1).for_name("helpdesk").rng(0).random_range(0..100_u32);
    /// assert_eq!(draw(), draw());
    /// ```
    pub fn rng(&self, number: u64) -> StreamRng {
        StreamRng { sequence: self.sequence(number), position: 0 }
    }

    /// One of the stream's sequences. Where two of them start in the generator's period of 2^64 is as good
    /// as random, so that they do not overlap.
    pub(super) fn sequence(&self, number: u64) -> Sequence {
        Sequence { state: self.absorb(number).state }
    }
}

impl Default for Stream {
    /// Seed 1, without a name.
    fn default() -> Self {
        Self::new(1)
    }
}

impl Sequence {
    /// The random number at a position, counted from 0.
    pub(super) fn at(&self, position: u64) -> u64 {
        mix(self.state.wrapping_add(position.wrapping_add(1).wrapping_mul(GOLDEN)))
    }

    /// The random numbers from a position on.
    pub(super) fn fill(&self, first: u64, numbers: &mut [u64]) {
        let mut state = self.state.wrapping_add(first.wrapping_mul(GOLDEN));
        for number in numbers {
            state = state.wrapping_add(GOLDEN);
            *number = mix(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_generator_reads_its_sequence() {
        let stream = Stream::new(1).for_name("x");
        let sequence = stream.sequence(3);
        let mut rng = stream.rng(3);
        assert_eq!(rng.try_next_u64(), Ok(sequence.at(0)));
        assert_eq!(rng.try_next_u32(), Ok((sequence.at(1) >> 32) as u32));
        let mut bytes = [0; 11];
        assert_eq!(rng.try_fill_bytes(&mut bytes), Ok(()));
        assert_eq!(bytes[..8], sequence.at(2).to_le_bytes());
        assert_eq!(bytes[8..], sequence.at(3).to_le_bytes()[..3]);
    }

    #[test]
    fn numbers_are_those_of_splitmix64() {
        // the reference implementation (Vigna, splitmix64.c) from state 1234567
        let sequence = Sequence { state: 1_234_567 };
        let mut numbers = [0; 5];
        sequence.fill(0, &mut numbers);
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn every_name_is_a_stream_of_its_own() {
        let root = Stream::new(7);
        let long = "x".repeat(8);
        let longer = "x".repeat(9);
        let streams: HashSet<Stream> = [
            root,
            Stream::new(8),
            root.for_name(""),
            root.for_name("\0"),
            root.for_name("ab"),
            root.for_name("a").for_name("b"),
            root.for_name("b").for_name("a"),
            root.for_name("ab").for_name(""),
            root.for_name(&long),
            root.for_name(&longer),
        ]
        .into();
        assert_eq!(streams.len(), 10);
    }

    #[test]
    fn any_part_of_a_sequence_can_be_drawn_alone() {
        let sequence = Stream::new(7).sequence(3);
        let mut whole = [0; 1000];
        sequence.fill(0, &mut whole);
        let mut part = [0; 100];
        sequence.fill(77, &mut part);
        assert_eq!(part, whole[77..177]);
        assert_eq!(sequence.at(77), whole[77]);
        Stream::new(7).sequence(4).fill(77, &mut part);
        assert_ne!(part, whole[77..177]);
    }
}
