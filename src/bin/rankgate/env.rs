//! What the environment tells: every variable that the command reads is read here.

use std::env;
use std::path::PathBuf;

/// Whether somebody wants no colour; https://no-color.org: any value but the empty one.
pub(crate) fn no_color() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// How wide somebody says that the terminal is, as GNU's tools are told.
pub(crate) fn columns() -> Option<usize> {
    env::var("COLUMNS").ok()?.parse().ok()
}

/// Whether somebody asks for blessing, as `cargo test` is asked.
pub(crate) fn asks_to_bless() -> bool {
    env::var_os("RANKGATE_BLESS").is_some_and(|value| !matches!(value.to_str(), Some("" | "0")))
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

/// Where reports go unless somebody says otherwise: `rankgate` in the target folder of the crate or
/// workspace that this folder belongs to, so that this command and `cargo test` agree; outside of any,
/// `target/rankgate` in this folder. What lies above the repository is somebody else's.
pub(crate) fn output() -> PathBuf {
    if let Some(target) = path("CARGO_TARGET_DIR") {
        return target.join("rankgate");
    }
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
    let up: PathBuf = std::iter::repeat_n("..", root.unwrap_or(0)).collect();
    up.join("target/rankgate")
}

fn path(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
