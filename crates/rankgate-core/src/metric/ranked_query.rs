//! What a metric of one's own may look at besides grades: the query and its documents.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde_json::Value;

use super::attribute::Attribute;
use super::judged_ranking::JudgedRanking;
use super::neighbours::TrueNeighbours;
use super::passages::Coverage;
use crate::error::Quoted;
use crate::{Error, Result};

/// One query with its ranking and its judgments, by document: what a metric made by
/// [`Metric::custom_of_documents`](super::Metric::custom_of_documents) is a function of.
///
/// ```
/// use rankgate::metric::{Metric, RankedQuery};
///
/// // How many guides, of which there are two for each product, are in the top 4?
/// let guides = Metric::custom_of_documents("Guides@4", 0.0..=1.0, [""; 0], |asked| {
///     let top = asked.documents().iter().take(4);
///     top.filter(|document| document.id.starts_with("guide-")).count().min(2) as f64 / 2.0
/// })?;
///
/// // What rankgate hands to it, made by hand to test it.
/// let asked = RankedQuery::new("q1", "battery", ["guide-7", "faq-1", "news-4"], [("guide-7", 2), ("guide-8", 1)]);
/// assert_eq!(guides.compute_of_query(&asked)?, 0.5);
/// assert_eq!(asked.documents()[0].grade, Some(2));
/// assert_eq!(asked.judged(), [("guide-7", 2), ("guide-8", 1)]);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RankedQuery<'a> {
    id: &'a str,
    text: &'a str,
    metadata: &'a BTreeMap<String, Value>,
    documents: Vec<RankedDocument<'a>>,
    has_document_metadata: bool,
    attribute: Option<&'a Attribute>,
    judged: Vec<(&'a str, i32)>,
    ranking: JudgedRanking,
    coverage: Option<Coverage>,
    neighbourhood: Option<Neighbourhood<'a>>,
    unanswerable: bool,
}

/// What is known of a query's neighbours.
#[derive(Clone, Debug)]
struct Neighbourhood<'a> {
    truth: &'a TrueNeighbours,
    /// Of each document of the ranking.
    distances: Vec<Option<f64>>,
}

/// A document of a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RankedDocument<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its grade; `None` where nobody judged it, below 0 where it was in the pool and got no judgment.
    pub grade: Option<i32>,
    /// What the collection says of it under the keys that the metric [needs](super::Requirements::metadata), and nothing
    /// else.
    pub metadata: &'a BTreeMap<String, Value>,
    /// Whether anybody says what its metadata are: without that it is not known whether it has a key.
    pub is_known: bool,
}

static NO_METADATA: BTreeMap<String, Value> = BTreeMap::new();

impl<'a> RankedQuery<'a> {
    /// A query by id and text, the ids of its documents, best first, and all the documents that were judged
    /// for it with their grades, retrieved or not.
    pub fn new(
        id: &'a str,
        text: &'a str,
        documents: impl IntoIterator<Item = &'a str>,
        judged: impl IntoIterator<Item = (&'a str, i32)>,
    ) -> Self {
        Self::from_lists(id, text, &documents.into_iter().collect::<Vec<_>>(), &crate::order::map(judged))
    }

    fn from_lists(
        id: &'a str,
        text: &'a str,
        documents: &[&'a str],
        grades: &BTreeMap<&'a str, i32>,
    ) -> Self {
        let graded = |id: &&'a str| RankedDocument {
            id,
            grade: grades.get(*id).copied(),
            metadata: &NO_METADATA,
            is_known: false,
        };
        let documents: Vec<_> = documents.iter().map(graded).collect();
        let ranked = documents.iter().map(|document| document.grade).collect();
        let ranking = JudgedRanking::new(ranked, grades.values().copied().collect());
        let judged = grades.iter().map(|(document, grade)| (*document, *grade)).collect();
        Self {
            id,
            text,
            metadata: &NO_METADATA,
            documents,
            has_document_metadata: false,
            attribute: None,
            judged,
            ranking,
            neighbourhood: None,
            coverage: None,
            unanswerable: false,
        }
    }

    /// The same with what the collection says of each document, by its id.
    ///
    /// # Errors
    ///
    /// A document of the ranking of which it says nothing.
    pub fn with_document_metadata(
        mut self,
        metadata: impl Fn(&str) -> Option<&'a BTreeMap<String, Value>>,
    ) -> Result<Self> {
        for document in &mut self.documents {
            document.metadata = metadata(document.id).ok_or_else(|| {
                let message = format!("document {} is not in the collection", Quoted(document.id));
                Error::invalid(format!("{message}, so that nothing is known of its metadata"))
            })?;
            document.is_known = true;
        }
        Ok(Self { has_document_metadata: true, ..self })
    }

    /// The same with the attribute that documents are counted by, and what is known of their metadata, by id.
    #[must_use]
    pub fn with_attribute(
        mut self,
        attribute: &'a Attribute,
        metadata: impl Fn(&str) -> Option<&'a BTreeMap<String, Value>>,
    ) -> Self {
        for document in &mut self.documents {
            let known = metadata(document.id);
            (document.metadata, document.is_known) = (known.unwrap_or(&NO_METADATA), known.is_some());
        }
        Self { attribute: Some(attribute), has_document_metadata: true, ..self }
    }

    /// The same with its true nearest neighbours.
    #[must_use]
    pub fn with_neighbours(self, truth: &'a TrueNeighbours) -> Self {
        let known: HashMap<&str, Option<f64>, RandomState> = truth.iter().collect();
        let distance = |document: &RankedDocument<'_>| known.get(document.id).copied().flatten();
        let distances = self.documents.iter().map(distance).collect();
        Self { neighbourhood: Some(Neighbourhood { truth, distances }), ..self }
    }

    /// The same query with what else the collection says of it.
    #[must_use]
    pub fn with_metadata(self, metadata: &'a BTreeMap<String, Value>) -> Self {
        Self { metadata, ..self }
    }

    /// The same query with how much passages its passages cover.
    #[must_use]
    pub fn with_coverage(self, coverage: Coverage) -> Self {
        Self { coverage: Some(coverage), ..self }
    }

    /// How much of the judged passages its chunks cover, where that is known.
    pub fn coverage(&self) -> Option<Coverage> {
        self.coverage
    }

    /// The same query, which no document answers.
    #[must_use]
    pub fn as_unanswerable(self) -> Self {
        Self { unanswerable: true, ..self }
    }

    /// Whether no document answers the query.
    pub fn is_unanswerable(&self) -> bool {
        self.unanswerable
    }

    /// The query's id.
    pub fn id(&self) -> &'a str {
        self.id
    }

