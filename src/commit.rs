//! Which commit the files here are of.

use std::path::Path;

use crate::git::Git;

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
    told.or_else(|| checked_out(folder))
}

/// The checked-out commit. Where tracked files were changed since, measurements belong to no commit yet: in a
/// history it would stand as the last one's.
fn checked_out(folder: &Path) -> Option<String> {
    let git = Git::around(folder).ok()?;
    let id = git.ask(&["rev-parse", "--verify", "--quiet", "HEAD"]).ok()?;
    let is_changed = git.is_changed().ok()?;
    Some(id.trim().to_owned()).filter(|id| !is_changed && is_id(id))
}

/// A whole id: SHA-1 or SHA-256, in hexadecimal.
fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn what_was_changed_since_is_of_no_commit() {
        let folder = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let identity =
                ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
            let mut git = Command::new("git");
            let output = git.arg("-C").arg(folder.path()).args(identity).args(arguments).output().unwrap();
            assert!(output.status.success(), "{output:?}");
        };
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        git(&["init", "--quiet"]);
        assert_eq!(checked_out(folder.path()), None, "no commit yet");
        write("retriever.rs", "1");
        git(&["add", "."]);
        git(&["commit", "--quiet", "-m", "first"]);
        let first = checked_out(folder.path()).unwrap();
        write("notes", "in no commit, and no part of what is measured by the look of it");
        assert_eq!(checked_out(folder.path()).as_ref(), Some(&first));
        // Touched, and the same.
        let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        let file = std::fs::File::options().write(true).open(folder.path().join("retriever.rs")).unwrap();
        file.set_modified(old).unwrap();
        assert_eq!(checked_out(folder.path()).as_ref(), Some(&first));
        write("retriever.rs", "2");
        assert_eq!(checked_out(folder.path()), None);
        git(&["add", "retriever.rs"]);
        assert_eq!(checked_out(folder.path()), None, "staged");
        git(&["commit", "--quiet", "-m", "second"]);
        assert!(checked_out(folder.path()).is_some_and(|second| second != first));
    }

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
