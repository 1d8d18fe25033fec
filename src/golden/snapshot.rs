//! Metric reports as insta snapshots in the user's crate.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use insta::internals::SnapshotContents;

use crate::error::chain;
use crate::input::refuse_pipe;
use crate::output::Written;
use crate::shown::in_json;
use crate::{Error, Result};

use super::bless::write_atomically;
use super::diff::diff;
use super::place::refuse_outside;

/// The user's crate, as seen by the macro that it expands.
///
/// Only code that the user's crate compiles knows its folder, its package and its target.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// `CARGO_MANIFEST_DIR` when the user's test was compiled.
    pub manifest_dir: &'static str,
    /// `CARGO_PKG_NAME`.
    pub package: &'static str,
    /// The file that called the macro.
    pub file: &'static str,
    /// The name of the test target.
    pub target: &'static str,
}

/// Whether insta is to leave files to review.
const UPDATE: &str = "INSTA_UPDATE";

/// The file in which `cargo insta` collects the snapshots that tests need.
const REFERENCES: &str = "INSTA_SNAPSHOT_REFERENCES_FILE";

/// A report to hold against what was blessed.
pub(crate) struct Snapshot {
    /// The folder it stands in: `golden/<benchmark>`.
    pub(crate) folder: PathBuf,
    /// The configuration: the file's name without `.snap`.
    pub(crate) name: String,
    /// What a reviewer reads above the text.
    pub(crate) description: String,
    /// The spec's path, relative to the crate.
    pub(crate) input_file: String,
    /// The file that asserts it, relative to the workspace.
    pub(crate) source: String,
    /// The report.
    pub(crate) text: String,
    /// The blessed snapshot, as it stood before anything ran.
    pub(crate) blessed: Option<String>,
}

/// How a report compares with what was blessed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SnapshotVerdict {
    /// They agree.
    Same,
    /// Nothing was blessed so far.
    Missing,
    /// It differs by these lines.
    Differs(String),
    /// The file is no snapshot; why, in words.
    Broken(String),
}

impl Snapshot {
    /// The file it is kept in.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.snap", self.name))
    }

    /// Compares the texts. No setting of insta's has a part in it, neither a variable nor a file.
    pub(crate) fn verdict(&self) -> SnapshotVerdict {
        let path = self.path();
        // A pipe would be waited for.
        if let Err(error) = refuse_pipe(&path) {
            return SnapshotVerdict::Broken(chain(&Error::io("cannot open", &path, error)));
        }
        match (self.against_blessed(), File::open(&path)) {
            (SnapshotVerdict::Missing, Ok(_)) => {
                SnapshotVerdict::Broken(format!("{} is no snapshot of a text", path.display()))
            }
            // One that nobody may read is not one that is not there.
            (SnapshotVerdict::Missing, Err(error)) if error.kind() != ErrorKind::NotFound => {
                SnapshotVerdict::Broken(chain(&Error::io("cannot open", &path, error)))
            }
            (verdict, _) => verdict,
        }
    }

    /// Leaves a report that differs where `cargo insta review` looks for it, and takes away an older one where they
    /// agree. Nothing is written where a link leads out of the golden folder, the file has changed since it was read, or
    /// `INSTA_UPDATE=no` asks for that, which changes no verdict.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn leave_pending(&self, verdict: &SnapshotVerdict) -> Result<()> {
        let (path, pending) = (self.path(), self.pending());
        let unwanted = std::env::var(UPDATE).is_ok_and(|update| update == "no");
        if unwanted || refuse_outside(&path).is_err() || Self::read(&path) != self.blessed {
            return Ok(());
        }
        match verdict {
            SnapshotVerdict::Same => remove(&pending),
            SnapshotVerdict::Missing | SnapshotVerdict::Differs(_) => {
                write_atomically(&pending, self.file().as_bytes()).map(drop)
            }
            SnapshotVerdict::Broken(_) => Ok(()),
        }
    }

    /// Tells `cargo insta test --unreferenced`, where that is what runs, that a test needs the file.
    pub(crate) fn note_reference(&self) {
        if let Some(list) = std::env::var_os(REFERENCES) {
            let list = File::options().append(true).create(true).open(list);
            drop(list.and_then(|mut list| writeln!(list, "{}", self.path().display())));
        }
    }

    /// Where a report waits to be reviewed.
    fn pending(&self) -> PathBuf {
        self.path().with_extension("snap.new")
    }

    fn against_blessed(&self) -> SnapshotVerdict {
        match &self.blessed {
            None => SnapshotVerdict::Missing,
            Some(old) if same(old.trim_end(), self.text.trim_end()) => SnapshotVerdict::Same,
            Some(old) => SnapshotVerdict::Differs(diff(old.trim_end(), self.text.trim_end())),
        }
    }

    /// Writes the file as insta would, atomically; says what came of it.
    pub(crate) fn bless(&self) -> Result<Written> {
        let path = self.path();
        refuse_outside(&path)?;
        // A text that is taken for the same stays, header and all: only what changed is written.
        if Self::read(&path).is_some_and(|old| same(old.trim_end(), self.text.trim_end())) {
            return Ok(Written::Unchanged);
        }
        let written = write_atomically(&path, self.file().as_bytes())?;
        // What was pending is decided now.
        remove(&self.pending())?;
        Ok(written)
    }

    fn file(&self) -> String {
        let quote = |text: &str| in_json(serde_json::Value::from(text).to_string());
        format!(
            "---\nsource: {}\ndescription: {}\ninput_file: {}\n---\n{}\n",
            self.source.replace('\\', "/"),
            quote(&self.description),
            self.input_file,
            self.text.trim_end()
        )
    }

    /// The text of a snapshot; `None` where there is none.
    pub(crate) fn read(path: &Path) -> Option<String> {
        refuse_pipe(path).ok()?;
        // What has no head insta takes for a file of its first versions, and says so on standard error.
        let has_head = |bytes: Vec<u8>| {
            bytes.split(|byte| *byte == b'\n').next().is_some_and(|line| line.trim_ascii() == b"---")
        };
        std::fs::read(path).is_ok_and(has_head).then_some(())?;
        text_of(&insta::Snapshot::from_file(path).ok()?)
    }
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::output("cannot remove", path, e)),
        _ => Ok(()),
    }
}

