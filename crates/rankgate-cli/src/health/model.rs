//! What was found, one serializable value that every rendering shows.

use serde::{Deserialize, Serialize};

/// The version of the JSON form: fields are added, and this counts changes that break a reader.
pub const SCHEMA: u32 = 1;

/// The health of a collection, or of a spec and its collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What was examined: a file or a folder.
    pub subject: String,
    /// The collection in numbers.
    pub collection: CollectionFacts,
    /// What the configurations of a spec can resolve on it; `None` for a collection alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Resolution>,
    /// What was found, the most severe first.
    pub findings: Vec<Finding>,
}

impl Health {
    /// How many findings there are of a severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    /// Puts the most severe findings first; among equals the order in which they were found stays.
    pub(crate) fn order(&mut self) {
        self.findings.sort_by_key(|finding| finding.severity);
    }
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Numbers from this collection mislead, or a gate cannot do what it is there for.
    Problem,
    /// It may mislead: look at it and decide.
    Caution,
    /// Good to know.
    Fact,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What kind of finding it is, such as `missing-documents`: stable, for programs.
    pub code: String,
    /// What was found, in one sentence.
    pub message: String,
    /// How many cases there are: of texts that are alike, groups or pairs.
    pub count: usize,
    /// The first few of them.
    pub examples: Vec<Example>,
    /// What to do about it; may be empty.
    pub advice: String,
}

/// One case of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// The query, document or gate.
    pub id: String,
    /// Its text, of which at most 200 characters are kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What there is to say of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// `one` or `many`, whichever a count takes.
pub(crate) fn choose<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

/// The collection in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectionFacts {
    /// Queries with judgments: those that means are taken over.
    pub queries: usize,
    /// Queries without judgments, which no retriever runs.
    pub unjudged_queries: usize,
    /// Queries that no document answers, which `FalseAnswer` measures.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unanswerable: usize,
    /// Words of a query.
    pub query_words: Spread,
    /// Documents; `None` without a corpus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<u64>,
    /// Words of a document, titles included; `None` without a corpus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_words: Option<Spread>,
    /// Judged pairs of query and document.
    pub judgments: usize,
    /// Different documents that were judged for any query.
    pub judged_documents: usize,
    /// Lowest grade that counts as relevant.
    pub relevant_from: i32,
    /// How often each grade was given, the lowest first.
    pub grades: Vec<Grade>,
    /// Judgments of a query.
    pub judgments_per_query: Spread,
    /// Relevant documents of a query.
    pub relevant_per_query: Spread,
    /// Judged queries by metadata key and value.
    pub segments: Vec<SegmentFacts>,
}

/// The smallest, the middle and the largest of some numbers; all 0 where there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The smallest.
    pub min: u64,
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// The largest.
    pub max: u64,
}

impl Spread {
    pub(crate) fn new(numbers: impl IntoIterator<Item = usize>) -> Self {
        let mut sorted: Vec<u64> = numbers.into_iter().map(|number| number as u64).collect();
        sorted.sort_unstable();
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else { return Self::default() };
        let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Self { min, median: (low as f64 + high as f64) / 2.0, max }
    }
}

/// A grade and how often it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grade {
    /// The grade.
    pub grade: i32,
    /// Judgments that give it.
    pub judgments: usize,
}

/// Judged queries by the values of one metadata key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentFacts {
    /// The key.
    pub key: String,
    /// Values with their number of queries, the largest first.
    pub values: Vec<(String, usize)>,
    /// Judged queries without the key.
    pub without: usize,
}

/// What the configurations of a spec can resolve on its collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resolution {
    /// Confidence of intervals and tests, between 0 and 1.
    pub confidence: f64,
    /// The probability with which a difference of the detectable size would be shown.
    pub power: f64,
    /// Each configuration of the spec.
    pub configurations: Vec<ConfigurationFacts>,
    /// What each pair of configurations could show, by metric.
    pub detectable: Vec<Detectable>,
}

/// One configuration, measured or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfigurationFacts {
    /// Its name.
    pub name: String,
    /// Why it could not be measured, where it could not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmeasured: Option<String>,
    /// How much of what it returns was judged.
    pub judged: Vec<JudgedShare>,
}

/// The share of judged documents among the first ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedShare {
    /// How many documents are looked at.
    pub cutoff: usize,
    /// The mean share over queries, between 0 and 1.
    pub share: f64,
}

/// What two configurations could show in one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Detectable {
    /// Canonical name.
    pub metric: String,
    /// One of the two.
    pub baseline: String,
    /// The other.
    pub candidate: String,
    /// Queries, or groups of them with `statistics.group-by`.
    pub units: usize,
    /// Units on which the two differ today.
    pub differing: usize,
    /// Today's mean difference, candidate minus baseline.
    pub difference: f64,
    /// The smallest true difference that a two-sided test would show with [`Resolution::power`]; `None`
    /// where the differences have no spread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<f64>,
}
