//! Collections: queries, judgments and documents; one file a format.
//!
//! | format | read | written |
//! |---|---|---|
//! | BEIR: a directory | [`Collection::beir`] | [`Collection::save_beir`] |
//! | TREC: topics, judgments, documents | [`Collection::trec`], [`Qrels::read_trec`] | [`Qrels::write_trec`] |
//! | one JSON file | [`Collection::json`], which lists the keys | |
//! | JSON lines, a query each | [`Collection::jsonl`] | |
//! | in code | [`CollectionBuilder`] | |
//!
//! Every file may be gzipped. Lines may come in any order; carriage returns, blank lines, a
//! missing last newline and a byte-order mark are accepted, and so are comments (`# ` at the
//! beginning of a line) before the first data line of a file with columns. Nothing is guessed: an
//! id that comes twice or is empty, a grade that is not a whole number, a document judged twice
//! for a query, a key that an object has twice are errors that name file, line and text.
//!
//! More judgments may stand in files of their own ([`CollectionSource::Judged`]). [`Qrels::origin`] says which file a
//! judgment comes from.
//!
//! What is read may also be bytes or a stream, such as the body of a request: see [`Source`](crate::Source).
//!
//! Hashes come in two kinds. [`file_sha256`] is that of a file's bytes. [`Collection::queries_sha256`], [`Qrels::sha256`] and
//! [`CorpusCheck::sha256`] are those of what the files say: reordered lines, another format or
//! compression change nothing.
//!
//! Limits: lines of at most 64 MiB, JSON texts of at most 1 GiB, and compressed files that expand
//! to at most 200 times their size or 256 MiB, whichever is more.

mod answerable;
mod beir;
mod beir_folder;
mod builder;
mod check;
#[expect(clippy::module_inception, reason = "the file is named after its type, like the others")]
mod collection;
mod collection_files;
mod corpus;
mod document;
mod ids;
mod json;
mod judged_lines;
mod judgment_line;
mod judgments;
mod line_format;
mod origins;
mod parts;
mod passages;
mod qrels;
mod qrels_files;
mod query;
mod record;
mod source;
mod span_files;
mod subtopics;
mod trec;
mod trec_files;

#[doc(hidden)]
pub use self::{
    answerable::mark_fault,
    beir_folder::beir_judgments,
    ids::CorpusIds,
    origins::Origins,
    query::{SYNTHETIC, is_unanswerable, segments},
    record::meant_judged,
};
pub use crate::content_hash::file_sha256;
#[doc(hidden)]
pub use crate::passage::HitPlace;
pub use crate::passage::Passage;
pub use builder::CollectionBuilder;
pub use check::CorpusCheck;
pub use collection::Collection;
pub use corpus::{Corpus, Documents};
pub use document::Document;
pub use judgments::Judgments;
pub use passages::{Chunks, JudgedPassages};
pub use qrels::{Origin, Qrels};
pub use query::{Metadata, Query};
pub use source::CollectionSource;
