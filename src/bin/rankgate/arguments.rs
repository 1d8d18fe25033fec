//! What the command line takes.

use clap::Parser;

use crate::command::Command;

/// Retrieval quality as a gate: scores, paired significance tests, and what moved.
#[derive(Parser)]
#[command(name = "rankgate", version, max_term_width = 100, propagate_version = true)]
pub(crate) struct Arguments {
    /// Print results and errors only: no progress, no remarks
    #[arg(long, short, global = true, display_order = 900)]
    pub(crate) quiet: bool,

    /// Never colour the output; the variable NO_COLOR does the same
    #[arg(long, global = true, display_order = 901)]
    pub(crate) no_color: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}
