//! What the exit status says.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Every gate passed, or there was none.
    Passed,
    /// A gate failed or was inconclusive, independent of everything else.
    Failed,
    /// No gate failed, and something could not be decided: a file or a spec with an error in it, a
    /// retriever that failed, arguments that make no sense.
    Undecided,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Passed => 0,
            Exit::Failed => 1,
            Exit::Undecided => 2,
        })
    }
}
