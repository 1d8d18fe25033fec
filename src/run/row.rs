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

/// Which bytes of a text are blanks, ends of lines or other control characters: a bit for each, so that six columns
/// are had from six bits.
#[derive(Default)]
pub(super) struct Blanks(Vec<u64>);

impl Blanks {
    /// Looks at a text, of which the first `known` bytes are those of the text before.
    pub(super) fn look(&mut self, text: &[u8], known: usize) {
        let known = (known / 64).min(self.0.len());
        self.0.truncate(known);
        self.0.extend(text[64 * known..].chunks(64).map(|bytes| {
            let mut block = [b'x'; 64];
            match <&[u8; 64]>::try_from(bytes) {
                Ok(whole) => block = *whole,
                Err(_) => block[..bytes.len()].copy_from_slice(bytes),
            }
            let eights = block.as_chunks::<8>().0.iter().enumerate();
            eights.fold(0, |marks, (at, eight)| marks | (low(u64::from_le_bytes(*eight)) << (8 * at)))
        }));
    }

    /// Where they are from `at` on.
    #[inline]
    fn from(&self, at: usize) -> Marks<'_> {
        let word = self.0.get(at / 64).copied().unwrap_or(0);
        Marks { words: &self.0, at: at / 64, word: word & (u64::MAX << (at % 64)) }
    }
}

/// A bit for each of eight bytes, set where it is a blank or below.
#[inline]
fn low(eight: u64) -> u64 {
    // 0x21 and more become 0x80 and more.
    let above = (eight & !HIGH).wrapping_add(ONES * 0x5f) | eight;
    ((!above & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

struct Marks<'a> {
    words: &'a [u64],
    at: usize,
    /// What is left of the word there.
    word: u64,
}

impl Marks<'_> {
    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            self.at += 1;
            self.word = *self.words.get(self.at)?;
        }
        let mark = 64 * self.at + self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(mark)
    }
}

impl Row {
    /// Takes the line apart that begins at `at` in `text`, whose last byte before the
    /// [padding](PADDING) is a newline. `before` is the query of the line before, which is likely to
    /// be this one's.
    #[inline]
    pub(super) fn parse(text: &[u8], blanks: &Blanks, at: usize, before: &Before) -> Result<Self, Odd> {
        Self::plain(text, blanks.from(at), at, before).map_or_else(|| Self::any(text, at, before), Ok)
    }

    /// A line that has one blank between columns, none at its ends, and a decimal number.
    #[inline]
    fn plain(text: &[u8], mut marks: Marks<'_>, at: usize, before: &Before) -> Option<Self> {
        let query = marks.next()?;
        let second = marks.next()?;
        let document = marks.next()?;
        let rank = marks.next()?;
        let score = marks.next()?;
        let tag = marks.next()?;
        let mut unusual = (query == at) | (second == query + 1) | (document == second + 1);
        unusual |= (rank == document + 1) | (score == rank + 1) | (tag == score + 1);
        for end in [query, second, document, rank, score] {
            unusual |= text.get(end) != Some(&b' ');
        }
        let next = match text.get(tag..tag + 2)? {
            [b'\n', _] => tag + 1,
            b"\r\n" => tag + 2,
            _ => return None,
        };
        if unusual {
            return None;
        }
        Some(Self {
            query: at..query,
            same: before.length == query - at && before.begins(text, at),
            document: second + 1..document,
            rank: document + 1..rank,
            score: decimal(text, rank + 1..score)?,
            next,
        })
    }

    /// Any line.
    #[cold]
    fn any(text: &[u8], at: usize, before: &Before) -> Result<Self, Odd> {
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

    fn parse(text: &[u8], before: &Before) -> Result<Row, Odd> {
        let mut blanks = Blanks::default();
        blanks.look(text, 0);
        Row::parse(text, &blanks, 0, before)
    }

    fn columns(line: &str) -> Option<([String; 3], f64)> {
        let text = padded(&format!("{line}\n"));
        let row = parse(&text, &Before::of(b"q1")).ok()?;
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
                parse(&padded(&format!("{line}\nnext")), &Before::of(b"q")).err(),
                Some(Odd::Unusual),
                "{line}"
            );
        }
        assert_eq!(parse(&padded(" \t\r\nq"), &Before::default()).err(), Some(Odd::Blank(4)));
    }

    fn parts(row: Result<Row, Odd>) -> Result<(Range<usize>, Range<usize>, Range<usize>, u64, usize), Odd> {
        row.map(|row| (row.query, row.document, row.rank, row.score.to_bits(), row.next))
    }

    proptest! {
        #[test]
        fn a_line_is_the_same_by_its_blanks_and_column_by_column(
            columns in prop::collection::vec("[a-f0-9é.\u{1}]{0,70}", 0..8),
            blanks in prop::collection::vec(prop::sample::select(vec![" ", "\t", "  ", "\r"]), 8),
            score in prop::option::of("-?[0-9]{1,3}\\.[0-9]{1,6}"),
            end in prop::sample::select(vec!["\n", "\r\n", " \n"]),
            usual: bool,
        ) {
            let mut line = String::new();
            for (index, column) in columns.iter().enumerate() {
                let column = score.as_ref().filter(|_| index == 4).unwrap_or(column);
                line += if index == 0 { "" } else if usual { " " } else { blanks[index] };
                line += column;
            }
            let text = padded(&format!("{line}{end}"));
            let before = Before::of(b"a");
            prop_assert_eq!(parts(parse(&text, &before)), parts(Row::any(&text, 0, &before)));
        }

        #[test]
        fn what_is_looked_at_in_parts_is_looked_at_once(text in "[ -~é\n\t]{0,400}", known in 0..400_usize) {
            let text = text.as_bytes();
            let known = known.min(text.len());
            let (mut whole, mut parts) = (Blanks::default(), Blanks::default());
            whole.look(text, 0);
            parts.look(&[&text[..known], b"\n\n"].concat(), 0);
            parts.look(text, known);
            let bits = (0..text.len()).map(|at| text[at] <= b' ');
            prop_assert!(bits.eq((0..text.len()).map(|at| whole.0[at / 64] >> (at % 64) & 1 == 1)));
            prop_assert_eq!(whole.0, parts.0);
        }

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
