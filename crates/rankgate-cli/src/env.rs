//! What the environment tells: every variable that the command reads is read here.

use std::env;
use std::path::PathBuf;

use serde_json::Value as Json;

/// Whether somebody wants no colour (<https://no-color.org>): any value but the empty one.
pub(crate) fn no_color() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// The terminal's width as COLUMNS sets it, as for GNU's tools.
pub(crate) fn columns() -> Option<usize> {
    env::var("COLUMNS").ok()?.parse().ok()
}

/// Whether the environment requests blessing, as for `cargo test`.
pub(crate) fn asks_to_bless() -> bool {
    env::var_os("RANKGATE_BLESS").is_some_and(|value| !matches!(value.to_str(), Some("" | "0")))
}

/// Whether lines of the output are commands to the runner of GitHub Actions.
pub(crate) fn is_github() -> bool {
    env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true")
}

/// Returns true in a job of GitLab CI.
pub(crate) fn is_gitlab() -> bool {
    env::var("GITLAB_CI").is_ok_and(|value| value == "true")
}

/// The Markdown file that GitHub shows beside the workflow's run.
pub(crate) fn step_summary() -> Option<PathBuf> {
    path("GITHUB_STEP_SUMMARY")
}

/// This folder in the repository, which annotations name files relative to.
pub(crate) fn folder_in_repository() -> String {
    let here = env::current_dir().unwrap_or_default();
    let inside = path("GITHUB_WORKSPACE").and_then(|all| Some(here.strip_prefix(all).ok()?.to_owned()));
    inside.map_or(String::new(), |path| path.display().to_string().replace('\\', "/"))
}

/// Where reports go unless somebody says otherwise: `rankgate` in the target folder of the crate or
/// workspace that this folder belongs to, so that this command and `cargo test` agree; outside of any,
/// `target/rankgate` in this folder. What lies above the repository is somebody else's.
pub(crate) fn output() -> PathBuf {
    if let Some(target) = path("CARGO_TARGET_DIR") {
        return target.join("rankgate");
    }
    let up: PathBuf = std::iter::repeat_n("..", crate_root().unwrap_or(0)).collect();
    up.join("target/rankgate")
}

/// Keeps git from adding reports where no crate's `.gitignore` does: theirs lies beside them, as in the caches of other
/// tools. Where it cannot be written, neither can the reports.
pub(crate) fn ignore_output() {
    let output = output();
    let path = output.join(".gitignore");
    let is_ours = env::var_os("CARGO_TARGET_DIR").is_none() && crate_root().is_none();
    if is_ours && !path.exists() && std::fs::create_dir_all(&output).is_ok() {
        drop(std::fs::write(path, "*\n"));
    }
}

/// How many folders up the crate or workspace is that this folder belongs to.
fn crate_root() -> Option<usize> {
    let here = env::current_dir().unwrap_or_default();
    let mut root = None;
    for (up, folder) in here.ancestors().enumerate() {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).ok();
        let is_workspace = manifest.as_ref().is_some_and(|text| text.contains("[workspace"));
        // The nearest crate, unless a workspace around it has the target folder.
        if is_workspace || (manifest.is_some() && root.is_none()) {
            root = Some(up);
        }
        if is_workspace || folder.join(".git").exists() {
            break;
        }
    }
    root
}

/// The variable with the token of a server.
pub(crate) const TOKEN: &str = "RANKGATE_TOKEN";

/// Its value.
pub(crate) fn token() -> Option<String> {
    first(&[TOKEN])
}

/// The project of a server.
pub(crate) fn project() -> Option<String> {
    first(&["RANKGATE_PROJECT"])
}

/// The branch that CI says it builds.
pub(crate) fn branch() -> Option<String> {
    // GitHub's is the name of a tag where one is built.
    let of_ref = first(&["GITHUB_REF_TYPE"]).is_none_or(|kind| kind == "branch");
    first(&["RANKGATE_BRANCH", "GITHUB_HEAD_REF"])
        .or_else(|| first(&["GITHUB_REF_NAME"]).filter(|_| of_ref))
        .or_else(|| {
            first(&[
                "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
                "CI_COMMIT_BRANCH",
                "BUILDKITE_BRANCH",
                "CHANGE_BRANCH",
                "BRANCH_NAME",
                "BUILD_SOURCEBRANCHNAME",
                "CIRCLE_BRANCH",
            ])
        })
}

/// The page of this run of CI.
pub(crate) fn run_of_ci() -> Option<String> {
    let github = || {
        let part = |name| first(&[name]);
        Some(format!(
            "{}/{}/actions/runs/{}",
            part("GITHUB_SERVER_URL")?,
            part("GITHUB_REPOSITORY")?,
            part("GITHUB_RUN_ID")?
        ))
    };
    github().or_else(|| first(&["CI_JOB_URL", "BUILDKITE_BUILD_URL", "BUILD_URL", "CIRCLE_BUILD_URL"]))
}

/// What a run of CI says of the pull request that it builds, as far as it says it.
#[derive(Default)]
pub(crate) struct PullRequest {
    /// The address of the forge's API.
    pub(crate) api: Option<String>,
    /// The repository, or project, that it is to be merged into.
    pub(crate) repository: Option<String>,
    pub(crate) number: Option<u64>,
    /// Whether its branch is of another repository, whose runs get no token that writes.
    pub(crate) is_from_fork: bool,
    /// A token, and the variable that holds it.
    pub(crate) token: Option<(&'static str, String)>,
}

/// A pull request of GitHub: its number is that of the event, else that of the ref.
pub(crate) fn github_pull_request() -> PullRequest {
    let event = path("GITHUB_EVENT_PATH").and_then(|file| std::fs::read(file).ok());
    let event: Json = event.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let number = |pointer: &str| event.pointer(pointer).and_then(Json::as_u64);
    let of_ref = || first(&["GITHUB_REF"])?.strip_prefix("refs/pull/")?.split('/').next()?.parse().ok();
    // A comment on an issue that is no pull request has none.
    let commented = || event.pointer("/issue/pull_request").and_then(|_| number("/issue/number"));
    let repository = first(&["GITHUB_REPOSITORY"]);
    let head = event.pointer("/pull_request/head/repo/full_name").and_then(Json::as_str);
    PullRequest {
        is_from_fork: head.is_some_and(|head| repository.as_deref() != Some(head)),
        api: first(&["GITHUB_API_URL"]),
        repository,
        number: number("/pull_request/number")
            .or_else(commented)
            .or_else(|| number("/workflow_run/pull_requests/0/number"))
            .or_else(of_ref),
        token: first_variable(&["GITHUB_TOKEN", "GH_TOKEN"]),
    }
}

/// A merge request of GitLab.
pub(crate) fn gitlab_merge_request() -> PullRequest {
    let target = first(&["CI_MERGE_REQUEST_PROJECT_ID"]);
    let source = first(&["CI_MERGE_REQUEST_SOURCE_PROJECT_ID"]);
    PullRequest {
        is_from_fork: source.is_some() && source != target,
        api: first(&["CI_API_V4_URL"]),
        repository: target,
        number: first(&["CI_MERGE_REQUEST_IID"]).and_then(|number| number.parse().ok()),
        token: first_variable(&["GITLAB_TOKEN"]),
    }
}

/// The first of these variables that is set, with its name.
fn first_variable(names: &[&'static str]) -> Option<(&'static str, String)> {
    names.iter().find_map(|name| Some((*name, first(&[name])?)))
}

/// The first of these variables that is set.
fn first(names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()))
}

fn path(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
