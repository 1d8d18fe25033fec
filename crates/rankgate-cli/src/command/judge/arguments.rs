//! How questions reach a judge: at once, or as a batch that somebody else sends.

use std::path::PathBuf;

use clap::Args;
use rankgate_judge::AskOptions;

/// What all commands take that ask a judge.
#[derive(Args)]
pub(crate) struct AskArguments {
    /// Write the questions to FILE, as a batch in the form of OpenAI's, and ask nothing
    #[arg(long, value_name = "FILE", conflicts_with = "responses")]
    pub(crate) requests: Option<PathBuf>,

    /// Read the results of such a batch
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) responses: Vec<PathBuf>,

    /// Questions at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: u16,
}

impl AskArguments {
    pub(crate) fn options(&self) -> AskOptions {
        AskOptions { concurrency: usize::from(self.concurrency) }
    }
}
