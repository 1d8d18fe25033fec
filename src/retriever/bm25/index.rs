//! The index and how it is searched.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use tantivy::directory::RamDirectory;
use tantivy::query::{BooleanQuery, BoostQuery, EnableScoring, Occur, Query as Clause, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{MAX_TOKEN_LEN, TextAnalyzer, TokenizerManager};
use tantivy::{DocId, Index, ReloadPolicy, Score, Searcher, TantivyDocument, Term};

use crate::collection::{Document, Query};
use crate::error::Quoted;
use crate::retriever::{BoxError, Retriever};
use crate::run::Hit;
use crate::{Error, Result};

use super::Bm25Params;
use super::analysis::{self, tokens};
use super::documents::{FieldNames, texts};

/// The name that the engine knows the analyzer by.
const ANALYZER: &str = "rankgate";

/// Sizes the engine's first hash table (512 Ki entries); the index grows as it must.
const MEMORY_BUDGET: usize = 50_000_000;

/// BM25 built in (`builtin: bm25`, feature `bm25`): full-text search over a collection's own
/// documents, in memory, on tantivy.
///
/// It needs no Rust of the user's, so it is the first configuration of many benchmarks and the
/// baseline of most. [`Bm25Params`] says what can be chosen.
///
/// # Scores
///
/// For a query of terms t and a document D of N, summed over the searched fields f and, where a term
/// was typed twice, counted twice:
///
/// ```text
/// score(D) = sum_f boost_f sum_t idf_f(t) * tf (k1 + 1) / (tf + k1 (1 - b + b |D_f| / avg_f))
/// idf_f(t) = ln(1 + (N - n + 0.5) / (n + 0.5))        k1 = 1.2, b = 0.75
/// ```
///
/// tf is how often t stands in field f of D, n in how many documents it does. |D_f| is the number of
/// tokens in the field as the engine keeps it, in one byte: exact up to 40, above that rounded
/// down, by less than a ninth. avg_f is the exact mean over all documents, those without the field
/// included. The engine computes in 32 bits, and what it computed is handed out.
///
/// Query text is no query language: it is cut into the same tokens as the documents, and a document
/// needs one of them to be found. A query without any indexed term has an empty answer.
///
/// # Order
///
/// The highest score first; equal scores by document id, highest first (bytes), which is how
/// `trec_eval` reads a run: an answer that is saved as a run and read back by score is ranked as it
/// was. All matching documents are scored before the best are taken, so that ranking and scores do
/// not depend on the depth, nor on the order of the corpus.
///
/// # Source
///
/// S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, Foundations
/// and Trends in Information Retrieval 3(4), 2009; the idf and its 1 + are Lucene's.
/// [tantivy](https://docs.rs/tantivy)'s `Bm25Weight` is the implementation.
///
/// ```
/// # fn main() -> Result<(), rankgate::retriever::BoxError> {
/// use rankgate::retriever::{Bm25, Bm25Params, Language, Retriever};
/// use rankgate::{Corpus, Document, Query};
///
/// let corpus = Corpus::in_memory([
///     Document::new("refunds", "How refunded orders are paid back"),
///     Document::new("address", "Change a delivery address"),
/// ]);
/// let params = Bm25Params { stemmer: Some(Language::English), ..Bm25Params::default() };
/// let bm25 = Bm25::build(corpus.documents()?, &params)?;
///
/// let hits = bm25.retrieve(&Query::new("q1", "refund my order"), 10)?;
/// assert_eq!(hits.len(), 1);
/// assert_eq!(hits[0].id, "refunds");
/// # Ok(())
/// # }
/// ```
pub struct Bm25 {
    searcher: Searcher,
    analyzer: TextAnalyzer,
    fields: Vec<SearchedField>,
    /// The engine numbers documents in the order they were added.
    ids: Vec<String>,
}

struct SearchedField {
    name: String,
    field: Field,
    boost: Score,
}

impl Bm25 {
    /// Indexes the documents, on the calling thread, and keeps nothing of them but the index and
    /// the ids.
    ///
    /// # Errors
    ///
    /// Parameters that [`check`](Bm25Params::check) refuses, a document that cannot be read, no
    /// document, an empty id, two documents with one id, a field named in `fields` that no document
    /// has, a field that holds no text (an object, or a list of lists), a token of more than
    /// 65,530 bytes.
    pub fn build(
        documents: impl IntoIterator<Item = Result<Document>>,
        params: &Bm25Params,
    ) -> Result<Self, BoxError> {
        params.check()?;
        let analyzer = analysis::analyzer(params)?;
        let (schema, fields) = schema(params);
        let tokenizers = TokenizerManager::new();
        tokenizers.register(ANALYZER, analyzer.clone());
        // This writer starts no thread and always writes one segment: the same documents make the
        // same index, numbered in the order they come.
        let mut writer = Index::builder()
            .schema(schema)
            .tokenizers(tokenizers)
            .single_segment_index_writer::<TantivyDocument>(RamDirectory::create(), MEMORY_BUDGET)?;
        let mut ids = Vec::new();
        let mut seen = FieldNames::default();
        for document in documents {
            let document = document?;
            if document.id.is_empty() {
                return Err(Error::invalid(format!("document {} has an empty id", ids.len() + 1)).into());
            }
            let mut indexed = TantivyDocument::new();
            for SearchedField { name, field, .. } in &fields {
                for text in texts(&document, name)?.into_iter().filter(|text| !text.is_empty()) {
                    check_length(&analyzer, &text, &document.id, name)?;
                    indexed.add_text(*field, text);
                }
            }
            writer.add_document(indexed)?;
            seen.add(&document);
            ids.push(document.id);
        }
        check_ids(&ids)?;
        if params.fields.is_some() {
            seen.check(params.searched())?;
        }
        let reader = writer.finalize()?.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { searcher: reader.searcher(), analyzer, fields, ids })
    }

    /// One clause per field and term, in an order that does not depend on anything but the terms:
    /// sums in 32 bits do.
    fn query(&self, text: &str) -> BooleanQuery {
        let mut counts = BTreeMap::<String, u32>::new();
        for token in tokens(&self.analyzer, text) {
            *counts.entry(token).or_default() += 1;
        }
        let mut clauses = Vec::with_capacity(counts.len() * self.fields.len());
        for (token, count) in &counts {
            for SearchedField { field, boost, .. } in &self.fields {
                let term = Term::from_field_text(*field, token);
                let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                #[expect(clippy::cast_precision_loss, reason = "nobody types a word 2^24 times")]
                let boost = boost * *count as Score;
                let clause: Box<dyn Clause> = Box::new(BoostQuery::new(Box::new(query), boost));
                clauses.push((Occur::Should, clause));
            }
        }
        BooleanQuery::new(clauses)
    }

    /// The order of `trec_eval`.
    fn rank(&self, a: (Score, DocId), b: (Score, DocId)) -> Ordering {
        b.0.total_cmp(&a.0).then_with(|| self.id(b.1).cmp(self.id(a.1)))
    }

    fn id(&self, document: DocId) -> &str {
        &self.ids[document as usize]
    }
}

