//! Which commit the files here are of.

use std::path::Path;
use std::process::{Command, Stdio};

/// What CI systems call it: one's own word first, then GitHub, GitLab, Buildkite, Jenkins, Azure, TeamCity, CircleCI.
const VARIABLES: [&str; 8] = [
    "RANKGATE_COMMIT",
    "GITHUB_SHA",
    "CI_COMMIT_SHA",
    "BUILDKITE_COMMIT",
    "GIT_COMMIT",
    "BUILD_SOURCEVERSION",
    "BUILD_VCS_NUMBER",
    "CIRCLE_SHA1",
];

/// The commit that the environment names, else the one that git says is checked out in a folder; `None` where neither
/// knows.
pub(crate) fn commit_of(folder: &Path) -> Option<String> {
    let told = VARIABLES.iter().find_map(|name| std::env::var(name).ok().filter(|id| is_id(id)));
    told.or_else(|| {
        let head = ["rev-parse", "--verify", "--quiet", "HEAD"];
        let mut git = Command::new("git");
        let git = git.arg("-C").arg(folder).args(head).stdin(Stdio::null()).stderr(Stdio::null());
        let text = String::from_utf8(git.output().ok()?.stdout).ok()?;
        Some(text.trim().to_owned()).filter(|id| is_id(id))
    })
}

/// A whole id: SHA-1 or SHA-256, in hexadecimal.
fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_whole() {
        for (text, expected) in [
            ("8241b75f2d6b2a3b0f3f4c9f3b1d2e4a5b6c7d8e", true),
            ("8241b75", false),
            ("main", false),
            ("8241b75f2d6b2a3b0f3f4c9f3b1d2e4a5b6c7d8g", false),
            ("", false),
        ] {
            assert_eq!(is_id(text), expected, "{text}");
        }
    }
}
