//! Writing blessed runs, which is done nowhere but in golden folders.

use std::path::Path;

use rankgate_report::internal::golden::GoldenRun;

use crate::Result;
use crate::output::Written;

use super::bless::write_atomically;

/// Writes the file of a blessed run, if it changed; says what came of it.
pub(crate) fn write_run(run: &GoldenRun, path: &Path) -> Result<Written> {
    write_atomically(path, &run.to_bytes()?)
}
