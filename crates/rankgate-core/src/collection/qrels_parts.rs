//! Judgments read on all cores, in parts of a file that have whole queries.

use memchr::{memchr, memchr_iter};

use crate::Result;
use crate::collection::Qrels;
use crate::input::{Lines, Source};
use crate::threads;

/// What a thread reads at a time.
pub(super) const PART: usize = 256 << 10;

/// A file of more is read line by line and not held.
pub(super) const LONGEST: u64 = 256 << 20;

/// Reads a file's bytes. Where a query comes back in a later part, or anything is wrong, all of them are read again,
/// one line after the other, which puts together or says what it is.
pub(super) fn read(
    name: &str,
    bytes: &[u8],
    part: usize,
    read: fn(Lines<'_>) -> Result<Qrels>,
) -> Result<Qrels> {
    let read = |bytes, before| read(Lines::after(Source::bytes(name, bytes).open()?, before));
    let parts = parts(bytes, part);
    if parts.len() > 1 {
        let newlines = threads::map(parts.len(), |index| memchr_iter(b'\n', parts[index]).count() as u64);
        let before: Vec<u64> =
            newlines.iter().scan(0, |sum, here| Some(std::mem::replace(sum, *sum + here))).collect();
        let done = threads::map(parts.len(), |index| read(parts[index], before[index]).ok());
        if let Some(all) = done.into_iter().collect::<Option<Vec<_>>>().and_then(Qrels::of_parts) {
            return Ok(all);
        }
    }
    read(bytes, 0)
}

/// Cuts before a line whose query is not that of the line before.
fn parts(mut bytes: &[u8], part: usize) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    while let Some(cut) = cut(bytes, part) {
        let (this, rest) = bytes.split_at(cut);
        parts.push(this);
        bytes = rest;
    }
    parts.push(bytes);
    parts
}

fn cut(bytes: &[u8], part: usize) -> Option<usize> {
    let line_after = |at: usize| Some(at + memchr(b'\n', bytes.get(at..)?)? + 1);
    let query = |at: usize| bytes[at..].split(u8::is_ascii_whitespace).next();
    let mut at = line_after(part)?;
    let first = query(at);
    while at < bytes.len() && query(at) == first {
        at = line_after(at)?;
    }
    (at < bytes.len()).then_some(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::collection::trec;

    fn listing(qrels: Result<Qrels>) -> Result<Vec<String>, String> {
        let qrels = qrels.map_err(|error| error.to_string())?;
        let told = |(query, document, grade): (&str, &str, i32)| {
            format!("{query} {document} {grade} {}", qrels.origin(query, document).unwrap())
        };
        let judged = qrels.iter().flat_map(|(query, judged)| judged.iter().map(move |(d, g)| (query, d, g)));
        Ok(judged.map(told).chain([qrels.max_grade().to_string()]).collect())
    }

    proptest! {
        #[test]
        fn parts_of_any_size_say_what_the_lines_say(
            lines in prop::collection::vec((0..6_u8, 0..9_u8, prop::sample::select(vec!["1", "0", "-2", "3.0", "x"])), 0..40),
            head in prop::sample::select(vec!["", "# made by hand\n", "\u{feff}"]),
            end in prop::sample::select(vec!["\n", "\r\n", "\n \n"]),
            ordered: bool,
            part in 0..200_usize,
        ) {
            let mut lines = lines;
            if ordered {
                lines.sort();
                lines.dedup_by_key(|(query, document, _)| (*query, *document));
            }
            let line = |(query, document, grade): &(u8, u8, &str)| format!("q{query} 0 d{document} {grade}{end}");
            let text = format!("{head}{}# 0 d 1\n", lines.iter().map(line).collect::<String>());
            let by_line = listing((trec::QRELS.read)(Source::bytes("a.qrels", text.as_bytes()).open().unwrap()));
            let found = read("a.qrels", text.as_bytes(), part, trec::QRELS.read_part.unwrap());
            prop_assert_eq!(listing(found), by_line);
        }
    }
}
