//! `rankgate completions`: for shells.

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use rankgate::BoxError;

use super::arguments::Arguments;

use crate::exit::Exit;
use crate::terminal::Terminal;

/// Print completions for a shell
#[derive(Args)]
#[command(after_help = "\
Examples:
  rankgate completions bash > ~/.local/share/bash-completion/completions/rankgate
  rankgate completions fish > ~/.config/fish/completions/rankgate.fish")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "rankgate", &mut script);
        terminal.data(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Passed)
    }
}
