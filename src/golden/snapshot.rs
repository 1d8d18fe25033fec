//! Metric reports as insta snapshots in the user's crate.

use std::path::{Path, PathBuf};

use insta::internals::SnapshotContents;

use crate::error::chain;
use crate::input::refuse_pipe;
use crate::output::Written;
use crate::panic;
use crate::shown::in_json;
use crate::{Error, Result};

use super::bless::write_atomically;
use super::diff::diff;
use super::place::refuse_outside;

/// The user's crate, as seen by the macro that it expands.
///
/// insta's macros take `CARGO_MANIFEST_DIR` and `file!()` of the crate in which they are written, so
/// the call has to stand in code that the user's crate compiles.
#[doc(hidden)]
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
    /// Calls insta's assertion with a name and a text.
    pub assert: fn(&str, &str),
}

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
    /// What was blessed, as it stood before anything was asked.
    pub(crate) blessed: Option<String>,
}

/// How a report compares with what was blessed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SnapshotVerdict {
    /// insta is content: the texts agree, or it was told to accept.
    Same,
    /// Nothing was blessed so far.
    Missing,
    /// It differs by these lines.
    Differs(String),
    /// insta could not compare; its own words.
    Broken(String),
}

impl Snapshot {
    /// The file it is kept in.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.snap", self.name))
    }

    /// Compares by insta's rules: `INSTA_UPDATE`, `INSTA_FORCE_PASS` and the pending `.snap.new`
    /// files for `cargo insta review` work as in any other snapshot test. Outside of a test, where
    /// there is no site, the texts are compared and nothing is written; neither is it where a link
    /// leads out of the golden folder, or the file has changed since it was read.
    pub(crate) fn verdict(&self, site: Option<Site>) -> SnapshotVerdict {
        // insta would wait for it.
        if let Err(error) = refuse_pipe(&self.path()) {
            return SnapshotVerdict::Broken(chain(&Error::io("cannot open", &self.path(), error)));
        }
        let for_insta = || refuse_outside(&self.path()).is_ok() && Self::read(&self.path()) == self.blessed;
        let Some(site) = site.filter(|_| for_insta()) else { return self.against_blessed() };
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(&self.folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description(self.description.as_str());
        settings.set_input_file(&self.input_file);
        settings.set_comparator(Box::new(LastDigit));
        match panic::catch(|| settings.bind(|| (site.assert)(&self.name, &self.text))) {
            Ok(()) => SnapshotVerdict::Same,
            Err(message) => match self.against_blessed() {
                // insta compares as this does, so something else is wrong.
                SnapshotVerdict::Same => SnapshotVerdict::Broken(message),
                // What is there and cannot be read is no snapshot.
                SnapshotVerdict::Missing if self.path().exists() => SnapshotVerdict::Broken(message),
                verdict => verdict,
            },
        }
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
        // A text that insta takes for the same stays, header and all: only what changed is written.
        if Self::read(&path).is_some_and(|old| same(old.trim_end(), self.text.trim_end())) {
            return Ok(Written::Unchanged);
        }
        let written = write_atomically(&path, self.file().as_bytes())?;
        // What was pending is decided now.
        let pending = path.with_extension("snap.new");
        match std::fs::remove_file(&pending) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::output("cannot remove", &pending, e))
            }
            _ => Ok(written),
        }
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
        text_of(&insta::Snapshot::from_file(path).ok()?)
    }
}

/// Keeps insta from printing: under this crate's runner the failure message shows the difference,
/// and tests run side by side. Call it before any thread is started.
pub(crate) fn quiet_insta() {
    const OUTPUT: &str = "INSTA_OUTPUT";
    if std::env::var_os(OUTPUT).is_none() {
        #[expect(unsafe_code, reason = "insta takes this setting from the environment only")]
        // SAFETY: called first thing in `main`, by the only thread there is.
        unsafe {
            std::env::set_var(OUTPUT, "none");
        }
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
#[derive(Clone)]
struct LastDigit;

impl insta::comparator::Comparator for LastDigit {
    fn matches(&self, reference: &insta::Snapshot, test: &insta::Snapshot) -> bool {
        match (text_of(reference), text_of(test)) {
            (Some(reference), Some(test)) => same(reference.trim_end(), test.trim_end()),
            _ => false,
        }
    }

    fn dyn_clone(&self) -> Box<dyn insta::comparator::Comparator> {
        Box::new(self.clone())
    }
}

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
