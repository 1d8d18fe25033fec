//! Sessions that know the functions, in every process the same.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::memory_pool::{FairSpillPool, MemoryLimit};
use datafusion::execution::object_store::ObjectStoreRegistry;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::AggregateUDF;
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::aggregate::{CollectOnce, ExactMean, RankEval};
use crate::source::Stores;

/// The functions of this crate.
pub(crate) fn functions() -> [AggregateUDF; 2] {
    [AggregateUDF::from(RankEval::default()), AggregateUDF::from(ExactMean::default())]
}

/// A session's state with the functions, and the rule by which `rank_eval` collects rows once.
///
/// Where the runtime bounds memory, rows are sorted by query first, which can be done on disk.
#[must_use]
pub fn state(config: SessionConfig, runtime: Arc<RuntimeEnv>) -> SessionState {
    match runtime.memory_pool.memory_limit() {
        MemoryLimit::Finite(bytes) => {
            // What sorting keeps for merging what it wrote, of the 10 MB that it otherwise takes in each partition.
            let reserved = (bytes / config.target_partitions().max(1) / 4).min(10 << 20);
            ruled(config.with_sort_spill_reservation_bytes(reserved), runtime, CollectOnce { sorted: true })
        }
        _ => ruled(config, runtime, CollectOnce { sorted: false }),
    }
}

/// A state with a rule.
pub(crate) fn ruled(config: SessionConfig, runtime: Arc<RuntimeEnv>, rule: CollectOnce) -> SessionState {
    let mut builder =
        SessionStateBuilder::new().with_config(config).with_runtime_env(runtime).with_default_features();
    // Beside the default functions: `with_aggregate_functions` would replace them.
    builder.aggregate_functions().get_or_insert_default().extend(functions().map(Arc::new));
    builder.with_physical_optimizer_rule(Arc::new(rule)).build()
}

/// Adds the functions to a context that exists, without the rule.
pub fn register(context: &SessionContext) {
    functions().into_iter().for_each(|function| context.register_udaf(function));
}

/// A runtime that finds object stores by their URLs, and spills to disk above a number of bytes.
///
/// # Errors
///
/// A folder for spilled rows that cannot be made.
pub fn runtime(stores: Arc<Stores>, memory: Option<usize>) -> Result<Arc<RuntimeEnv>> {
    let stores: Arc<dyn ObjectStoreRegistry> = stores;
    let mut builder = RuntimeEnvBuilder::new().with_object_store_registry(stores);
    if let Some(bytes) = memory {
        builder = builder.with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
    }
    builder.build_arc()
}
