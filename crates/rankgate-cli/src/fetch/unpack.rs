//! Archives are unpacked: the files of a collection, into one folder, and nothing beside it.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;
use zip::result::ZipError;

use super::error::Quoted;
use super::{Error, Result};

/// Texts do not shrink to less than a hundredth.
const MOST_RATIO: u64 = 100;
/// What even the smallest archive may hold.
const MOST_OF_SMALL: u64 = 64 << 20;

/// Unpacks what a collection in the layout of BEIR has from a folder of an archive; gives the names below that folder.
///
/// # Errors
/// A damaged archive or none; one with a name that leads out of it, a link, or far more than it should hold.
pub(super) fn unpack(path: &Path, within: &str, folder: &Path) -> Result<Vec<String>> {
    let damaged = |error: ZipError| Error::in_file(path, format!("it cannot be unpacked: {error}"));
    let refused =
        |name: &str, why: &str| Err(Error::in_file(path, format!("its entry {} {why}", Quoted(name))));
    let file = File::open(path).map_err(|error| Error::io("cannot read", path, error))?;
    let bytes = file.metadata().map_err(|error| Error::io("cannot read", path, error))?.len();
    let most = bytes.saturating_mul(MOST_RATIO).max(MOST_OF_SMALL);
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    let mut names = Vec::new();
    let mut unpacked = 0;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(damaged)?;
        let name = entry.name().map_err(damaged)?.into_owned();
        let Some(place) = entry.enclosed_name() else {
            return refused(&name, "leads out of the archive's folder");
        };
        if entry.is_symlink() {
            return refused(&name, "is a link");
        }
        let Some(below) = wanted(&place, within).filter(|_| entry.is_file()) else { continue };
        if names.contains(&below) {
            return refused(&name, "is there twice");
        }
        let target = folder.join(&below);
        let failed = |error| Error::output("cannot write", &target, error);
        fs::create_dir_all(target.parent().unwrap_or(folder)).map_err(failed)?;
        let mut out = File::create_new(&target).map_err(failed)?;
        let mut limited = entry.take(most - unpacked + 1);
        unpacked += io::copy(&mut limited, &mut out)
            .map_err(|error| Error::in_file(path, format!("it cannot be unpacked: {error}")))?;
        if unpacked > most {
            return refused(&name, "unpacks to far more than such an archive holds");
        }
        names.push(below);
    }
    for needed in ["corpus.jsonl", "queries.jsonl"] {
        if !names.iter().any(|name| name == needed) {
            return Err(Error::in_file(path, format!("it has no `{within}/{needed}`")));
        }
    }
    names.sort();
    Ok(names)
}

/// The name below a folder, where a collection has such a file.
fn wanted(place: &Path, within: &str) -> Option<String> {
    let below = place.strip_prefix(PathBuf::from(within)).ok()?;
    let parts: Vec<&str> = below.iter().map(|part| part.to_str()).collect::<Option<_>>()?;
    let is_it = match *parts.as_slice() {
        ["corpus.jsonl" | "queries.jsonl"] => true,
        ["qrels", file] => file.ends_with(".tsv"),
        _ => false,
    };
    is_it.then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn archive(path: &Path, entries: &[(&str, &str)]) {
        let mut zip = ZipWriter::new(File::create(path).unwrap());
        for (name, text) in entries {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
    }

    const WHOLE: [(&str, &str); 4] = [
        ("x/corpus.jsonl", "c"),
        ("x/queries.jsonl", "q"),
        ("x/qrels/test.tsv", "j"),
        ("x/README.md", "not needed"),
    ];

    #[test]
    fn a_collection_is_unpacked_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let (zip, into) = (folder.path().join("x.zip"), folder.path().join("into"));
        archive(&zip, &WHOLE);
        let names = unpack(&zip, "x", &into).unwrap();
        assert_eq!(names, ["corpus.jsonl", "qrels/test.tsv", "queries.jsonl"]);
        assert_eq!(fs::read_to_string(into.join("qrels/test.tsv")).unwrap(), "j");
        assert_eq!(fs::read_dir(&into).unwrap().count(), 3);
    }

    #[test]
    fn an_archive_that_climbs_out_repeats_lacks_or_swells_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let zip = folder.path().join("x.zip");
        let swollen = "a".repeat((MOST_OF_SMALL + 1) as usize);
        for (more, expected) in [
            (("../evil", "e"), "its entry `../evil` leads out of the archive's folder"),
            (("x/../../evil", "e"), "leads out of the archive's folder"),
            (("x/qrels/dev.tsv", swollen.as_str()), "unpacks to far more than such an archive holds"),
        ] {
            let entries: Vec<_> = WHOLE.into_iter().chain([more]).collect();
            archive(&zip, &entries);
            let into = tempfile::tempdir().unwrap();
            let error = unpack(&zip, "x", into.path()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert!(!folder.path().join("evil").exists());
        }
        archive(&zip, &WHOLE[1..]);
        let error = unpack(&zip, "x", &folder.path().join("a")).unwrap_err().to_string();
        assert!(error.ends_with("it has no `x/corpus.jsonl`"), "{error}");
        // Cut off, and with a byte changed.
        archive(&zip, &WHOLE);
        let whole = fs::read(&zip).unwrap();
        fs::write(&zip, &whole[..whole.len() / 2]).unwrap();
        let error = unpack(&zip, "x", &folder.path().join("b")).unwrap_err().to_string();
        assert!(error.contains("it cannot be unpacked: "), "{error}");
        let mut changed = whole.clone();
        let at = whole.windows(16).position(|part| part == b"x/queries.jsonlq").map(|at| at + 15);
        if let Some(at) = at {
            changed[at] ^= 1;
            fs::write(&zip, &changed).unwrap();
            assert!(unpack(&zip, "x", &folder.path().join("c")).is_err());
        }
    }
}
