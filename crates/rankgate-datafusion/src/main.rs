//! The command `rankgate-datafusion`: `rankgate eval` over Parquet tables on disks and in object stores, on one machine
//! or on a cluster.

mod command;

use std::process::ExitCode;

use clap::Parser;

use command::Command;

/// Retrieval quality over Parquet tables of any size
///
/// Tables are files, folders or patterns: runs/*.parquet, s3://bucket/runs/, gs://, az://. Credentials of stores come from
/// the environment (AWS_ACCESS_KEY_ID, AWS_REGION, AWS_ENDPOINT, GOOGLE_SERVICE_ACCOUNT, AZURE_STORAGE_ACCOUNT_NAME, ...).
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    // Plans nest, and Ballista reads them by recursion.
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(16 << 20).build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return command::failed(&error.into()),
    };
    match runtime.block_on(async { tokio::spawn(command.run()).await }) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => command::failed(&error),
        Err(error) => command::failed(&error.into()),
    }
}