    /// What was asked; empty where a collection has judgments only.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// What else the collection says of the query, such as its category.
    pub fn metadata(&self) -> &'a BTreeMap<String, Value> {
        self.metadata
    }

    /// The documents that were retrieved, best first, to the depth that was asked for.
    pub fn documents(&self) -> &[RankedDocument<'a>] {
        &self.documents
    }

    /// All the documents that were judged for the query, retrieved or not, with their grades, by id.
    pub fn judged(&self) -> &[(&'a str, i32)] {
        &self.judged
    }

    /// The grades in rank order, which every other metric is a function of: counts of hits and of relevant
    /// documents, the lowest relevant grade.
    pub fn ranking(&self) -> &JudgedRanking {
        &self.ranking
    }
}

impl<'a> RankedQuery<'a> {
    pub(super) fn attribute(&self) -> Option<&'a Attribute> {
        self.attribute
    }

    pub(super) fn true_neighbours(&self) -> Option<&'a TrueNeighbours> {
        self.neighbourhood.as_ref().map(|known| known.truth)
    }

    /// The distance of each document, where it is known.
    pub(super) fn distances(&self) -> &[Option<f64>] {
        self.neighbourhood.as_ref().map_or(&[], |known| &known.distances)
    }
}

#[doc(hidden)]
impl<'a> RankedQuery<'a> {
    /// The first `cutoff` documents that have the attribute, with their ranks from 1.
    ///
    /// # Errors
    /// A document of which that is not known; values that cannot be compared.
    pub fn documents_with_attribute(&self, cutoff: usize) -> Result<Vec<(usize, RankedDocument<'a>)>> {
        let unknown = || Error::invalid("the attribute is not known here");
        let attribute = self.attribute.ok_or_else(unknown)?;
        let mut having = Vec::new();
        for (rank, document) in (1..).zip(&self.documents).take(cutoff) {
            if attribute.has(self.metadata, document)? {
                having.push((rank, *document));
            }
        }
        Ok(having)
    }

    /// Whether it knows what the collection says of the documents.
    pub fn has_document_metadata(&self) -> bool {
        self.has_document_metadata
    }

    /// The same query with its documents judged by their ranks: where judgments are of spans, what a passage is worth
    /// depends on those above it, and its id says nothing.
    #[must_use]
    pub fn judged_by_rank(mut self, ranking: &JudgedRanking) -> Self {
        for (rank, document) in (1..).zip(&mut self.documents) {
            document.grade = ranking.grade_at(rank);
        }
        Self { ranking: ranking.clone(), ..self }
    }

    /// The same query, judged by the scale of another ranking: its lowest relevant and its largest grade.
    #[must_use]
    pub fn on_the_scale_of(mut self, other: &JudgedRanking) -> Self {
        self.ranking =
            self.ranking.with_max_grade(other.max_grade()).with_relevant_from(other.relevant_from());
        self
    }
}
