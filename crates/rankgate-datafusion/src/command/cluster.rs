//! `rankgate-datafusion scheduler` and `executor`

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use log::LevelFilter;
use rankgate_datafusion::Memory;
use rankgate_datafusion::{Executor, Scheduler};

use super::{BoxError, cores, logging, memory_bytes, say};

/// Run a scheduler of Ballista that knows the functions
#[derive(Args)]
pub(crate) struct SchedulerOptions {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50050")]
    listen: SocketAddr,

    /// By what name executors and clients reach it
    #[arg(long, value_name = "HOST", default_value = "localhost")]
    external_host: String,

    /// Seconds without a sign of life after which an executor is given up
    #[arg(long, value_name = "SECONDS", default_value_t = 180, value_parser = clap::value_parser!(u64).range(2..))]
    executor_timeout: u64,

    /// What to say on standard error: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "warn", value_parser = logging::level)]
    log: LevelFilter,
}

impl SchedulerOptions {
    pub(crate) async fn run(self) -> Result<(), BoxError> {
        let Self { listen, external_host, executor_timeout, log } = self;
        logging::begin(log);
        let scheduler = Scheduler { address: listen, external_host, executor_timeout };
        say(&format!("scheduler on {listen}"));
        tokio::select! {
            ended = scheduler.run() => Ok(ended?),
            _ = tokio::signal::ctrl_c() => Ok(()),
        }
    }
}

/// Run an executor of Ballista that knows the functions
#[derive(Args)]
pub(crate) struct ExecutorOptions {
    /// The scheduler
    #[arg(long, value_name = "HOST:PORT", default_value = "localhost:50050", value_parser = host_and_port)]
    scheduler: (String, u16),

    /// The host to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    listen: IpAddr,

    /// By what name other executors and clients reach it [default: the host that it listens on]
    #[arg(long, value_name = "HOST")]
    external_host: Option<String>,

    /// The port that others read its results from
    #[arg(long, default_value_t = 50051)]
    port: u16,

    /// The port that the scheduler gives it work through
    #[arg(long, default_value_t = 50052)]
    grpc_port: u16,

    /// Parts of queries that it carries out at once [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    cores: Option<u16>,

    /// Memory for rows, as 4G; above it they wait on disk [default: 70 % of what the machine has]
    #[arg(long, value_name = "SIZE")]
    memory: Option<Memory>,

    /// The folder for results between two stages [default: a temporary one, which is removed at the end]
    #[arg(long, value_name = "FOLDER")]
    work_dir: Option<PathBuf>,

    /// Seconds between two signs of life
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    heartbeat: u64,

    /// What to say on standard error: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "warn", value_parser = logging::level)]
    log: LevelFilter,
}

impl ExecutorOptions {
    pub(crate) async fn run(self) -> Result<(), BoxError> {
        logging::begin(self.log);
        let temporary = match &self.work_dir {
            Some(_) => None,
            None => Some(tempfile::Builder::new().prefix("rankgate-executor").tempdir()?),
        };
        let folder = self.work_dir.as_deref().or(temporary.as_ref().map(tempfile::TempDir::path));
        let folder = folder.and_then(|folder| folder.to_str()).ok_or("the folder is no UTF-8")?;
        let executor = Executor {
            scheduler: self.scheduler,
            host: self.listen.to_string(),
            external_host: self.external_host.or(Some(self.listen.to_string())),
            port: self.port,
            grpc_port: self.grpc_port,
            cores: self.cores.map_or_else(cores, usize::from),
            memory: memory_bytes(self.memory)?,
            work_dir: folder.to_owned(),
            heartbeat: self.heartbeat,
        };
        say(&format!("executor on {}:{}", executor.host, executor.port));
        // It stops at SIGTERM and Ctrl+C by itself.
        Ok(executor.run().await?)
    }
}

fn host_and_port(text: &str) -> Result<(String, u16), String> {
    let parts = text.rsplit_once(':').and_then(|(host, port)| Some((host.to_owned(), port.parse().ok()?)));
    parts.filter(|(host, _)| !host.is_empty()).ok_or_else(|| "write HOST:PORT".to_owned())
}
