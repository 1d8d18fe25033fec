//! Plots of a report as files.

use std::path::Path;

use rankgate::benchmark::model::Report;
use rankgate::report;
use rankgate::standalone::write_file;

/// Writes the plots of a report into a folder, which is made where there is none.
pub(crate) fn write(folder: &Path, of: &Report) -> rankgate::Result<()> {
    report::plots(of).iter().try_for_each(|(name, svg)| write_file(folder.join(name), svg))
}