impl Retriever for Bm25 {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        let query = self.query(&query.text);
        let weight = query.weight(EnableScoring::enabled_from_searcher(&self.searcher))?;
        let mut found = Vec::new();
        // The engine's own collector of the best cuts ties by document number, and the pruning that
        // it turns on sums scores in another order than a search without it.
        for segment in self.searcher.segment_readers() {
            weight.for_each(segment, &mut |document, score| found.push((score, document)))?;
        }
        if found.len() > depth {
            found.select_nth_unstable_by(depth, |a, b| self.rank(*a, *b));
            found.truncate(depth);
        }
        found.sort_unstable_by(|a, b| self.rank(*a, *b));
        Ok(found.into_iter().map(|(score, id)| Hit::new(self.id(id), f64::from(score))).collect())
    }
}

fn schema(params: &Bm25Params) -> (Schema, Vec<SearchedField>) {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(ANALYZER)
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(true);
    let options = TextOptions::default().set_indexing_options(indexing);
    let mut schema = Schema::builder();
    let mut fields = Vec::new();
    for (number, name) in params.searched().into_iter().enumerate() {
        // Numbered, since a metadata key may be anything and the engine's names may not.
        let field = schema.add_text_field(&format!("field{number}"), options.clone());
        #[expect(clippy::cast_possible_truncation, reason = "a rounded boost is as good")]
        let boost = params.boosts.get(name).map_or(1.0, |boost| *boost as Score);
        fields.push(SearchedField { name: name.to_owned(), field, boost });
    }
    (schema.build(), fields)
}

/// The engine drops a token that is too long for its dictionary; that must not go unnoticed.
fn check_length(analyzer: &TextAnalyzer, text: &str, document: &str, field: &str) -> Result<()> {
    // Lower case and folding make a text longer, by less than this.
    if text.len() <= MAX_TOKEN_LEN / 4 {
        return Ok(());
    }
    match tokens(analyzer, text).iter().map(String::len).max() {
        Some(longest) if longest > MAX_TOKEN_LEN => Err(Error::invalid(format!(
            "document {}: field {} has a token of {longest} bytes; {MAX_TOKEN_LEN} are allowed",
            Quoted(document),
            Quoted(field)
        ))),
        _ => Ok(()),
    }
}

fn check_ids(ids: &[String]) -> Result<()> {
    if ids.is_empty() {
        return Err(Error::invalid("the corpus has no documents"));
    }
    let mut sorted: Vec<_> = ids.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::invalid(format!("two documents have the id {}", Quoted(pair[0])))),
        None => Ok(()),
    }
}
