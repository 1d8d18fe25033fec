//! The files that a table is in: one, or those of a folder or a pattern.

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
    let special = |text: &str| text.contains(['*', '?', '[']);
    if !pattern.to_str().is_some_and(special) {
        return Ok(None);
    }
    let mut paths = vec![PathBuf::new()];
    for component in pattern.components() {
        match component {
            Component::Normal(name) if name.to_str().is_some_and(special) => {
                let name: Vec<char> = name.to_string_lossy().chars().collect();
                let mut next = Vec::new();
                for folder in &paths {
                    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                    for entry in entries(here).unwrap_or_default() {
                        let Some(entry) = entry.file_name().map(|name| name.to_string_lossy().into_owned())
                        else {
                            continue;
                        };
                        if !hidden(&entry) && fits(&name, &entry.chars().collect::<Vec<_>>()) {
                            next.push(folder.join(entry));
                        }
                    }
                }
                paths = next;
            }
            other => paths.iter_mut().for_each(|path| path.push(other)),
        }
    }
    let mut found = Vec::new();
    for path in paths {
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => within(&path, &mut found)?,
            Ok(_) => found.push(path),
            Err(_) => {}
        }
    }
    if found.is_empty() {
        return Err(Error::in_file(pattern, "no file matches this pattern"));
    }
    found.sort_unstable();
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

/// Whether a name fits a pattern of `*`, `?` and `[a-z]`.
fn fits(pattern: &[char], name: &[char]) -> bool {
    match pattern {
        [] => name.is_empty(),
        ['*', rest @ ..] => (0..=name.len()).any(|skipped| fits(rest, &name[skipped..])),
        ['?', rest @ ..] => !name.is_empty() && fits(rest, &name[1..]),
        ['[', rest @ ..] if rest.contains(&']') => {
            let end = rest.iter().position(|c| *c == ']').unwrap_or_default();
            let (set, rest) = (&rest[..end], &rest[end + 1..]);
            let (negated, mut set) = match set {
                ['!' | '^', set @ ..] => (true, set),
                set => (false, set),
            };
            let Some((first, name)) = name.split_first() else { return false };
            let mut within = false;
            while let [low, after @ ..] = set {
                match after {
                    ['-', high, after @ ..] => {
                        within |= (low..=high).contains(&first);
                        set = after;
                    }
                    after => {
                        within |= low == first;
                        set = after;
                    }
                }
            }
            within != negated && fits(rest, name)
        }
        [c, rest @ ..] => name.first() == Some(c) && fits(rest, &name[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_patterns_as_in_a_shell() {
        let fits = |pattern: &str, name: &str| {
            fits(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        for (pattern, name) in [
            ("*", "a"),
            ("part-*.parquet", "part-00.snappy.parquet"),
            ("part-?", "part-1"),
            ("p[0-9a]", "pa"),
            ("p[!b]", "pa"),
            ("p[", "p["),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("?", ""), ("part-*.parquet", "part-0.csv"), ("p[0-9]", "pa"), ("p[^a]", "pa")]
        {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }

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
