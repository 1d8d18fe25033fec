//! What a user wrote for a table: a file, a folder or a pattern, on a disk or in a bucket.

use std::path::{Path as FilePath, absolute};

use datafusion::common::{Result, exec_datafusion_err, exec_err};
use datafusion::execution::object_store::ObjectStoreRegistry;
use futures::TryStreamExt;
use glob::{MatchOptions, Pattern};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt};
use url::Url;

use super::Stores;

/// A store and what is in it.
#[derive(Clone, Debug)]
pub struct Place {
    /// As it was written.
    pub name: String,
    /// The store's URL, without a path.
    pub store: Url,
    /// A file or a folder.
    prefix: Path,
    /// What paths must match.
    pattern: Option<Pattern>,
}

impl Place {
    /// Reads `runs/*.parquet`, `/data/qrels`, `s3://bucket/runs/`, `file:///data/qrels.parquet`.
    ///
    /// # Errors
    ///
    /// No such scheme; a pattern that is none; a path that is no UTF-8.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |error: &dyn std::fmt::Display| exec_datafusion_err!("{text}: {error}");
        let (store, path) = match text.split_once("://") {
            Some(("file", path)) => (local()?, absolute_path(path)?),
            Some((scheme, rest)) => {
                let (bucket, path) = rest.split_once('/').unwrap_or((rest, ""));
                (Url::parse(&format!("{scheme}://{bucket}")).map_err(|error| wrong(&error))?, path.to_owned())
            }
            None => (local()?, absolute_path(text)?),
        };
        let (prefix, pattern) = match path.find(['*', '?', '[']) {
            Some(wild) => {
                let folder = path[..wild].rfind('/').map_or("", |slash| &path[..slash]);
                let pattern = Pattern::new(path.trim_start_matches('/')).map_err(|error| wrong(&error))?;
                (folder, Some(pattern))
            }
            None => (path.as_str(), None),
        };
        let prefix = Path::parse(prefix.trim_start_matches('/').trim_end_matches('/'))
            .map_err(|error| wrong(&error))?;
        Ok(Self { name: text.to_owned(), store, prefix, pattern })
    }

    /// The URL of the file or folder, as SQL engines take it.
    #[must_use]
    pub fn url(&self) -> String {
        format!(
            "{}/{}",
            self.store.as_str().trim_end_matches('/'),
            self.pattern.as_ref().map_or(self.prefix.as_ref(), |pattern| pattern.as_str())
        )
    }

    /// The Parquet files, in the order of their paths.
    ///
    /// # Errors
    ///
    /// A store that does not answer; no file.
    pub(super) async fn files(&self, stores: &Stores) -> Result<Vec<ObjectMeta>> {
        let store = stores.get_store(&self.store)?;
        let failed = |error: object_store::Error| exec_datafusion_err!("{}: {error}", self.name);
        if self.pattern.is_none() && !self.prefix.as_ref().is_empty() {
            match store.head(&self.prefix).await {
                Ok(file) => return Ok(vec![file]),
                // A folder, or nothing.
                Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        let mut files: Vec<ObjectMeta> =
            store.list(Some(&self.prefix)).try_collect().await.map_err(failed)?;
        files.retain(|file| self.holds(&file.location));
        files.sort_by(|one, other| one.location.cmp(&other.location));
        if files.is_empty() {
            return exec_err!("{}: there is no Parquet file (no name ends in .parquet)", self.name);
        }
        Ok(files)
    }

    /// Whether a path is one of the table's files. What begins with `_` or `.` is what engines leave lying, unless it was
    /// typed; a folder that matches a pattern stands for the files in it.
    fn holds(&self, path: &Path) -> bool {
        let left_lying = |name: &str| name.starts_with(['_', '.']);
        let text = path.as_ref();
        let Some(pattern) = &self.pattern else {
            let mut below = path.prefix_match(&self.prefix).into_iter().flatten();
            return text.ends_with(".parquet") && !below.any(|part| left_lying(part.as_ref()));
        };
        let typed = |name: &str| pattern.as_str().split('/').any(|typed| typed == name);
        let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
        let matches = |text: &str| pattern.matches_with(text, options);
        let mut folders = text.match_indices('/').map(|(end, _)| &text[..end]);
        !text.split('/').any(|name| left_lying(name) && !typed(name))
            && (matches(text) || text.ends_with(".parquet") && folders.any(matches))
    }

    /// What messages call a file.
    pub(super) fn shown(&self, path: &Path) -> String {
        match self.store.scheme() {
            "file" => format!("/{path}"),
            _ => format!("{}/{path}", self.store.as_str().trim_end_matches('/')),
        }
    }
}

fn local() -> Result<Url> {
    Url::parse("file:///").map_err(|error| exec_datafusion_err!("{error}"))
}

/// From the root, as stores have it.
fn absolute_path(path: &str) -> Result<String> {
    let whole = absolute(FilePath::new(path)).map_err(|error| exec_datafusion_err!("{path}: {error}"))?;
    match whole.to_str() {
        Some(whole) => Ok(whole.to_owned()),
        None => exec_err!("{path}: the path is no UTF-8"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> (String, String, Option<String>) {
        let place = Place::parse(text).unwrap();
        (
            place.store.to_string(),
            place.prefix.to_string(),
            place.pattern.map(|pattern| pattern.as_str().to_owned()),
        )
    }

    #[test]
    fn a_place_is_a_store_and_a_path() {
        let of = |store: &str, prefix: &str, pattern: Option<&str>| {
            (store.to_owned(), prefix.to_owned(), pattern.map(str::to_owned))
        };
        assert_eq!(place("/data/run.parquet"), of("file:///", "data/run.parquet", None));
        assert_eq!(place("file:///data/run"), of("file:///", "data/run", None));
        assert_eq!(place("/data/*/part-?.parquet"), of("file:///", "data", Some("data/*/part-?.parquet")));
        assert_eq!(place("s3://bucket/runs/"), of("s3://bucket", "runs", None));
        assert_eq!(place("s3://bucket/runs/*.parquet"), of("s3://bucket", "runs", Some("runs/*.parquet")));
        assert_eq!(place("gs://bucket"), of("gs://bucket", "", None));
    }

    #[test]
    fn what_engines_leave_lying_is_no_table() {
        let place = Place::parse("s3://bucket/_runs").unwrap();
        let holds = |path: &str| place.holds(&Path::from(path));
        assert!(holds("_runs/a.parquet") && holds("_runs/day=1/a.parquet"));
        assert!(
            !holds("_runs/_temporary/a.parquet") && !holds("_runs/_SUCCESS") && !holds("_runs/.a.parquet")
        );
    }

    #[test]
    fn a_pattern_matches_what_it_matches_of_files_on_a_disk() {
        let holds = |pattern: &str, path: &str| Place::parse(pattern).unwrap().holds(&Path::from(path));
        let runs = "s3://bucket/_runs/*";
        assert!(holds(runs, "_runs/a.parquet") && holds(runs, "_runs/part-0"));
        assert!(!holds(runs, "_runs/_SUCCESS") && !holds(runs, "_runs/.a.parquet.crc"));
        // A folder that matches is looked into, as one that is typed is.
        assert!(holds(runs, "_runs/day=1/a.parquet"));
        assert!(!holds(runs, "_runs/day=1/notes.txt") && !holds(runs, "_runs/_temporary/a.parquet"));
        assert!(holds("s3://bucket/runs/_tmp/*", "runs/_tmp/a.parquet"));
        assert!(!holds("s3://bucket/runs/*.parquet", "runs/day=1/a.parquet"));
        assert!(holds("s3://bucket/runs/day=*", "runs/day=1/a.parquet"));
    }
}
