//! Errors about files outside of the repository quote nothing of them: whoever may change a spec may not read these.

use std::path::Path;

use crate::Result;

use super::Cache;

impl Cache {
    /// The same, without text of a file that is outside of the spec's repository.
    pub(super) fn unquoted<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| match error.input_path() {
            Some(path) if is_outside(path, &self.spec.path) => error.without_text(),
            _ => error,
        })
    }
}

/// Whether a file is in another place than the repository of the spec; false where there is none.
fn is_outside(path: &Path, spec: &Path) -> bool {
    let (Ok(path), Ok(spec)) = (path.canonicalize(), spec.canonicalize()) else { return false };
    let root = spec.ancestors().skip(1).find(|folder| folder.join(".git").exists());
    root.is_some_and(|root| !path.starts_with(root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::RunReader;

    #[test]
    fn text_of_files_outside_the_repository_is_not_quoted() {
        let (repository, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let spec = repository.path().join("a.yaml");
        std::fs::write(&spec, "").unwrap();
        let [inside, outside] = [repository.path(), elsewhere.path()].map(|folder| folder.join("shadow"));
        for file in [&inside, &outside] {
            std::fs::write(file, "root:$6$secret:19000:0:99999:7:::\n").unwrap();
        }
        assert!(!is_outside(&outside, &spec), "there is no repository");
        std::fs::create_dir(repository.path().join(".git")).unwrap();
        assert_eq!([is_outside(&inside, &spec), is_outside(&outside, &spec)], [false, true]);
        let error = RunReader::new().read(&outside).unwrap_err();
        assert_eq!(error.input_path(), Some(&*outside));
        assert!(error.to_string().contains("secret"));
        let error = error.without_text().to_string();
        assert!(error.contains("shadow:1: ") && !error.contains("secret"), "{error}");
    }
}
