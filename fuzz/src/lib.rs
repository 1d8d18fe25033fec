//! What several targets need.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rankgate::{Hit, Run};
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    // In memory where there is such a folder: files are written thousands of times a second.
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a folder for files")
});

/// A path for a file; what an earlier input left there is removed.
pub fn no_file(name: &str) -> PathBuf {
    let path = FOLDER.path().join(name);
    drop(fs::remove_file(&path));
    path
}

/// A file that holds `bytes`.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = FOLDER.path().join(name);
    fs::write(&path, bytes).expect("a file can be written");
    path
}

/// A run to the last bit, in which -0 is not 0.
pub fn exact(run: &Run) -> Vec<(String, Vec<(String, u64)>)> {
    let bits = |hits: &[Hit]| hits.iter().map(|hit| (hit.id.clone(), hit.score.to_bits())).collect();
    run.iter().map(|(query, hits)| (query.to_owned(), bits(hits))).collect()
}

/// `N` parts of the input, between zero bytes; missing ones are empty.
pub fn parts<const N: usize>(bytes: &[u8]) -> [&[u8]; N] {
    let mut parts = bytes.splitn(N, |byte| *byte == 0);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// A message that says something, on no more than a screenful.
pub fn is_message(message: &str) {
    assert!(!message.trim().is_empty(), "an empty message");
    assert!(message.len() < 100_000, "a message of {} bytes", message.len());
}
