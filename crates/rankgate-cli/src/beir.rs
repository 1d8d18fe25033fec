//! The judgments of a collection in the layout of BEIR, where its folder is named in their place.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use rankgate::BoxError;

/// The split that BEIR's own figures are of.
const TEST: &str = "test";

/// The file of judgments that a path stands for: of a folder with `qrels/` in it, or of `qrels/` itself, the split
/// `test`, or the only one. Any other path stands for itself.
///
/// # Errors
/// Several splits, of which none is `test`: one of them has to be named.
pub(crate) fn judgments(path: &Path) -> Result<Cow<'_, Path>, BoxError> {
    let inner = path.join("qrels");
    let mut files = splits(if inner.is_dir() { &inner } else { path });
    files.sort();
    let is_test = |file: &&PathBuf| split(file) == TEST;
    match (files.iter().find(is_test), &files[..]) {
        (Some(file), _) | (None, [file]) => Ok(file.clone().into()),
        (None, []) => Ok(path.into()),
        (None, several) => {
            let names: Vec<String> = several.iter().map(|file| file.display().to_string()).collect();
            let folder = path.display();
            Err(format!("{folder}: there are judgments of several splits; name one of {}", names.join(", "))
                .into())
        }
    }
}

/// The files of judgments in a folder.
fn splits(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|file| file.is_file() && split(file) != name(file)).collect()
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// `test` of `test.tsv.gz`; the whole name where it is no such file.
pub(crate) fn split(file: &Path) -> String {
    let name = name(file);
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    plain.strip_suffix(".tsv").unwrap_or(&name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_its_judgments() {
        // The files of qrels/, and the file that is taken or what the error names.
        for (files, expected) in [
            (&["test.tsv", "train.tsv"][..], "test.tsv"),
            (&["test.tsv.gz"], "test.tsv.gz"),
            (&["dev.tsv"], "dev.tsv"),
            (&["notes.txt"], ""),
            (&["train.tsv", "dev.tsv"], "dev.tsv, "),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let qrels = folder.path().join("qrels");
            fs::create_dir(&qrels).unwrap();
            for file in files {
                fs::write(qrels.join(file), "").unwrap();
            }
            for named in [folder.path(), &qrels] {
                match judgments(named) {
                    Ok(found) if expected.is_empty() => assert_eq!(found, named, "{files:?}"),
                    Ok(found) => assert_eq!(found, qrels.join(expected), "{files:?}"),
                    Err(error) => assert!(error.to_string().contains(expected), "{error}"),
                }
            }
        }
        for itself in ["nosuch", "-", "Cargo.toml"] {
            assert_eq!(judgments(Path::new(itself)).unwrap(), Path::new(itself));
        }
    }
}
