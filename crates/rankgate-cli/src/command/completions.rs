//! `rankgate completions`: for shells, and manual pages.

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use rankgate::BoxError;

use super::arguments::Arguments;

use crate::exit::Exit;
use crate::terminal::Terminal;

/// Print completions for a shell, or manual pages
#[derive(Args)]
#[command(after_help = "\
Examples:
  rankgate completions bash > ~/.local/share/bash-completion/completions/rankgate
  rankgate completions fish > ~/.config/fish/completions/rankgate.fish
  rankgate completions --man | man -l -
  rankgate completions --man=compare > ~/.local/share/man/man1/rankgate-compare.1")]
pub(crate) struct Completions {
    /// The shell
    #[arg(required_unless_present = "man", conflicts_with = "man")]
    shell: Option<Shell>,

    /// Print the manual page of a command; of rankgate itself if none is named
    #[arg(long, value_name = "COMMAND", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    man: Option<String>,
}

impl Completions {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let mut script = Vec::new();
        match self.shell {
            Some(shell) => clap_complete::generate(shell, &mut Arguments::command(), "rankgate", &mut script),
            None => {
                let page = clap_mangen::Man::new(page(self.man.as_deref().unwrap_or_default())?);
                page.render(&mut script).map_err(|error| format!("the page could not be made: {error}"))?;
            }
        }
        terminal.data(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Passed)
    }
}

fn page(name: &str) -> Result<Command, BoxError> {
    let mut whole = Arguments::command();
    whole.build();
    if name.is_empty() {
        return Ok(whole);
    }
    whole.find_subcommand(name).cloned().ok_or_else(|| {
        let names: Vec<&str> = whole.get_subcommands().map(Command::get_name).collect();
        format!("no command is called `{name}`; there are {}", names.join(", ")).into()
    })
}
