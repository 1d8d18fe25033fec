//! Numbered lines of checked UTF-8, read in blocks.

use std::path::Path;

use memchr::{memchr, memrchr};

use crate::input::foreign::{CONFLICT, is_conflict, suspected};
use crate::input::source::{INVALID_UTF8, quotable};
use crate::input::{Input, MAX_LINE, Source, excerpt};
use crate::{Error, Result};

/// How much is read at once; fits into a core's second-level cache.
const BLOCK: usize = 256 << 10;

/// The lines of an input, blank ones left out.
///
/// Carriage returns before a newline, a missing last newline and a byte-order mark are accepted.
pub struct Lines<'a> {
    input: Input<'a>,
    /// Whole lines.
    block: String,
    /// Where the next line begins in `block`.
    at: usize,
    /// The beginning of a line whose end has not been read yet.
    tail: Vec<u8>,
    /// How many lines have been handed out or skipped.
    number: u64,
    /// The text of the line after `block`, if that line is not UTF-8.
    broken: Option<String>,
    ended: bool,
    comments: Vec<String>,
    in_head: bool,
}

/// One line, without its end.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    pub path: &'a Path,
    pub number: u64,
    pub text: &'a str,
    /// Whether the file ends within it, without a line break.
    pub is_cut: bool,
}

#[doc(hidden)]
impl<'a> Source<'a> {
    /// The numbered lines.
    pub fn lines(&self) -> Result<Lines<'a>> {
        Ok(Lines::new(self.open()?))
    }
}

impl<'a> Lines<'a> {
    pub fn new(input: Input<'a>) -> Self {
        Self {
            input,
            block: String::new(),
            at: 0,
            tail: Vec::new(),
            number: 0,
            broken: None,
            ended: false,
            comments: Vec::new(),
            in_head: true,
        }
    }

    /// The file, or the name of what is read.
    pub fn path(&self) -> &Path {
        self.input.path()
    }

    /// The next line that is not blank.
    #[expect(clippy::should_implement_trait, reason = "it lends, as no iterator can")]
    pub fn next(&mut self) -> Result<Option<Line<'_>>> {
        self.next_range().map(|range| range.map(|range| self.line(range)))
    }

    /// The next line that is neither blank nor a [comment](is_comment).
    pub fn next_data(&mut self) -> Result<Option<Line<'_>>> {
        if self.in_head {
            self.head()?;
        }
        loop {
            let Some(range) = self.next_range()? else { return Ok(None) };
            if !is_comment(&self.block[range.0..range.1]) {
                return Ok(Some(self.line(range)));
            }
        }
    }

    /// The comments at the head, without their `# `; the first data line is the next one.
    pub fn head(&mut self) -> Result<&[String]> {
        while self.in_head {
            let range = self.next_range()?;
            let text = range.map(|(start, end)| &self.block[start..end]);
            match text.and_then(comment) {
                Some(comment) => self.comments.push(comment.to_owned()),
                None => {
                    self.in_head = false;
                    // Handed out once more.
                    if let Some((start, _)) = range {
                        (self.at, self.number) = (start, self.number - 1);
                    }
                }
            }
        }
        Ok(&self.comments)
    }

    /// The comments met so far, without their `# `.
    pub fn take_comments(&mut self) -> Vec<String> {
        std::mem::take(&mut self.comments)
    }

    fn line(&self, (start, end): (usize, usize)) -> Line<'_> {
        let is_cut = self.ended && end == self.block.len();
        Line { path: self.input.path(), number: self.number, text: &self.block[start..end], is_cut }
    }

    fn next_range(&mut self) -> Result<Option<(usize, usize)>> {
        loop {
            let rest = &self.block[self.at..];
            if rest.is_empty() {
                if let Some(text) = self.broken.take() {
                    return Err(Error::at_line(self.input.path(), self.number + 1, &text, INVALID_UTF8));
                }
                if self.ended {
                    return Ok(None);
                }
                self.refill()?;
                continue;
            }
            let length = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            let line = &rest[..length];
            let line = line.strip_suffix('\r').unwrap_or(line);
            let range = (self.at, self.at + line.len());
            self.number += 1;
            let blank = line.bytes().all(|byte| byte.is_ascii_whitespace());
            if line.len() > MAX_LINE {
                return Err(self.too_long(self.number, line.as_bytes()));
            }
            if memchr(0, line.as_bytes()).is_some() {
                return Err(Error::at_line(self.input.path(), self.number, excerpt(line), NUL));
            }
            self.at += (length + 1).min(rest.len());
            if !blank {
                return Ok(Some(range));
            }
        }
    }

    /// Reads until `block` holds at least one whole line, or the input has ended.
    fn refill(&mut self) -> Result<()> {
        let mut bytes = std::mem::take(&mut self.block).into_bytes();
        bytes.clear();
        bytes.append(&mut self.tail);
        self.at = 0;
        let whole = loop {
            let before = bytes.len();
            if self.input.fill(&mut bytes, BLOCK)? < BLOCK {
                self.ended = true;
                break bytes.len();
            }
            if let Some(newline) = memrchr(b'\n', &bytes[before..]) {
                break before + newline + 1;
            }
            if bytes.len() > MAX_LINE {
                return Err(self.too_long(self.number + 1, &bytes));
            }
        };
        self.tail.extend_from_slice(&bytes[whole..]);
        bytes.truncate(whole);
        self.block = String::from_utf8(bytes).unwrap_or_else(|error| {
            let valid = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes();
            let start = memrchr(b'\n', &bytes[..valid]).map_or(0, |newline| newline + 1);
            self.broken = Some(quotable(&bytes[start..]));
            self.ended = true;
            String::from_utf8_lossy(&bytes[..start]).into_owned()
        });
        if self.number == 0 && self.block.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        Ok(())
    }

    fn too_long(&self, number: u64, line: &[u8]) -> Error {
        let message = format!("line longer than {} MiB", MAX_LINE >> 20);
        Error::at_line(self.input.path(), number, &quotable(line), message)
    }
}

