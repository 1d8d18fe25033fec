//! Runs: ranked lists, one per query; one file a format.

mod answer;
mod cache;
mod hit;
mod ids;
mod json;
mod order;
mod overlap;
mod reader;
#[expect(clippy::module_inception, reason = "the file is named after its type, like the others")]
mod run;
mod trec;
mod writer;

pub(crate) use cache::Cache;
pub use hit::{Hit, HitRef};
pub use ids::{decode_id, encode_id};
pub use order::Order;
pub use overlap::{overlap, rank_biased_overlap};
pub use reader::RunReader;
pub use run::{Run, check_ranking, tied_scores};
pub use writer::RunWriter;
