//! Judgments of one query by subtopic.

use crate::order;

/// The documents that were judged for one query, each with its grades by subtopic.
///
/// ```
/// use rankgate::metric::{JudgedRanking, Metric, SubtopicJudgments};
///
/// // d1 is about two subtopics, d2 about one of them, d3 about none.
/// let judged = [("d1", "a", 1), ("d1", "b", 1), ("d2", "b", 1), ("d3", "a", 0)];
/// let judged = SubtopicJudgments::new(judged);
/// let ranking = JudgedRanking::new(vec![Some(1), None, Some(1)], vec![1, 1, 0]);
/// let ranking = ranking.with_subtopics(judged, |rank| ["d2", "d9", "d1"][rank - 1]);
/// assert_eq!("StRecall@1".parse::<Metric>()?.compute(&ranking), 0.5);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubtopicJudgments {
    /// By id (bytes).
    documents: Vec<Document>,
    subtopics: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Document {
    id: String,
    /// Number of the subtopic and grade, by number.
    grades: Vec<(usize, i32)>,
}

impl SubtopicJudgments {
    /// Judgments as document, subtopic and grade, in any order; of a pair that comes twice the higher grade counts.
    pub fn new<'a>(judged: impl IntoIterator<Item = (&'a str, &'a str, i32)>) -> Self {
        let mut judged: Vec<(&str, &str, i32)> = judged.into_iter().collect();
        order::sort_by(&mut judged, |a, b| a.cmp(b));
        let mut names: Vec<&str> = judged.iter().map(|(_, subtopic, _)| *subtopic).collect();
        names.sort_unstable();
        names.dedup();
        let mut documents: Vec<Document> = Vec::new();
        for (id, subtopic, grade) in judged {
            let number = names.partition_point(|name| *name < subtopic);
            if documents.last().is_none_or(|last| last.id != id) {
                documents.push(Document { id: id.to_owned(), grades: Vec::new() });
            }
            let Some(Document { grades, .. }) = documents.last_mut() else { continue };
            match grades.last_mut() {
                // They stand in the order of grades.
                Some(last) if last.0 == number => last.1 = grade,
                _ => grades.push((number, grade)),
            }
        }
        Self { documents, subtopics: names.len() }
    }

    /// How many subtopics were judged, relevant documents or not.
    pub fn subtopics(&self) -> usize {
        self.subtopics
    }

    /// How many documents were judged.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// A document's number in the order of ids.
    pub(in super::super) fn position(&self, id: &str) -> Option<usize> {
        self.documents.binary_search_by(|document| document.id.as_str().cmp(id)).ok()
    }

    /// The subtopics to which a document is relevant, by number.
    pub(super) fn relevant(&self, document: usize, rel: i32) -> impl Iterator<Item = usize> + '_ {
        let grades = self.documents.get(document).map_or(&[][..], |document| &document.grades);
        grades.iter().filter(move |(_, grade)| *grade >= rel).map(|(subtopic, _)| *subtopic)
    }

    /// How many documents are relevant to each subtopic.
    pub(super) fn relevant_documents(&self, rel: i32) -> Vec<usize> {
        let mut counts = vec![0; self.subtopics];
        for document in 0..self.documents.len() {
            self.relevant(document, rel).for_each(|subtopic| counts[subtopic] += 1);
        }
        counts
    }
}