impl<'a> Line<'a> {
    /// An error that quotes this line.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::at_line(self.path, self.number, excerpt(self.text), message)
    }

    /// # Errors
    /// A line that a merge left around what it could not decide.
    pub fn refuse_conflict(&self) -> Result<()> {
        if is_conflict(self.text) { Err(self.error(CONFLICT)) } else { Ok(()) }
    }

    /// The columns between white space, of which there must be `N`; `why` says what another number of them may
    /// come from. Where there is another number, and tabs separate `N`, these are the columns: ids may then hold
    /// spaces.
    pub fn columns<const N: usize>(&self, why: impl Fn(usize) -> &'static str) -> Result<[&'a str; N]> {
        let mut columns = [""; N];
        let mut found = 0;
        for column in self.text.split_ascii_whitespace() {
            if let Some(slot) = columns.get_mut(found) {
                *slot = column;
            }
            found += 1;
        }
        let bytes = self.text.as_bytes();
        let mixed = memchr(b'\t', bytes).is_some() && memchr(b' ', bytes).is_some();
        if found == N && !mixed {
            return Ok(columns);
        }
        match self.between_tabs() {
            Some(between) if between == columns || !between.contains(&"") => return Ok(between),
            // To count what white space separates would move the columns behind it.
            Some(_) => return Err(self.error("a column between tabs is empty")),
            None if found == N => return Ok(columns),
            None => {}
        }
        let cut = (self.is_cut && self.number > 1 && found < N).then_some(CUT);
        let why = suspected(self.text, found).or(cut).unwrap_or_else(|| why(found));
        let colon = if why.is_empty() { "" } else { "; " };
        Err(self.error(format!("expected {N} columns, found {found}{colon}{why}")))
    }

    /// The columns between tabs, if there are `N`.
    fn between_tabs<const N: usize>(&self) -> Option<[&'a str; N]> {
        let mut columns = [""; N];
        let mut between = self.text.split('\t').map(str::trim_ascii);
        columns.iter_mut().try_for_each(|column| {
            *column = between.next()?;
            Some(())
        })?;
        between.next().is_none().then_some(columns)
    }
}

/// Returns true for a line that begins with `#`, unless it has the columns of judgments, runs or ids between tabs: then
/// `#7` is an id.
pub fn is_comment(line: &str) -> bool {
    line.starts_with('#') && (comment(line).is_some() || !is_row(line))
}

fn is_row(line: &str) -> bool {
    let columns: Vec<&str> = line.split_ascii_whitespace().take(7).collect();
    let is_number = |column: &str| column.parse::<f64>().is_ok();
    match columns[..] {
        [_, iteration, _, grade] if !line.contains('\t') => {
            is_number(grade) && (is_number(iteration) || iteration.eq_ignore_ascii_case("q0"))
        }
        [_, _, _, rank, score, _] if !line.contains('\t') => is_number(rank) && is_number(score),
        _ => line.contains('\t'),
    }
}

