//! A text with its encodings undone, which knows where in the text each byte of it stands.

/// Bytes that were decoded, and the part of the text that each is written as.
#[derive(Clone, PartialEq)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    places: Vec<(u32, u32)>,
}

impl Decoded {
    /// A text as it is; no more of it than 4 GiB.
    pub(super) fn new(text: &str) -> Self {
        let places = (0..u32::try_from(text.len()).unwrap_or(u32::MAX)).map(|at| (at, at + 1)).collect();
        Self { bytes: text.as_bytes().to_vec(), places }
    }

    fn like(other: &Self) -> Self {
        let size = other.bytes.len();
        Self { bytes: Vec::with_capacity(size), places: Vec::with_capacity(size) }
    }

    /// Where in the text some of its bytes are written.
    pub(super) fn place(&self, from: usize, to: usize) -> (usize, usize) {
        let (from, to) = (self.places[from].0, self.places[to - 1].1);
        (from as usize, to as usize)
    }

    /// Adds what `from..to` of another one stands for.
    fn push(&mut self, bytes: &[u8], of: &Self, from: usize, to: usize) {
        let (start, end) = (of.places[from].0, of.places[to - 1].1);
        self.bytes.extend_from_slice(bytes);
        self.places.extend(bytes.iter().map(|_| (start, end)));
    }

    /// With the escapes of JSON and of source code, of HTML, of URLs and of shells and CSV undone, one level
    /// of them. An escape that the end cuts off is left out if the text is `cut` there.
    pub(super) fn unescaped(&self, cut: bool) -> Self {
        let mut plain = Self::like(self);
        let mut at = 0;
        while let Some(rest) = self.bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let mut character = [0; 4];
            let (bytes, length) = match escape(rest) {
                Escape::None => (&rest[..1], 1),
                Escape::Byte(byte, length) => {
                    character[0] = byte;
                    (&character[..1], length)
                }
                Escape::Character(c, length) => (c.encode_utf8(&mut character).as_bytes(), length),
                Escape::Open if cut => break,
                Escape::Open => (&rest[..1], 1),
            };
            plain.push(bytes, self, at, at + length);
            at += length;
        }
        plain
    }

    /// What it says in base64, of either alphabet and with or without line breaks, taken to begin after so
    /// many digits of each stretch of them.
    pub(super) fn base64_decoded(&self, skipped: usize) -> Self {
        let mut plain = Self::like(self);
        let (mut bits, mut count, mut skip, mut last) = (0_u32, 0, skipped, (0, 0));
        for (at, &byte) in self.bytes.iter().enumerate() {
            let Some(digit) = digit(byte) else {
                if !byte.is_ascii_whitespace() {
                    (count, skip) = (0, skipped);
                }
                continue;
            };
            if skip > 0 {
                skip -= 1;
                continue;
            }
            bits = bits << 6 | digit;
            count += 6;
            if count >= 8 {
                count -= 8;
                plain.bytes.push((bits >> count) as u8);
                // A byte begins in the digit before, if that had bits left.
                plain.places.push((last.0, self.places[at].1));
            }
            last = self.places[at];
        }
        plain
    }

    /// What it says in hexadecimal digits, with or without blanks and colons between them, taken to begin after so many
    /// digits of each stretch of them.
    pub(super) fn hex_decoded(&self, skipped: usize) -> Self {
        let mut plain = Self::like(self);
        // The first digit of a byte, and its place.
        let mut open = None;
        let mut skip = skipped;
        for (at, &byte) in self.bytes.iter().enumerate() {
            let Some(digit) = char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()) else {
                if !byte.is_ascii_whitespace() && byte != b':' {
                    (open, skip) = (None, skipped);
                }
                continue;
            };
            if skip > 0 {
                skip -= 1;
                continue;
            }
            match open.take() {
                None => open = Some((digit, self.places[at])),
                Some((high, place)) => {
                    plain.bytes.push(high << 4 | digit);
                    plain.places.push((place.0, self.places[at].1));
                }
            }
        }
        plain
    }

    /// With `+` as the blank that it is in forms, and any stretch beyond ASCII as one byte: what is not
    /// written in UTF-8, or is read as if it was not, still compares.
    pub(super) fn folded(&self) -> Self {
        let mut folded = Self::like(self);
        for (at, &byte) in self.bytes.iter().enumerate() {
            match (byte, folded.bytes.last(), folded.places.last_mut()) {
                (0x80.., Some(&BEYOND), Some(place)) => place.1 = self.places[at].1,
                (0x80.., ..) => folded.push(&[BEYOND], self, at, at + 1),
                (b'+', ..) => folded.push(b" ", self, at, at + 1),
                _ => folded.push(&[byte], self, at, at + 1),
            }
        }
        folded
    }
}

const BEYOND: u8 = 0xff;

fn digit(byte: u8) -> Option<u32> {
    let (first, value) = match byte {
        b'A'..=b'Z' => (b'A', 0),
        b'a'..=b'z' => (b'a', 26),
        b'0'..=b'9' => (b'0', 52),
        b'+' | b'-' => (byte, 62),
        b'/' | b'_' => (byte, 63),
        _ => return None,
    };
    Some(u32::from(byte - first) + value)
}

enum Escape {
    None,
    Byte(u8, usize),
    Character(char, usize),
    /// The beginning of one.
    Open,
}

