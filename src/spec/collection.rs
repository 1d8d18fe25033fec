//! `collection:`: where queries, judgments and documents come from.

use std::fmt;

use super::inline::Inline;
use super::parents::{ParentsPlan, RawParents};
use super::passages::RawPassages;
use super::template::{InputFile, InputFolder, PathTemplate};
use crate::Result;
use crate::collection::{Collection, CollectionSource, beir_judgments};
use crate::mapping::{Count, Field, FromNode, OneOrMany, Reader, Rule, mapping};
use crate::yaml::{Node, Problem, Value};

mapping! {
    /// The searched and judged collection: exactly one of `beir`, `trec`, `json`, `passages` and `inline`.
    pub(super) struct RawCollection as "a collection", "{beir: data/helpdesk}" {
        /// A folder in the layout of BEIR: `queries.jsonl`, `qrels/<split>.tsv` and, where a retriever
        /// needs it, `corpus.jsonl`.
        "beir" => beir: InputFolder,
        /// Which judgments of the BEIR folder to use, without `.tsv`; `test` by default.
        "split" => split: Split,
        /// Files in the formats of TREC.
        "trec" => trec: RawTrec,
        /// One JSON file with queries, judgments and documents; one that ends in `.jsonl` has one query a line, judgments included.
        "json" => json: InputFile,
        /// Queries, documents and judged spans of these, for retrievers of chunks.
        "passages" => passages: RawPassages,
        /// Queries, judgments and documents in the spec itself, for a handful of queries.
        "inline" => inline: Inline,
        /// Files with more judgments, each in any of these formats, in JSON, or as the judged lines of
        /// `rankgate pool`; or whose they are: `{people: FILE, model: FILE, sample: FILE}`.
        "judgments" => judgments: Judgments,
        /// The lowest grade that binary metrics count as relevant; 1 by default.
        "relevant-from" => relevant_from: Count<1_000_000>,
        /// Take a retrieved document out before scoring whose id is that of its query, as BEIR does where
        /// queries are documents (ArguAna, Quora); one result more is asked for. False by default.
        "exclude-identical-ids" => exclude_identical_ids: bool,
        /// The judged documents that chunks belong to: rankings of chunks are scored as rankings of documents.
        "parents" => parents: RawParents,
    }
    rules: [
        Rule::ExactlyOne(&["beir", "trec", "json", "passages", "inline"]),
        Rule::Beside {
            key: "judgments",
            one_of: &["beir", "trec", "json", "inline"],
            because: "judgments are of spans in `passages`",
        },
        Rule::Beside {
            key: "parents",
            one_of: &["beir", "trec", "json", "inline"],
            because: "the spans of `passages` hold for any chunks",
        },
        Rule::Beside { key: "split", one_of: &["beir"], because: "other formats have one set of judgments" },
    ]
}

mapping! {
    /// Files in the formats of TREC.
    pub(super) struct RawTrec as "a TREC collection", "{queries: topics.tsv, qrels: qrels.txt}" {
        /// Topics: query id, tab, text; or JSON lines as BEIR has them.
        "queries" => queries: InputFile,
        /// Judgments: query, iteration, document, grade; or query, document, grade between tabs, as BEIR has them.
        "qrels" => qrels: InputFile,
        /// Documents, as JSON lines or as id, tab, text.
        "corpus" => corpus: InputFile,
    }
    rules: [Rule::Required("queries"), Rule::Required("qrels")]
}

mapping! {
    /// Judgments by who gave them. A document has people's grade if they gave one, else the model's.
    pub(super) struct RawOrigins as "judgments by who gave them", "{model: model.jsonl, sample: people.jsonl}" {
        /// People's judgments.
        "people" => people: InputFile,
        /// A model's judgments, as `rankgate judge grade` writes them.
        "model" => model: InputFile,
        /// People's judgments of a random sample of queries, in which they judged what the model had judged, as
        /// `rankgate judge sample` writes them. They correct the metrics.
        "sample" => sample: InputFile,
    }
    rules: [
        Rule::AtLeastOne(&["people", "model"]),
        Rule::Beside { key: "sample", one_of: &["model"], because: "people's grades of a sample correct a model's" },
    ]
}

/// Files of judgments.
#[derive(Clone, Debug, Default)]
pub(super) struct Judgments {
    people: Vec<PathTemplate>,
    model: Option<PathTemplate>,
    sample: Option<PathTemplate>,
}

impl FromNode for Judgments {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        if let Value::Map(_) = &node.value {
            let RawOrigins { people, model, sample } = reader.read(node)?;
            let path = |file: Field<InputFile>| file.into_value().map(|file| file.0);
            return Some(Self {
                people: path(people).into_iter().collect(),
                model: path(model),
                sample: path(sample),
            });
        }
        let files = reader.read::<OneOrMany<InputFile>>(node)?.into_values();
        Some(Self { people: files.into_iter().map(|file| file.0).collect(), ..Self::default() })
    }
}

impl Judgments {
    fn paths(&self) -> impl Iterator<Item = &PathTemplate> {
        self.people.iter().chain(&self.model).chain(&self.sample)
    }
}

