//! The lowest layer of writing: files that are replaced as a whole or not at all.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use crate::words::keywords;
use crate::{Error, Result};

/// How the name of a file begins that is to replace another.
const PREFIX: &str = ".rankgate-";
/// How it ends.
const SUFFIX: &str = ".tmp";
/// No write of a file takes that long.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// An output that is being written, with the name that errors call it by.
pub struct Output<'a> {
    path: &'a Path,
    writer: &'a mut dyn Write,
}

impl<'a> Output<'a> {
    pub fn new(path: &'a Path, writer: &'a mut dyn Write) -> Self {
        Self { path, writer }
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer.write_all(bytes).map_err(|error| cannot_write(self.path, error))
    }

    /// Writes a line and its end.
    pub fn line(&mut self, line: fmt::Arguments<'_>) -> Result<()> {
        self.writer
            .write_fmt(line)
            .and_then(|()| self.writer.write_all(b"\n"))
            .map_err(|error| cannot_write(self.path, error))
    }

    /// Writes a value as one line of JSON.
    pub fn json_line(&mut self, value: &impl Serialize) -> Result<()> {
        let failed = |error| cannot_write(self.path, error);
        let mut line = serde_json::to_string(value).map_err(|error| failed(error.into()))?;
        line.push('\n');
        self.writer.write_all(line.as_bytes()).map_err(failed)
    }
}

/// Writes a file so that at any moment its path holds the old contents or the new ones: to a
/// temporary file beside it, which then takes its name. A path that ends in `.gz` is compressed.
/// An output that is no regular file, such as a pipe, is written to directly.
pub fn replace_file(path: &Path, write: impl FnOnce(&mut Output<'_>) -> Result<()>) -> Result<()> {
    replace_boxed(path, Box::new(write))
}

/// The output; in a box, so that all of this is compiled once.
type Writing<'a> = Box<dyn FnOnce(&mut Output<'_>) -> Result<()> + 'a>;

fn replace_boxed(path: &Path, write: Writing<'_>) -> Result<()> {
    let failed = |error| cannot_write(path, error);
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            let file = File::options().write(true).open(path).map_err(failed)?;
            write_into(path, file, write).map(drop)
        }
        Ok(_) => replace(path, &fs::canonicalize(path).map_err(failed)?, write),
        Err(_) => replace(path, path, write),
    }
}

fn replace(path: &Path, target: &Path, write: Writing<'_>) -> Result<()> {
    let failed = |error| cannot_write(path, error);
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // A temporary file is private by default, and its errors name it; this one becomes an ordinary file, and errors
    // are about the path that was asked for.
    let ordinary = |path: &Path| File::options().read(true).write(true).create_new(true).open(path);
    let (file, temporary) = builder.make_in(folder, ordinary).map_err(failed)?.into_parts();
    let file = write_into(path, file, write)?;
    file.sync_all().map_err(failed)?;
    drop(file);
    temporary.persist(target).map_err(|error| failed(error.error))
}

keywords! {
    /// What came of a file that was to be written.
    pub enum Written {
        /// It was not there before.
        New = "new",
        /// It held something else.
        Changed = "changed",
        /// It held the same and was left alone.
        Unchanged = "unchanged",
    }
}

/// Writes a file as [`replace_file`] does, unless it holds the text already: that saves waiting for the
/// disk. Folders are made as needed, and what killed processes left there is removed.
pub fn write_whole(path: &Path, text: &[u8]) -> Result<Written> {
    let written = match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && fs::read(path).is_ok_and(|held| held == text) => {
            return Ok(Written::Unchanged);
        }
        // A pipe is not read to find out: that might wait for ever.
        Ok(_) => Written::Changed,
        Err(_) => Written::New,
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|error| Error::output("cannot make folder", folder, error))?;
        remove_abandoned(folder);
    }
    replace_file(path, |file| file.bytes(text))?;
    Ok(written)
}

/// Removes temporary files that processes which were killed have left in a folder of this crate's
/// own. A file that cannot be removed stays: it does no harm.
pub fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(|entry| entry.ok()) {
        let name = entry.file_name();
        let temporary = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        let changed = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if temporary && changed().is_some_and(|age| age > ABANDONED) {
            drop(fs::remove_file(entry.path()));
        }
    }
}

fn write_into(path: &Path, file: File, write: Writing<'_>) -> Result<File> {
    let failed = |error: io::Error| cannot_write(path, error);
    let mut buffered = BufWriter::new(file);
    let ends_in =
        |ending: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending));
    if ends_in("zst") {
        return Err(Error::in_file(path, "files are compressed with gzip: let the name end in .gz"));
    }
    if ends_in("gz") {
        let mut encoder = GzEncoder::new(buffered, Compression::default());
        write(&mut Output::new(path, &mut encoder))?;
        buffered = encoder.finish().map_err(failed)?;
    } else {
        write(&mut Output::new(path, &mut buffered))?;
    }
    buffered.into_inner().map_err(|error| failed(error.into_error()))
}

fn cannot_write(path: &Path, error: io::Error) -> Error {
    Error::output("cannot write", path, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.run");
        replace_file(&path, |output| output.line(format_args!("old"))).unwrap();
        let failed = replace_file(&path, |output| {
            output.line(format_args!("half"))?;
            Err(Error::invalid("stopped"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "stopped");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old\n");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_name_in_gz_is_compressed_to_the_same_bytes_each_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.run.gz");
        let write = || replace_file(&path, |output| output.line(format_args!("line"))).unwrap();
        write();
        let first = fs::read(&path).unwrap();
        write();
        assert_eq!((&first[..2], fs::read(&path).unwrap() == first), (&[0x1f, 0x8b][..], true));
        assert_eq!(Source::from(&path).text().unwrap(), "line\n");
    }

    #[test]
    fn what_the_killed_left_is_removed_once_it_is_old() {
        let dir = tempfile::tempdir().unwrap();
        let long_ago = std::time::SystemTime::now() - 2 * ABANDONED;
        for name in [".rankgate-old.tmp", ".rankgate-new.tmp", ".rankgate-notes", "a.tmp"] {
            let file = File::create(dir.path().join(name)).unwrap();
            if !name.contains("new") {
                file.set_modified(long_ago).unwrap();
            }
        }
        remove_abandoned(dir.path());
        let mut left: Vec<_> =
            fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [".rankgate-new.tmp", ".rankgate-notes", "a.tmp"]);
    }

    #[test]
    fn a_missing_folder_is_an_error_that_names_the_file() {
        let error = replace_file(Path::new("no/such/a.run"), |_| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), "cannot write no/such/a.run");
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(!cause.contains(PREFIX), "{cause}");
    }

    #[cfg(unix)]
    #[test]
    fn a_written_file_is_an_ordinary_one_and_links_stay_links() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (path, link) = (dir.path().join("a"), dir.path().join("link"));
        replace_file(&path, |_| Ok(())).unwrap();
        assert_ne!(fs::metadata(&path).unwrap().permissions().mode() & 0o040, 0);
        symlink(&path, &link).unwrap();
        replace_file(&link, |output| output.line(format_args!("new"))).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new\n");
        assert!(link.is_symlink());
    }
}
