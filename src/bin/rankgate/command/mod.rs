//! The commands; one file each.

mod bless;
mod completions;
mod init;
mod lint;
mod man;
mod pool;
mod report;
mod run;
mod schema;

use clap::Subcommand;
use rankgate::BoxError;

use crate::exit::Exit;
use crate::terminal::Terminal;

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    Run(run::Run),
    Report(report::Report),
    Bless(bless::Bless),
    Init(init::Init),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
    Lint(lint::Lint),
    Pool(pool::Pool),
}

/// Does what the command line asks for.
pub(crate) fn run(command: Command, terminal: &Terminal) -> Result<Exit, BoxError> {
    match command {
        Command::Run(run) => run.run(terminal),
        Command::Report(report) => report.run(terminal),
        Command::Bless(bless) => bless.run(terminal),
        Command::Init(init) => init.run(terminal),
        Command::Schema(schema) => schema.run(terminal),
        Command::Completions(completions) => completions.run(terminal),
        Command::Man(man) => man.run(terminal),
        Command::Lint(lint) => lint.run(terminal),
        Command::Pool(pool) => pool.run(terminal),
    }
}
