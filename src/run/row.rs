//! One line of a run in the format of TREC, taken apart fast.
//!
//! Lines of the ordinary shape only: whatever else a file may hold is left to the reader that goes
//! line by line and says what is wrong.

use std::ops::Range;

/// How many bytes after the text [`Row::parse`] may look at: they have to be there, and white space.
pub(super) const PADDING: usize = 8;

/// Where the columns of a line are.
pub(super) struct Row {
    pub(super) query: Range<usize>,
    /// Whether the query is that of the line before; it may be even where this does not say so.
    pub(super) same: bool,
    pub(super) document: Range<usize>,
    pub(super) rank: Range<usize>,
    pub(super) score: f64,
    /// Where the next line begins.
    pub(super) next: usize,
}

/// What a line is when it is no row of the ordinary shape.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Odd {
    /// Nothing but white space; the next line begins there.
    Blank(usize),
    /// Something that needs a closer look.
    Unusual,
}

impl Row {
    /// Takes the line apart that begins at `at` in `text`, whose last byte before the
    /// [padding](PADDING) is a newline. `before` is the query of the line before, which is likely to
    /// be this one's.
    #[inline]
    pub(super) fn parse(text: &[u8], at: usize, before: &Before) -> Result<Self, Odd> {
        let same = before.begins(text, at);
        let query = if same {
            at..at + before.length
        } else {
            let at = skip_blanks(text, at);
            at..column_end(text, at)
        };
        if query.is_empty() {
            return match text.get(query.end) {
                Some(b'\n') => Err(Odd::Blank(query.end + 1)),
                _ => Err(Odd::Unusual),
            };
        }
        let document = column(text, column(text, query.end).end);
        let rank = column(text, document.end);
        let score = column(text, rank.end);
        let tag = column(text, score.end);
        // A column that is missing leaves the ones after it empty.
        if tag.is_empty() {
            return Err(Odd::Unusual);
        }
        let end = skip_blanks(text, tag.end);
        if text.get(end) != Some(&b'\n') {
            return Err(Odd::Unusual);
        }
        let score = match decimal(text, score.clone()) {
            Some(score) => score,
            None => other_number(&text[score]).ok_or(Odd::Unusual)?,
        };
        Ok(Self { query, same, document, rank, score, next: end + 1 })
    }
}

const ONES: u64 = u64::MAX / 0xff;
const HIGH: u64 = ONES << 7;

/// The query of a line, to be recognized at the beginning of the next one by one comparison.
#[derive(Default)]
pub(super) struct Before {
    length: usize,
    /// The query and a blank, and which bytes they take; nothing of longer queries.
    word: u64,
    mask: u64,
}

impl Before {
    pub(super) fn of(query: &[u8]) -> Self {
        let mut bytes = [0; 8];
        let length = query.len();
        if length == 0 || length >= bytes.len() {
            return Self::default();
        }
        bytes[..length].copy_from_slice(query);
        bytes[length] = b' ';
        Self { length, word: u64::from_le_bytes(bytes), mask: u64::MAX >> (8 * (7 - length)) }
    }

    #[inline]
    fn begins(&self, text: &[u8], at: usize) -> bool {
        self.length > 0 && word_at(text, at).is_some_and(|word| word & self.mask == self.word)
    }
}

/// Eight bytes, the first in the lowest place.
#[inline]
fn word_at(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*text.get(at..)?.first_chunk()?))
}

/// The column after the one that ends at `at`.
#[inline]
fn column(text: &[u8], at: usize) -> Range<usize> {
    let start = skip_blanks(text, at);
    start..column_end(text, start)
}

/// Any number that [`decimal`] does not take.
#[cold]
fn other_number(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok().filter(|score: &f64| !score.is_nan())
}

/// The white space of [`str::split_ascii_whitespace`], a newline apart.
#[inline]
fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    // One blank, and then a column.
    if let Some([b' ', next]) = text.get(at..at + 2)
        && *next > b' '
    {
        return at + 1;
    }
    while let Some(b' ' | b'\t' | b'\r' | b'\x0c') = text.get(at) {
        at += 1;
    }
    at
}

