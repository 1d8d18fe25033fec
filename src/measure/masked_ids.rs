//! Ids of results in which a program or a service repeats a secret.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use crate::collection::{Collection, Query};
use crate::retriever::said::Answer;
use crate::retriever::{BoxError, Response, Retriever};
use crate::run::Hit;
use crate::transport::Secrets;

/// A retriever of whose results no id shows a secret.
///
/// Ids stand in messages, reports, runs and golden files. One that holds a value of a variable gets the variable in its
/// place, unless it is judged or in the corpus: then the value stands in the files of the collection anyway, and another
/// id would lose its grade.
pub(super) struct MaskedIds {
    retriever: Arc<dyn Retriever>,
    secrets: Secrets,
    collection: Collection,
    judged: OnceLock<HashSet<String>>,
}

impl MaskedIds {
    /// The retriever as it is where there is nothing to hide.
    pub(super) fn of_retriever(
        retriever: Arc<dyn Retriever>,
        secrets: Secrets,
        collection: &Collection,
    ) -> Arc<dyn Retriever> {
        if secrets.is_empty() {
            return retriever;
        }
        let collection = collection.clone();
        Arc::new(Self { retriever, secrets, collection, judged: OnceLock::new() })
    }

    fn mask_hits(&self, mut hits: Vec<Hit>) -> Vec<Hit> {
        // Most answers hold no secret, and one search is cheaper than one for each id.
        let all = hits.iter().map(|hit| hit.id.as_str()).collect::<Vec<_>>().join("\n");
        if self.secrets.hide(&all) != all {
            hits.iter_mut().for_each(|hit| self.mask(&mut hit.id));
        }
        hits
    }

    fn mask_response(&self, mut response: Response) -> Response {
        for hits in response.stages.values_mut().chain([&mut response.hits]) {
            *hits = self.mask_hits(std::mem::take(hits));
        }
        response
    }

    fn mask(&self, id: &mut String) {
        let masked = self.secrets.hide(id);
        if masked != *id && !self.is_known(id) {
            *id = masked;
        }
    }

    fn is_known(&self, id: &str) -> bool {
        let judged = || {
            let of_query = self.collection.qrels().iter().flat_map(|(_, judgments)| judgments.iter());
            of_query.map(|(document, _)| document.to_owned()).collect()
        };
        // Who reads the corpus next says why it cannot be read.
        let is_in_corpus = || self.collection.corpus_ids().ok().flatten().is_some_and(|ids| ids.contains(id));
        self.judged.get_or_init(judged).contains(id) || is_in_corpus()
    }
}

impl Retriever for MaskedIds {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        Ok(self.mask_hits(self.retriever.retrieve(query, depth)?))
    }

    fn batch_size(&self) -> usize {
        self.retriever.batch_size()
    }

    fn retrieve_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Vec<Hit>, BoxError>> {
        let answers = self.retriever.retrieve_batch(queries, depth).into_iter();
        answers.map(|answer| answer.map(|hits| self.mask_hits(hits))).collect()
    }

    fn respond(&self, query: &Query, depth: usize) -> Result<Response, BoxError> {
        Ok(self.mask_response(self.retriever.respond(query, depth)?))
    }

    fn respond_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Response, BoxError>> {
        let answers = self.retriever.respond_batch(queries, depth).into_iter();
        answers.map(|answer| answer.map(|response| self.mask_response(response))).collect()
    }

    fn take_answers(&self) -> BTreeMap<String, Answer> {
        let mut answers = self.retriever.take_answers();
        for answer in answers.values_mut() {
            let repeats = answer.repeats.iter_mut().filter_map(|one| one.contexts.as_mut());
            let contexts = answer.contexts.iter_mut().chain(repeats).flatten();
            contexts.for_each(|context| self.mask(&mut context.id));
        }
        answers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{CollectionBuilder, Document};
    use crate::retriever::response_fn;

    #[test]
    fn ids_with_a_secret_are_masked_unless_the_collection_has_them() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "alpha"), [("helpdesk-judged", 1)]);
        builder.add_document(Document::new("helpdesk-7", "text"));
        let collection = builder.build().unwrap();
        let mut secrets = Secrets::default();
        secrets.add("KEY", "s3cr3t/key");
        secrets.add("INDEX", "helpdesk");
        let ids =
            ["a", "doc?key=s3cr3t/key", "doc?key=s3cr3t%2Fkey", "czNjcjN0L2tleQ==", "7333637233742f6b6579"];
        let known = ["helpdesk-judged", "helpdesk-7", "helpdesk-8"];
        let answered: Vec<Hit> = ids.iter().chain(&known).map(|id| Hit::new(*id, 1.0)).collect();
        let retriever = Arc::new(response_fn(move |_: &Query, _| {
            Ok(Response::new(answered.clone()).with_stage("candidates", answered.clone()))
        }));
        let masked = MaskedIds::of_retriever(retriever, secrets, &collection);
        let hits = masked.retrieve(&Query::new("q1", "alpha"), 9).unwrap();
        let response = masked.respond(&Query::new("q1", "alpha"), 9).unwrap();
        assert_eq!((&response.hits, &response.stages["candidates"]), (&hits, &hits));
        let shown: Vec<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
        let masked_ids = ["a", "doc?key=${KEY}", "doc?key=${KEY}", "${KEY}==", "${KEY}"];
        assert_eq!(shown[..5], masked_ids);
        assert_eq!(shown[5..], ["helpdesk-judged", "helpdesk-7", "${INDEX}-8"]);
    }
}