fn text_of(snapshot: &insta::Snapshot) -> Option<String> {
    match snapshot.contents() {
        SnapshotContents::Text(contents) => Some(contents.to_string()),
        SnapshotContents::Binary(_) => None,
    }
}

/// Texts agree when all but their decimals agree and each decimal differs by no more than one in
/// its fourth place: logarithms differ between platforms in the last bit, which can tip a rounding.
fn same(left: &str, right: &str) -> bool {
    /// One in the fourth place, and what binary fractions add to it.
    const LAST_DIGIT: f64 = 1.01e-4;
    let (left, right) = (tokens(left), tokens(right));
    left.len() == right.len()
        && left.iter().zip(&right).all(|(left, right)| {
            left == right
                || match (decimal(left), decimal(right)) {
                    (Some(left), Some(right)) => (left - right).abs() <= LAST_DIGIT,
                    _ => false,
                }
        })
}

/// A text in pieces that are either white space or not.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let blank = first.is_whitespace();
        let end = rest.find(|c: char| c.is_whitespace() != blank).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

fn decimal(token: &str) -> Option<f64> {
    let decimals = token.strip_prefix('-').unwrap_or(token).split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits(decimals.0) && digits(decimals.1)).then(|| token.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_to_be_reviewed_is_accepted_as_what_blessing_writes() {
        let folder = tempfile::tempdir().unwrap();
        let snapshot = |text: &str, blessed: Option<&str>| Snapshot {
            folder: folder.path().join("golden/toy"),
            name: "words".to_owned(),
            description: "toy: retriever \"words\"".to_owned(),
            input_file: "benchmarks/toy.yaml".to_owned(),
            source: "tests/retrieval.rs".to_owned(),
            text: text.to_owned(),
            blessed: blessed.map(str::to_owned),
        };
        let new = snapshot("nDCG@3  0.5000\n", None);
        let (path, pending) = (new.path(), new.pending());
        new.leave_pending(&new.verdict()).unwrap();
        assert!(!path.exists(), "nothing is accepted by itself");
        // What `cargo insta accept` does.
        insta::Snapshot::from_file(&pending).unwrap().save(&path).unwrap();
        let accepted = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        new.bless().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), accepted);
        assert!(!pending.exists(), "it is decided");

        let worse = snapshot("nDCG@3  0.4000", Some("nDCG@3  0.5000"));
        assert!(matches!(worse.verdict(), SnapshotVerdict::Differs(_)));
        worse.leave_pending(&worse.verdict()).unwrap();
        assert!(pending.exists() && std::fs::read(&path).unwrap() == accepted);
        let same = snapshot("nDCG@3  0.5001", Some("nDCG@3  0.5000"));
        same.leave_pending(&same.verdict()).unwrap();
        assert_eq!((same.verdict(), pending.exists()), (SnapshotVerdict::Same, false));
        for wrong in [&[0xff][..], b"", b"nDCG@3  0.5000\n"] {
            std::fs::write(&path, wrong).unwrap();
            assert_eq!(Snapshot::read(&path), None);
            assert!(
                matches!(new.verdict(), SnapshotVerdict::Broken(why) if why.ends_with("words.snap is no snapshot of a text"))
            );
        }
        // What cannot be opened is not what is missing: here a folder is a file.
        let within = Snapshot { folder: path, ..snapshot("nDCG@3  0.5000", None) };
        assert!(matches!(within.verdict(), SnapshotVerdict::Broken(why) if why.contains("cannot open")));
    }

    #[test]
    fn a_flipped_last_digit_is_the_same_and_nothing_more_is() {
        for (left, right, expected) in [
            ("nDCG@10  0.7312", "nDCG@10  0.7312", true),
            ("nDCG@10  0.7312", "nDCG@10  0.7313", true),
            ("nDCG@10  0.7399", "nDCG@10  0.7400", true),
            ("nDCG@10  -0.0001", "nDCG@10  0.0000", true),
            ("nDCG@10  0.7312", "nDCG@10  0.7314", false),
            ("queries 140", "queries 141", false),
            ("a 0.1000", "b 0.1000", false),
            ("a 0.1000", "a 0.1000 0.1000", false),
            ("v1.2.3 0.1", "v1.2.4 0.1", false),
        ] {
            assert_eq!(same(left, right), expected, "{left} / {right}");
        }
    }
}
