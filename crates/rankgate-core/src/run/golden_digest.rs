//! The digest of a golden run: whether its lines are those that were written.

use std::path::Path;

use twox_hash::XxHash3_128;

use crate::error::Quoted;
use crate::output::Output;
use crate::run::golden_form::{GoldenForm, value};
use crate::{Error, Result};

/// How the last line of the head begins, without its `# `.
const DIGEST: &str = "digest: ";

/// The file of a golden run: its head, whose lines are `name: value`, and the lines of its rankings. The digest is put
/// behind the head.
///
/// # Errors
/// A line break in the head.
pub fn with_digest(form: GoldenForm, head: &[String], rankings: &[u8]) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut output = Output::new(Path::new("the golden run"), &mut text);
    for line in [&form.title()].into_iter().chain(head) {
        if line.contains(['\n', '\r']) {
            return Err(Error::invalid(format!(
                "a line break in the head of a golden run: {}",
                Quoted(line)
            )));
        }
        output.line(format_args!("# {}", line.trim_end()))?;
    }
    let mut hash = XxHash3_128::new();
    hash.write(&text);
    hash.write(rankings);
    let mut output = Output::new(Path::new("the golden run"), &mut text);
    output.line(format_args!("# {DIGEST}{}", hexadecimal(&hash)))?;
    text.extend_from_slice(rankings);
    Ok(text)
}

/// The digest of the lines that are read, where a file is a golden run.
pub(super) struct LineDigest(Option<XxHash3_128>);

impl LineDigest {
    pub(super) fn begin(form: Option<GoldenForm>, path: &Path, head: &[String]) -> Result<Self> {
        if form.is_none() {
            return Ok(Self(None));
        }
        let Some((_, head)) = head.split_last().filter(|(last, _)| last.starts_with(DIGEST)) else {
            return Err(changed(path, "its head does not end in `# digest: ...`"));
        };
        let mut digest = Self(Some(XxHash3_128::new()));
        head.iter().for_each(|line| digest.line(&format!("# {line}")));
        Ok(digest)
    }

    #[inline]
    pub(super) fn line(&mut self, text: &str) {
        if let Some(hash) = &mut self.0 {
            hash.write(text.as_bytes());
            hash.write(b"\n");
        }
    }

    /// Compares it with that in the head, where all `queries` were read.
    pub(super) fn check(self, path: &Path, head: &[String], queries: Option<usize>) -> Result<()> {
        self.0.map_or(Ok(()), |hash| check(path, head, queries, &hexadecimal(&hash)))
    }
}

/// As `xxh128sum` prints it.
fn hexadecimal(hash: &XxHash3_128) -> String {
    format!("{:032x}", hash.finish_128())
}

/// # Errors
/// Another digest than that in the head, or another number of queries.
pub(super) fn check(path: &Path, head: &[String], answered: Option<usize>, found: &str) -> Result<()> {
    let written = value(head, "digest").unwrap_or_default();
    let lost = answered.and_then(|answered| lost(head, answered));
    // Fuzzing finds no digest by chance, and is to look at what comes after.
    if written == found && lost.is_none() || cfg!(fuzzing) {
        return Ok(());
    }
    let lost = lost.unwrap_or_default();
    Err(changed(
        path,
        &format!("{lost}its digest is {}, and what it holds has {}", Quoted(written), Quoted(found)),
    ))
}

/// That queries were lost or added, which a merge does more often than anything else.
fn lost(head: &[String], answered: usize) -> Option<String> {
    let asked: usize = value(head, "asked")?.parse().ok()?;
    let found = answered + value(head, "unanswered")?.split_whitespace().count();
    let were = if asked == 1 { "query was" } else { "queries were" };
    (asked != found).then(|| format!("{asked} {were} written and it holds {found}; "))
}

/// # Errors
/// The head of a golden run whose title is gone, so that its lines were read as those of any other run.
pub(super) fn refuse_without_title(path: &Path, head: &[String]) -> Result<()> {
    let is_titled = head.first().is_some_and(|line| GoldenForm::from_title(line).is_some());
    let is_golden = ["configuration", "asked", "digest"].iter().all(|name| value(head, name).is_some());
    if is_titled || !is_golden {
        return Ok(());
    }
    let title = GoldenForm::new(false, false).title();
    Err(changed(
        path,
        &format!("it has the head of a golden run, and its first line is not such as `# {title}`"),
    ))
}

/// Somebody edited the file, or a merge did.
pub(super) fn changed(path: &Path, how: &str) -> Error {
    let message = format!(
        "changed since it was written, by hand or in a merge: {how}. Restore it with `git checkout`, or bless again"
    );
    Error::in_file(path, message)
}
