//! Whether a file is the one that was published, or else the one that came first.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use md5::{Digest, Md5};

use crate::catalogue::Remote;
use crate::collection::file_sha256;
use crate::output::write_whole;
use crate::{Error, Result};

/// Compares a file with what was published of it, and with the SHA-256 that is noted in a folder since a file of its
/// name was first found right; gives it where nobody published a checksum.
///
/// # Errors
/// A file that is another.
pub(super) fn check(remote: &Remote, path: &Path, notes: &Path) -> Result<Option<String>> {
    let bytes = fs::metadata(path).map_err(|error| Error::io("cannot read", path, error))?.len();
    if let Some(expected) = remote.bytes.filter(|expected| *expected != bytes) {
        return Err(Error::in_file(path, format!("it has {bytes} bytes, and {expected} were published")));
    }
    let differs = |kind: &str, found: &str, expected: &str, by: &str| {
        Err(Error::in_file(
            path,
            format!("its {kind} is {found}, and {by} is {expected}: it is another file"),
        ))
    };
    if let Some(expected) = &remote.md5 {
        let found = file_md5(path)?;
        if !found.eq_ignore_ascii_case(expected) {
            return differs("md5", &found, expected, "that published");
        }
    }
    let found = file_sha256(path)?;
    if let Some(expected) = &remote.sha256
        && !found.eq_ignore_ascii_case(expected)
    {
        return differs("sha256", &found, expected, "that published");
    }
    // As `sha256sum` writes it.
    let note = notes.join(format!("{}.sha256", remote.file_name()));
    match fs::read_to_string(&note) {
        Ok(text) => {
            let expected = text.split_whitespace().next().unwrap_or_default();
            if expected != found {
                let by = format!("that of the one that came first, as {} says,", note.display());
                return differs("sha256", &found, expected, &by);
            }
        }
        Err(_) => drop(write_whole(&note, format!("{found}  {}\n", remote.file_name()).as_bytes())?),
    }
    Ok((remote.md5.is_none() && remote.sha256.is_none()).then_some(found))
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
        let remote = |rest: &str| -> Remote {
            serde_json::from_str(&format!("{{\"url\": \"http://a/abc\", \"name\": \"abc\"{rest}}}")).unwrap()
        };
        // RFC 1321, A.5; FIPS 180-2, B.1.
        let md5 = "900150983cd24fb0d6963f7d28e17f72";
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let notes = folder.path();
        for (rest, expected) in [
            (", \"bytes\": 4", Err("it has 3 bytes, and 4 were published")),
            (", \"md5\": \"0\"", Err("its md5 is 900150983cd24fb0d6963f7d28e17f72, and that published is 0")),
            (", \"sha256\": \"0\"", Err("that published is 0: it is another file")),
            (&format!(", \"md5\": \"{}\", \"bytes\": 3", md5.to_uppercase()), Ok(None)),
            (&format!(", \"sha256\": \"{sha256}\""), Ok(None)),
            ("", Ok(Some(sha256.to_owned()))),
        ] {
            match (check(&remote(rest), &path, notes), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected),
                (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
                (found, expected) => panic!("{found:?} {expected:?}"),
            }
        }
        fs::write(&path, "abd").unwrap();
        let error = check(&remote(""), &path, notes).unwrap_err().to_string();
        assert!(
            error.contains("and that of the one that came first, as ") && error.contains(sha256),
            "{error}"
        );
    }
}
