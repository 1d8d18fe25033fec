//! The index, and how it is searched.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;

use crate::collection::Document;
use crate::error::Quoted;
use crate::run::Hit;
use crate::{Error, Result};

use super::Bm25Params;
use super::documents::texts;
use super::tokens::Analyzer;

/// BM25 built in (`builtin: bm25`): full-text search over a collection's own documents, in memory.
///
/// It needs no Rust of the user's, so it is the first configuration of many benchmarks and the
/// baseline of most. [`Bm25Params`] lists its parameters.
///
/// # Scores
///
/// The score of a document D, one of N, is summed over the terms t of the query and the searched fields f. A term that
/// was typed twice counts twice.
///
/// ```text
/// score(D) = sum_t sum_f boost_f idf_f(t) * tf (k1 + 1) / (tf + k1 (1 - b + b |D_f| / avg_f))
/// idf_f(t) = ln(1 + (N - df + 0.5) / (df + 0.5))
/// ```
///
/// tf is the number of times t occurs in field f of D, and df the number of documents in which it does. |D_f| is the
/// number of tokens in the field, and avg_f its mean over all documents, including those without the field.
///
/// Query text is not a query language: it is cut into the same tokens as the documents, and a document
/// needs one of them to be found. A query without any indexed term has an empty answer.
///
/// # Order
///
/// The highest score first; equal scores by document id, highest first (bytes), as `trec_eval` reads a run. Ranking and
/// scores depend neither on the depth nor on the order of the corpus.
///
/// # Source
///
/// S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, Foundations
/// and Trends in Information Retrieval 3(4), 2009; the idf and its 1 + are Lucene's.
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
    analyzer: Analyzer,
    k1: f64,
    fields: Vec<Field>,
    ids: Vec<String>,
}

struct Field {
    boost: f64,
    postings: HashMap<String, Vec<Posting>, RandomState>,
    /// k1 (1 - b + b |D| / avg) of each document.
    norms: Vec<f64>,
}

struct Posting {
    document: u32,
    count: u32,
}

impl Bm25 {
    /// Indexes the documents, on the calling thread, and keeps nothing of them but the index and
    /// the ids.
    ///
    /// # Errors
    ///
    /// Parameters that [`check`](Bm25Params::check) refuses, a document that cannot be read, no
    /// document, an empty id, two documents with one id, a field named in `fields` that no document
    /// has, a field that holds no text (an object, or a list of lists).
    pub fn build(documents: impl IntoIterator<Item = Result<Document>>, params: &Bm25Params) -> Result<Self> {
        params.check()?;
        let analyzer = Analyzer::new(params);
        let names = params.searched();
        let mut postings: Vec<HashMap<String, Vec<Posting>, RandomState>> =
            names.iter().map(|_| HashMap::default()).collect();
        let mut lengths: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
        let mut ids = Vec::new();
        for document in documents {
            let document = document?;
            if document.id.is_empty() {
                return Err(Error::invalid(format!("document {} has an empty id", ids.len() + 1)));
            }
            let number =
                u32::try_from(ids.len()).map_err(|_| Error::invalid("more than 4,294,967,296 documents"))?;
            for ((name, postings), lengths) in names.iter().zip(&mut postings).zip(&mut lengths) {
                let mut length = 0;
                for token in texts(&document, name)?.iter().flat_map(|text| analyzer.tokens(text)) {
                    length += 1;
                    let of_token = postings.entry(token).or_default();
                    match of_token.last_mut().filter(|last| last.document == number) {
                        Some(last) => last.count += 1,
                        None => of_token.push(Posting { document: number, count: 1 }),
                    }
                }
                lengths.push(length);
            }
            ids.push(document.id);
        }
        check_ids(&ids)?;
        let mut fields = names.iter().zip(&lengths);
        let empty = fields.find(|(_, lengths)| lengths.iter().all(|length| *length == 0));
        if let Some((field, _)) = empty.filter(|_| params.fields.is_some()) {
            return Err(Error::invalid(format!(
                "no document has text in the field {}: fields are `title`, `text` and keys of the documents' metadata",
                Quoted(field)
            )));
        }
        let field = |((name, postings), lengths): ((&str, _), Vec<usize>)| {
            let mean = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
            let norm = |length| params.k1 * (1.0 - params.b + params.b * length as f64 / mean);
            let norms = lengths.into_iter().map(norm).collect();
            Field { boost: params.boosts.get(name).copied().unwrap_or(1.0), postings, norms }
        };
        let fields = names.into_iter().zip(postings).zip(lengths).map(field).collect();
        Ok(Self { analyzer, k1: params.k1, fields, ids })
    }

    /// The score of each document; 0 if it has no term of the query.
    fn scores(&self, text: &str) -> Vec<f64> {
        // Sorted: the order of a sum decides its last digit.
        let mut terms = BTreeMap::<String, f64>::new();
        for token in self.analyzer.tokens(text) {
            *terms.entry(token).or_default() += 1.0;
        }
        let mut scores = vec![0.0; self.ids.len()];
        for (term, times) in &terms {
            for field in &self.fields {
                let Some(postings) = field.postings.get(term) else { continue };
                let found = postings.len() as f64;
                let idf = (1.0 + (self.ids.len() as f64 - found + 0.5) / (found + 0.5)).ln();
                let weight = times * field.boost * idf * (self.k1 + 1.0);
                for Posting { document, count } in postings {
                    let (document, count) = (*document as usize, f64::from(*count));
                    scores[document] += weight * count / (count + field.norms[document]);
                }
            }
        }
        scores
    }

    fn rank(&self, a: &(usize, f64), b: &(usize, f64)) -> Ordering {
        b.1.total_cmp(&a.1).then_with(|| self.ids[b.0].cmp(&self.ids[a.0]))
    }

    /// The documents with a term of the text, best first, at most `depth`.
    #[must_use]
    pub fn search(&self, text: &str, depth: usize) -> Vec<Hit> {
        let scores = self.scores(text).into_iter().enumerate();
        let mut found: Vec<(usize, f64)> = scores.filter(|(_, score)| *score > 0.0).collect();
        if found.len() > depth {
            found.select_nth_unstable_by(depth, |a, b| self.rank(a, b));
            found.truncate(depth);
        }
        found.sort_unstable_by(|a, b| self.rank(a, b));
        found.into_iter().map(|(document, score)| Hit::new(&*self.ids[document], score)).collect()
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
