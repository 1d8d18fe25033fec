//! One line of a run in the format of TREC, taken apart fast.
//!
//! Lines of the ordinary shape only: whatever else a file may hold is left to the reader that goes
//! line by line and says what is wrong.

use std::ops::Range;

/// How many bytes after the text [`Parsed::of`] may look at: they have to be there, and white space.
pub(super) const PADDING: usize = 16;

/// What a line says about its query.
pub(super) struct Row {
    pub(super) document: Range<usize>,
    pub(super) rank: Range<usize>,
    pub(super) score: f64,
}

/// A line that was taken apart by itself.
pub(super) struct Parsed {
    pub(super) query: Range<usize>,
    pub(super) row: Row,
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

impl Parsed {
    /// Takes the line apart that begins at `at` in `text`, whose last byte before the
    /// [padding](PADDING) is a newline.
    pub(super) fn parse(text: &[u8], at: usize) -> Result<Self, Odd> {
        let query = skip_blanks(text, at);
        let query = query..column_end(text, query);
        if query.is_empty() {
            return match text.get(query.end) {
                Some(b'\n') => Err(Odd::Blank(query.end + 1)),
                _ => Err(Odd::Unusual),
            };
        }
        // A comment, or an id that the other reader compares with all others.
        if text.get(query.start) == Some(&b'#') {
            return Err(Odd::Unusual);
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
        let score = match text.get(score.start..).and_then(decimal) {
            Some((number, length)) if length == score.len() => number,
            _ => other_number(&text[score]).ok_or(Odd::Unusual)?,
        };
        Ok(Self { query, row: Row { document, rank, score }, next: end + 1 })
    }
}

const ONES: u64 = u64::MAX / 0xff;
const HIGH: u64 = ONES << 7;

/// What a line had before its document and after its score, which those after it are likely to have too.
#[derive(Default)]
pub(super) struct Like {
    head: Part,
    tail: Part,
}

impl Like {
    /// The line that begins at `at`.
    pub(super) fn from_line(text: &[u8], at: usize, parsed: &Parsed) -> Self {
        // The score ends where the blanks before the tag begin, and the tag where those before the newline do.
        let line = text.get(at..parsed.next).unwrap_or_default();
        let after = |mut end: usize, column: bool| {
            while end > 0 && line.get(end - 1).is_some_and(|byte| (*byte > b' ') == column) {
                end -= 1;
            }
            end
        };
        let tail = after(after(after(line.len(), false), true), false);
        Self {
            head: Part::from_bytes(line.get(..parsed.row.document.start - at).unwrap_or_default()),
            tail: Part::from_bytes(&line[tail..]),
        }
    }

    /// Whether the line at `at` has the same query.
    pub(super) fn begins(&self, text: &[u8], at: usize) -> bool {
        text.get(at..).and_then(|line| self.head.behind(line)).is_some()
    }

    /// Hands over the lines from `at` on, and where each begins, that differ from the one before in document, rank and
    /// score only, with one blank between them, for as long as `take` takes them: what is the same is compared at once,
    /// and not taken apart again. Returns where the first of all others begins.
    #[inline(always)] // so that what is compared stays in registers
    pub(super) fn rows(&self, text: &[u8], mut at: usize, mut take: impl FnMut(usize, Row) -> bool) -> usize {
        while let Some((row, next)) = text.get(at..).and_then(|line| self.row(line, at))
            && take(at, row)
        {
            at = next;
        }
        at
    }

