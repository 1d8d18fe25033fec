//! A seal over rows: whether each of them is there once, as it was, wherever it stands.

use std::fmt;
use std::str::FromStr;

use crate::collection::Content;
use crate::{Error, Result};

/// How many rows there are, and the sum of their hashes (the first half of SHA-256) modulo 2^128. A row that is
/// dropped, changed or doubled gives another seal; their order does not, so that parts may be sealed by themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seal {
    rows: u64,
    sum: u128,
}

impl Seal {
    /// A row of scores.
    pub(super) fn add(&mut self, query: &str, metrics: &[String], scores: &[f64]) {
        let mut content = Content::new("scores");
        content.text(query);
        for (metric, score) in metrics.iter().zip(scores) {
            content.text(metric);
            content.score(*score);
        }
        self.rows += 1;
        self.sum = self.sum.wrapping_add(content.half());
    }
}

/// As it stands in a file: `412:` and 32 hexadecimal digits.
impl fmt::Display for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:032x}", self.rows, self.sum)
    }
}

impl FromStr for Seal {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parts = || {
            let (rows, sum) = text.split_once(':')?;
            Some(Self { rows: rows.parse().ok()?, sum: u128::from_str_radix(sum, 16).ok()? })
        };
        parts().ok_or_else(|| Error::invalid("a seal is a number of rows, a colon and 32 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seal_breaks_when_a_row_is_dropped_changed_or_doubled() {
        let metrics = ["AP", "RR"].map(str::to_owned);
        let seal = |rows: &[(&str, [f64; 2])]| {
            let mut seal = Seal::default();
            rows.iter().for_each(|(query, scores)| seal.add(query, &metrics, scores));
            seal
        };
        let (one, two, three) = (("q1", [0.5, 1.0]), ("q2", [0.25, 0.0]), ("q3", [0.0, 0.0]));
        let whole = seal(&[one, two, three]);
        assert_eq!(seal(&[three, one, two]), whole);
        assert_eq!(whole.to_string().parse::<Seal>().unwrap(), whole);
        for (what, rows) in [
            ("dropped", vec![one, two]),
            ("changed in its last bit", vec![one, ("q2", [0.25, f64::from_bits(1)]), three]),
            ("changed in its sign", vec![one, ("q2", [0.25, -0.0]), three]),
            ("of another query", vec![one, two, ("q4", [0.0, 0.0])]),
            ("exchanged", vec![("q2", [0.5, 1.0]), ("q1", [0.25, 0.0]), three]),
            ("doubled", vec![one, two, three, three]),
            ("doubled in place of another", vec![one, two, two]),
        ] {
            assert_ne!(seal(&rows), whole, "{what}");
        }
    }
}