/// Where a collection comes from, by paths that may hold variables of the environment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CollectionPlan {
    source: Source,
    /// Files with more judgments.
    judgments: Judgments,
    /// Lowest grade that binary metrics count as relevant.
    pub relevant_from: i32,
    /// Whether a retrieved document whose id is that of its query is taken out before scoring.
    pub exclude_identical_ids: bool,
    /// The judged documents that chunks belong to, where configurations return chunks.
    pub parents: Option<ParentsPlan>,
}

#[derive(Clone, Debug)]
enum Source {
    Beir { dir: PathTemplate, split: String },
    Trec { queries: PathTemplate, qrels: PathTemplate, corpus: Option<PathTemplate> },
    Json(PathTemplate),
    Spans { queries: PathTemplate, documents: PathTemplate, spans: PathTemplate },
    Inline(Collection),
}

impl CollectionPlan {
    /// Whether judgments are of spans of documents.
    pub fn has_passages(&self) -> bool {
        matches!(self.source, Source::Spans { .. })
    }

    /// The collection's files, with the values of variables.
    ///
    /// # Errors
    /// A variable that is not set.
    pub fn resolve(&self) -> Result<CollectionSource> {
        let collection = match &self.source {
            Source::Beir { dir, split } => {
                CollectionSource::Beir { dir: dir.resolve()?, split: split.clone() }
            }
            Source::Trec { queries, qrels, corpus } => CollectionSource::Trec {
                queries: queries.resolve()?,
                qrels: qrels.resolve()?,
                corpus: corpus.as_ref().map(PathTemplate::resolve).transpose()?,
            },
            Source::Json(path) => CollectionSource::Json { path: path.resolve()? },
            Source::Spans { queries, documents, spans, .. } => CollectionSource::Spans {
                queries: queries.resolve()?,
                documents: documents.resolve()?,
                spans: spans.resolve()?,
            },
            Source::Inline(collection) => CollectionSource::Inline(collection.clone()),
        };
        let Judgments { people, model, sample } = &self.judgments;
        if self.judgments.paths().next().is_none() {
            return Ok(collection);
        }
        let one = |path: &Option<PathTemplate>| path.as_ref().map(PathTemplate::resolve).transpose();
        Ok(CollectionSource::Judged {
            collection: Box::new(collection),
            judgments: people.iter().map(PathTemplate::resolve).collect::<Result<_>>()?,
            model: one(model)?,
            sample: one(sample)?,
        })
    }
}

/// In a few words, paths as they are written: `beir ../data/helpdesk (test)`.
impl fmt::Display for CollectionPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Beir { dir, split } => write!(f, "beir {dir} ({split})"),
            Source::Trec { queries, qrels, .. } => write!(f, "trec {queries} {qrels}"),
            Source::Json(path) => write!(f, "json {path}"),
            Source::Spans { queries, spans, .. } => write!(f, "passages {queries} {spans}"),
            Source::Inline(_) => f.write_str("inline"),
        }?;
        self.judgments.paths().try_for_each(|path| write!(f, " + {path}"))
    }
}

impl RawCollection {
    /// The plan; `None` where something is missing, which has been reported.
    pub(super) fn check(self, reader: &mut Reader<'_>) -> Option<CollectionPlan> {
        let split_at = self.split.field_value().map(|split| split.at);
        let split = self.split.into_value().map(|split| split.0);
        let beir_at = self.beir.field_value().map(|beir| beir.at);
        let source = if let Some(dir) = self.beir.into_value() {
            let split = split.unwrap_or_else(|| "test".to_owned());
            if let (Some(folder), Some(at)) = (dir.0.literal(), split_at.or(beir_at))
                && let Err(error) = beir_judgments(&folder, &split)
            {
                reader.report(Problem::new(at, error.to_string()).with_kind(error.kind()));
                return None;
            }
            Source::Beir { dir: dir.0, split }
        } else if let Some(trec) = self.trec.into_value() {
            let (queries, qrels) = (trec.queries.into_value()?.0, trec.qrels.into_value()?.0);
            Source::Trec { queries, qrels, corpus: trec.corpus.into_value().map(|path| path.0) }
        } else if let Some(path) = self.json.into_value() {
            Source::Json(path.0)
        } else if let Some(passages) = self.passages.into_value() {
            Source::Spans {
                queries: passages.queries.into_value()?.0,
                documents: passages.documents.into_value()?.0,
                spans: passages.file.into_value()?.0,
            }
        } else {
            Source::Inline(self.inline.into_value()?.0)
        };
        let judgments = self.judgments.into_value().unwrap_or_default();
        Some(CollectionPlan {
            source,
            judgments,
            relevant_from: self
                .relevant_from
                .into_value()
                .and_then(|grade| grade.0.try_into().ok())
                .unwrap_or(1),
            exclude_identical_ids: self.exclude_identical_ids.into_value().unwrap_or_default(),
            parents: match self.parents {
                Field::Absent => None,
                Field::Broken => return None,
                Field::Given(parents) => Some(parents.value.check()?),
            },
        })
    }
}

/// The name of a set of judgments.
pub(super) struct Split(String);

impl FromNode for Split {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text: String = reader.read(node)?;
        if text.contains(['/', '\\']) {
            return reader.refuse(node.span, "a split is the name of a file in `qrels/`, without `.tsv`");
        }
        Some(Self(text))
    }
}
