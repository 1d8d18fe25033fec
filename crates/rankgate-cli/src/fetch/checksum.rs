//! Whether a file is the one that was published, or else the one that came first.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use md5::{Digest, Md5};

use super::collection::file_sha256;
use super::output::write_whole;
use super::{Error, Result};
use rankgate::catalogue::{Data, Remote};

/// Compares a file with its published checksum; gives its SHA-256 where none is published.
///
/// # Errors
/// A file that is another.
pub(super) fn check(remote: &Remote, path: &Path) -> Result<Option<String>> {
    let bytes = fs::metadata(path).map_err(|error| Error::io("cannot read", path, error))?.len();
    if let Some(expected) = remote.bytes.filter(|expected| *expected != bytes) {
        return Err(Error::in_file(path, format!("it has {bytes} bytes, and {expected} were published")));
    }
    let compare = |kind: &str, found: &str, expected: &str| {
        if found.eq_ignore_ascii_case(expected) {
            return Ok(());
        }
        let message = format!("its {kind} is {found}, and that published is {expected}: it is another file");
        Err(Error::in_file(path, message))
    };
    if let Some(expected) = &remote.md5 {
        compare("md5", &file_md5(path)?, expected)?;
    }
    if let Some(expected) = &remote.sha256 {
        compare("sha256", &file_sha256(path)?, expected)?;
    }
    if remote.has_checksum() { Ok(None) } else { file_sha256(path).map(Some) }
}

/// The note on a file of a benchmark without a published checksum: the SHA-256 of the first one that was
/// looked through and found right.
pub(super) struct Note(PathBuf);

impl Note {
    pub(super) fn new(data: &Data, benchmark: &str, remote: &Remote) -> Self {
        Self(data.downloads().join(benchmark).join(format!("{}.sha256", remote.file_name())))
    }

    /// Compares a file, whose SHA-256 this is, with the note, if there is one.
    ///
    /// # Errors
    /// A file that is another.
    pub(super) fn check(&self, path: &Path, found: &str) -> Result<()> {
        let Ok(text) = fs::read_to_string(&self.0) else { return Ok(()) };
        let expected = text.split_whitespace().next().unwrap_or_default();
        if expected == found {
            return Ok(());
        }
        let note = self.0.display();
        let message = format!(
            "its sha256 is {found}, and that of the one that came first, as {note} says, is {expected}: it is another \
             file (remove the note to take the new one)"
        );
        Err(Error::in_file(path, message))
    }

    /// Notes the SHA-256 of a file, as `sha256sum` writes it.
    pub(super) fn write(&self, remote: &Remote, sha256: &str) -> Result<()> {
        write_whole(&self.0, format!("{sha256}  {}\n", remote.file_name()).as_bytes()).map(drop)
    }
}

fn file_md5(path: &Path) -> Result<String> {
    let failed = |error| Error::io("cannot read", path, error);
    let mut file = File::open(path).map_err(failed)?;
    let (mut hasher, mut block) = (Md5::new(), vec![0; 64 << 10]);
    loop {
        match file.read(&mut block).map_err(failed)? {
            0 => return Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            count => hasher.update(&block[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_one_that_was_published_or_the_one_that_came_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        fs::write(&path, "abc").unwrap();
        // RFC 1321, A.5; FIPS 180-2, B.1.
        let md5 = "900150983cd24fb0d6963f7d28e17f72";
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        for (bytes, sums, expected) in [
            (Some(4), [None, None], Err("it has 3 bytes, and 4 were published")),
            (
                None,
                [Some("0"), None],
                Err("its md5 is 900150983cd24fb0d6963f7d28e17f72, and that published is 0"),
            ),
            (None, [None, Some("0")], Err("that published is 0: it is another file")),
            (Some(3), [Some(&*md5.to_uppercase()), None], Ok(None)),
            (None, [None, Some(sha256)], Ok(None)),
            (None, [None, None], Ok(Some(sha256.to_owned()))),
        ] {
            let mut remote = Remote::new("http://a/abc");
            remote.bytes = bytes;
            [remote.md5, remote.sha256] = sums.map(|sum| sum.map(str::to_owned));
            match (check(&remote, &path), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected),
                (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
                (found, expected) => panic!("{found:?} {expected:?}"),
            }
        }
    }

    #[test]
    fn a_note_is_of_one_file_of_one_benchmark() {
        let folder = tempfile::tempdir().unwrap();
        let data = Data::new(folder.path());
        let remote = Remote::new("http://a/abc");
        let note = Note::new(&data, "ours/one", &remote);
        note.check(Path::new("abc"), "12").unwrap();
        note.write(&remote, "12").unwrap();
        note.check(Path::new("abc"), "12").unwrap();
        let error = note.check(Path::new("abc"), "13").unwrap_err().to_string();
        assert!(error.contains("its sha256 is 13, and that of the one that came first, as "), "{error}");
        assert!(error.contains("abc.sha256 says, is 12: it is another file"), "{error}");
        Note::new(&data, "ours/two", &remote).check(Path::new("abc"), "13").unwrap();
    }
}
