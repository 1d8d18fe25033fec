//! `rankgate man`: the manual page.

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man as Page;
use rankgate::BoxError;

use super::arguments::Arguments;

use crate::exit::Exit;
use crate::terminal::Terminal;

/// Print the manual page of rankgate or of one of its commands
#[derive(Args)]
#[command(after_help = "\
Examples:
  rankgate man | man -l -
  rankgate man compare > ~/.local/share/man/man1/rankgate-compare.1")]
pub(crate) struct Man {
    /// The command; rankgate itself without one
    command: Option<String>,
}

impl Man {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let mut whole = Arguments::command();
        whole.build();
        let page = match &self.command {
            None => whole,
            Some(name) => one(&whole, name)?,
        };
        let mut text = Vec::new();
        Page::new(page).render(&mut text).map_err(|error| format!("the page could not be made: {error}"))?;
        terminal.data(&String::from_utf8_lossy(&text))?;
        Ok(Exit::Passed)
    }
}

fn one(whole: &Command, name: &str) -> Result<Command, BoxError> {
    whole.find_subcommand(name).cloned().ok_or_else(|| {
        let names: Vec<&str> = whole.get_subcommands().map(Command::get_name).collect();
        format!("no command is called `{name}`; there are {}", names.join(", ")).into()
    })
}
