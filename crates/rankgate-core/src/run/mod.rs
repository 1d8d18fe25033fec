//! Runs: ranked lists, one per query; one file a format.
//!
//! [`Run`] holds a run, [`RunReader`] reads one and says by which conventions, [`RunWriter`] writes
//! one. The limits of [`collection`](crate::collection) hold here as well.

mod answer;
mod blocks;
mod documents_of_chunks;
mod entry;
mod files;
mod golden;
mod golden_digest;
mod golden_form;
mod golden_lines;
mod hit;
mod ids;
mod json;
mod order;
mod overlap;
mod ranking;
mod reader;
mod reading;
mod rising;
mod row;
mod rows;
#[expect(clippy::module_inception, reason = "the file is named after its type, like the others")]
mod run;
mod table;
mod trec;
mod writer;

#[doc(hidden)]
pub use self::{
    golden_digest::with_digest,
    golden_form::GoldenForm,
    golden_lines::write_rankings,
    ids::{decode_id, encode_id},
    overlap::Agreement,
    rising::{Rising, is_of_nearly_all},
    rows::Rows,
    run::{check_ranking, score_by_order, tied_scores},
};
pub use hit::{Hit, HitRef};
pub use order::Order;
pub use overlap::overlap;
pub use ranking::Ranking;
pub use reader::RunReader;
pub use run::Run;
pub use writer::RunWriter;

pub use crate::parents::Parents;
