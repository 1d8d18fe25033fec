//! What the head of a golden run says of its lines.

use std::path::Path;

use crate::error::Quoted;
use crate::input::Input;
use crate::{Error, Result};

/// How the head of a run begins that was recorded, or blessed: its order is that of its ranks.
const TITLES: [&str; 2] = ["rankgate run, version ", "rankgate golden run, version "];

/// What the first line of a golden run says of the lines that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoldenForm {
    /// A line has a whole ranking and no scores; else a document, in the columns of TREC.
    pub ranking_a_line: bool,
    /// There are several rankings of a query, and each line says whose it is.
    pub several: bool,
}

impl GoldenForm {
    /// Every form that is read, by version.
    pub(super) const VERSIONS: [(&str, Self); 4] = [
        ("6", Self::new(false, false)),
        ("7", Self::new(false, true)),
        ("8", Self::new(true, false)),
        ("9", Self::new(true, true)),
    ];

    /// The form that is written today.
    pub const fn new(ranking_a_line: bool, several: bool) -> Self {
        Self { ranking_a_line, several }
    }

    /// The first line of the file, without its `# `.
    pub fn title(self) -> String {
        let version =
            Self::VERSIONS.iter().find(|(_, form)| *form == self).map_or("", |(version, _)| version);
        format!("{}{version}", TITLES[usize::from(self.ranking_a_line)])
    }

    /// Reads the first line of a file, without its `# `; `None` of what is no golden run.
    ///
    /// # Errors
    /// A version that is not read.
    pub fn from_title(line: &str) -> Option<Result<Self>> {
        let version = TITLES.iter().find_map(|title| line.strip_prefix(title))?.trim_end();
        let form = Self::VERSIONS.iter().find(|(known, _)| *known == version).map(|(_, form)| *form);
        Some(form.ok_or_else(|| {
            let known = Self::VERSIONS.map(|(version, _)| version).join(", ");
            Error::invalid(format!("a golden run of version {}, and this reads {known}", Quoted(version)))
        }))
    }

    /// The form of what is being read; `None` of what is no golden run.
    ///
    /// # Errors
    /// A version that is not read: whatever its lines are, their scores are not the order.
    pub(super) fn peek(input: &mut Input<'_>) -> Result<Option<Self>> {
        let text = input.peek_text()?;
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = line.strip_prefix(b"# ").and_then(|line| std::str::from_utf8(line).ok());
        let form = line.and_then(Self::from_title).transpose();
        form.map_err(|error| Error::in_file(input.path(), error.to_string()))
    }
}

/// How often all queries were asked is said in the head.
pub(super) const TIMES: &str = "times";

/// The value of a line in the head of a golden run, `name: value`.
pub(super) fn value<'a>(head: &'a [String], name: &str) -> Option<&'a str> {
    head.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
}

/// The number of a repeat, as its lines have it: 2 of `repeat-2`.
pub(super) fn number(tag: &str) -> Option<usize> {
    tag.strip_prefix("repeat-")?.parse().ok()
}

/// # Errors
/// A run that has no such repeat.
pub(super) fn check_repeat(repeat: usize, path: &Path, comments: &[String]) -> Result<()> {
    let times = value(comments, TIMES).and_then(|times| times.parse().ok()).unwrap_or(1);
    if (1..=times).contains(&repeat) {
        return Ok(());
    }
    let has = if times == 1 { "one ranking".to_owned() } else { format!("{times} rankings") };
    Err(Error::in_file(path, format!("repeat {repeat} of a run that has {has} a query")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_say_the_form() {
        for (version, form) in GoldenForm::VERSIONS {
            let golden = if form.ranking_a_line { "golden " } else { "" };
            assert_eq!(form.title(), format!("rankgate {golden}run, version {version}"));
            assert_eq!(GoldenForm::from_title(&form.title()).unwrap().unwrap(), form);
        }
        assert!(GoldenForm::from_title("a run").is_none());
        let error =
            GoldenForm::from_title("rankgate golden run, version 1").unwrap().unwrap_err().to_string();
        assert_eq!(error, "a golden run of version `1`, and this reads 6, 7, 8, 9");
    }
}
