//! The program `git`: commits, and files as they were. Nothing else starts it.
//!
//! A clone may hold anyone's commits. Git runs programs that a repository's configuration names, and a folder of
//! the tree may look like a repository. So the repository is the one with a `.git` above, which no commit can hold;
//! settings that name programs are off; variables of the environment that lead git elsewhere are not handed on; and
//! only commands for programs are asked (gitcli(7)).

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::thread;

use crate::order;
use crate::{Error, ErrorKind, Result};

/// Settings that come before those of any file.
const SETTINGS: [&str; 17] = [
    // A folder that only looks like a repository is none.
    "safe.bareRepository=explicit",
    // Programs that git would start.
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "core.askPass=false",
    "core.editor=false",
    "core.alternateRefsCommand=",
    "credential.helper=",
    "log.showSignature=false",
    "gpg.program=false",
    "gpg.openpgp.program=false",
    "gpg.x509.program=false",
    "gpg.ssh.program=false",
    "gpg.ssh.defaultKeyCommand=",
    "diff.external=",
    // What a partial clone lacks is not fetched.
    "protocol.allow=never",
    "uploadpack.packObjectsHook=",
];

/// The setting by which a user trusts a repository of another owner.
const TRUST: &str = "safe.directory";

/// So many files that look touched are compared with what was committed.
const TOUCHED: usize = 1000;

/// How much of contents is read: a commit may contain a gigabyte of zeros.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one content.
    pub one: u64,
    /// Bytes of all.
    pub all: u64,
}

