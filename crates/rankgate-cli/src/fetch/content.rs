//! Kinds of files by their first bytes: a sign-in page of a network is no benchmark, under any name.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::Excerpt;
use super::{Error, Result};

/// So many first bytes say what a file is.
const HEAD: u64 = 4096;
/// So many characters of them are shown.
const SHOWN: usize = 60;

/// Kinds of files by the end of their names, each with the bytes that it begins with.
const KINDS: [(&str, &str, &[u8]); 7] = [
    (".zip", "zip archive", b"PK\x03\x04"),
    (".gz", "gzip file", b"\x1f\x8b"),
    (".tgz", "gzip file", b"\x1f\x8b"),
    (".zst", "zstd file", b"\x28\xb5\x2f\xfd"),
    (".bz2", "bzip2 file", b"BZh"),
    (".xz", "xz file", b"\xfd7zXZ"),
    (".parquet", "Parquet file", b"PAR1"),
];

const PAGE: &str = "a web page, perhaps of a network that wants a sign-in";

/// Compares a file with what its name promises.
///
/// # Errors
/// A web page, an archive of another kind, bytes where text was promised, nothing at all.
pub(super) fn check(path: &Path, name: &str) -> Result<()> {
    let failed = |error| Error::io("cannot read", path, error);
    let mut head = Vec::new();
    File::open(path).map_err(failed)?.take(HEAD).read_to_end(&mut head).map_err(failed)?;
    match fault(&head, name) {
        None => Ok(()),
        Some(fault) => Err(Error::in_file(path, format!("it is {fault}"))),
    }
}

/// What a file is that begins with these bytes, where it is not what its name promises.
pub(super) fn fault(head: &[u8], name: &str) -> Option<String> {
    let kind = KINDS.iter().find(|(end, ..)| name.ends_with(end));
    let begins_as = |end: &str| KINDS.iter().any(|(one, _, magic)| *one == end && head.starts_with(magic));
    // Readers unpack gzip whatever a file is called.
    if begins_as(kind.map_or(".gz", |(end, ..)| end)) {
        return None;
    }
    let promised = kind.map_or("text", |(_, kind, _)| kind);
    if head.is_empty() {
        return Some(format!("empty, and should be {promised}"));
    }
    let found = if is_page(head) {
        PAGE.to_owned()
    } else if is_text(head) {
        // Where text was promised, nothing is wrong.
        kind?;
        "text".to_owned()
    } else {
        let other = KINDS.iter().find(|(_, _, magic)| head.starts_with(magic));
        other.map_or("something else".to_owned(), |(_, other, _)| format!("a {other}"))
    };
    Some(format!("no {promised} but {found}: it begins with {}", begin(head)))
}

/// What a file is that begins with these bytes, where it is a web page.
pub(super) fn page(head: &[u8]) -> Option<String> {
    is_page(head).then(|| format!("answered with {PAGE}: it begins with {}", begin(head)))
}

fn begin(head: &[u8]) -> String {
    let text = String::from_utf8_lossy(&head[..head.len().min(HEAD as usize)]);
    Excerpt(text.trim_start().lines().next().unwrap_or_default(), SHOWN).to_string()
}

/// Whether it is HTML.
fn is_page(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&head[..head.len().min(HEAD as usize)]);
    let text = text.trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
    let begins = ["<!doctype html", "<html", "<head", "<body", "<script", "<title", "<meta"];
    begins.iter().any(|begin| text.starts_with(begin)) || text.starts_with('<') && text.contains("<html")
}

/// Whether it is UTF-8, perhaps cut within a character.
fn is_text(head: &[u8]) -> bool {
    let whole = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    whole && !head.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_its_name_promises() {
        for (head, name) in [
            (&b"PK\x03\x04..."[..], "x.zip"),
            (b"\x1f\x8b\x08", "queries.tsv.gz"),
            (b"q1\tone\n", "queries.tsv"),
            ("q1\tein Wörtchen\n".as_bytes(), "queries.tsv"),
            (&"ö".as_bytes()[..1], "queries.tsv"),
            (b"\x1f\x8b\x08", "queries.tsv"),
            (b"<top>\n<num> 301\n", "topics.txt"),
        ] {
            assert_eq!(fault(head, name), None, "{name}");
        }
        for (head, name, expected) in [
            (&b""[..], "x.zip", "empty, and should be zip archive"),
            (
                b"\n<!DOCTYPE html><title>Sign in</title>",
                "queries.tsv.gz",
                "no gzip file but a web page, perhaps of a network that wants a sign-in: it begins with `<!DOCTYPE \
                 html><title>Sign in</title>`",
            ),
            (b"<?xml version='1.0'?><html>", "qrels.txt", "no text but a web page"),
            (
                b"{\"error\": \"no\"}",
                "x.zip",
                "no zip archive but text: it begins with `{\"error\": \"no\"}`",
            ),
            (b"PK\x03\x04\x14\0", "queries.tsv", "no text but a zip archive"),
            (b"\x1f\x8b\x08", "x.zip", "no zip archive but a gzip file"),
            (b"a\0b", "queries.tsv", "no text but something else"),
        ] {
            let found = fault(head, name).unwrap();
            assert!(found.contains(expected), "{found}");
        }
    }
}