    #[inline(always)]
    fn row(&self, line: &[u8], at: usize) -> Option<(Row, usize)> {
        let place = |rest: &[u8]| at + (line.len() - rest.len());
        let document = self.head.behind(line)?;
        let blank = behind_column(document)?;
        let [b' ', rank @ ..] = blank else { return None };
        let second = behind_column(rank)?;
        let [b' ', score @ ..] = second else { return None };
        let (number, length) = decimal(score)?;
        let next = self.tail.behind(score.get(length..)?)?;
        let row =
            Row { document: place(document)..place(blank), rank: place(rank)..place(second), score: number };
        (!row.document.is_empty() && !row.rank.is_empty()).then(|| (row, place(next)))
    }
}

/// A part of a line, compared at once; nothing of longer ones.
#[derive(Default)]
struct Part {
    length: usize,
    word: u128,
    mask: u128,
}

impl Part {
    fn from_bytes(part: &[u8]) -> Self {
        let mut bytes = [0; PADDING];
        match bytes.get_mut(..part.len()) {
            Some(begin) if !part.is_empty() => begin.copy_from_slice(part),
            _ => return Self::default(),
        }
        let mask = u128::MAX >> (8 * (bytes.len() - part.len()));
        Self { length: part.len(), word: u128::from_le_bytes(bytes), mask }
    }

    /// What comes after this part, where a line begins with it.
    #[inline(always)]
    fn behind<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let there = u128::from_le_bytes(*line.first_chunk()?);
        if self.length > 0 && there & self.mask == self.word { line.get(self.length..) } else { None }
    }
}

/// Eight bytes, the first in the lowest place.
#[inline(always)]
fn word(text: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(*text.first_chunk()?))
}

/// Where among eight bytes the first is that is not above a blank: white space, or a control character that makes the
/// line unusual; 8 where there is none.
#[inline(always)]
fn low(word: u64) -> usize {
    const BLANK: u64 = ONES * 0x21;
    // The lowest byte that is marked is below 0x21; those above it may be marked by a borrow.
    let marks = word.wrapping_sub(BLANK) & !word & HIGH;
    (marks.trailing_zeros() / 8) as usize
}

/// What comes after a column.
#[inline(always)]
fn behind_column(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        let length = low(word(text)?);
        text = text.get(length..)?;
        if length < 8 {
            return Some(text);
        }
    }
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

/// Where the column ends that begins at `at`.
#[inline]
fn column_end(text: &[u8], at: usize) -> usize {
    text.len() - text.get(at..).and_then(behind_column).map_or(0, <[u8]>::len)
}

/// The decimal number without an exponent that a text begins with, such as `-12.345678`, and its length, if it can be
/// had exactly by one division: a whole number below 2^53 over a power of ten that is a float (Clinger 1990, "How to
/// read floating point numbers accurately").
#[inline(always)]
fn decimal(text: &[u8]) -> Option<(f64, usize)> {
    const POWERS: [f64; 9] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
    const POINTS: u64 = ONES * b'.' as u64;
    let negative = text.first() == Some(&b'-');
    let text = text.get(usize::from(negative)..)?;
    let word = self::word(text)?;
    // The lowest byte that is marked is the first point; those above it may be marked by a borrow.
    let points = (word ^ POINTS).wrapping_sub(ONES) & !(word ^ POINTS) & HIGH;
    let before = (points.trailing_zeros() / 8) as usize;
    let fraction = self::word(text.get(before + 1..)?)?;
    let after = (others(fraction).trailing_zeros() / 8) as usize;
    // At most 7 digits before the point, and at most 8 after it: below 2^53. The lowest byte that is marked is the
    // first that is no digit; those above it may be marked by a carry.
    if before > 7 || before == 0 || after == 0 || ((others(word).trailing_zeros() / 8) as usize) < before {
        return None;
    }
    let (whole, part) = (word << (8 * (8 - before)), fraction << (8 * (8 - after)));
    let number = if before + after > 8 {
        digits(whole, before) * TENS[after] + digits(part, after)
    } else {
        // As many as fit into one word.
        digits(whole >> (8 * after) | part, before + after)
    };
    // Signed, since processors turn those into floats at once.
    let value = number as i64 as f64 / POWERS[after];
    Some((if negative { -value } else { value }, usize::from(negative) + before + 1 + after))
}