/// An entry of what git lists with `--raw --no-abbrev`, such as `:100644 100644 ID ID M`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawEntry<'a> {
    /// The modes before and after.
    pub modes: [&'a str; 2],
    /// The names of the contents before and after; none where the file was not there, or where git has not read it.
    pub blobs: [Option<&'a str>; 2],
    /// What became of it, as a letter, which a number may follow.
    pub status: &'a str,
}

impl<'a> RawEntry<'a> {
    /// Reads an entry, without its path.
    ///
    /// ```
    /// use rankgate::git::RawEntry;
    ///
    /// let entry = RawEntry::read(":000000 100644 0000000 5716ca5 A").unwrap();
    /// assert_eq!((entry.blobs, entry.status), ([None, Some("5716ca5")], "A"));
    /// assert_eq!(RawEntry::read("5716ca5 d670460"), None);
    /// ```
    pub fn read(entry: &'a str) -> Option<Self> {
        let fields: Vec<&str> = entry.strip_prefix(':')?.split(' ').collect();
        let [from, to, before, after, status] = *fields else { return None };
        // Of a file that is not there the name is all zeros.
        let named = |blob: &'a str| blob.bytes().any(|byte| byte != b'0').then_some(blob);
        Some(Self { modes: [from, to], blobs: [before, after].map(named), status })
    }
}

impl Limits {
    /// More than any file of rankings that people commit.
    pub const RUNS: Self = Self { one: 1 << 30, all: 4 << 30 };
}

/// A repository.
#[derive(Clone, Debug)]
pub struct Git {
    /// The folder that has the `.git`.
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
        let top = whole.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok());
        let top =
            top.ok_or_else(|| failed("not a git repository: neither it nor a folder above has a `.git`"))?;
        Ok(Self { top: top.to_owned() })
    }

    /// The answer to a command without input.
    ///
    /// # Errors
    /// A git that is not installed; what git says where it fails.
    pub fn ask(&self, arguments: &[&str]) -> Result<String> {
        self.answer(self.command(arguments).output())
    }

    /// The answer to a command with input.
    ///
    /// # Errors
    /// A git that is not installed; what git says where it fails.
    pub fn ask_with(&self, arguments: &[&str], input: &str) -> Result<String> {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        self.answer(command.spawn().and_then(|mut git| {
            let stdin = git.stdin.take();
            thread::scope(|scope| {
                // Beside the reading: neither waits for the other to end.
                scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
                git.wait_with_output()
            })
        }))
    }

    fn answer(&self, output: io::Result<Output>) -> Result<String> {
        let output = output.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => failed("the program `git` is not installed, and it reads the commits"),
            _ => failed(format!("git cannot be started: {error}")),
        })?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Err(failed(stderr.trim().strip_prefix("fatal: ").unwrap_or(stderr.trim())));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Contents by their names, in their order.
    ///
    /// # Errors
    /// One that is not here, or that is larger than the limits allow.
    pub fn contents(&self, blobs: &[&str], limits: Limits) -> Result<Vec<Arc<[u8]>>> {
        let mut command = self.command(&["cat-file", "--batch"]);
        let git = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut git = git.map_err(|error| failed(format!("git cannot be started: {error}")))?;
        let (stdin, stdout) = (git.stdin.take(), git.stdout.take());
        let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(failed("git cannot be asked"));
        };
        let input: String = blobs.iter().map(|blob| format!("{blob}\n")).collect();
        let found = thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(input.as_bytes()));
            let mut stdout = BufReader::with_capacity(1 << 18, stdout);
            let mut left = limits.all;
            let found = blobs.iter().map(|blob| content(&mut stdout, blob, limits.one, &mut left)).collect();
            // After an error git may wait to be read.
            drop(git.kill());
            found
        });
        drop(git.wait());
        found
    }

    /// Whether tracked files are others than those of the commit that is checked out.
    ///
    /// # Errors
    /// What git says where it fails.
    pub fn is_changed(&self) -> Result<bool> {
        let filters = self.filters()?;
        let filters: Vec<&str> = filters.iter().flat_map(|setting| ["-c", setting]).collect();
        let arguments =
            ["diff-index", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "HEAD", "--"];
        let differing = self.ask(&[&filters[..], &arguments].concat())?;
        let mut parts = differing.split_terminator('\0');
        // What was touched is listed as well; whether it is the same, its content says.
        let (mut paths, mut committed) = (String::new(), Vec::new());
        while let (Some(entry), Some(path)) = (parts.next(), parts.next()) {
            let Some(RawEntry { modes, blobs: [Some(id), None], status: "M" }) = RawEntry::read(entry) else {
                return Ok(true);
            };
            let is_file = modes[0].starts_with("100") && modes[0] == modes[1];
            if !is_file || path.contains(['\n', '"', char::REPLACEMENT_CHARACTER]) {
                return Ok(true);
            }
            paths += &format!("{path}\n");
            committed.push(id);
        }
        if committed.is_empty() {
            return Ok(false);
        }
        if committed.len() > TOUCHED {
            return Ok(true);
        }
        let found = self.ask_with(&["hash-object", "--no-filters", "--stdin-paths"], &paths)?;
        Ok(!found.lines().eq(committed))
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

    /// Settings that keep a filter of a settings file from running.
    fn filters(&self) -> Result<Vec<String>> {
        // Ends with an error where there is none.
        let names =
            self.ask(&["config", "--name-only", "-z", "--get-regexp", "^filter\\."]).unwrap_or_default();
        let mut off = Vec::new();
        for name in names.split_terminator('\0').filter_map(|name| name.rsplit_once('.')) {
            let name = name.0;
            // A setting on the command line ends at its first `=`.
            if name.contains('=') {
                return Err(failed(format!(
                    "the setting `{name}` of this repository has a name that cannot be turned off"
                )));
            }
            off.extend(
                ["clean=", "smudge=", "process=", "required=false"].map(|end| format!("{name}.{end}")),
            );
        }
        order::sort(&mut off);
        off.dedup();
        Ok(off)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut git = Command::new("git");
        let variables: Vec<(OsString, OsString)> = env::vars_os().collect();
        for (name, _) in variables.iter().filter(|(name, _)| is_git(name)) {
            git.env_remove(name);
        }
        git.arg("--no-pager").arg("--literal-pathspecs");
        let trust = trust(&variables);
        for setting in SETTINGS.into_iter().chain(trust.iter().map(String::as_str)) {
            git.arg("-c").arg(setting);
        }
        git.arg("-C").arg(&self.top).args(arguments).stdin(Stdio::null());
        git.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
        // No repository above the one that was found.
        git.env("GIT_CEILING_DIRECTORIES", self.top.parent().unwrap_or(&self.top));
        git.env("LC_ALL", "C");
        git
    }
}

