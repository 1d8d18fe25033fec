//! Reports as files: a folder for each benchmark, whose report is of the last run that there was.

use std::fs::File;
use std::path::Path;
use std::time::SystemTime;

use crate::error::chain;
use crate::output::{Written, write_whole};
use crate::spec::Spec;
use crate::{Error, Result};

use crate::measure::report_file as file;
use crate::model::Report;
use crate::report::RENDERINGS;

/// Writes the renderings of a report, each file whole or not at all. They are as old as the run, even if the last run wrote
/// the same.
pub(crate) fn write_files(output: &Path, report: &Report) -> Result<()> {
    remove_errors(output, report);
    for (ending, render) in RENDERINGS {
        let path = file(output, &report.benchmark, ending);
        if write_whole(&path, render(report).as_bytes())? == Written::Unchanged {
            let touched = File::options().write(true).open(&path);
            // Only the age that is shown would be wrong.
            drop(touched.and_then(|file| file.set_modified(SystemTime::now())));
        }
    }
    Ok(())
}

/// Replaces the last report by the errors of a spec, so that it is not taken for today's. `shown`
/// is the spec's path as reports show it.
pub(crate) fn write_error(output: &Path, [spec, shown]: [&Path; 2], error: &Error) -> Result<()> {
    let named = Spec::name_in(spec).or_else(|| {
        // A file that is not there, perhaps by a misspelt path, makes no report.
        let stem = spec.is_file().then(|| spec.file_stem())??;
        Some(stem.to_string_lossy().into_owned())
    });
    let Some(benchmark) = named else { return Ok(()) };
    let report = Report {
        spec: shown.display().to_string().replace('\\', "/"),
        spec_sha256: crate::collection::file_sha256(spec).ok(),
        error: Some(chain(error)),
        ..Report::blank(&benchmark)
    };
    write_files(output, &report)
}

/// Removes the page with the errors of a spec whose name could not be read, which is under that of its file.
fn remove_errors(output: &Path, report: &Report) {
    let Some(stem) = Path::new(&report.spec).file_stem().filter(|stem| **stem != *report.benchmark) else {
        return;
    };
    let earlier = std::fs::read(file(output, &stem.to_string_lossy(), "json")).unwrap_or_default();
    let earlier: serde_json::Value = serde_json::from_slice(&earlier).unwrap_or_default();
    if earlier["error"].is_string() && earlier["spec"] == *report.spec {
        // What cannot be removed is reported as older than the spec. Whatever else is in the folder stays.
        for (ending, _) in RENDERINGS {
            drop(std::fs::remove_file(file(output, &stem.to_string_lossy(), ending)));
        }
        drop(std::fs::remove_dir(output.join(stem)));
    }
}
