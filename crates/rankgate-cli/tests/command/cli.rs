//! Runs the command as a user would, in a folder, and puts down all that is seen of it.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::surroundings;

/// What a command did.
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: Option<i32>,
}

/// Runs `rankgate` with arguments in a folder, feeding it `stdin`.
pub(crate) fn run(folder: &Path, arguments: &[&str], stdin: &str) -> Output {
    let mut child = surroundings::leave(&mut Command::new(env!("CARGO_BIN_EXE_rankgate")))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that fails early closes its standard input.
    drop(child.stdin.take().unwrap().write_all(stdin.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Output { stdout: text(output.stdout), stderr: text(output.stderr), status: output.status.code() }
}

impl Output {
    /// All of it, for a snapshot.
    pub(crate) fn transcript(&self, arguments: &[&str]) -> String {
        let status = self.status.map_or("none".to_owned(), |status| status.to_string());
        format!(
            "$ rankgate {}\n-- standard output\n{}-- standard error\n{}-- exit status {status}\n",
            arguments.join(" "),
            self.stdout,
            self.stderr
        )
    }
}
