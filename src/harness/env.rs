//! What the test runner tells by the environment: every variable of it is read here.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cache::TestRun;
use crate::golden::Site;
use crate::workspace::Workspace;

use super::arguments::Arguments;

/// Where and under which runner the tests run.
#[derive(Clone, Debug)]
pub(super) struct Environment {
    /// The user's crate.
    pub(super) root: PathBuf,
    /// The workspace that it is in, where cargo is run.
    pub(super) workspace: Workspace,
    /// Where reports and caches go: `target/rankgate`.
    pub(super) output: PathBuf,
    /// The test run, when each test gets a process of its own.
    pub(super) run: Option<TestRun>,
    /// Whether nextest started this process, for one test or to list them: it keeps what is printed.
    pub(super) is_nextest: bool,
    /// What GitHub Actions wants to be told, where this runs there.
    pub(super) github: GitHub,
    /// The user's test.
    site: Site,
}

/// What GitHub Actions wants to be told.
#[derive(Clone, Debug, Default)]
pub(super) struct GitHub {
    /// Whether lines of the output are commands to the runner.
    pub(super) actions: bool,
    /// The Markdown file that is shown beside the workflow's run.
    pub(super) step_summary: Option<PathBuf>,
}

impl GitHub {
    fn read() -> Self {
        let summary = env::var_os("GITHUB_STEP_SUMMARY").filter(|value| !value.is_empty());
        Self {
            actions: env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true"),
            step_summary: summary.map(PathBuf::from),
        }
    }
}

impl Environment {
    /// The name of the test target in its manifest.
    pub(super) fn target(&self) -> String {
        target_name(self.site.file, self.site.target)
    }

    /// The command that runs the tests of which this is one.
    pub(super) fn command(&self) -> String {
        let target = self.target();
        let package = match self.workspace.several {
            true => format!(" -p {}", self.site.package),
            false => String::new(),
        };
        format!("cargo test{package} --test {target}")
    }

    pub(super) fn read(site: Site, arguments: &Arguments) -> Self {
        let told = env::var_os("CARGO_MANIFEST_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let root = folder_of(Path::new(site.manifest_dir), site.package, told);
        let is_nextest = is_nextest(arguments, |name| env::var(name).ok());
        let per_process = env::var("NEXTEST_EXECUTION_MODE").is_ok_and(|mode| mode == "process-per-test");
        let id = env::var("NEXTEST_RUN_ID").ok().filter(|_| is_nextest && per_process);
        // Each round of a stress run is one of its own: it is there to see what changes.
        let round = env::var("NEXTEST_STRESS_CURRENT").unwrap_or_default();
        let id = id.map(|id| format!("{id}{round}"));
        let run = id.map(|id| TestRun { id, binary: binary(&root), attempt: attempt() });
        let workspace = Workspace::find(&root);
        Self {
            output: target(&root).join("rankgate"),
            github: GitHub::read(),
            workspace,
            site,
            root,
            run,
            is_nextest,
        }
    }

    /// The path as reports show it: relative to the workspace where it lies inside.
    pub(super) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.workspace.root).unwrap_or(path).display().to_string().replace('\\', "/")
    }
}

/// The name of a test target in its manifest: the compiler's name of it has no dashes, the file has those that it has.
fn target_name(file: &str, target: &str) -> String {
    let path = Path::new(file);
    let named =
        if path.ends_with("main.rs") { path.parent().and_then(Path::file_name) } else { path.file_stem() };
    let named = named.and_then(OsStr::to_str).filter(|name| name.replace('-', "_") == target);
    named.unwrap_or(target).to_owned()
}

/// The user's crate: the folder that cargo or nextest names at run time, as long as it is the same package, which is right where
/// an archive was unpacked elsewhere; else the one in which the test was compiled.
fn folder_of(compiled: &Path, package: &str, told: Option<PathBuf>) -> PathBuf {
    let is_package = |told: &PathBuf| match package_of(told) {
        Some(name) => name == package,
        None => !compiled.exists(),
    };
    told.filter(is_package).unwrap_or_else(|| compiled.to_owned())
}

/// The package whose manifest is in a folder.
fn package_of(folder: &Path) -> Option<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[package]").skip(1);
    let name = lines.by_ref().take_while(|line| !line.starts_with('[')).find_map(|line| {
        line.strip_prefix("name")?.trim_start().strip_prefix('=')?.trim().get(1..)?.split(['"', '\'']).next()
    });
    name.map(str::to_owned)
}

