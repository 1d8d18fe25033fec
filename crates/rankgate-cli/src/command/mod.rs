//! The commands, one file each, and what the command line takes of all of them (`arguments.rs`).

pub(crate) mod arguments;
mod bless;
mod comment;
mod compare;
mod completions;
mod documents;
mod eval;
mod explain;
mod fetch;
mod fuse;
mod history;
mod init;
mod judge;
mod lint;
mod pool;
mod power;
mod push;
mod report;
mod run;
mod schema;
mod synthesize;
mod tune;
mod variants;

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
    Tune(Box<tune::Tune>),
    Fuse(fuse::Fuse),
    Run(run::Run),
    Bless(bless::Bless),
    Report(report::Report),
    History(history::History),
    Push(push::Push),
    Comment(comment::Comment),
    Lint(lint::Lint),
    Pool(pool::Pool),
    Judge(judge::Judge),
    Synthesize(synthesize::Synthesize),
    Variants(variants::Variants),
    #[command(hide = true)]
    Documents(documents::Documents),
    Fetch(fetch::Fetch),
    Init(init::Init),
    #[command(hide = true)]
    Schema(schema::Schema),
    #[command(hide = true)]
    Completions(completions::Completions),
}

/// Does what the command line asks for.
pub(crate) fn run(command: Command, terminal: &Terminal) -> Result<Exit, BoxError> {
    match command {
        Command::Eval(command) => command.run(terminal),
        Command::Compare(command) => command.run(terminal),
        Command::Explain(command) => command.run(terminal),
        Command::Power(command) => command.run(terminal),
        Command::Tune(command) => command.run(terminal),
        Command::Fuse(command) => command.run(terminal),
        Command::Run(command) => command.run(terminal),
        Command::Bless(command) => command.run(terminal),
        Command::Report(command) => command.run(terminal),
        Command::History(command) => command.run(terminal),
        Command::Push(command) => command.run(terminal),
        Command::Comment(command) => command.run(terminal),
        Command::Lint(command) => command.run(terminal),
        Command::Pool(command) => command.run(terminal),
        Command::Judge(command) => command.run(terminal),
        Command::Synthesize(command) => command.run(terminal),
        Command::Variants(command) => command.run(terminal),
        Command::Documents(command) => command.run(terminal),
        Command::Fetch(command) => command.run(terminal),
        Command::Init(command) => command.run(terminal),
        Command::Schema(command) => command.run(terminal),
        Command::Completions(command) => command.run(terminal),
    }
}
