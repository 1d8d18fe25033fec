//! Collections: queries, judgments and documents; one file a format.

mod builder;
#[expect(clippy::module_inception, reason = "the file is named after its type, like the others")]
mod collection;
mod corpus;
mod document;
mod judgments;
mod qrels;
mod query;
mod source;

pub use builder::CollectionBuilder;
pub use collection::Collection;
pub use corpus::{Corpus, Documents};
pub use document::Document;
pub use judgments::Judgments;
pub use qrels::Qrels;
pub use query::{Metadata, Query};
pub use source::CollectionSource;
