//! Which texts say the same.
//!
//! Two texts are *equal* when their words are, and *near* when their sets of shingles (runs of so many words) have a Jaccard
//! index of [`NEAR`] or more (Broder, *On the resemblance and containment of documents*, 1997).

mod words;

use hmac_sha256::Hash as Sha256;

pub(crate) use self::words::Words;

/// The smallest Jaccard index of near texts.
pub(crate) const NEAR: f64 = 0.8;

/// Words of a document's shingles.
pub(crate) const SHINGLE: usize = 3;

/// The first eight bytes of the SHA-256 of the words, in halves so that nothing is padded.
pub(crate) fn text_hash(words: &Words) -> [u32; 2] {
    let digest = Sha256::hash(words.text().as_ref());
    [0, 4].map(|at| u32::from_le_bytes([digest[at], digest[at + 1], digest[at + 2], digest[at + 3]]))
}

/// The hashes of a text's shingles of `size` words, ascending, each once.
pub(crate) fn shingles(words: &Words, size: usize) -> Vec<u64> {
    let words: Vec<u64> = words.iter().map(word_hash).collect();
    let shingle = |run: &[u64]| run.iter().fold(0, |hash: u64, word| mix(hash.wrapping_add(GOLDEN) ^ word));
    let mut shingles: Vec<u64> = words.windows(size.max(1)).map(shingle).collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

/// The Jaccard index of two sets, each ascending: what they share of what they hold together; 0 of two empty ones.
pub(crate) fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    let (mut i, mut j, mut shared) = (0, 0, 0_usize);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        shared += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    match a.len() + b.len() - shared {
        0 => 0.0,
        all => shared as f64 / all as f64,
    }
}

/// 2^64 over the golden ratio, odd.
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's finalizer.
pub(crate) const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// FNV-1a, the same on every machine.
fn word_hash(word: &str) -> u64 {
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Words {
        Words::new([text])
    }

    #[test]
    fn the_jaccard_index_is_that_of_the_sets() {
        for (a, b, expected) in [
            ("a b c d", "A, b; c d!", 1.0),
            // a b c, b c d | b c d, c d e
            ("a b c d", "b c d e", 1.0 / 3.0),
            ("a b c a b c a", "c a b c", 2.0 / 3.0),
            ("a b c", "d e f", 0.0),
            ("a b", "a b", 0.0),
        ] {
            assert_eq!(jaccard(&shingles(&words(a), 3), &shingles(&words(b), 3)), expected, "{a} / {b}");
        }
    }
}
