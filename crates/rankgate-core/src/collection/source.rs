//! Where a collection comes from.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::collection::parts::Parts;
use crate::collection::{Collection, Qrels, beir_folder, json, span_files, trec_files};
use crate::input::uncompressed;

/// Where a collection comes from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CollectionSource {
    /// A directory in the layout of BEIR, see [`Collection::beir`].
    Beir {
        /// The directory that holds `queries.jsonl` and `qrels/`.
        dir: PathBuf,
        /// Which file of `qrels/` holds the judgments, without `.tsv`.
        split: String,
    },
    /// Files in the formats of TREC, see [`Collection::trec`].
    Trec {
        /// Topics: query id, tab, text.
        queries: PathBuf,
        /// Judgments: query, iteration, document, grade.
        qrels: PathBuf,
        /// Documents, as JSON lines or as id, tab, text.
        corpus: Option<PathBuf>,
    },
    /// One JSON file with queries, judgments and documents, see [`Collection::json`]; one that ends in `.jsonl` or `.ndjson`
    /// has one query a line, judgments included, see [`Collection::jsonl`].
    Json {
        /// The file.
        path: PathBuf,
    },
    /// Queries, documents and judged spans of these, see [`Collection::passages`].
    Spans {
        /// Queries, as JSON lines or as id, tab, text.
        queries: PathBuf,
        /// The documents that spans are of.
        documents: PathBuf,
        /// JSON lines of query, document and quote, or start and end.
        spans: PathBuf,
    },
    /// A collection that is in memory already.
    Inline(Collection),
    /// A collection with more judgments in files of their own, in any format of [`Qrels::read`].
    Judged {
        /// The collection.
        collection: Box<CollectionSource>,
        /// The files.
        judgments: Vec<PathBuf>,
        /// A model's judgments, which count for documents that people did not judge.
        model: Option<PathBuf>,
        /// People's judgments of a random sample of queries, in which they judged what the model had judged.
        sample: Option<PathBuf>,
    },
}

impl CollectionSource {
    /// Reads the collection; its corpus stays where it is.
    ///
    /// # Errors
    ///
    /// What the format's own function on [`Collection`] returns.
    pub fn load(&self) -> Result<Collection> {
        match self {
            Self::Inline(collection) => Ok(collection.clone()),
            _ => Collection::from_parts(self.parts()?),
        }
    }

    fn parts(&self) -> Result<Parts> {
        match self {
            Self::Beir { dir, split } => beir_folder::read(dir, split),
            Self::Trec { queries, qrels, corpus } => {
                trec_files::read(&queries.into(), &qrels.into(), corpus.as_deref())
            }
            Self::Json { path } if has_lines(path) => json::read_lines(&path.into()),
            Self::Json { path } => json::read_file(&path.into()),
            Self::Spans { queries, documents, spans } => {
                span_files::read(&queries.into(), documents, &spans.into())
            }
            Self::Inline(collection) => Ok(collection.parts()),
            Self::Judged { collection, judgments, model, sample } => {
                let mut parts = collection.parts()?;
                for path in judgments {
                    parts.judge(path, Qrels::read(path)?, "the collection")?;
                }
                if let Some(model) = model {
                    parts.judge_by_model(model, sample.as_deref())?;
                }
                Ok(parts)
            }
        }
    }
}

/// Whether a file of JSON has one query a line, by its ending, compressed or not.
fn has_lines(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    [".jsonl", ".ndjson"].iter().any(|ending| uncompressed(&name).ends_with(ending))
}
