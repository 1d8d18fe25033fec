//! What to do where the code under test is slow for want of optimization.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace::Workspace;

/// A package whose tests run.
#[derive(Clone, Debug)]
pub(crate) struct PackageUnderTest {
    name: String,
    /// The workspace's manifest, where profiles are.
    manifest: PathBuf,
}

/// The package whose test, example or program cargo has started.
pub(crate) fn package_under_test() -> Option<PackageUnderTest> {
    let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let root = variable("CARGO_MANIFEST_DIR")?;
    Some(PackageUnderTest::new(&variable("CARGO_PKG_NAME")?, &Workspace::find(Path::new(&root))))
}

impl PackageUnderTest {
    pub(crate) fn new(name: &str, workspace: &Workspace) -> Self {
        Self { name: name.to_owned(), manifest: workspace.root.join("Cargo.toml") }
    }

    /// The lines of a manifest that optimize the package in its tests, where this build is not for release and nothing says
    /// that it is optimized.
    pub(crate) fn advice(&self) -> Option<String> {
        let variables = ["CARGO_PROFILE_DEV_OPT_LEVEL", "CARGO_PROFILE_TEST_OPT_LEVEL"];
        let is_set = variables.into_iter().any(|name| env::var(name).is_ok_and(|level| level != "0"));
        let manifest = fs::read_to_string(&self.manifest).unwrap_or_default();
        // Of a profile with debug assertions, as that of tests: it is rankgate's own.
        let may_help = cfg!(debug_assertions) && !is_set && !is_optimized(&manifest, &self.name);
        may_help.then(|| {
            format!(
                "note: this build is not optimized, which makes retrievers in Rust several times slower. These lines of the \
                 workspace's Cargo.toml optimize {name}; another crate that searches needs them as well:\n\n\
                 [profile.dev.package.{name}]\nopt-level = 3\n",
                name = self.name
            )
        })
    }
}

/// Whether a manifest sets the level of optimization of a package in its tests, or of all.
fn is_optimized(manifest: &str, package: &str) -> bool {
    let mut of_package = false;
    manifest.lines().map(str::trim).any(|line| {
        if let Some(table) = line.strip_prefix('[') {
            let table = table.split(']').next().unwrap_or_default().replace(['"', '\'', ' '], "");
            let mut profiles = ["profile.dev", "profile.test"].into_iter();
            of_package =
                profiles.any(|profile| table == profile || table == format!("{profile}.package.{package}"));
        }
        let level = line.strip_prefix("opt-level").and_then(|rest| rest.trim_start().strip_prefix('='));
        of_package && level.is_some_and(|level| level.split('#').next().unwrap_or_default().trim() != "0")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_that_optimizes_the_package_is_seen() {
        for (manifest, expected) in [
            ("", false),
            ("[package]\nname = \"search\"\n[profile.release]\nopt-level = 3\n", false),
            ("[profile.dev]\nopt-level = 1\n", true),
            ("[profile.dev]\nopt-level = 0 # fast builds\n[profile.test]\nopt-level=\"s\"\n", true),
            ("[profile.dev]\nopt-level = 0\n", false),
            ("[profile.dev.package.search]\nopt-level = 3\n", true),
            ("[profile.dev.package.\"search\"] # engine\n  opt-level = 3\n", true),
            (
                "[profile.dev.package.other]\nopt-level = 3\n[profile.dev.package.\"*\"]\nopt-level = 3\n",
                false,
            ),
        ] {
            assert_eq!(is_optimized(manifest, "search"), expected, "{manifest}");
        }
    }

    #[test]
    fn the_advice_names_the_package_and_is_given_once_it_may_help() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace { root: folder.path().to_owned(), several: false };
        let package = PackageUnderTest::new("search", &workspace);
        let advice = package.advice();
        assert_eq!(
            advice.is_some(),
            cfg!(debug_assertions) && env::var("CARGO_PROFILE_DEV_OPT_LEVEL").is_err()
        );
        assert!(advice.is_none_or(|text| text.ends_with("[profile.dev.package.search]\nopt-level = 3\n")));
        fs::write(folder.path().join("Cargo.toml"), "[profile.dev]\nopt-level = 2\n").unwrap();
        assert_eq!(package.advice(), None);
    }
}
