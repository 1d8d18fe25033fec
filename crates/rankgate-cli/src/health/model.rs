//! The result of a check: one serializable value for text and JSON.

use serde::Serialize;

/// The version of the JSON form. It changes when a change breaks a reader.
pub const SCHEMA: u32 = 1;

/// The health of a collection, or of a spec and its collection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Health {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The file or folder that was checked.
    pub subject: String,
    /// The collection in numbers.
    pub collection: CollectionFacts,
    /// The findings, the most severe first.
    pub findings: Vec<Finding>,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Numbers from this collection mislead, or a gate cannot decide
    Problem,
    /// It may mislead: look at it and decide
    Warning,
    /// Good to know
    Note,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// The kind of finding, such as `missing-documents`: stable, for programs.
    pub code: String,
    /// The finding in one sentence.
    pub message: String,
    /// The number of cases.
    pub count: usize,
    /// The first few of them.
    pub examples: Vec<Example>,
    /// The remedy; may be empty.
    pub advice: String,
}

impl Finding {
    /// A finding with its first examples, if there is any case.
    pub(crate) fn new(
        (severity, code): (Severity, &str),
        message: String,
        count: usize,
        examples: impl IntoIterator<Item = Example>,
        advice: &str,
    ) -> Option<Self> {
        (count > 0).then(|| Self {
            severity,
            code: code.into(),
            message,
            count,
            examples: examples.into_iter().take(Example::MOST).collect(),
            advice: advice.into(),
        })
    }
}

/// One case of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The query, document or gate.
    pub id: String,
    /// Its text, at most 200 characters.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// A remark.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl Example {
    /// Examples of one finding.
    pub(crate) const MOST: usize = 5;
    const TEXT: usize = 200;

    pub(crate) fn new(id: impl Into<String>, text: &str, note: impl Into<String>) -> Self {
        let mut cut: String = text.chars().take(Self::TEXT).collect();
        if cut.len() < text.len() {
            cut.push_str("...");
        }
        Self { id: id.into(), text: cut, note: note.into() }
    }
}

/// `one` or `many`, whichever a count takes.
pub(crate) fn choose<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

/// The collection in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CollectionFacts {
    /// Queries with judgments: those that means are taken over.
    pub queries: usize,
    /// Queries without judgments, which no retriever runs.
    pub unjudged_queries: usize,
    /// Queries that no document answers, which `FalseAnswer` measures.
    pub unanswerable: usize,
    /// Words of a query.
    pub query_words: Spread,
    /// Documents; `None` without a corpus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents: Option<usize>,
    /// Words of a document, titles included; `None` without a corpus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_words: Option<Spread>,
    /// Judged pairs of query and document.
    pub judgments: usize,
    /// Different documents that were judged for any query.
    pub judged_documents: usize,
    /// Lowest grade that counts as relevant.
    pub relevant_from: i32,
    /// Judgments with such a grade.
    pub relevant: usize,
    /// Judgments of a query.
    pub judgments_per_query: Spread,
    /// Relevant documents of a query.
    pub relevant_per_query: Spread,
}

/// The smallest, the middle and the largest of some numbers; all 0 if there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// The smallest.
    pub min: usize,
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// The largest.
    pub max: usize,
}

impl Spread {
    pub(crate) fn new(numbers: impl IntoIterator<Item = usize>) -> Self {
        let mut sorted: Vec<usize> = numbers.into_iter().collect();
        sorted.sort_unstable();
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else { return Self::default() };
        let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Self { min, median: (low as f64 + high as f64) / 2.0, max }
    }
}
