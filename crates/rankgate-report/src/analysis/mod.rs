//! What evaluations show, as findings of the model: pure functions, for a spec that is carried out and for runs
//! that exist already.

mod cannot_fail;
mod complete_lists;
mod coverage;
pub mod deterministic;
mod every_query;
mod foreign_documents;
mod golden;
mod judged;
mod likeness;
mod list_changes;
mod lists;
mod measured;
mod missing_relevant;
mod movers;
mod pair;
mod people;
mod question;
mod rankings;
mod suite;
mod threshold;
mod unjudged;

pub use complete_lists::CompleteLists;
pub use coverage::{Answered, Basis, ForeignDocuments, shared_with};
pub use deterministic::{only_ties_moved, parting};
pub use foreign_documents::{foreign_documents, mostly};
pub use golden::Golden;
pub use judged::{judged_some, nothing_judged};
pub use likeness::compare_rankings;
pub use list_changes::{largest_loss, list_changes};
pub use lists::{above_scale, cut_lists, equal_scores, rising_scores};
pub use measured::{Scope, collection_report};
pub use missing_relevant::MissingRelevant;
pub use movers::against;
pub use pair::{Alike, Pair, Side, ranking};
pub use people::{check_people, people_warning};
pub use question::{Compared, Part, Question, compare};
pub use rankings::shown;
pub use suite::{PartOfMean, in_collection, macro_mean, suite_threshold};
pub use threshold::{broken_threshold, held_down, left_out, lowest, threshold};
