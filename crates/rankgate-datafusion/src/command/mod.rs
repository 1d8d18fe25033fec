//! Subcommands.

mod cluster;
mod eval;
mod logging;
mod sql;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Subcommand;
use datafusion::common::DataFusionError;
use rankgate_datafusion::Memory;

/// Whatever went wrong.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What is to be done.
#[derive(Subcommand)]
pub(crate) enum Command {
    Eval(Box<eval::Eval>),
    Sql(sql::Sql),
    Scheduler(cluster::SchedulerOptions),
    Executor(cluster::ExecutorOptions),
}

impl Command {
    pub(crate) async fn run(self) -> Result<(), BoxError> {
        match self {
            Self::Eval(eval) => eval.run().await,
            Self::Sql(sql) => sql.run().await,
            Self::Scheduler(scheduler) => scheduler.run().await,
            Self::Executor(executor) => executor.run().await,
        }
    }
}

/// Says on standard error what went wrong.
pub(crate) fn failed(error: &BoxError) -> ExitCode {
    let text = match error.downcast_ref::<DataFusionError>() {
        // Without the kind of error that DataFusion puts before what this crate says.
        Some(DataFusionError::Execution(text) | DataFusionError::Plan(text)) => text.clone(),
        Some(error) => error.strip_backtrace(),
        None => error.to_string(),
    };
    say(&format!("error: {text}"));
    ExitCode::from(2)
}

/// A line on standard error.
fn say(line: &str) {
    // Where nobody listens there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Results, and nothing else, on standard output.
fn result(text: &str) -> Result<(), BoxError> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        output.write_all(b"\n")?;
    }
    Ok(output.flush()?)
}

/// Memory as DataFusion counts it.
fn memory_bytes(memory: Option<Memory>) -> Result<Option<usize>, BoxError> {
    Ok(memory.map(|memory| usize::try_from(memory.bytes())).transpose()?)
}

/// Threads that the machine has.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
