//! The files that a table is in: one, or those of a folder.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use rankgate_core::{Error, Result};

/// The Parquet files at a path, by name; `None` if there is none, so that the path is for other readers.
///
/// Names in a folder that begin with `_` or `.` are left out, such as `_SUCCESS` and checksums.
///
/// # Errors
///
/// A folder that cannot be read, or with other files beside Parquet files.
pub fn files(path: &Path) -> Result<Option<Vec<PathBuf>>> {
    let Ok(metadata) = path.metadata() else { return Ok(None) };
    if metadata.is_file() {
        return Ok(is_parquet(path).then(|| vec![path.to_owned()]));
    }
    let mut found = Vec::new();
    if metadata.is_dir() {
        within(path, &mut found)?;
    }
    if !found.iter().any(|path| is_parquet(path)) {
        return Ok(None);
    }
    match found.iter().find(|path| !is_parquet(path)) {
        Some(other) => Err(Error::in_file(
            other,
            "this is not a Parquet file, as others beside it are: it does not begin with PAR1",
        )),
        None => Ok(Some(found)),
    }
}

fn within(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |error| Error::io("cannot read folder", folder, error);
    let paths = fs::read_dir(folder).map_err(failed)?.map(|entry| Ok(entry.map_err(failed)?.path()));
    let mut paths = paths.collect::<Result<Vec<PathBuf>>>()?;
    paths.sort_unstable();
    let hidden =
        |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(['_', '.']));
    for path in paths.into_iter().filter(|path| !hidden(path)) {
        if path.is_dir() { within(&path, found)? } else { found.push(path) }
    }
    Ok(())
}

/// Returns true if a file begins like Parquet, and not like the line of a query whose id begins so.
fn is_parquet(path: &Path) -> bool {
    let mut head = Vec::new();
    // A named pipe waits for whoever writes to it, and reading takes bytes out of it.
    let regular = path.metadata().is_ok_and(|metadata| metadata.is_file());
    let mut read = || File::open(path)?.take(5).read_to_end(&mut head);
    let text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    regular && read().is_ok() && head.starts_with(b"PAR1") && !head.get(4).is_some_and(text)
}