/// Whether git reads a variable: what a hook or a script sets for its own repository is of another one.
fn is_git(name: &OsStr) -> bool {
    name.to_string_lossy().to_ascii_uppercase().starts_with("GIT_")
}

/// What the environment says of repositories of other owners: CI systems say it there.
fn trust(variables: &[(OsString, OsString)]) -> Vec<String> {
    let value = |name: String| {
        let (_, value) = variables.iter().find(|(known, _)| known.to_string_lossy() == name)?;
        Some(value.to_string_lossy().into_owned())
    };
    let count = value("GIT_CONFIG_COUNT".to_owned()).and_then(|count| count.parse().ok()).unwrap_or(0_usize);
    let setting = |index: usize| {
        let key = value(format!("GIT_CONFIG_KEY_{index}"))?;
        let of = value(format!("GIT_CONFIG_VALUE_{index}"))?;
        key.eq_ignore_ascii_case(TRUST).then(|| format!("{TRUST}={of}"))
    };
    (0..count.min(1000)).filter_map(setting).collect()
}

/// One answer of `git cat-file --batch`.
fn content(from: &mut impl BufRead, blob: &str, most: u64, left: &mut u64) -> Result<Arc<[u8]>> {
    let unreadable = |error: io::Error| failed(format!("git cannot be read: {error}"));
    let mut head = String::new();
    from.read_line(&mut head).map_err(unreadable)?;
    let size = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok());
    let size = size.ok_or_else(|| {
        failed(format!(
            "git does not have {blob}: {}; a shallow or partial clone lacks contents, which `git fetch` gets",
            head.trim_end()
        ))
    })?;
    if size > most {
        return Err(failed(format!("{blob} has {size} bytes, and at most {most} are read")));
    }
    *left = left
        .checked_sub(size)
        .ok_or_else(|| failed(format!("the contents up to {blob} have more bytes together than are read")))?;
    let mut bytes = Vec::new();
    from.take(size).read_to_end(&mut bytes).map_err(unreadable)?;
    let mut end = [0];
    from.read_exact(&mut end).map_err(unreadable)?;
    Ok(bytes.into())
}

fn failed(message: impl Into<String>) -> Error {
    Error::with_kind(ErrorKind::Setup, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_read_up_to_their_limits() {
        let read = |answer: &str, most, mut left| {
            content(&mut answer.as_bytes(), "ab", most, &mut left).map(|bytes| (bytes.to_vec(), left))
        };
        assert_eq!(read("ab blob 3\none\n", 3, 10).unwrap(), (b"one".to_vec(), 7));
        let error = |answer, most, left| read(answer, most, left).unwrap_err().to_string();
        assert_eq!(error("ab blob 4\nmore\n", 3, 10), "ab has 4 bytes, and at most 3 are read");
        assert_eq!(
            error("ab blob 4\nmore\n", 4, 3),
            "the contents up to ab have more bytes together than are read"
        );
        assert!(
            error("ab missing\n", 9, 9).starts_with("git does not have ab: ab missing; a shallow or partial")
        );
        assert!(error("ab blob 9\nmore\n", 9, 9).starts_with("git cannot be read"));
    }

    #[test]
    fn trust_in_repositories_of_others_alone_is_taken_from_the_environment() {
        let variables = [
            ("GIT_CONFIG_COUNT", "3"),
            ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
            ("GIT_CONFIG_VALUE_0", "evil"),
            ("GIT_CONFIG_KEY_1", "Safe.Directory"),
            ("GIT_CONFIG_VALUE_1", "/checkout"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        assert_eq!(trust(&variables), ["safe.directory=/checkout"]);
    }
}
