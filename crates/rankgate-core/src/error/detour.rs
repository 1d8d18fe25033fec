//! Paths in messages without detours.

use std::path::{Component, Path, PathBuf};

/// The path without `folder/..`: `benchmarks/../data` is `data`. A step into a link is no detour and stays, since `..`
/// leads from its end to elsewhere; so does one into a missing folder.
pub fn direct(path: &Path) -> PathBuf {
    let is_back = |component: &Component<'_>| *component == Component::ParentDir;
    if !path.components().any(|component| is_back(&component)) {
        return path.to_owned();
    }
    let mut direct = PathBuf::new();
    for component in path.components() {
        let named = matches!(direct.components().next_back(), Some(Component::Normal(_)));
        if named && is_back(&component) && direct.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            direct.pop();
        } else {
            direct.push(component);
        }
    }
    if direct.as_os_str().is_empty() { ".".into() } else { direct }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_and_back_is_left_out_where_it_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("benchmarks/deep")).unwrap();
        for (path, expected) in [
            ("benchmarks/../data/x", "data/x"),
            ("benchmarks/deep/../../data", "data"),
            ("benchmarks/../benchmarks/./deep", "benchmarks/deep"),
            ("nosuch/../data", "nosuch/../data"),
            ("data", "data"),
        ] {
            assert_eq!(direct(&at(path)), at(expected), "{path}");
        }
        assert_eq!(direct(Path::new("../../x")), Path::new("../../x"));
        assert_eq!(direct(Path::new("src/..")), Path::new("."));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("benchmarks/deep"), at("link")).unwrap();
            assert_eq!(direct(&at("link/../x")), at("link/../x"));
        }
    }
}