/// Whether nextest started this process. It asks for a list, or for one test by its name; where the variables are left
/// over from it, as in a shell that a test or a script of it has started, nobody does.
fn is_nextest(arguments: &Arguments, variable: impl Fn(&str) -> Option<String>) -> bool {
    let is = |name: &str, value: &str| variable(name).is_some_and(|found| found == value);
    let named = |test: &str| variable("NEXTEST_TEST_NAME").is_none_or(|name| name == test);
    is("NEXTEST", "1") && (arguments.lists() || arguments.one_test().is_some_and(named))
}

/// This build of this test binary, among the others of a test run.
fn binary(root: &Path) -> Vec<u8> {
    let exe = env::current_exe().unwrap_or_default();
    let built = fs::metadata(&exe).ok().map(|file| (file.len(), file.modified().ok()));
    let built = format!("{built:?}").into_bytes();
    [root.as_os_str().as_encoded_bytes(), exe.as_os_str().as_encoded_bytes(), &built].join(&0)
}

/// More attempts than any profile asks for.
const ATTEMPTS: u32 = 1000;

/// How often nextest has started this test, from 1.
fn attempt() -> u32 {
    env::var("NEXTEST_ATTEMPT").ok().and_then(|attempt| attempt.parse().ok()).unwrap_or(1).min(ATTEMPTS)
}

/// Cargo's target folder: the one this very test lies in, else what the environment says.
fn target(root: &Path) -> PathBuf {
    // cargo marks its target folder with this file.
    let holds_mark = |folder: &&Path| folder.join("CACHEDIR.TAG").is_file();
    let exe = env::current_exe().ok();
    exe.as_deref()
        .and_then(|exe| exe.ancestors().skip(1).find(holds_mark))
        .map(Path::to_owned)
        .or_else(|| env::var_os("CARGO_TARGET_DIR").map(|target| root.join(target)))
        .unwrap_or_else(|| root.join("target"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_named_as_in_its_manifest() {
        for (file, target, expected) in [
            ("tests/retrieval.rs", "retrieval", "retrieval"),
            ("crates/a/tests/its-retrieval.rs", "its_retrieval", "its-retrieval"),
            ("tests/its-retrieval/main.rs", "its_retrieval", "its-retrieval"),
            ("tests/other.rs", "retrieval", "retrieval"),
            ("main.rs", "main", "main"),
            ("", "retrieval", "retrieval"),
        ] {
            assert_eq!(target_name(file, target), expected, "{file}");
        }
    }

    #[test]
    fn the_folder_is_that_of_the_package_wherever_it_is() {
        let place = tempfile::tempdir().unwrap();
        let crate_of = |folder: &str, package: &str| {
            let folder = place.path().join(folder);
            fs::create_dir_all(&folder).unwrap();
            let manifest =
                format!("[workspace]\n\n[package]\nedition = \"2024\"\nname = \"{package}\" # ours\n");
            fs::write(folder.join("Cargo.toml"), manifest).unwrap();
            folder
        };
        let (own, copy, foreign) =
            (crate_of("own", "search"), crate_of("copy", "search"), crate_of("other", "shop"));
        let nowhere = place.path().join("nowhere");
        let bare = place.path().join("bare");
        fs::create_dir(&bare).unwrap();
        for (compiled, told, folder) in [
            (&own, None, &own),
            (&own, Some(&own), &own),
            (&own, Some(&copy), &copy),
            (&nowhere, Some(&copy), &copy),
            (&nowhere, Some(&bare), &bare),
            (&own, Some(&bare), &own),
            (&own, Some(&foreign), &own),
            (&nowhere, Some(&foreign), &nowhere),
        ] {
            assert_eq!(&folder_of(compiled, "search", told.cloned()), folder);
        }
    }

    #[test]
    fn variables_of_nextest_that_are_left_over_are_not_heard() {
        let is = |arguments: &[&str], variables: &[(&str, &str)]| {
            let arguments = Arguments::read(&arguments.join(" "));
            is_nextest(&arguments, |name| {
                variables.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned())
            })
        };
        let nextest = [("NEXTEST", "1")];
        let one = ["--exact", "toy::words::nDCG@3", "--nocapture"];
        assert!(is(&one, &nextest) && is(&["--list", "--format", "terse"], &nextest));
        assert!(!is(&[], &nextest) && !is(&["toy::words"], &nextest) && !is(&one, &[]));
        let of = |name| [("NEXTEST", "1"), ("NEXTEST_TEST_NAME", name)];
        assert!(is(&one, &of("toy::words::nDCG@3")) && !is(&one, &of("another")));
    }
}
