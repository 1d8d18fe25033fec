//! The command `rankgate`: the crate's engine for run files and for retrievers in any language.
//!
//! | file | holds |
//! |---|---|
//! | `command/` | one file a command: its arguments, and what it does with them; `arguments.rs`: those of all |
//! | `expected.rs` | the expectation of a comparison, as options of several commands |
//! | `selection.rs` | which specs and gates a command is about |
//! | `results.rs` | results: printed, reported to CI systems, counted |
//! | `progress.rs` | bars on a terminal, a few lines elsewhere |
//! | `fetch/` | standard benchmarks: downloads, checksums, archives |
//! | `format.rs` | text or JSON |
//! | `git.rs` | commits and files of the past, from the program git |
//! | `shell.rs` | words of a command to type |
//! | `exit.rs` | what the exit status says |
//! | `specs.rs` | specs as commands open them |
//! | `beir.rs` | the judgments in a folder of BEIR |
//! | `health/` | checks of collections and gates, pools |
//! | `synthesize.rs` | queries made from documents |
//! | `offline/` | run files scored, compared, explained and planned for without a spec |
//! | `fusion/` | runs fused into one |
//! | `tune/` | a run or a score threshold chosen on one half of the queries and confirmed on the other |
//! | `stages.rs` | ceilings of a pipeline's stages, and the split of a difference |
//! | `variants/` | other texts for queries, made by rules |
//! | `inputs.rs` | judgments, runs and queries that several commands read |
//! | `terminal.rs` | standard output and error: colour, width, closed pipes |
//! | `comment.rs`, `service.rs` | the comment on a pull request, and the forges and servers that get reports |
//! | `dashboard.rs` | the values of reports for other tools |
//! | `rendering/` | reports as JUnit XML, annotations and CSV |
//! | `env.rs` | the environment's variables |

mod beir;
mod command;
mod comment;
mod dashboard;
mod env;
mod exit;
mod expected;
mod fetch;
mod format;
mod fusion;
mod gates;
mod git;
pub mod health;
mod inputs;
pub mod offline;
mod past;
mod progress;
mod rendering;
mod results;
mod selection;
mod service;
mod shell;
mod shingles;
mod specs;
mod stages;
mod synthesize;
mod terminal;
mod tune;
mod variants;
mod words;

use std::process::ExitCode;

use command::arguments::Arguments;
use exit::Exit;
use terminal::Terminal;

/// What the program does: reads its arguments, carries them out, and says how that went.
pub fn main() -> ExitCode {
    let arguments = Arguments::read();
    rankgate_http::show_bodies(arguments.show_bodies);
    let terminal = Terminal::new(arguments.quiet, arguments.no_color, arguments.message_format);
    let told = rankgate::__private::threads_told().map_err(Into::into);
    let exit = told.and_then(|_| command::run(arguments.command, &terminal)).unwrap_or_else(|error| {
        terminal.error(error.as_ref());
        Exit::Undecided
    });
    ExitCode::from(exit)
}
