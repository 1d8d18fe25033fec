//! The command `rankgate`.

use std::process::ExitCode;

fn main() -> ExitCode {
    rankgate_cli::main()
}
