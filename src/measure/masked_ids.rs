//! Ids and metadata of results in which a program or a service repeats a secret.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::collection::{Collection, Query};
use crate::metric::Operand;
use crate::retriever::said::Answer;
use crate::retriever::{BoxError, Response, Retriever};
use crate::run::Hit;
use crate::transport::Secrets;

/// A retriever of whose results no id shows a secret, and none of the metadata that are kept.
///
/// Ids stand in messages, reports, runs and golden files. One that holds a value of a variable gets the variable in its
/// place, unless it is judged or in the corpus: then the value stands in the files of the collection anyway, and another
/// id would lose its grade. So it is with values of metadata that stand in a query or in an attribute of the spec.
pub(super) struct MaskedIds {
    retriever: Arc<dyn Retriever>,
    secrets: Secrets,
    collection: Collection,
    /// The keys of metadata that are kept.
    keys: BTreeSet<String>,
    judged: OnceLock<HashSet<String>>,
    /// Values that metadata are compared with.
    compared: OnceLock<HashSet<String>>,
}

impl MaskedIds {
    /// The retriever as it is where there is nothing to hide.
    pub(super) fn of_retriever(
        retriever: Arc<dyn Retriever>,
        secrets: Secrets,
        collection: &Collection,
        keys: BTreeSet<&str>,
    ) -> Arc<dyn Retriever> {
        if secrets.is_empty() {
            return retriever;
        }
        let collection = collection.clone();
        let keys = keys.into_iter().map(str::to_owned).collect();
        let (judged, compared) = Default::default();
        Arc::new(Self { retriever, secrets, collection, keys, judged, compared })
    }

    fn mask_hits(&self, mut hits: Vec<Hit>) -> Vec<Hit> {
        // Most answers hold no secret, and one search is cheaper than one for each id.
        let all = hits.iter().map(|hit| hit.id.as_str()).collect::<Vec<_>>().join("\n");
        if self.secrets.hide(&all) != all {
            hits.iter_mut().for_each(|hit| self.mask(&mut hit.id));
        }
        let values = hits.iter_mut().filter_map(|hit| hit.metadata.as_mut()).flat_map(|all| all.iter_mut());
        values.filter(|(key, _)| self.keys.contains(*key)).for_each(|(_, value)| self.mask_value(value));
        hits
    }

    fn mask_value(&self, value: &mut Value) {
        *value = self.secrets.hide_json(std::mem::take(value), &|text| self.is_compared(text));
    }

    fn is_compared(&self, text: &str) -> bool {
        let compared = || {
            let of_queries = self.collection.queries().iter().chain(self.collection.queries_to_ask());
            let of_queries = of_queries.flat_map(|query| query.metadata.values());
            let conditions = self.collection.attributes().iter().flat_map(|one| one.conditions());
            let operands = conditions.map(|condition| condition.test.operand());
            let constants = operands.filter_map(|operand| match operand {
                Operand::Constant(value) => Some(value),
                // What a query says is taken from the query.
                _ => None,
            });
            let mut texts = HashSet::new();
            of_queries.chain(constants).for_each(|value| add_texts(value, &mut texts));
            texts
        };
        self.compared.get_or_init(compared).contains(text)
    }

    fn mask_response(&self, mut response: Response) -> Response {
        response.hits = self.mask_hits(response.hits);
        response
    }

    fn mask(&self, id: &mut String) {
        let masked = self.secrets.hide(id);
        if masked != *id && !self.is_known(id) {
            *id = masked;
        }
    }

    /// All of an answer but its texts, which are what is measured.
    fn mask_answer(&self, answer: &mut Answer) {
        answer.contexts.iter_mut().flatten().for_each(|context| self.mask(&mut context.id));
        let cited = answer.citations.iter_mut().flatten().flat_map(|one| &mut one.documents);
        cited.for_each(|document| self.mask(document));
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
            self.mask_answer(answer);
        }
        answers
    }
}

