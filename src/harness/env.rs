//! What the test runner tells by the environment: every variable of it is read here.

use std::env;
use std::path::{Path, PathBuf};

use crate::cache::TestRun;
use crate::golden::Site;
use crate::workspace::Workspace;

use super::own_main::target_name;

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
    /// The workspace's folder in the repository, which annotations name files relative to.
    pub(super) folder: String,
}

impl GitHub {
    fn read(root: &Path) -> Self {
        let path = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = path("GITHUB_WORKSPACE").and_then(|all| Some(root.strip_prefix(all).ok()?.to_owned()));
        Self {
            actions: env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true"),
            step_summary: path("GITHUB_STEP_SUMMARY"),
            folder: folder.map_or(String::new(), |path| path.display().to_string().replace('\\', "/")),
        }
    }
}

impl Environment {
    /// The command that runs the tests of which this is one.
    pub(super) fn command(&self) -> String {
        let target = target_name(self.site.file, self.site.target);
        let package = match self.workspace.several {
            true => format!(" -p {}", self.site.package),
            false => String::new(),
        };
        format!("cargo test{package} --test {target}")
    }

    pub(super) fn read(site: Site) -> Self {
        // Set at run time by cargo and nextest, and right where an archive was unpacked elsewhere.
        let root = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| site.manifest_dir.into(), PathBuf::from);
        let nextest = env::var("NEXTEST").is_ok_and(|value| value == "1");
        let per_process = env::var("NEXTEST_EXECUTION_MODE").is_ok_and(|mode| mode == "process-per-test");
        let id = env::var("NEXTEST_RUN_ID").ok().filter(|_| nextest && per_process);
        // Each round of a stress run is one of its own: it is there to see what changes.
        let round = env::var("NEXTEST_STRESS_CURRENT").unwrap_or_default();
        let id = id.map(|id| format!("{id}{round}"));
        let run = id.map(|id| TestRun { id, binary: binary(&root), attempt: attempt() });
        let workspace = Workspace::of(&root);
        Self {
            output: target(&root).join("rankgate"),
            github: GitHub::read(&workspace.root),
            workspace,
            site,
            root,
            run,
        }
    }

    /// The path as reports show it: relative to the workspace where it lies inside.
    pub(super) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.workspace.root).unwrap_or(path).display().to_string().replace('\\', "/")
    }
}

/// Whether each test has a process of its own, whose output the runner keeps.
pub(super) fn is_nextest() -> bool {
    env::var("NEXTEST").is_ok_and(|value| value == "1")
}

/// This test binary, among the others of a test run.
fn binary(root: &Path) -> Vec<u8> {
    let exe = env::current_exe().unwrap_or_default();
    [root.as_os_str().as_encoded_bytes(), exe.as_os_str().as_encoded_bytes()].join(&0)
}

/// How often nextest has started this test, from 1.
fn attempt() -> u32 {
    env::var("NEXTEST_ATTEMPT").ok().and_then(|attempt| attempt.parse().ok()).unwrap_or(1)
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
