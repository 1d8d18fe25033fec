//! Retrieval metrics: exact, fast, and named as people name them.
//!
//! Every built-in metric is a pure function of one [`JudgedRanking`]: the judged grades of one query's
//! ranking in rank order, with all the grades judged for the query. A metric of one's own is a function of
//! the same ([`Metric::custom`]). Where `trec_eval` defines a metric its version 10 (with `-c`) is the reference,
//! with which every query's value agrees to a relative 1e-12; else it is the literature. Each metric's file says
//! what it computes, in which cases it is 0, and where that comes from.
//!
//! ```
//! use rankgate::metric::{JudgedRanking, Metric};
//!
//! let metrics = ["nDCG@10", "MRR", "map_cut_100"].map(|name| name.parse::<Metric>());
//! let ranking = JudgedRanking::new(vec![None, Some(1), Some(0)], vec![1, 0, 0]);
//! let values: Vec<f64> = metrics.into_iter().map(|metric| Ok(metric?.compute(&ranking)))
//!     .collect::<Result<_, rankgate::Error>>()?;
//! assert_eq!(values, [1.0 / 3f64.log2(), 0.5, 0.5]);
//! # Ok::<(), rankgate::Error>(())
//! ```

// To add a metric, write its file with a `Definition` and list that in `catalogue.rs`; its names,
// its parameters and its row in the documentation follow from there.

// What metrics are computed from.
mod gain;
mod judged_ranking;
mod parameters;
mod ranked_query;

// The metrics, one family a file.
mod ap;
mod bpref;
mod compat;
mod counts;
mod diversity;
mod err;
mod f_measure;
mod infap;
mod iprec;
mod judged;
mod ndcg;
mod precision;
mod rbp;
mod recall;
mod rprec;
mod rr;
mod silence;
mod success;

// What they are called.
mod catalogue;
mod counterpart;
mod custom;
mod definition;
mod direction;
mod elsewhere;
mod into;
mod list;
#[expect(clippy::module_inception, reason = "it holds the type `Metric`")]
mod metric;
mod missing;
mod name;
mod parse;
mod range;
mod reaching;
mod registry;
mod requirements;
mod signals;
mod suggest;

#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use self::{
    counterpart::Counterpart, diversity::SubtopicJudgments, elsewhere::replacement, into::IntoMetric,
    list::names_in, ranked_query::RankedQuery, requirements::Requirements, signals::Signals,
};
pub use catalogue::catalogue;
pub use definition::{Aggregation, Definition};
pub use direction::Polarity;
pub use judged_ranking::JudgedRanking;
pub use list::{NamedMetric, parse_list};
pub use metric::Metric;
pub use registry::MetricRegistry;