/// The escape at the beginning of bytes, and its length.
fn escape(bytes: &[u8]) -> Escape {
    match bytes {
        [b'\\'] => Escape::Open,
        [b'\\', kind, rest @ ..] => backslash(*kind, rest),
        [b'%', b'u' | b'U', rest @ ..] => unit(rest, 2).unwrap_or_else(|| open(rest, 4)),
        [b'%', rest @ ..] => match number(rest, 16, 2, 2) {
            Some((value, _)) => Escape::Byte(value as u8, 3),
            None => open(rest, 2),
        },
        [b'&', rest @ ..] => entity(rest),
        _ => {
            QUOTES.iter().find_map(|(written, quote)| quoted(bytes, written, *quote)).unwrap_or(Escape::None)
        }
    }
}

/// Quotes within quotes, as shells and CSV have them.
const QUOTES: [(&[u8], u8); 4] = [(b"'\\''", b'\''), (b"'\"'\"'", b'\''), (b"\"\"", b'"'), (b"''", b'\'')];

fn quoted(bytes: &[u8], written: &[u8], quote: u8) -> Option<Escape> {
    if bytes.starts_with(written) {
        return Some(Escape::Byte(quote, written.len()));
    }
    written.starts_with(bytes).then_some(Escape::Open)
}

fn backslash(kind: u8, rest: &[u8]) -> Escape {
    match kind {
        b'u' if rest.first() == Some(&b'{') => match number(&rest[1..], 16, 1, 6) {
            Some((value, digits)) if rest.get(digits + 1) == Some(&b'}') => character(value, digits + 4),
            _ => open(&rest[1..], 6),
        },
        b'u' => unit(rest, 2).unwrap_or_else(|| open(rest, 4)),
        b'U' => match number(rest, 16, 8, 8) {
            Some((value, _)) => character(value, 10),
            None => open(rest, 8),
        },
        b'x' => match number(rest, 16, 2, 2) {
            Some((value, _)) => Escape::Byte(value as u8, 4),
            None => open(rest, 2),
        },
        b'n' => Escape::Byte(b'\n', 2),
        b't' => Escape::Byte(b'\t', 2),
        b'r' => Escape::Byte(b'\r', 2),
        b'b' => Escape::Byte(8, 2),
        b'f' => Escape::Byte(12, 2),
        b'v' => Escape::Byte(11, 2),
        b'0'..=b'3' => match number(&[&[kind], &rest[..rest.len().min(2)]].concat(), 8, 3, 3) {
            Some((value, _)) => Escape::Byte(value as u8, 4),
            // Two digits more may be cut off.
            None if rest.len() < 2 && rest.iter().all(u8::is_ascii_digit) => Escape::Open,
            None if kind == b'0' => Escape::Byte(0, 2),
            None => Escape::None,
        },
        _ if kind.is_ascii_punctuation() => Escape::Byte(kind, 2),
        _ => Escape::None,
    }
}

/// A unit of UTF-16 in four digits, or two such escapes that are one character.
fn unit(rest: &[u8], before: usize) -> Option<Escape> {
    let (first, _) = number(rest, 16, 4, 4)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some(character(first, before + 4));
    }
    let second = rest.get(4 + before..).and_then(|rest| number(rest, 16, 4, 4));
    match second {
        Some((second @ 0xdc00..0xe000, _)) => {
            Some(character(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), 2 * (before + 4)))
        }
        _ => Some(character(0xfffd, before + 4)),
    }
}

fn entity(rest: &[u8]) -> Escape {
    let ended = |length: usize| length + usize::from(rest.get(length - 1) == Some(&b';'));
    let found = match rest {
        [b'#', b'x' | b'X', digits @ ..] => {
            number(digits, 16, 1, 8).map(|(value, length)| (value, length + 3))
        }
        [b'#', digits @ ..] => number(digits, 10, 1, 10).map(|(value, length)| (value, length + 2)),
        _ => NAMES
            .iter()
            .filter_map(|named| named.char_indices().next_back().map(|(end, c)| (&named[..end], c)))
            .find(|(name, _)| rest.starts_with(name.as_bytes()))
            .map(|(name, c)| (u32::from(c), name.len() + 1)),
    };
    match found {
        // More digits may be cut off.
        Some((_, length)) if length == rest.len() + 1 && rest.starts_with(b"#") => Escape::Open,
        Some((value, length)) => character(value, ended(length)),
        None if rest.len() < 9 && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'#') => {
            Escape::Open
        }
        None => Escape::None,
    }
}

/// What HTML has names for and passwords have in them, each behind its name.
const NAMES: [&str; 34] = [
    "amp&", "lt<", "gt>", "quot\"", "apos'", "nbsp ", "Tab\t", "excl!", "num#", "dollar$", "percnt%",
    "lpar(", "rpar)", "ast*", "plus+", "comma,", "period.", "sol/", "colon:", "semi;", "equals=", "quest?",
    "commat@", "lbrack[", "lsqb[", "bsol\\", "rbrack]", "rsqb]", "Hat^", "lowbar_", "grave`", "lbrace{",
    "verbar|", "rbrace}",
];

fn character(value: u32, length: usize) -> Escape {
    Escape::Character(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER), length)
}

/// The number at the beginning, of so many digits, and how many they are.
fn number(bytes: &[u8], base: u32, fewest: usize, most: usize) -> Option<(u32, usize)> {
    let digits = bytes.iter().take(most).map_while(|&byte| char::from(byte).to_digit(base));
    let (value, count) = digits.fold((0_u32, 0), |(value, count), digit| {
        (value.saturating_mul(base).saturating_add(digit), count + 1)
    });
    (count >= fewest).then_some((value, count))
}

/// No escape, unless the text ends before it can be one.
fn open(rest: &[u8], digits: usize) -> Escape {
    if rest.len() < digits && rest.iter().all(u8::is_ascii_hexdigit) { Escape::Open } else { Escape::None }
}
