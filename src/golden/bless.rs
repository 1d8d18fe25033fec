//! Whether golden files are to be written, and writing them.

use std::path::Path;

use crate::ci;
use crate::error::Quoted;
use crate::output::{Written, write_whole};
use crate::yaml::nearest;
use crate::{Error, ErrorKind, Result};

use super::place::refuse_outside;

/// The variable that asks for golden files to be written.
pub(crate) const VARIABLE: &str = "RANKGATE_BLESS";
/// The variable that accepts what is lost with them, for histories.
pub(crate) const ACCEPT_LOSS: &str = "RANKGATE_BLESS_ACCEPT_LOSS";

/// What the environment says of golden files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bless {
    /// Golden files are to be written.
    pub(crate) on: bool,
    /// Also those of configurations whose blocking thresholds fail.
    pub(crate) force: bool,
    /// What is lost with them is accepted: histories raise no alarm of it.
    pub(crate) accept_loss: bool,
    /// This is a CI machine: nothing is ever written.
    pub(crate) ci: bool,
}

impl Bless {
    /// Nothing is ever written.
    pub(crate) fn never() -> Self {
        Self { on: false, force: false, accept_loss: false, ci: ci::is_here() }
    }

    /// Reads `RANKGATE_BLESS` and the variables by which CI systems make themselves known.
    ///
    /// # Errors
    /// An invalid value, a misspelt name; blessing under CI, where no one reviews the result.
    pub(crate) fn from_env() -> Result<Self> {
        let mut names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        names.try_for_each(|name| refuse_misspelt(&name))?;
        Self::from(|name| std::env::var(name).ok())
    }

    /// Blesses because somebody typed a command that says so; the variable is not looked at.
    ///
    /// # Errors
    /// Under CI, where no one reviews blessings.
    pub(crate) fn by_command() -> Result<Self> {
        if let Some(variable) = ci::told_by(&|name| std::env::var(name).ok()) {
            return Err(refused_in_ci(variable));
        }
        Ok(Self { on: true, force: false, accept_loss: false, ci: false })
    }

    fn from(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let ci = ci::told_by(&variable);
        let (on, force) = match variable(VARIABLE).as_deref() {
            None | Some("" | "0" | "false" | "no") => (false, false),
            Some("1" | "true" | "yes") => (true, false),
            Some("force") => (true, true),
            Some(other) => {
                return Err(Error::with_kind(
                    ErrorKind::Setup,
                    format!("{VARIABLE} is `{other}`; it takes 1, 0 or force"),
                ));
            }
        };
        if let Some(ci) = ci.filter(|_| on) {
            return Err(refused_in_ci(ci));
        }
        let accept_loss = match variable(ACCEPT_LOSS).as_deref() {
            None | Some("" | "0" | "false" | "no") => false,
            Some("1" | "true" | "yes") if on => true,
            Some("1" | "true" | "yes") => {
                let message = format!(
                    "{ACCEPT_LOSS} is set and {VARIABLE} is not 1: it goes with golden files that are written"
                );
                return Err(Error::with_kind(ErrorKind::Setup, message));
            }
            Some(other) => {
                let message = format!("{ACCEPT_LOSS} is {}; it takes 1 or 0", Quoted(other));
                return Err(Error::with_kind(ErrorKind::Setup, message));
            }
        };
        Ok(Self { on, force, accept_loss, ci: ci.is_some() })
    }
}

/// # Errors
/// The name of a variable that may stand for one of these: nothing would be blessed, and nobody would know why.
fn refuse_misspelt(name: &str) -> Result<()> {
    let known = [VARIABLE, ACCEPT_LOSS];
    // `RANKGATE_BL`: whoever has variables of their own beside these calls them something else.
    if known.contains(&name) || !name.starts_with(&VARIABLE[..11]) {
        return Ok(());
    }
    let near = nearest(name, known).unwrap_or(VARIABLE);
    let message = format!("the variable {} is unknown; did you mean {near}?", Quoted(name));
    Err(Error::with_kind(ErrorKind::Setup, message))
}

/// Writes `text` to `path`, a file of `golden/<benchmark>/`, by way of a temporary file in the same
/// folder; says what came of it. Folders are made as needed.
///
/// # Errors
/// A file that cannot be written; a link that leads out of the golden folder.
pub(crate) fn write_atomically(path: &Path, text: &[u8]) -> Result<Written> {
    refuse_outside(path)?;
    if let Some(golden) = path.parent().and_then(Path::parent).filter(|golden| !golden.exists()) {
        write_whole(&golden.join(".gitignore"), IGNORED.as_bytes())?;
    }
    write_whole(path, text)
}

/// What lies beside golden files for a while and is not to be committed.
pub const IGNORED: &str = "# What `cargo insta review` is to look at, and what an interrupted write leaves.\n*.snap.new\n.rankgate-*.tmp\n";

