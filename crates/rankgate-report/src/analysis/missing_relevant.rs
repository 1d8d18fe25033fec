//! Relevant documents that the corpus lacks, or has without a text: no retriever finds them, whatever it is worth.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::collection::{Collection, CorpusIds};
use crate::evaluation::Evaluation;
use crate::model::{CoverageCount, Covered};
use crate::order;

/// The lowest grade that counts, whatever is relevant to a metric.
const RELEVANT: i32 = 1;

/// The ids of relevant documents that the corpus lacks or has emptied, by query; a query that lacks none is not listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct MissingRelevant {
    by_query: BTreeMap<String, Vec<String>>,
}

impl MissingRelevant {
    /// Looks up every relevant document; without a corpus nobody knows, and none is missing.
    pub fn new(collection: &Collection, ids: Option<&CorpusIds>) -> Self {
        let Some(ids) = ids else { return Self::default() };
        let of_query = |query: &str| -> Vec<String> {
            let missing = relevant(collection, query).filter(|document| !ids.contains_text(document));
            missing.map(str::to_owned).collect()
        };
        let queries = collection.queries().iter().map(|query| (query.id.clone(), of_query(&query.id)));
        Self { by_query: order::map(queries.filter(|(_, missing)| !missing.is_empty())) }
    }

    /// What is there of the evaluated queries and of their relevant documents, whichever is the smaller share; `None`
    /// where nothing is missing.
    ///
    /// One without the other misleads: few queries may have most documents, and all queries may keep one of many.
    pub(super) fn count(&self, evaluation: &Evaluation) -> Option<CoverageCount> {
        let (mut lost, mut missing, mut of) = (Vec::new(), Vec::new(), [0, 0]);
        for query in evaluation.queries() {
            let relevant = relevant(evaluation.collection(), &query.id).count();
            let own = self.by_query.get(&query.id).map_or(&[][..], Vec::as_slice);
            lost.extend((relevant > 0 && own.len() == relevant).then_some(query.id.as_str()));
            missing.extend(own.iter().map(String::as_str));
            of = [of[0] + usize::from(relevant > 0), of[1] + relevant];
        }
        if missing.is_empty() {
            return None;
        }
        // The same document may be missing of several queries.
        let named: BTreeSet<&str> = missing.iter().copied().collect();
        let documents = CoverageCount {
            missing: named.into_iter().take(CoverageCount::NAMED).map(str::to_owned).collect(),
            ..CoverageCount::new(Covered::Documents, of[1] - missing.len(), of[1])
        };
        let queries = CoverageCount::without(Covered::Findable, None, of[0], lost.into_iter());
        Some(if queries.share() <= documents.share() { queries } else { documents })
    }
}

/// The judged documents of a query that are relevant.
fn relevant<'a>(collection: &'a Collection, query: &str) -> impl Iterator<Item = &'a str> {
    let judgments = collection.judgments(query).into_iter().flat_map(|judgments| judgments.iter());
    judgments.filter(|(_, grade)| *grade >= RELEVANT).map(|(document, _)| document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{CollectionBuilder, Document, Query};
    use crate::run::{Hit, Run};

    /// Each query with its relevant documents, of which the corpus has some.
    fn count(queries: &[(&str, &[&str])], corpus: Option<&[&str]>) -> Option<(Covered, usize, usize)> {
        let mut builder = CollectionBuilder::new();
        for (id, relevant) in queries {
            let judged = relevant.iter().map(|document| (*document, 1)).chain([("never-relevant", 0)]);
            builder.add_query(Query::new(*id, "text"), judged);
        }
        for id in corpus.unwrap_or_default() {
            builder.add_document(Document::new(*id, "text"));
        }
        let collection = builder.build().unwrap();
        let run = Run::from_rankings([(queries[0].0, vec![Hit::new("a", 1.0)])]).unwrap();
        let evaluation = Evaluation::of_run(&collection, run).unwrap();
        let missing = MissingRelevant::new(&collection, collection.corpus_ids().unwrap());
        missing.count(&evaluation).map(|count| (count.kind, count.there, count.of))
    }

    /// Counted by hand.
    #[test]
    fn the_smaller_share_is_told() {
        let two: &[(&str, &[&str])] = &[("q1", &["a", "b", "c"]), ("q2", &["d"]), ("q3", &[])];
        assert_eq!(count(two, Some(&["a", "b", "c", "d"])), None);
        assert_eq!(count(two, None), None, "without a corpus nobody knows");
        // A whole query, and a quarter of the documents.
        assert_eq!(count(two, Some(&["a", "b", "c"])), Some((Covered::Findable, 1, 2)));
        // Each query keeps a document, and half of the documents are missing.
        assert_eq!(count(two, Some(&["a", "d"])), Some((Covered::Documents, 2, 4)));
        assert_eq!(count(two, Some(&["x"])), Some((Covered::Findable, 0, 2)));
    }
}