/// The text of a comment at the head of a file.
fn comment(line: &str) -> Option<&str> {
    line.strip_prefix("# ").or((line == "#").then_some(""))
}

/// The rows of a file of which either all ids at the start of a line begin with `#` or none does.
#[derive(Debug, Default)]
pub struct HashIds {
    plain: bool,
    first: Option<Error>,
}

impl HashIds {
    /// # Errors
    /// The first row that begins with `#`, if other rows do not: somebody may have taken it out.
    pub fn see(&mut self, line: Line<'_>) -> Result<()> {
        match line.text.starts_with('#') {
            false => self.plain = true,
            true if self.first.is_none() => self.first = Some(line.error(HASH_ID)),
            true => {}
        }
        match self.first.take() {
            Some(error) if self.plain => Err(error),
            first => {
                self.first = first;
                Ok(())
            }
        }
    }
}

const CUT: &str = "the file ends within this line, so it was cut: write or copy it again";

const NUL: &str = "a NUL byte, which no text has: the file is binary, UTF-16, or was not written to its end";

const HASH_ID: &str =
    "an id that begins with `#`, and other ids do not: put a blank behind the `#` of a comment";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;

    fn read(bytes: &[u8]) -> Result<Vec<(u64, String)>> {
        let mut lines = Source::bytes("a.run", bytes).lines()?;
        let mut found = Vec::new();
        while let Some(line) = lines.next()? {
            found.push((line.number, line.text.to_owned()));
        }
        Ok(found)
    }

    #[test]
    fn lines_are_numbered_whatever_their_ends_and_blanks() {
        let cases = [
            ("", vec![]),
            ("\n\n", vec![]),
            ("a\nb\n", vec![(1, "a"), (2, "b")]),
            ("a\r\n\r\nb", vec![(1, "a"), (3, "b")]),
            ("  \t\na", vec![(2, "a")]),
            ("\u{feff}a\n", vec![(1, "a")]),
            ("a\n\u{feff}b\n", vec![(1, "a"), (2, "\u{feff}b")]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|(n, text)| (*n, (*text).to_owned())).collect();
            assert_eq!(read(text.as_bytes()).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_do_not_depend_on_where_blocks_end() {
        let expected: Vec<_> =
            (1..=200_000).map(|n| (n, format!("{n} {}", "é".repeat(n as usize % 7)))).collect();
        let text: String = expected.iter().map(|(_, line)| format!("{line}\n")).collect();
        assert!(text.len() > 4 * BLOCK);
        assert_eq!(read(text.as_bytes()).unwrap(), expected);
        let long = "x".repeat(3 * BLOCK);
        assert_eq!(read(format!("a\n{long}\nb").as_bytes()).unwrap()[1], (2, long));
    }

    #[test]
    fn invalid_utf8_is_an_error_that_names_its_line_after_the_lines_before_it() {
        let mut lines = Source::bytes("a.run", b"one\ntwo\n\xff three\nfour").lines().unwrap();
        assert_eq!(lines.next().unwrap().unwrap().text, "one");
        assert_eq!(lines.next().unwrap().unwrap().text, "two");
        let error = lines.next().err().unwrap();
        assert_eq!(error.to_string(), "a.run:3: invalid UTF-8 (save it as UTF-8): `\u{fffd} three`");
        assert!(lines.next().unwrap().is_none());
    }

    #[test]
    fn a_line_without_an_end_is_an_error_before_it_fills_the_memory() {
        struct Endless;
        impl std::io::Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                buffer.fill(b'x');
                Ok(buffer.len())
            }
        }
        let mut lines = Lines::new(Input::endless(Box::new(Endless)));
        let message = lines.next().err().unwrap().to_string();
        assert!(message.starts_with("endless:1: line longer than 64 MiB: `xxx"), "{message}");
        assert!(message.len() < 200);
    }

    #[test]
    fn comments_stand_anywhere_and_ids_may_begin_with_their_sign() {
        let bytes =
            b"# made by hand\n#\n\n#TREC DL passages 2019\n#q1 0 d 1\n# again\n#q1 Q0 d 1 2.5 t\n#q1\tabc\n";
        let mut lines = Source::bytes("a.run", bytes).lines().unwrap();
        for number in [5, 7, 8] {
            assert_eq!(lines.next_data().unwrap().unwrap().number, number);
        }
        assert!(lines.next_data().unwrap().is_none());
        assert_eq!(lines.take_comments(), ["made by hand", ""]);
    }

    #[test]
    fn a_nul_byte_is_an_error_with_its_line() {
        let mut lines = Source::bytes("a.qrels", b"q1 0 a 1\nq2 0 b\0 1\n").lines().unwrap();
        assert_eq!(lines.next().unwrap().unwrap().number, 1);
        let error = lines.next().err().unwrap().to_string();
        assert_eq!(error, format!("a.qrels:2: {NUL}: `q2 0 b\\u{{0}} 1`"));
    }

    #[test]
    fn a_file_that_ends_within_a_line_says_so() {
        for (text, is_cut) in [("q1 0 a 1\nq2 0 b", true), ("q1 0 a 1\nq2 0 b\n", false)] {
            let mut lines = Source::bytes("a.qrels", text.as_bytes()).lines().unwrap();
            assert!(!lines.next().unwrap().unwrap().is_cut);
            let error = lines.next().unwrap().unwrap().columns::<4>(|_| "").unwrap_err().to_string();
            assert_eq!(error.contains(CUT), is_cut, "{error}");
        }
    }

    #[test]
    fn either_all_ids_begin_with_a_hash_or_none() {
        let see = |texts: &[&str]| {
            let mut ids = HashIds::default();
            let mut lines = (1..).zip(texts).map(|(number, text)| Line {
                path: Path::new("a"),
                number,
                text,
                is_cut: false,
            });
            lines.try_for_each(|line| ids.see(line))
        };
        assert!(see(&["#7 0 a 1", "#8 0 a 1"]).is_ok());
        for (texts, line) in [(["#7 0 a 1", "8 0 a 1"], "1"), (["8 0 a 1", "#7 0 a 1"], "2")] {
            let error = see(&texts).unwrap_err().to_string();
            assert_eq!(error, format!("a:{line}: {HASH_ID}: `#7 0 a 1`"));
        }
    }

    #[test]
    fn ids_between_tabs_may_hold_spaces() {
        let columns =
            |text| Line { path: Path::new("a"), number: 1, text, is_cut: false }.columns::<4>(|_| "").ok();
        assert_eq!(columns("q 1\t0\tmy doc \t2"), Some(["q 1", "0", "my doc", "2"]));
        // What white space separates as well is read as ever.
        assert_eq!(columns("q1\t0\td1 \t2"), Some(["q1", "0", "d1", "2"]));
        assert_eq!(columns("q1 0\td1\t2"), Some(["q1", "0", "d1", "2"]));
        for text in ["q 1\t0\tmy doc", "q 1\t0\tmy doc\t2\t", "q 1 0\tmy doc\t2"] {
            assert_eq!(columns(text), None, "{text:?}");
        }
        // White space separates four here, too, and the third would be the grade.
        let line = Line { path: Path::new("a"), number: 7, text: "q 1\t0\t\t2", is_cut: false };
        let error = line.columns::<4>(|_| "").unwrap_err().to_string();
        assert_eq!(error, r"a:7: a column between tabs is empty: `q 1\t0\t\t2`");
    }

    #[test]
    fn columns_are_counted() {
        let line = Line { path: Path::new("a"), number: 7, text: " q1\t0  d1\x0c2", is_cut: false };
        assert_eq!(line.columns::<4>(|_| "").unwrap(), ["q1", "0", "d1", "2"]);
        let error = line.columns::<6>(|found| if found == 4 { "four" } else { "" }).unwrap_err();
        assert_eq!(error.to_string(), r"a:7: expected 6 columns, found 4; four: ` q1\t0  d1\u{c}2`");
        for (text, why) in [
            ("<!DOCTYPE html>", "2; this looks like HTML or XML, such as a server's error page"),
            (
                "q1,0,d1,2",
                "1; this looks like comma-separated values: put blanks or tabs between the columns",
            ),
            (
                "q1;0;d1;2",
                "1; this looks like comma-separated values: put blanks or tabs between the columns",
            ),
            (
                "[{\"query\": \"q1\"}]",
                "2; this looks like JSON, which is read as one object of objects: `{\"q1\": {\"d7\": 2}}`",
            ),
        ] {
            let error = Line { path: Path::new("a"), number: 1, text, is_cut: false }
                .columns::<6>(|_| "")
                .unwrap_err();
            assert_eq!(error.to_string(), format!("a:1: expected 6 columns, found {why}: `{text}`"));
        }
    }
}