const TENS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
const ZEROS: u64 = ONES * b'0' as u64;

/// Marks of the bytes that are no digits.
#[inline(always)]
fn others(word: u64) -> u64 {
    let tens = word ^ ZEROS;
    // A digit is at most 9: adding 0x76 does not reach the highest bit.
    (tens | tens.wrapping_add(ONES * 0x76)) & HIGH
}

/// The number of which the last `length` bytes of a word are the digits, from 1 to 8 of them, and nothing before; two,
/// then four, then eight digits are put together at a time.
#[inline(always)]
fn digits(word: u64, length: usize) -> u64 {
    let tens = word ^ (ZEROS << (8 * (8 - length)));
    let pairs = (tens.wrapping_mul(10) + (tens >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff
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
        let Parsed { query, row, next } = Parsed::parse(&text, 0).ok()?;
        assert_eq!(next, line.len() + 1);
        let column = |range: Range<usize>| String::from_utf8(text[range].to_vec()).unwrap();
        Some(([column(query), column(row.document), column(row.rank)], row.score))
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
                Parsed::parse(&padded(&format!("{line}\nnext")), 0).err(),
                Some(Odd::Unusual),
                "{line}"
            );
        }
        assert_eq!(Parsed::parse(&padded(" \t\r\nq"), 0).err(), Some(Odd::Blank(4)));
    }

    proptest! {
        #[test]
        fn decimals_are_those_of_the_standard_library(text in "-?[0-9]{0,30}\\.?[0-9:/-a]{0,9}") {
            if let Some((value, end)) = decimal(&padded(&text))
                && end == text.len()
            {
                prop_assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{}", text);
            }
        }

        /// Whatever the line before was, a line is taken apart as it is by itself.
        #[test]
        fn a_line_is_the_same_after_any_other(
            lines in prop::collection::vec(
                ("(q1|q2|é| q1|)[ \t]{1,2}(Q0|0)", " [a-d]{0,9}", " [0-9]{0,2}", " -?[0-9]{1,8}([.][0-9]{0,9})?", " (s|bm25|a long tag|)[ \r]?"), 2..3,
            ),
        ) {
            let lines: Vec<String> = lines.iter().map(|(q, d, r, s, t)| format!("{q}{d}{r}{s}{t}\n")).collect();
            let text = padded(&lines.concat());
            let Ok(first) = Parsed::parse(&text, 0) else { return Ok(()) };
            let like = Like::from_line(&text, 0, &first);
            let mut found = Vec::new();
            let end = like.rows(&text, 0, |at, row| {
                found.push((at, row.document, row.rank, row.score.to_bits()));
                true
            });
            let (mut expected, mut at) = (Vec::new(), 0);
            while at < end {
                let Parsed { query, row, next } = Parsed::parse(&text, at).unwrap();
                prop_assert_eq!(&text[query], &text[first.query.clone()]);
                expected.push((at, row.document, row.rank, row.score.to_bits()));
                at = next;
            }
            prop_assert_eq!((at, found), (end, expected));
            // A line with one blank between columns and a score with a point is like itself.
            let columns: Vec<&str> = lines[0].trim_end().split(' ').collect();
            let plain = columns.len() == 6 && columns.iter().all(|column| !column.contains('\t') && !column.is_empty());
            let short = |(whole, part): (&str, &str)| (1..8).contains(&whole.trim_start_matches('-').len()) && (1..9).contains(&part.len());
            prop_assert!(end > 0 || !plain || !columns[4].split_once('.').is_some_and(short), "{:?}", lines[0]);
        }

        #[test]
        fn scores_in_use_are_read_the_fast_way(whole in 0..9_999_999_u32, part in 0..999_999_u32) {
            let text = format!("{whole}.{part:06}");
            prop_assert_eq!(decimal(&padded(&text)), Some((text.parse().unwrap(), text.len())));
        }
    }
}
