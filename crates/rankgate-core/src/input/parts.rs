//! The files that a table is in: one, or those of a folder or a pattern.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::{Error, Result};

/// As many bytes as it takes to recognise a Parquet file.
pub(super) const HEAD: u64 = 5;

/// Whether it begins like a Parquet file, and not like the line of a query whose id begins so.
pub(super) fn begins(head: &[u8]) -> bool {
    let text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    head.starts_with(b"PAR1") && !head.get(4).is_some_and(text)
}

/// The files of a table at a path; `None` where there is none, which is then for others to read.
///
/// A folder is one where there is a Parquet file in it, at any depth; whatever begins with `_` or `.` is not looked
/// at, as `_SUCCESS` and checksums are. A path that does not exist and holds `*`, `?` or `[` is a pattern.
pub(super) fn files(path: &Path) -> Result<Option<Vec<PathBuf>>> {
    let Ok(metadata) = path.metadata() else { return matching(path) };
    if metadata.is_file() {
        return Ok(is_parquet(path).then(|| vec![path.to_owned()]));
    }
    if !metadata.is_dir() {
        return Ok(None);
    }
    let mut found = Vec::new();
    within(path, &mut found)?;
    checked(found)
}

/// The files that match a pattern, those of folders that do included.
fn matching(pattern: &Path) -> Result<Option<Vec<PathBuf>>> {
    let Some(text) = pattern.to_str().filter(|text| text.contains(['*', '?', '['])) else { return Ok(None) };
    let paths = glob::glob(text)
        .map_err(|error| Error::in_file(pattern, format!("it is no file, and no pattern: {error}")))?;
    let typed = |name: &OsStr| pattern.components().any(|component| component.as_os_str() == name);
    let passed_over = |path: &Path| {
        path.components().any(|component| match component {
            Component::Normal(name) => hidden(&name.to_string_lossy()) && !typed(name),
            _ => false,
        })
    };
    let mut found = Vec::new();
    for path in paths {
        let path = path.map_err(|error| {
            let folder = error.path().to_owned();
            Error::io("cannot read folder", &folder, error.into())
        })?;
        if passed_over(&path) {
            continue;
        }
        if path.is_dir() { within(&path, &mut found)? } else { found.push(path) }
    }
    if found.is_empty() {
        return Err(Error::in_file(pattern, "no file matches this pattern"));
    }
    found.sort_unstable();
    // A folder and what is in it may both match.
    found.dedup();
    match checked(found)? {
        Some(found) => Ok(Some(found)),
        None => Err(Error::in_file(pattern, "what matches this pattern are no Parquet files")),
    }
}

/// The files, if any of them is Parquet; then all have to be.
fn checked(found: Vec<PathBuf>) -> Result<Option<Vec<PathBuf>>> {
    let other = found.iter().find(|path| !is_parquet(path));
    match other {
        Some(_) if !found.iter().any(|path| is_parquet(path)) => Ok(None),
        Some(other) => Err(Error::in_file(
            other,
            "it is no Parquet file, as others beside it are: it does not begin with PAR1",
        )),
        None => Ok(Some(found).filter(|found| !found.is_empty())),
    }
}

fn within(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for path in entries(folder)? {
        if path.file_name().is_some_and(|name| hidden(&name.to_string_lossy())) {
            continue;
        }
        if path.is_dir() { within(&path, found)? } else { found.push(path) }
    }
    Ok(())
}

/// What stands in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error| Error::io("cannot read folder", folder, error);
    let paths = fs::read_dir(folder).map_err(failed)?.map(|entry| Ok(entry.map_err(failed)?.path()));
    let mut paths = paths.collect::<Result<Vec<PathBuf>>>()?;
    paths.sort_unstable();
    Ok(paths)
}

fn hidden(name: &str) -> bool {
    name.starts_with(['_', '.'])
}

fn is_parquet(path: &Path) -> bool {
    let mut head = Vec::new();
    // A named pipe waits for whoever writes to it, and what was read of it is gone.
    let regular = path.metadata().is_ok_and(|metadata| metadata.is_file());
    let mut read = || File::open(path)?.take(HEAD).read_to_end(&mut head);
    regular && read().is_ok() && begins(&head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_what_an_engine_wrote_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for (name, text) in [
            ("date=2/part-0.parquet", "PAR1"),
            ("date=1/part-1.parquet", "PAR1"),
            ("date=1/part-0.parquet", "PAR1"),
            ("date=1/.part-0.parquet.crc", "crc"),
            ("_temporary/0/part-0.parquet", "PAR1"),
            ("_SUCCESS", ""),
        ] {
            fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            fs::write(path(name), text).unwrap();
        }
        let three =
            ["date=1/part-0.parquet", "date=1/part-1.parquet", "date=2/part-0.parquet"].map(path).to_vec();
        assert_eq!(files(folder.path()).unwrap(), Some(three.clone()));
        assert_eq!(files(&path("date=*")).unwrap(), Some(three.clone()));
        assert_eq!(files(&path("date=[2-3]/*.parquet")).unwrap(), Some(three[2..].to_vec()));
        assert_eq!(files(&path("date=[!13]/part-?.parquet")).unwrap(), Some(three[2..].to_vec()));
        assert_eq!(
            files(&path("**/part-0.parquet")).unwrap(),
            Some(vec![three[0].clone(), three[2].clone()])
        );
        // What begins with `_` or `.` is looked at where it is typed.
        let temporary = path("_temporary/0/part-0.parquet");
        assert_eq!(files(&path("_temporary/*")).unwrap(), Some(vec![temporary]));
        let wrong = files(&path("date=[1")).unwrap_err().to_string();
        assert!(wrong.contains("date=[1: it is no file, and no pattern: "), "{wrong}");
        assert_eq!(files(&three[0]).unwrap(), Some(three[..1].to_vec()));
        assert_eq!(files(&path("_SUCCESS")).unwrap(), None);
        let none = files(&path("*.csv")).unwrap_err().to_string();
        assert!(none.ends_with("*.csv: no file matches this pattern"), "{none}");
        fs::write(path("date=1/part-2.parquet"), "").unwrap();
        let error = files(folder.path()).unwrap_err().to_string();
        assert!(
            error.ends_with(
                "part-2.parquet: it is no Parquet file, as others beside it are: it does not begin with PAR1"
            ),
            "{error}"
        );
    }
}
