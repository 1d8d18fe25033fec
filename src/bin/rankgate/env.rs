//! What the environment tells: every variable that the command reads is read here.

use std::env;
use std::path::{Path, PathBuf};

/// Whether somebody wants no colour; https://no-color.org: any value but the empty one.
pub(crate) fn no_color() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// How wide somebody says that the terminal is, as GNU's tools are told.
pub(crate) fn columns() -> Option<usize> {
    env::var("COLUMNS").ok()?.parse().ok()
}

/// Whether lines of the output are commands to the runner of GitHub Actions.
pub(crate) fn is_github() -> bool {
    env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true")
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

/// Where reports go unless somebody says otherwise: `rankgate` in cargo's target folder, so that this
/// command and `cargo test` agree; without one, `target/rankgate` in this folder.
pub(crate) fn output() -> PathBuf {
    if let Some(target) = path("CARGO_TARGET_DIR") {
        return target.join("rankgate");
    }
    let here = env::current_dir().unwrap_or_default();
    // cargo marks its target folder with this file.
    let marked = |folder: &Path| folder.join("target/CACHEDIR.TAG").is_file();
    let up = here.ancestors().position(marked).unwrap_or(0);
    let up: PathBuf = std::iter::repeat_n("..", up).collect();
    up.join("target/rankgate")
}

fn path(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
