//! The commands; one file each.

mod compare;
mod completions;
mod eval;
mod explain;
mod man;
mod power;
mod schema;

use clap::Subcommand;
use rankgate::BoxError;

use crate::exit::Exit;
use crate::terminal::Terminal;

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    Eval(eval::Eval),
    Compare(Box<compare::Compare>),
    Explain(explain::Explain),
    Power(power::Power),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Does what the command line asks for.
pub(crate) fn run(command: Command, terminal: &Terminal) -> Result<Exit, BoxError> {
    match command {
        Command::Eval(eval) => eval.run(terminal),
        Command::Compare(compare) => compare.run(terminal),
        Command::Explain(explain) => explain.run(terminal),
        Command::Power(power) => power.run(terminal),
        Command::Schema(schema) => schema.run(terminal),
        Command::Completions(completions) => completions.run(terminal),
        Command::Man(man) => man.run(terminal),
    }
}
