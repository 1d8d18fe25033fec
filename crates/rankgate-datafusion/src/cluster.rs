//! Ballista: scheduler, executors and client that know the functions.

use std::net::SocketAddr;
use std::sync::Arc;

use ballista::prelude::SessionContextExt;
use ballista_core::extension::SessionConfigExt;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use datafusion::common::{Result, exec_datafusion_err};
use datafusion::functions_nested::all_default_nested_functions;
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::aggregate::CollectOnce;
use crate::session::{functions, register, ruled, runtime, state};
use crate::source::Stores;

/// Bytes of the largest message between processes. A plan names every file of a table.
const MESSAGE: u32 = 256 << 20;

/// The process that plans queries and gives out their parts.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// Where it listens.
    pub address: SocketAddr,
    /// By what name executors and clients reach it.
    pub external_host: String,
    /// Seconds without a sign of life after which an executor is given up.
    pub executor_timeout: u64,
}

impl Scheduler {
    /// Runs until it is stopped.
    ///
    /// # Errors
    ///
    /// A port that is taken.
    pub async fn run(self) -> Result<()> {
        let config = SchedulerConfig {
            external_host: self.external_host,
            bind_host: self.address.ip().to_string(),
            bind_port: self.address.port(),
            executor_timeout_seconds: self.executor_timeout,
            expire_dead_executor_interval_seconds: (self.executor_timeout / 2).clamp(1, 15),
            no_executors_grace_period_seconds: self.executor_timeout,
            grpc_server_max_decoding_message_size: MESSAGE,
            grpc_server_max_encoding_message_size: MESSAGE,
            grpc_client_max_message_size: MESSAGE,
            override_config_producer: Some(Arc::new(SessionConfig::new_with_ballista)),
            override_session_builder: Some(Arc::new(|config| {
                // The executors' memory is bounded, and what they have is not known here.
                let runtime = runtime(Arc::new(Stores::default()), None)?;
                Ok(ruled(config, runtime, CollectOnce { sorted: true }))
            })),
            ..SchedulerConfig::default()
        };
        let failed = |error| exec_datafusion_err!("scheduler: {error}");
        let cluster = BallistaCluster::new_from_config(&config).await.map_err(failed)?;
        start_server(cluster, self.address, Arc::new(config)).await.map_err(failed)
    }
}

/// A process that carries out parts of queries.
#[derive(Clone, Debug)]
pub struct Executor {
    /// The scheduler's host and port.
    pub scheduler: (String, u16),
    /// The host that it listens on.
    pub host: String,
    /// By what name other executors and clients reach it; what it listens on, where nothing is said.
    pub external_host: Option<String>,
    /// The port that others read its results from.
    pub port: u16,
    /// The port that the scheduler gives it work through.
    pub grpc_port: u16,
    /// Parts that it carries out at once.
    pub cores: usize,
    /// Bytes above which it spills to disk.
    pub memory: Option<usize>,
    /// Where results between two stages lie.
    pub work_dir: String,
    /// Seconds between two signs of life.
    pub heartbeat: u64,
}

impl Executor {
    /// Runs until it is stopped.
    ///
    /// # Errors
    ///
    /// No scheduler; a port that is taken.
    pub async fn run(self) -> Result<()> {
        let mut registry = BallistaFunctionRegistry::default();
        for function in functions() {
            registry.aggregate_functions.insert(function.name().to_owned(), Arc::new(function));
        }
        // Lists are taken apart by functions that Ballista's registry does not have: `result['scores'][1]`.
        for function in all_default_nested_functions() {
            registry.scalar_functions.insert(function.name().to_owned(), function);
        }
        // One for all tasks: a bucket's client and its connections are kept.
        let stores = Arc::new(Stores::default());
        let config = ExecutorProcessConfig {
            bind_host: self.host,
            external_host: self.external_host,
            port: self.port,
            grpc_port: self.grpc_port,
            scheduler_host: self.scheduler.0,
            scheduler_port: self.scheduler.1,
            scheduler_connect_timeout_seconds: 30,
            vcores: self.cores,
            work_dir: Some(self.work_dir),
            executor_heartbeat_interval_seconds: self.heartbeat,
            grpc_max_decoding_message_size: MESSAGE,
            grpc_max_encoding_message_size: MESSAGE,
            memory_pool_size: self.memory.map(|bytes| bytes as u64),
            override_function_registry: Some(Arc::new(registry)),
            override_config_producer: Some(Arc::new(SessionConfig::new_with_ballista)),
            // The pool for `memory` comes on top, one for each task.
            override_runtime_producer: Some(Arc::new(move |_| runtime(Arc::clone(&stores), None))),
            ..ExecutorProcessConfig::default()
        };
        start_executor_process(Arc::new(config))
            .await
            .map_err(|error| exec_datafusion_err!("executor: {error}"))
    }
}

/// A context whose queries a cluster carries out.
///
/// # Errors
///
/// An address that is none.
pub async fn connect(scheduler: &str, config: SessionConfig, stores: Arc<Stores>) -> Result<SessionContext> {
    let state = state(config.upgrade_for_ballista(), runtime(stores, None)?);
    let context = SessionContext::remote_with_state(&format!("df://{scheduler}"), state).await?;
    // A state that was made ready for Ballista has the default functions alone.
    register(&context);
    for function in all_default_nested_functions() {
        context.register_udf(function.as_ref().clone());
    }
    Ok(context)
}
