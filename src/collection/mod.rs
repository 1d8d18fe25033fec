//! Collections: queries, judgments and documents; one file a format.

mod beir;
mod builder;
mod check;
#[expect(clippy::module_inception, reason = "the file is named after its type, like the others")]
mod collection;
mod corpus;
mod document;
mod hash;
mod json;
mod judgments;
mod qrels;
mod query;
mod record;
mod source;
mod trec;

pub use builder::CollectionBuilder;
pub use check::CorpusCheck;
pub use collection::Collection;
pub use corpus::{Corpus, Documents};
pub use document::Document;
pub use hash::file_sha256;
pub use judgments::Judgments;
pub use qrels::Qrels;
pub use query::{Metadata, Query};
pub use source::CollectionSource;
