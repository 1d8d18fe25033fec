//! The commands; one file each.

mod completions;
mod lint;
mod man;
mod pool;
mod schema;

use clap::Subcommand;
use rankgate::BoxError;

use crate::exit::Exit;
use crate::terminal::Terminal;

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
    Lint(lint::Lint),
    Pool(pool::Pool),
}

/// Does what the command line asks for.
pub(crate) fn run(command: Command, terminal: &Terminal) -> Result<Exit, BoxError> {
    match command {
        Command::Schema(schema) => schema.run(terminal),
        Command::Completions(completions) => completions.run(terminal),
        Command::Man(man) => man.run(terminal),
        Command::Lint(lint) => lint.run(terminal),
        Command::Pool(pool) => pool.run(terminal),
    }
}
