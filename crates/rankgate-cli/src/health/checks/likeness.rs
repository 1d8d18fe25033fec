//! Fingerprints of texts, by which those that say the same meet among many.
//!
//! Candidates come from MinHash signatures cut into bands
//! (Broder 1997; Leskovec, Rajaraman, Ullman, *Mining of Massive Datasets*, chapter 3): of texts that are
//! just near enough 99.2% meet in a band, of those with an index of 0.9 all but five in a million. Whether
//! candidates are near is decided by their shingles.

use crate::health::shingles::{GOLDEN, NEAR, Words, mix, shingles, text_hash};

const BANDS: usize = 16;
const ROWS: usize = 6;

/// The data kept of a text.
#[derive(Clone, Debug)]
pub(super) struct Fingerprint {
    /// The first eight bytes of the SHA-256 of the words, in halves so that nothing is padded: of nine million texts
    /// two different ones have the same in two of a million collections. `None` without a word.
    pub(super) text: Option<[u32; 2]>,
    /// The bands of the signature; of no use where the text is shorter than a shingle.
    pub(super) bands: [u32; BANDS],
    /// Different shingles.
    pub(super) shingles: u32,
}

impl Fingerprint {
    /// The fingerprint of a text whose shingles have `size` words.
    pub(super) fn new(words: &Words, size: usize) -> Self {
        let shingles = shingles(words, size);
        Self {
            text: (!words.is_empty()).then(|| text_hash(words)),
            bands: bands(&shingles),
            shingles: u32::try_from(shingles.len()).unwrap_or(u32::MAX),
        }
    }
}

/// Pairs of positions, the smaller first, of texts that are equal or may be near. In a group where many meet, each is
/// paired with the first and with the one before it, so that the number of pairs stays in proportion to the number of
/// texts. Texts without a word are no texts.
pub(super) fn candidates(fingerprints: &[Fingerprint]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    let mut meet = |key: &dyn Fn(&Fingerprint) -> Option<[u32; 2]>| {
        let each = (0..).zip(fingerprints).filter_map(|(index, one)| Some((key(one)?, index)));
        let mut meeting: Vec<([u32; 2], u32)> = each.collect();
        meeting.sort_unstable();
        for group in meeting.chunk_by(|a, b| a.0 == b.0) {
            let first = group[0].1;
            for pair in group.windows(2) {
                pairs.extend([[first, pair[1].1], [pair[0].1, pair[1].1]]);
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
    };
    meet(&|one| one.text);
    for band in 0..BANDS {
        meet(&|one| (one.shingles > 0).then(|| [one.bands[band], 0]));
    }
    // The sizes alone can rule a pair out.
    let possible = |pair: &[u32; 2]| {
        let sizes = pair.map(|index| f64::from(fingerprints[index as usize].shingles));
        sizes[0].min(sizes[1]) >= NEAR * sizes[0].max(sizes[1])
    };
    pairs.retain(possible);
    pairs
}

/// The signature, band by band.
fn bands(shingles: &[u64]) -> [u32; BANDS] {
    let mut signature = [u32::MAX; BANDS * ROWS];
    for &shingle in shingles {
        for (row, least) in signature.iter_mut().enumerate() {
            // Dietzfelbinger's multiply-add-shift.
            let (multiplier, addend) = FUNCTIONS[row];
            let hash = (shingle.wrapping_mul(multiplier).wrapping_add(addend) >> 32) as u32;
            *least = hash.min(*least);
        }
    }
    let mut bands = [0; BANDS];
    for (band, rows) in bands.iter_mut().zip(signature.chunks(ROWS)) {
        *band = rows.iter().fold(0, |hash, &row| mix(hash ^ u64::from(row)).wrapping_add(GOLDEN)) as u32;
    }
    bands
}

/// Odd multipliers and addends, drawn once and for all.
const FUNCTIONS: [(u64, u64); BANDS * ROWS] = {
    let mut functions = [(0, 0); BANDS * ROWS];
    let mut row = 0;
    while row < functions.len() {
        let at = GOLDEN.wrapping_mul(2 * row as u64 + 1);
        functions[row] = (mix(at) | 1, mix(at.wrapping_add(GOLDEN)));
        row += 1;
    }
    functions
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::shingles::jaccard;

    fn words(text: &str) -> Words {
        Words::new([text])
    }

    /// A text of numbers, some of them changed.
    fn numbered(from: usize, count: usize, change: impl Fn(usize) -> bool) -> String {
        let word = |n: usize| if change(n) { format!("x{n} ") } else { format!("w{n} ") };
        (from..from + count).map(word).collect()
    }

    #[test]
    fn near_texts_meet_and_others_do_not() {
        // 300 words; changing one changes three shingles.
        let base = numbered(0, 300, |_| false);
        let near = numbered(0, 300, |n| n % 30 == 0);
        let far = numbered(0, 300, |n| n % 4 == 0);
        let other = numbered(1000, 300, |_| false);
        let texts = [&base, &far, &near, &other, &base];
        let prints: Vec<_> = texts.iter().map(|text| Fingerprint::new(&words(text), 3)).collect();
        assert_eq!(candidates(&prints), [[0, 2], [0, 4], [2, 4]]);
        let sets: Vec<_> = texts.iter().map(|text| shingles(&words(text), 3)).collect();
        assert!(jaccard(&sets[0], &sets[2]) > NEAR);
        assert!(jaccard(&sets[0], &sets[1]) < NEAR);
    }

    /// 200 pairs with an index just above the limit: 99.2% are expected to meet.
    #[test]
    fn hardly_a_pair_that_is_near_is_missed() {
        let mut met = 0;
        for pair in 0..200 {
            // 118 shingles on either side, 12 of them changed by 4 words: 106 / 130 = 0.815.
            let base = numbered(pair * 1000, 120, |_| false);
            let near = numbered(pair * 1000, 120, |n| n % 30 == 10);
            let prints = [base, near].map(|text| Fingerprint::new(&words(&text), 3));
            met += candidates(&prints).len();
        }
        assert!(met >= 194, "{met}");
    }

    #[test]
    fn a_crowd_makes_no_more_pairs_than_twice_its_size() {
        let prints: Vec<_> = (0..100).map(|_| Fingerprint::new(&words("a b c d e f"), 3)).collect();
        assert_eq!(candidates(&prints).len(), 99 + 98);
    }

    #[test]
    fn short_texts_are_equal_or_nothing() {
        let prints = ["a b", "A B", "a c", ""].map(|text| Fingerprint::new(&words(text), 3));
        assert_eq!(candidates(&prints), [[0, 1]]);
    }
}