/// Why nothing is blessed: no one reviews the files there.
fn refused_in_ci(variable: &str) -> Error {
    let message = format!(
        "Refusing to bless in CI (the variable {variable} is set). Run this command locally and commit the golden files."
    );
    Error::with_kind(ErrorKind::Setup, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_variable_is_named() {
        let error = refuse_misspelt("RANKGATE_BLES").unwrap_err().to_string();
        assert_eq!(error, "the variable `RANKGATE_BLES` is unknown; did you mean RANKGATE_BLESS?");
        for name in ["RANKGATE_DATA", "RANKGATE_MINE", "RANKGATE"] {
            assert!(refuse_misspelt(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn the_first_golden_file_brings_what_git_leaves_out() {
        let folder = tempfile::tempdir().unwrap();
        let golden = folder.path().join("golden");
        write_atomically(&golden.join("toy/a.run"), b"a\n").unwrap();
        assert!(
            std::fs::read(golden.join(".gitignore")).unwrap().ends_with(b"*.snap.new\n.rankgate-*.tmp\n")
        );
        std::fs::remove_file(golden.join(".gitignore")).unwrap();
        write_atomically(&golden.join("toy/b.run"), b"b\n").unwrap();
        assert!(!golden.join(".gitignore").exists(), "somebody removed it");
    }

    fn bless(variables: &[(&str, &str)]) -> Result<Bless> {
        Bless::from(|name| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn the_environment_says_whether_to_bless() {
        let never = Bless { on: false, force: false, accept_loss: false, ci: false };
        let never = || never.clone();
        assert_eq!(bless(&[]).unwrap(), never());
        assert_eq!(bless(&[("CI", "true")]).unwrap(), Bless { ci: true, ..never() });
        assert_eq!(bless(&[("CI", "false"), (VARIABLE, "1")]).unwrap(), Bless { on: true, ..never() });
        assert_eq!(bless(&[(VARIABLE, "force")]).unwrap(), Bless { on: true, force: true, ..never() });
        assert_eq!(bless(&[("CI", "False"), (VARIABLE, "1")]).unwrap(), Bless { on: true, ..never() });
        assert!(
            bless(&[("CI", "1"), (VARIABLE, "1")])
                .unwrap_err()
                .to_string()
                .contains("in CI (the variable CI is set)")
        );
        assert_eq!(
            bless(&[(VARIABLE, "please")]).unwrap_err().to_string(),
            "RANKGATE_BLESS is `please`; it takes 1, 0 or force"
        );
        let accepting = bless(&[(VARIABLE, "force"), (ACCEPT_LOSS, "yes")]).unwrap();
        assert_eq!(accepting, Bless { on: true, force: true, accept_loss: true, ..never() });
        for (variables, why) in [
            (
                &[(ACCEPT_LOSS, "1")][..],
                "is set and RANKGATE_BLESS is not 1: it goes with golden files that are written",
            ),
            (&[(VARIABLE, "1"), (ACCEPT_LOSS, "please")], "is `please`; it takes 1 or 0"),
        ] {
            assert_eq!(bless(variables).unwrap_err().to_string(), format!("{ACCEPT_LOSS} {why}"));
        }
    }

    #[test]
    fn the_usual_ci_systems_are_recognised_whether_or_not_they_set_ci() {
        for variable in [
            ("GITHUB_ACTIONS", "true"),
            ("GITLAB_CI", "true"),
            ("BUILDKITE", "true"),
            ("JENKINS_URL", "https://ci.example.org/"),
            ("BUILD_NUMBER", "17"),
            ("TF_BUILD", "True"),
            ("TEAMCITY_VERSION", "2026.1"),
            ("CODEBUILD_BUILD_ID", "search:b1e6661e-e4f2-4156-9ab9-82a19EXAMPLE"),
            ("bamboo_buildKey", "SEARCH-MAIN-JOB1"),
            ("GO_PIPELINE_NAME", "search"),
            ("APPVEYOR", "True"),
        ] {
            assert_eq!(
                bless(&[variable]).unwrap(),
                Bless { on: false, force: false, accept_loss: false, ci: true },
                "{variable:?}"
            );
            assert!(bless(&[variable, (VARIABLE, "1")]).is_err(), "{variable:?}");
        }
    }

    #[test]
    fn writing_replaces_the_whole_file_and_says_what_came_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/a.run");
        let write = |text: &[u8]| write_atomically(&path, text).unwrap();
        let written = [write(b"long text"), write(b"short"), write(b"short")];
        assert_eq!(written, [Written::New, Written::Changed, Written::Unchanged]);
        assert_eq!(std::fs::read(&path).unwrap(), b"short");
        let left: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1, "no temporary file is left");
    }
}
