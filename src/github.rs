//! The summary of a GitHub workflow's step.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use crate::model::Report;
use crate::report::markdown_within;
use crate::{Error, Result};

/// GitHub refuses the summary of a step that is longer: 1 MiB.
const LIMIT: u64 = 1 << 20;

/// Appends reports as Markdown to the summary of a step, the file that `GITHUB_STEP_SUMMARY` names. What
/// would make it longer than the 1 MiB that GitHub takes is left out, with a note.
///
/// # Errors
/// A file that cannot be written.
pub fn append_step_summary(path: impl AsRef<Path>, reports: &[Report]) -> Result<()> {
    let path = path.as_ref();
    let failed = |error| Error::output("cannot write", path, error);
    let mut file = File::options().create(true).append(true).open(path).map_err(failed)?;
    let mut length = file.metadata().map_err(failed)?.len();
    for (index, report) in reports.iter().enumerate() {
        // Each gets its share of what is left, so that the first does not push the others out.
        let share = LIMIT.saturating_sub(length) / (reports.len() - index) as u64;
        let text = markdown_within(report, usize::try_from(share.saturating_sub(1)).unwrap_or(usize::MAX));
        if !text.is_empty() {
            let text = format!("{text}\n");
            file.write_all(text.as_bytes()).map_err(failed)?;
            length += text.len() as u64;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        serde_json::from_str(include_str!("../crates/rankgate-report/src/report/example.json")).unwrap()
    }

    #[test]
    fn reports_are_appended_and_never_beyond_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.md");
        append_step_summary(&path, &[report()]).unwrap();
        let one = std::fs::read_to_string(&path).unwrap();
        append_step_summary(&path, &[report(), report()]).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), one.repeat(3));

        let nearly = "x".repeat(LIMIT as usize - 1000);
        std::fs::write(&path, &nearly).unwrap();
        append_step_summary(&path, &[report(), report()]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.len() <= LIMIT as usize && text.starts_with(&nearly));
        assert_eq!(text[nearly.len()..].matches("left out here").count(), 2, "{}", &text[nearly.len()..]);
        append_step_summary(&path, &[report()]).unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() <= LIMIT);
    }
}
