//! A seal over rows: whether each of them is there once, as it was, wherever it stands.

use std::fmt;

use twox_hash::XxHash3_128;

/// How many rows there are, and the sum of their hashes modulo 2^128. A row that is dropped, changed or doubled gives
/// another seal; the order of rows does not, so that parts may be sealed by themselves and [merged](Self::merge).
///
/// It guards against losses on the way, not against somebody who means to deceive: the hash is XXH3 (128 bits, no
/// seed). The hash covers `r` or `j` for a row of a run or of judgments, and its columns: a text as
/// its length (64 bits, little-endian) and its bytes, a score as the bits of its `f64`, a grade as those of its `i64`.
///
/// ```
/// use rankgate_datafusion::Seal;
///
/// let (mut one, mut other) = (Seal::default(), Seal::default());
/// one.retrieved("q1", "d1", 0.5);
/// other.retrieved("q1", "d2", 0.25);
/// let mut both = Seal::default();
/// both.retrieved("q1", "d2", 0.25);
/// both.retrieved("q1", "d1", 0.5);
/// one.merge(other);
/// assert_eq!((one, one.rows()), (both, 2));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seal {
    rows: u64,
    sum: u128,
}

impl Seal {
    /// The length of [`to_bytes`](Self::to_bytes).
    pub const BYTES: usize = 24;

    /// Adds a row of a run; the number is the score, or the rank where ranks say the order.
    pub fn retrieved(&mut self, query: &str, document: &str, number: f64) {
        self.row(b'r', [query, document], number.to_bits());
    }

    /// Adds a row of judgments.
    pub fn judged(&mut self, query: &str, document: &str, grade: i32) {
        self.row(b'j', [query, document], i64::from(grade) as u64);
    }

    /// Adds the rows of another seal.
    pub fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        self.sum = self.sum.wrapping_add(other.sum);
    }

    /// How many rows were sealed.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The number of rows and the sum, little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.rows.to_le_bytes());
        bytes[8..].copy_from_slice(&self.sum.to_le_bytes());
        bytes
    }

    /// The seal of what [`to_bytes`](Self::to_bytes) gave; `None` for another number of bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (rows, sum) = bytes.split_first_chunk()?;
        Some(Self { rows: u64::from_le_bytes(*rows), sum: u128::from_le_bytes(sum.try_into().ok()?) })
    }

    /// Every row of a table passes here: its hash input is assembled in place, unless it is long.
    fn row(&mut self, side: u8, ids: [&str; 2], number: u64) {
        let (lengths, number) = (ids.map(length), number.to_le_bytes());
        let [query, document] = ids.map(str::as_bytes);
        let parts = [&[side][..], &lengths[0], query, &lengths[1], document, &number];
        let (mut short, mut end) = ([0; SHORT], 0);
        for part in parts {
            let from = end;
            end += part.len();
            match short.get_mut(from..end) {
                Some(free) => free.copy_from_slice(part),
                None => return self.add(&parts.concat()),
            }
        }
        self.add(&short[..end]);
    }

    fn add(&mut self, row: &[u8]) {
        self.rows += 1;
        self.sum = self.sum.wrapping_add(XxHash3_128::oneshot(row));
    }
}

/// Rows that have more bytes take memory of their own.
const SHORT: usize = 192;

fn length(text: &str) -> [u8; 8] {
    (text.len() as u64).to_le_bytes()
}

/// As it stands in a file: `412:` and 32 hexadecimal digits.
impl fmt::Display for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:032x}", self.rows, self.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seal_breaks_when_a_row_is_dropped_changed_or_doubled() {
        let seal = |rows: &[(&str, f64)]| {
            let mut seal = Seal::default();
            rows.iter().for_each(|(query, score)| seal.retrieved(query, "d", *score));
            seal
        };
        let (one, two, three) = (("q1", 0.5), ("q2", 0.0), ("q3", 0.0));
        let whole = seal(&[one, two, three]);
        assert_eq!(seal(&[three, one, two]), whole);
        assert_eq!(Seal::from_bytes(&whole.to_bytes()), Some(whole));
        assert_eq!(Seal::from_bytes(&[0; 23]), None);
        for (what, rows) in [
            ("dropped", vec![one, two]),
            ("changed in its last bit", vec![one, ("q2", f64::from_bits(1)), three]),
            ("changed in its sign", vec![one, ("q2", -0.0), three]),
            ("of another query", vec![one, two, ("q4", 0.0)]),
            ("doubled", vec![one, two, three, three]),
            ("doubled in place of another", vec![one, two, two]),
        ] {
            assert_ne!(seal(&rows), whole, "{what}");
        }
    }

    #[test]
    fn nothing_runs_together_and_the_sides_are_told_apart() {
        let of = |add: &dyn Fn(&mut Seal)| {
            let mut seal = Seal::default();
            add(&mut seal);
            seal
        };
        let seals = [
            of(&|seal| seal.retrieved("q1", "d1", 1.0)),
            of(&|seal| seal.retrieved("q1d", "1", 1.0)),
            of(&|seal| seal.retrieved("q1", "d1", f64::from_bits(1))),
            of(&|seal| seal.judged("q1", "d1", 1)),
            of(&|seal| seal.judged("q1", "d1", -1)),
        ];
        for (at, seal) in seals.iter().enumerate() {
            assert!(!seals[..at].contains(seal), "{at}");
        }
    }

    #[test]
    fn a_seal_is_what_other_tools_compute_of_the_same_bytes() {
        // Python's xxhash 4.1.0: xxh3_128_intdigest(b"j" + pack("<Q", 2) + b"q1" + pack("<Q", 2) + b"d1" + pack("<q", 1))
        let mut seal = Seal::default();
        seal.judged("q1", "d1", 1);
        assert_eq!(seal.to_string(), "1:af727e77bb60db4fb0917a179177a8cf");
        // The same of a document of 999 letters: neither is how a row is held to be seen.
        let mut seal = Seal::default();
        seal.judged("q1", &"d".repeat(999), 1);
        assert_eq!(seal.to_string(), "1:f5e9cb9b3febae354a20e79cdda75467");
    }
}
