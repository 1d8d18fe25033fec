//! The program `git`: commits, and files as they were. Nothing else starts it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use crate::{Error, ErrorKind, Result};

/// What hooks set for the repository that they run in, which may be another one.
const OF_HOOKS: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"];

/// A repository.
#[derive(Clone, Debug)]
pub struct Git {
    /// The folder whose files are checked out.
    top: PathBuf,
}

impl Git {
    /// The repository that a folder is in.
    ///
    /// # Errors
    /// A folder that is in none.
    pub fn around(folder: &Path) -> Result<Self> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // Git for Windows does not read the form that `canonicalize` gives there.
        let whole = if cfg!(windows) { std::path::absolute(folder) } else { folder.canonicalize() };
        let whole = whole.map_err(|error| Error::io("cannot read", folder, error))?;
        // Git would also take a committed folder that only looks like a repository, and whose settings name programs.
        let top = whole.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok());
        let none = || failed("not a git repository: neither it nor a folder above has a `.git`");
        Ok(Self { top: top.ok_or_else(none)?.to_owned() })
    }

    /// The folder whose files are checked out.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The answer to a command without input.
    ///
    /// # Errors
    /// A git that is not installed; what git says where it fails.
    pub fn ask(&self, arguments: &[&str]) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.ask_with(arguments, "")?).into_owned())
    }

    /// The answer to a command with input.
    ///
    /// # Errors
    /// A git that is not installed; what git says where it fails.
    pub fn ask_with(&self, arguments: &[&str], input: &str) -> Result<Vec<u8>> {
        let mut command = Command::new("git");
        command.args(["--no-pager", "--literal-pathspecs", "-C"]).arg(&self.top).args(arguments);
        for name in OF_HOOKS {
            command.env_remove(name);
        }
        // No lock that another git waits for, and no password that is asked for.
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = command.spawn().and_then(|mut git| {
            let stdin = git.stdin.take();
            thread::scope(|scope| {
                // Beside the reading: neither waits for the other to end.
                scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
                git.wait_with_output()
            })
        });
        let output = output.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => failed("the program `git` is not installed, and it reads the commits"),
            _ => failed(format!("git cannot be started: {error}")),
        })?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Err(failed(stderr.trim().strip_prefix("fatal: ").unwrap_or(stderr.trim())));
        }
        Ok(output.stdout)
    }

    /// Whether tracked files are others than those of the commit that is checked out.
    ///
    /// # Errors
    /// What git says where it fails.
    pub fn is_changed(&self) -> Result<bool> {
        let changed = self.ask(&["status", "--porcelain", "--untracked-files=no"])?;
        Ok(!changed.is_empty())
    }

    /// Whether a file is one of those that a merge in progress has left undecided.
    ///
    /// # Errors
    /// What git says where it fails; a file that is not there.
    pub fn is_unmerged(&self, path: &Path) -> Result<bool> {
        let whole = path.canonicalize().map_err(|error| Error::io("cannot read", path, error))?;
        let Some(whole) = whole.to_str() else { return Ok(true) };
        self.ask(&["ls-files", "--unmerged", "-z", "--", whole]).map(|files| !files.is_empty())
    }
}

fn failed(message: impl Into<String>) -> Error {
    Error::with_kind(ErrorKind::Setup, message)
}
