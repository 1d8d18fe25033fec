//! The library through its public interface. One program: each links the whole crate.

mod attributes;
mod chunks;
mod command_protocol;
mod comparisons;
mod conventions;
mod conversations;
mod deterministic;
mod diversity;
mod error_kinds;
mod evidence;
mod fusion;
mod http_connections;
mod http_products;
mod http_retriever;
mod http_server;
mod metric_reference;
mod neighbours;
mod no_answer;
mod properties;
#[cfg(feature = "judge")]
mod refusals;
mod reports;
mod round_trips;
mod spec;
#[cfg(feature = "judge")]
mod spec_errors;
mod spec_robustness;
#[cfg(feature = "judge")]
mod spec_schema;
mod stages;
mod stats_compare;
mod stats_oracle;
mod stats_permutation;
mod streams;
mod thresholds;
mod units;
mod usage;
mod variants;
