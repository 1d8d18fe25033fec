//! What several commands can print.

use clap::ValueEnum;
use rankgate::BoxError;

use crate::terminal::Terminal;

/// For people, or for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people, at 80 columns
    #[default]
    Text,
    /// For programs: one object
    Json,
}

impl Format {
    pub(crate) fn print(
        self,
        terminal: &Terminal,
        text: impl FnOnce() -> String,
        json: impl FnOnce() -> String,
    ) -> Result<(), BoxError> {
        match self {
            Self::Text => terminal.result(&text()),
            Self::Json => terminal.json(&json()),
        }
    }
}
