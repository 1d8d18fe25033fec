//! `rankgate serve`: starts the server, which is a program of its own.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use clap::Args;
use rankgate::BoxError;

use crate::exit::Exit;

const NAME: &str = "rankgate-serve";

/// Start the server that keeps what CI measured: the program rankgate-serve, with these arguments
#[derive(Args)]
#[command(after_help = "\
The program is looked for beside this one, then in PATH. It is installed by
  cargo install --path crates/rankgate-serve
in a clone. What it can be told: rankgate-serve --help.

Examples:
  rankgate serve --data rankgate-data --open
  rankgate serve --data /var/lib/rankgate
  rankgate serve --data /var/lib/rankgate token add --project search")]
pub(crate) struct Serve {
    /// The server's options
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

impl Serve {
    pub(crate) fn run(self) -> Result<Exit, BoxError> {
        let program = beside().unwrap_or_else(|| PathBuf::from(NAME));
        let mut command = Command::new(&program);
        let failed = |error: std::io::Error| -> BoxError {
            match error.kind() {
                std::io::ErrorKind::NotFound => format!(
                    "the program `{NAME}` is not installed, neither beside this one nor in PATH: \
                     `cargo install --path crates/{NAME}` in a clone installs it"
                )
                .into(),
                _ => format!("{} cannot be started: {error}", program.display()).into(),
            }
        };
        command.args(self.arguments);
        carried_out(&mut command).map_err(failed)
    }
}

/// It replaces this process: a supervisor signals the right one.
#[cfg(unix)]
fn carried_out(command: &mut Command) -> std::io::Result<Exit> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

#[cfg(not(unix))]
fn carried_out(command: &mut Command) -> std::io::Result<Exit> {
    Ok(match command.status()?.code() {
        Some(0) => Exit::Passed,
        Some(1) => Exit::Failed,
        _ => Exit::Undecided,
    })
}

/// The program in the folder of this one.
fn beside() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let name = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    Some(own.parent()?.join(name)).filter(|program| program.is_file())
}
