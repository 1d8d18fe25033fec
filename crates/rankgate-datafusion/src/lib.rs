//! Retrieval quality over tables of any size: the metrics of rankgate as aggregates of DataFusion and Ballista.
//!
//! An engine only turns rows into per-query scores, one line a query. The statistics and reports of `rankgate` run
//! unchanged on those lines, so that a cluster's verdict is the laptop's verdict, to the last bit.
//!
//! ```
//! use datafusion::prelude::SessionContext;
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let context = SessionContext::new_with_state(rankgate_datafusion::state(Default::default(), Default::default()));
//! context.sql("CREATE TABLE run AS VALUES ('q1', 'd7', 2.5), ('q1', 'd1', 2.0)").await?.collect().await?;
//! context.sql("CREATE TABLE judgments AS VALUES ('q1', 'd1', 1), ('q2', 'd1', 1)").await?.collect().await?;
//! let means = "SELECT exact_mean(scored.result['scores'][1]) FROM (
//!     SELECT query, rank_eval(query, document, score, grade, 'RR') AS result FROM (
//!         SELECT column1 AS query, column2 AS document, column3 AS score, NULL AS grade FROM run
//!         UNION ALL
//!         SELECT column1, column2, NULL, column3 FROM judgments
//!     ) GROUP BY query
//! ) scored";
//! let batches = context.sql(means).await?.collect().await?;
//! // q1 finds its document at rank 2; q2 was not answered and scores 0.
//! let shown = datafusion::arrow::util::pretty::pretty_format_batches(&batches)?.to_string();
//! assert!(shown.contains("0.25"), "{shown}");
//! # Ok::<(), datafusion::error::DataFusionError>(())
//! # }).unwrap();
//! ```

mod aggregate;
mod cluster;
mod evaluating;
mod memory;
mod seal;
mod session;
mod source;

pub use aggregate::{
    CollectOnce, DEFAULT_METRICS, ExactMean, Options, RankEval, SealedResult, Unscorable, read_results,
};
pub use cluster::{Executor, Scheduler, connect};
pub use evaluating::{Evaluated, Evaluating};
pub use memory::Memory;
pub use seal::Seal;
pub use session::{register, runtime, state};
pub use source::{Columns, Place, Side, Stores, Table};