/// The texts and numbers of a value, and of its lists.
fn add_texts(value: &Value, texts: &mut HashSet<String>) {
    match value {
        Value::String(text) => drop(texts.insert(text.clone())),
        Value::Number(number) => drop(texts.insert(number.to_string())),
        Value::Array(items) => items.iter().for_each(|item| add_texts(item, texts)),
        Value::Null | Value::Bool(_) | Value::Object(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{CollectionBuilder, Document};
    use crate::metric::{Attribute, Condition, Test};
    use crate::retriever::retriever_fn;
    use crate::retriever::said::{CitedSentence, Context};

    #[test]
    fn ids_with_a_secret_are_masked_unless_the_collection_has_them() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "alpha"), [("helpdesk-judged", 1)]);
        builder.add_document(Document::new("helpdesk-7", "text"));
        let collection = builder.build().unwrap();
        let mut secrets = Secrets::default();
        secrets.add("KEY", "s3cr3t/key");
        secrets.add("INDEX", "helpdesk");
        let ids = ["a", "doc?key=s3cr3t/key", "doc?key=s3cr3t%2Fkey"];
        let known = ["helpdesk-judged", "helpdesk-7", "helpdesk-8"];
        let answered: Vec<Hit> = ids.iter().chain(&known).map(|id| Hit::new(*id, 1.0)).collect();
        let retriever = Arc::new(retriever_fn(move |_: &Query, _| Ok(answered.clone())));
        let masked = MaskedIds::of_retriever(retriever, secrets, &collection, BTreeSet::new());
        let hits = masked.retrieve(&Query::new("q1", "alpha"), 9).unwrap();
        let response = masked.respond(&Query::new("q1", "alpha"), 9).unwrap();
        assert_eq!(response.hits, hits);
        let shown: Vec<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
        let masked_ids = ["a", "doc?key=${KEY}", "doc?key=${KEY}"];
        assert_eq!(shown[..3], masked_ids);
        assert_eq!(shown[3..], ["helpdesk-judged", "helpdesk-7", "${INDEX}-8"]);
    }

    /// Answers of which the keys that a test needs are kept.
    #[test]
    fn metadata_with_a_secret_are_masked_unless_something_is_compared_with_them() {
        let mut builder = CollectionBuilder::new();
        let (other, level) =
            (Test::Not(Operand::of_query("tenant")), Test::Equal(Operand::constant("public")));
        builder.add_query(Query::new("q1", "alpha").with("tenant", "acme"), [("d1", 1)]);
        let leak = Attribute::new("leak", [Condition::new("tenant", other)]).unwrap();
        let open = Attribute::new("open", [Condition::new("level", level)]).unwrap();
        let collection = builder.build().unwrap().with_attributes([leak, open]);
        let mut secrets = Secrets::default();
        for (name, value) in [("KEY", "s3cr3t/key"), ("TENANT", "acme"), ("LEVEL", "public")] {
            secrets.add(name, value);
        }
        let hit = |tenant: &str| {
            Hit::new("d1", 1.0).with("tenant", tenant).with("level", "public").with("note", tenant)
        };
        let masked = |tenant: &str| {
            let answered = hit(tenant);
            let retriever = Arc::new(retriever_fn(move |_: &Query, _| Ok(vec![answered.clone()])));
            let keys = ["level", "tenant"].into();
            let masked = MaskedIds::of_retriever(retriever, secrets.clone(), &collection, keys);
            let hits = masked.retrieve(&Query::new("q1", "alpha"), 9).unwrap();
            *hits[0].metadata.clone().unwrap()
        };
        assert_eq!(masked("s3cr3t/key")["tenant"], "${KEY}");
        assert_eq!(masked("s3cr3t/key")["level"], "public", "the spec compares with it");
        assert_eq!(masked("acme")["tenant"], "acme", "a query has it");
    }

    #[test]
    fn of_an_answer_all_but_the_texts_is_masked() {
        let mut secrets = Secrets::default();
        secrets.add("KEY", "s3cr3t/key");
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "alpha"), [("d1", 1)]);
        let collection = builder.build().unwrap();
        let retriever = Arc::new(retriever_fn(|_: &Query, _| Ok(vec![])));
        let masked = MaskedIds {
            retriever,
            secrets,
            collection,
            keys: BTreeSet::new(),
            judged: OnceLock::new(),
            compared: OnceLock::new(),
        };
        let text = "It is s3cr3t/key.";
        let mut answer = Answer::new(text)
            .with_contexts([Context::new("s3cr3t/key-1").with_text(text)])
            .with_citations([CitedSentence::new(text, ["s3cr3t/key-1"])]);
        masked.mask_answer(&mut answer);
        let expected = Answer::new(text)
            .with_contexts([Context::new("${KEY}-1").with_text(text)])
            .with_citations([CitedSentence::new(text, ["${KEY}-1"])]);
        assert_eq!(answer, expected);
    }
}