/// Where the first byte from `at` on is that is not above a blank: white space, or a control character
/// that makes the line unusual. Eight bytes at a time.
#[inline]
fn column_end(text: &[u8], mut at: usize) -> usize {
    const BLANK: u64 = ONES * 0x21;
    while let Some(word) = word_at(text, at) {
        // The lowest byte that is marked is below 0x21; those above it may be marked by a borrow.
        let marks = word.wrapping_sub(BLANK) & !word & HIGH;
        if marks != 0 {
            return at + (marks.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    text.len()
}

/// A decimal number without an exponent, such as `-12.345678`, if it can be had exactly by one
/// division: a whole number below 2^53 over a power of ten that is a float (Clinger 1990, "How to
/// read floating point numbers accurately").
#[inline]
fn decimal(text: &[u8], score: Range<usize>) -> Option<f64> {
    const POWERS: [f64; 9] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
    let negative = text.get(score.start) == Some(&b'-');
    let mut at = score.start + usize::from(negative);
    let mut whole = 0;
    // At most 7 digits before the point, and at most 8 after it: below 2^53.
    let farthest = at + 7;
    while let Some(digit @ b'0'..=b'9') = text.get(at)
        && at < farthest
    {
        whole = whole * 10 + u64::from(digit - b'0');
        at += 1;
    }
    let length = score.end.checked_sub(at + 1)?;
    if text.get(at) != Some(&b'.') || length > 8 || length == 0 {
        return None;
    }
    let part = digits(word_at(text, at + 1)?, length)?;
    let value = (whole * TENS[length] + part) as f64 / POWERS[length];
    Some(if negative { -value } else { value })
}

const TENS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The number of which the first `length` bytes of a word are the digits, from 1 to 8 of them; two,
/// then four, then eight digits are put together at a time.
#[inline]
fn digits(word: u64, length: usize) -> Option<u64> {
    const ZEROS: u64 = ONES * b'0' as u64;
    // Digits to the upper end, and zeros before them.
    let empty = 8 * (8 - length);
    let word = word << empty | ZEROS & !(u64::MAX << empty);
    let tens = word ^ ZEROS;
    // A digit is at most 9: adding 0x76 does not reach the highest bit.
    if (tens | tens.wrapping_add(ONES * 0x76)) & HIGH != 0 {
        return None;
    }
    let pairs = (tens.wrapping_mul(10) + (tens >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn padded(line: &str) -> Vec<u8> {
        let mut text = line.as_bytes().to_vec();
        text.extend([b'\n'; PADDING]);
        text
    }

    fn columns(line: &str) -> Option<([String; 3], f64)> {
        let text = padded(&format!("{line}\n"));
        let row = Row::parse(&text, 0, &Before::of(b"q1")).ok()?;
        assert_eq!(row.next, line.len() + 1);
        let column = |range: Range<usize>| String::from_utf8(text[range].to_vec()).unwrap();
        Some(([column(row.query), column(row.document), column(row.rank)], row.score))
    }

    #[test]
    fn columns_are_what_stands_between_white_space() {
        let expected = (["q1", "d1", "7"].map(str::to_owned), 0.5);
        for line in ["q1 Q0 d1 7 0.5 mine", "q1\tQ0\td1\t7\t5e-1\tmine\r", " q1  Q0 \x0cd1 7 .5 mine  "] {
            assert_eq!(columns(line), Some(expected.clone()), "{line:?}");
        }
        let long = "é".repeat(100);
        assert_eq!(columns(&format!("{long} Q0 {long} 1 -inf t")).unwrap().1, f64::NEG_INFINITY);
    }

    #[test]
    fn what_is_no_ordinary_row_is_odd() {
        for line in ["q Q0 d 1 0.5", "q Q0 d 1 0.5 t u", "q Q0 d 1 x t", "q Q0 d 1 nan t", "q Q0 \x01d 1 1 t"]
        {
            assert_eq!(
                Row::parse(&padded(&format!("{line}\nnext")), 0, &Before::of(b"q")).err(),
                Some(Odd::Unusual),
                "{line}"
            );
        }
        assert_eq!(Row::parse(&padded(" \t\r\nq"), 0, &Before::default()).err(), Some(Odd::Blank(4)));
    }

    proptest! {
        #[test]
        fn decimals_are_those_of_the_standard_library(text in "-?[0-9]{0,30}\\.?[0-9:/-a]{0,9}") {
            if let Some(value) = decimal(&padded(&text), 0..text.len()) {
                prop_assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{}", text);
            }
        }

        #[test]
        fn scores_in_use_are_read_the_fast_way(whole in 0..9_999_999_u32, part in 0..999_999_u32) {
            let text = format!("{whole}.{part:06}");
            prop_assert_eq!(decimal(&padded(&text), 0..text.len()), Some(text.parse().unwrap()));
        }
    }
}
