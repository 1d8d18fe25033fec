//! Looks at the locked half: each is written into the golden folder, and makes the next claim harder.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Quoted;
use crate::json::record;
use crate::{Error, Result};

record! {
    /// One look at the locked half of a benchmark's queries.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Look {
        /// Its number, from 1, of all looks at this benchmark.
        pub look: usize,
        /// The configuration.
        pub configuration: String,
        /// The metric.
        pub metric: String,
        /// What was chosen, by key.
        pub chosen: BTreeMap<String, String>,
        /// What stood then, by key.
        pub today: BTreeMap<String, String>,
        /// Queries of the locked half.
        pub queries: usize,
        /// Mean of what was chosen less mean of what stood.
        pub difference: f64,
        /// The interval of the difference, where there is one.
        pub interval?: Option<[f64; 2]>,
        /// The one-sided p-value of a gain.
        pub p: f64,
        /// What it had to be at most: half of 1 - confidence, over the number of the look.
        pub level: f64,
        /// Whether a gain is shown.
        pub shown: bool,
        /// The key of the hash that halves the queries.
        pub key: String,
        /// SHA-256 of the scores of both sides, by query: the same scores are no second look.
        pub scores: String,
    }
}

/// The looks in a file's text, JSON lines.
///
/// # Errors
/// A line that is no look, or whose number is not that of its line: then looks were taken out, or two branches looked.
pub(super) fn parse(path: &Path, text: &str) -> Result<Vec<Look>> {
    let mut looks = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: String| Error::in_file(path, format!("line {}: {why}", at + 1));
        let look: Look =
            serde_json::from_str(line).map_err(|error| wrong(format!("{error}: {}", Quoted(line))))?;
        let expected = looks.len() + 1;
        if look.look != expected {
            return Err(wrong(format!(
                "look {} where look {expected} belongs: looks were taken out, or two branches looked at once. Put back what is missing, \
                 or number them from 1 in the order in which they were made",
                look.look
            )));
        }
        looks.push(look);
    }
    Ok(looks)
}

/// Checks that no look that was committed is gone or changed.
///
/// # Errors
/// Looks that are.
pub(super) fn check_committed(path: &Path, committed: &[Look], looks: &[Look]) -> Result<()> {
    let kept = committed.iter().zip(looks).take_while(|(one, other)| one == other).count();
    match committed.get(kept) {
        None => Ok(()),
        Some(gone) => Err(Error::in_file(
            path,
            format!(
                "look {} at {}, which was committed, is gone or changed, so that the next look would not count it: `git checkout HEAD -- {}`",
                gone.look,
                Quoted(&gone.configuration),
                path.display()
            ),
        )),
    }
}

/// The text of a file with these looks.
pub(super) fn to_lines(looks: &[Look]) -> Result<String> {
    let line = |look: &Look| serde_json::to_string(look).map(|text| text + "\n");
    looks.iter().map(line).collect::<Result<_, _>>().map_err(|error| Error::invalid(error.to_string()))
}
