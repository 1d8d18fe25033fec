//! Plots of a report as files.

use std::fs;
use std::path::Path;

use rankgate::BoxError;
use rankgate::benchmark::model::Report;
use rankgate::report;

/// Writes the plots of a report into a folder, which is made where there is none.
pub(crate) fn write(folder: &Path, of: &Report) -> Result<(), BoxError> {
    let failed = |path: &Path, error| format!("cannot write {}: {error}", path.display());
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for (name, svg) in report::plots(of) {
        let path = folder.join(name);
        fs::write(&path, svg).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}
