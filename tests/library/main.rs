//! The library through its public interface. One program: each links the whole crate.

#[path = "../schema/mod.rs"]
mod schema;

mod command_protocol;
mod comparisons;
mod conventions;
mod http_retriever;
#[cfg(feature = "judge")]
mod judged;
mod metric_reference;
mod properties;
#[cfg(feature = "rag")]
mod rag;
#[cfg(all(feature = "rag", feature = "http"))]
mod rag_answerers;
mod round_trips;
mod spec;
mod spec_errors;
mod spec_robustness;
mod spec_schema;
mod stats_compare;
mod stats_oracle;
mod stats_permutation;
mod thresholds;
mod variants;
mod without_features;
