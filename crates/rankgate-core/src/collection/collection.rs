//! Queries, judgments and, where there is one, a corpus.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::collection::answerable;
use crate::collection::document_texts::DocumentTexts;
use crate::collection::evidence::count_tokens;
use crate::collection::fields::{self, DocumentFields, Fields};
use crate::collection::query::queries_sha256;
use crate::collection::{Corpus, CorpusCheck, CorpusIds, Evidence, Judgments, Qrels, Query, Tokenizer};
use crate::error::Quoted;
use crate::metric::{Attribute, LengthUnit};
use crate::order;
use crate::shingles::TextShingles;
use crate::units::Units;
use crate::words::{agree, counted};
use crate::{Error, Result};

/// A test collection: queries, judgments and, where there is one, a corpus. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Collection {
    inner: Arc<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    queries: Vec<Query>,
    /// Queries without judgments, by id.
    unjudged: Vec<Query>,
    /// Queries that no document answers, by id.
    unanswerable: Vec<Query>,
    /// Those and the judged ones, by id; nothing where there are none.
    to_ask: Vec<Query>,
    /// The ids of those that should have some.
    lacking: HashSet<String>,
    qrels: Qrels,
    corpus: Option<Corpus>,
    /// What to do about a missing corpus.
    add_corpus: String,
    warnings: Vec<String>,
    /// The judged documents that those of the corpus belong to, where it holds chunks.
    units: Option<Arc<Units>>,
    /// The judged spans, where judgments are of spans.
    evidence: Option<Evidence>,
    /// What documents are, by the names of attributes.
    attributes: Arc<[Attribute]>,
    /// What counts tokens; words where it is missing.
    tokenizer: Option<Arc<dyn Tokenizer>>,
    computed: Computed,
    /// The same without the judgments that were filled in, where some were.
    base: Option<Collection>,
}

/// What is computed of a collection once somebody asks.
#[derive(Debug, Default)]
struct Computed {
    /// Hashes of queries and judgments: every golden run of a collection has them.
    hashes: [OnceLock<String>; 2],
    /// The ids of the documents.
    ids: OnceLock<CorpusIds>,
    /// What they say of themselves under the keys of their metadata that somebody asked for.
    fields: Arc<Fields>,
    /// What those say that were returned.
    texts: Arc<DocumentTexts<Arc<TextShingles>>>,
    /// How long these are, in characters and in tokens.
    lengths: [Arc<DocumentTexts<usize>>; 2],
}

impl Computed {
    /// What holds of the same documents with other queries and judgments.
    fn of_documents(&self) -> Self {
        let (fields, texts, lengths) =
            (Arc::clone(&self.fields), Arc::clone(&self.texts), self.lengths.clone());
        Self { fields, texts, lengths, ..Self::default() }
    }
}

/// Whoever takes a copy changes it: what is computed of the one is not true of the other.
impl Clone for Computed {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// What a collection is put together from.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) queries: Vec<Query>,
    pub(super) qrels: Qrels,
    pub(super) corpus: Option<Corpus>,
    pub(super) add_corpus: String,
    pub(super) warnings: Vec<String>,
    /// The spans that judgments are of.
    pub(super) evidence: Option<Evidence>,
    /// Whether queries without judgments are named: where queries and judgments stand side by side, they are
    /// likely a slip.
    pub(super) names_unjudged: bool,
    /// Ids of queries that should have judgments: nothing in the files says that they are meant to have none.
    pub(super) expected: HashSet<String>,
}

impl Parts {
    /// Queries and judgments from two files, checked against each other.
    pub(super) fn judged(
        queries_path: &Path,
        queries: Vec<Query>,
        qrels_path: &Path,
        qrels: Qrels,
    ) -> Result<Self> {
        if qrels.is_empty() {
            return Err(Error::in_file(qrels_path, "there are no judgments"));
        }
        let mut parts = Self { queries, ..Self::default() };
        let place = queries_path.display().to_string();
        parts.judge(qrels_path, qrels, &place)?;
        Ok(parts)
    }

    /// Adds the judgments of another file; `place` is where its queries must be.
    pub(super) fn judge(&mut self, path: &Path, qrels: Qrels, place: &str) -> Result<()> {
        let known: HashSet<&str> = self.queries.iter().map(|query| query.id.as_str()).collect();
        let unknown = qrels.iter().filter(|(query, _)| !known.contains(query));
        if let Some((query, judgments)) = unknown.min_by_key(|(_, judgments)| judgments.first_line()) {
            let line = judgments.first_line().unwrap_or_default();
            let message = format!("judgment of a query that {place} does not have");
            return Err(Error::at_line(path, line, query, message));
        }
        self.qrels.merge(qrels)
    }

    /// What there is to tell of queries without judgments.
    fn unjudged(&self) -> Option<String> {
        let unjudged = |query: &&Query| self.qrels.judgments(&query.id).is_none() && !query.is_unanswerable();
        let without: Vec<_> = self.queries.iter().filter(unjudged).map(|query| Quoted(&query.id)).collect();
        if !self.names_unjudged || without.is_empty() || self.qrels.is_empty() {
            return None;
        }
        let (count, all) = (without.len(), counted(self.queries.len(), "query", "queries"));
        let more = if count > 5 { ", ..." } else { "" };
        let shown = without.iter().take(5).map(Quoted::to_string).collect::<Vec<_>>().join(", ");
        Some(format!("{count} of {all} {} no judgments: {shown}{more}", agree(count, "has", "have")))
    }
}

impl Collection {
    /// What this one was put together from.
    pub(super) fn parts(&self) -> Parts {
        let Inner {
            queries,
            unjudged,
            unanswerable,
            lacking,
            qrels,
            corpus,
            add_corpus,
            warnings,
            evidence,
            ..
        } = &*self.inner;
        // Where nothing is judged, all of them are asked.
        let unjudged = if qrels.is_empty() { &[] } else { unjudged.as_slice() };
        Parts {
            expected: lacking.clone(),
            queries: queries.iter().chain(unjudged).chain(unanswerable).cloned().collect(),
            qrels: qrels.clone(),
            corpus: corpus.clone(),
            add_corpus: add_corpus.clone(),
            warnings: warnings.clone(),
            evidence: evidence.clone(),
            names_unjudged: false,
        }
    }

    pub(super) fn from_parts(parts: Parts) -> Result<Self> {
        let unjudged = parts.unjudged();
        let Parts {
            mut queries,
            qrels,
            corpus,
            add_corpus,
            warnings,
            evidence,
            names_unjudged,
            mut expected,
        } = parts;
        let mut warnings: Vec<String> = unjudged.into_iter().chain(warnings).collect();
        order::sort_by(&mut queries, |a, b| a.id.cmp(&b.id));
        if queries.is_empty() {
            return Err(Error::invalid("the collection has no query"));
        }
        if queries[0].id.is_empty() {
            return Err(Error::invalid("a query has an empty id"));
        }
        if let Some(pair) = queries.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return Err(two_queries(&pair[0].id));
        }
        let position = |id: &str| queries.binary_search_by(|query| query.id.as_str().cmp(id));
        if let Some(unknown) = qrels.queries().find(|id| position(id).is_err()) {
            let unknown = Quoted(unknown);
            return Err(Error::invalid(format!(
                "judgments of {unknown}, which is no query of the collection"
            )));
        }
        answerable::check(&queries, &qrels)?;
        let unanswerable: Vec<Query> = queries.extract_if(.., |query| query.is_unanswerable()).collect();
        let mut unjudged: Vec<Query> =
            queries.extract_if(.., |query| qrels.judgments(&query.id).is_none()).collect();
        if qrels.is_empty() {
            queries.clone_from(&unjudged);
        }
        unjudged.shrink_to_fit();
        if names_unjudged {
            expected.extend(unjudged.iter().map(|query| query.id.clone()));
        }
        expected.retain(|id| qrels.judgments(id).is_none());
        expected.retain(|id| unanswerable.binary_search_by(|query| query.id.cmp(id)).is_err());
        let lacking = expected;
        let without_text = queries.iter().filter(|query| query.text.is_empty()).count();
        if without_text > 0 && without_text < queries.len() {
            warnings.push(format!(
                "{without_text} of {} queries {} no text",
                queries.len(),
                agree(without_text, "has", "have")
            ));
        }
        let (base, units, computed) = (None, None, Computed::default());
        let mut to_ask = Vec::new();
        if !unanswerable.is_empty() {
            to_ask = queries.iter().chain(&unanswerable).cloned().collect();
            order::sort_by(&mut to_ask, |a, b| a.id.cmp(&b.id));
        }
        let inner = Inner {
            queries,
            unjudged,
            unanswerable,
            to_ask,
            lacking,
            qrels,
            corpus,
            add_corpus,
            warnings,
            units,
            evidence,
            attributes: Arc::default(),
            tokenizer: None,
            computed,
            base,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// A collection that has judgments only, which is enough for runs that exist already: the
    /// texts of its queries are empty.
    ///
    /// # Errors
    ///
    /// No judgments.
    pub fn from_qrels(qrels: Qrels) -> Result<Self> {
        let queries = qrels.queries().map(|id| Query::new(id, "")).collect();
        let add_corpus = "it was made from judgments only".into();
        Self::from_parts(Parts { queries, qrels, add_corpus, ..Parts::default() })
    }

    /// The judged queries, ordered by id (bytes); all of them where the collection has no judgments whatever.
    /// [Unanswerable](Self::unanswerable) ones are not among them.
    #[must_use]
    pub fn queries(&self) -> &[Query] {
        &self.inner.queries
    }

    /// The queries that no document answers, ordered by id (bytes): their metadata have `answerable: false`, or
    /// `unanswerable: true`. A retriever is asked them, and metrics of relevance leave them out.
    ///
    /// ```
    /// use rankgate::{CollectionBuilder, Query};
    ///
    /// let mut builder = CollectionBuilder::new();
    /// builder.add_query(Query::new("q1", "return a parcel"), [("returns", 1)]);
    /// builder.add_query(Query::new("q2", "weather on Mars").with("answerable", false), [] as [(&str, i32); 0]);
    /// let collection = builder.build()?;
    /// assert_eq!((collection.queries().len(), collection.unanswerable()[0].id.as_str()), (1, "q2"));
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    #[must_use]
    pub fn unanswerable(&self) -> &[Query] {
        &self.inner.unanswerable
    }

    /// The queries that a retriever is asked, ordered by id (bytes): [`queries`](Self::queries) and those that are
    /// [unanswerable](Self::unanswerable).
    #[must_use]
    pub fn queries_to_ask(&self) -> &[Query] {
        if self.inner.to_ask.is_empty() { &self.inner.queries } else { &self.inner.to_ask }
    }

    /// The query with this id, if it is one of [`queries_to_ask`](Self::queries_to_ask).
    #[must_use]
    pub fn query(&self, id: &str) -> Option<&Query> {
        let queries = self.queries_to_ask();
        queries.binary_search_by(|query| query.id.as_str().cmp(id)).ok().map(|index| &queries[index])
    }

    /// How many queries of the collection have no judgments; they are no part of an evaluation.
    #[must_use]
    pub fn unjudged_queries(&self) -> usize {
        self.inner.unjudged.len()
    }

    /// Those queries, ordered by id (bytes).
    #[must_use]
    pub fn without_judgments(&self) -> &[Query] {
        &self.inner.unjudged
    }

    /// The judgments.
    #[must_use]
    pub fn qrels(&self) -> &Qrels {
        &self.inner.qrels
    }

    /// What was judged for a query, or `None` where nothing was.
    #[must_use]
    pub fn judgments(&self, query: &str) -> Option<&Judgments> {
        self.inner.qrels.judgments(query)
    }

    /// The documents.
    ///
    /// # Errors
    ///
    /// A collection without a corpus; the message says what to add.
    pub fn corpus(&self) -> Result<&Corpus> {
        self.inner.corpus.as_ref().ok_or_else(|| {
            Error::invalid(format!("the collection has no documents: {}", self.inner.add_corpus))
        })
    }

    /// Reads the corpus once to count and hash its documents and to compare it with the judgments,
    /// see [`Corpus::check`].
    ///
    /// # Errors
    ///
    /// A collection without a corpus, a corpus that cannot be read, in which two documents have one
    /// id, or which holds not one judged document: nothing that is searched in it can be relevant.
    pub fn check_corpus(&self) -> Result<CorpusCheck> {
        let corpus = self.corpus()?;
        let check = corpus.check_in_units(self.qrels(), self.inner.units.as_deref())?;
        if check.judged > 0 && check.missing.len() == check.judged {
            let CorpusCheck { documents, judged, missing, .. } = &check;
            let example = Quoted(missing.first().map_or("", String::as_str));
            let message = format!(
                "not one of the {judged} judged documents, such as {example}, is among its {documents}: \
                 nothing that is found in it can be relevant"
            );
            return Err(match corpus.path() {
                Some(path) => Error::in_file(path, message),
                None => Error::invalid(format!("the corpus: {message}")),
            });
        }
        Ok(check)
    }

    /// SHA-256 of the queries' ids, texts and metadata, in lower-case hexadecimal: of what the
    /// files say, so that reordered lines or compression change nothing.
    #[must_use]
    pub fn queries_sha256(&self) -> String {
        self.inner.computed.hashes[0].get_or_init(|| queries_sha256(self.queries_to_ask())).clone()
    }

    /// What a reader of the report should know about the collection's files.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.inner.warnings
    }

    /// The same with these attributes of documents, by which `Count(NAME)@k` and `Share(NAME)@k` count; a spec has them under
    /// `attributes`.
    ///
    /// ```
    /// use rankgate::metric::{Attribute, Condition, Operand, Test};
    /// use rankgate::{CollectionBuilder, Document, Hit, Query, evaluate};
    ///
    /// let mut builder = CollectionBuilder::new();
    /// builder.add_query(Query::new("q1", "refunds").with("tenant", "acme"), [("a1", 1)]);
    /// builder.add_document(Document::new("a1", "...").with("tenant", "acme"));
    /// builder.add_document(Document::new("g7", "...").with("tenant", "globex"));
    ///
    /// let other_tenant = Condition::new("tenant", [Test::Not(Operand::of_query("tenant"))]);
    /// let collection = builder.build()?.with_attributes([Attribute::new("leak", [other_tenant])?]);
    /// let evaluation = evaluate(&collection, 10, |_query, _depth| {
    ///     Ok(["a1", "g7"].map(|id| Hit::new(id, 1.0)).to_vec())
    /// })?;
    /// assert_eq!(evaluation.value("Count(leak)@10")?, 1.0);
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    #[must_use]
    pub fn with_attributes(&self, attributes: impl IntoIterator<Item = Attribute>) -> Self {
        self.with(|inner| inner.attributes = attributes.into_iter().collect())
    }

    /// The attributes of documents.
    #[must_use]
    pub fn attributes(&self) -> &[Attribute] {
        &self.inner.attributes
    }
}

#[doc(hidden)]
impl Collection {
    /// Those queries without judgments that should have some, ordered by id (bytes): nothing in the files says that they
    /// are meant to have none.
    ///
    /// Where queries and judgments stand side by side (JSON, JSON lines, code) these are all of them. In a folder of BEIR
    /// they are those that no other split judges. Topics of TREC are many, and those that were judged define the
    /// collection: there are none.
    pub fn lacking_judgments(&self) -> impl Iterator<Item = &Query> {
        let Inner { qrels, unjudged, lacking, .. } = &*self.inner;
        let some_are = !qrels.is_empty();
        unjudged.iter().filter(move |query| some_are && lacking.contains(&query.id))
    }

    /// The same documents with other queries, of which nothing is judged.
    pub fn asking(&self, queries: Vec<Query>) -> Result<Self> {
        let (corpus, add_corpus) = (self.inner.corpus.clone(), self.inner.add_corpus.clone());
        let asked = Self::from_parts(Parts { queries, corpus, add_corpus, ..Parts::default() })?;
        Ok(asked.with(|inner| inner.attributes = Arc::clone(&self.inner.attributes)))
    }

    /// The same queries and documents with more judgments, which are known as [filled in](Self::is_filled).
    pub fn judged_as(&self, qrels: Qrels) -> Self {
        let Inner {
            queries,
            unjudged,
            unanswerable,
            to_ask,
            lacking,
            corpus,
            add_corpus,
            warnings,
            units,
            ..
        } = &*self.inner;
        let (unanswerable, to_ask) = (unanswerable.clone(), to_ask.clone());
        let (units, evidence) = (units.clone(), self.inner.evidence.clone());
        let attributes = Arc::clone(&self.inner.attributes);
        let (queries, unjudged, corpus) = (queries.clone(), unjudged.clone(), corpus.clone());
        let lacking = lacking.clone();
        let (add_corpus, warnings) = (add_corpus.clone(), warnings.clone());
        let base = Some(self.inner.base.as_ref().unwrap_or(self).clone());
        let computed = self.inner.computed.of_documents();
        let tokenizer = self.inner.tokenizer.clone();
        let inner = Inner {
            queries,
            unjudged,
            unanswerable,
            to_ask,
            lacking,
            qrels,
            corpus,
            add_corpus,
            warnings,
            units,
            evidence,
            attributes,
            tokenizer,
            computed,
            base,
        };
        Self { inner: Arc::new(inner) }
    }

    /// The same where the corpus holds chunks and judgments are of the documents that these belong to.
    pub fn in_units(&self, units: Arc<Units>) -> Self {
        self.with(|inner| inner.units = Some(units))
    }

    /// The documents that the chunks of its corpus belong to, where it holds chunks.
    pub fn units(&self) -> Option<&Units> {
        self.inner.units.as_deref()
    }

    /// The same with the documents of another corpus, such as the chunks of these.
    pub fn with_corpus(&self, corpus: Corpus) -> Self {
        self.with(|inner| inner.corpus = Some(corpus))
    }

    /// The same where budgets in tokens are counted by a tokenizer.
    pub fn with_tokenizer(&self, tokenizer: Arc<dyn Tokenizer>) -> Self {
        self.with(|inner| {
            inner.evidence = inner.evidence.as_ref().map(|all| all.with_tokenizer(Arc::clone(&tokenizer)));
            inner.tokenizer = Some(tokenizer);
        })
    }

    /// What says which tokens texts are counted in; `None` where these are words.
    pub fn tokenizer(&self) -> Option<&str> {
        self.inner.tokenizer.as_ref().map(|tokenizer| tokenizer.name())
    }

    /// The same where a chunk is relevant that covers so much of a span.
    pub fn with_overlap(&self, overlap: f64) -> Self {
        self.with(|inner| inner.evidence = inner.evidence.as_ref().map(|all| all.with_overlap(overlap)))
    }

    /// The judged spans, where judgments are of spans of documents.
    pub fn evidence(&self) -> Option<&Evidence> {
        self.inner.evidence.as_ref()
    }

    /// The grade of a document, or of a passage by the spans that it covers; `None` where it is unjudged.
    pub fn grade(&self, query: &str, document: &str) -> Option<i32> {
        match &self.inner.evidence {
            Some(evidence) => evidence.grade(query, document),
            None => self.qrels().grade(query, document),
        }
    }

    /// The same with other texts of its queries, where there is one: all else that is known of it holds.
    pub(super) fn with_texts(&self, text: impl Fn(&Query) -> Option<String>) -> Self {
        self.with(|inner| {
            let queries = inner.queries.iter_mut().chain(&mut inner.unjudged);
            for query in queries.chain(&mut inner.unanswerable).chain(&mut inner.to_ask) {
                if let Some(text) = text(query) {
                    query.text = text;
                }
            }
            inner.computed = self.inner.computed.of_documents();
        })
    }

    fn with(&self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = Inner::clone(&self.inner);
        change(&mut inner);
        Self { inner: Arc::new(inner) }
    }

    /// Whether a judgment is none of the collection's own.
    pub fn is_filled(&self, query: &str, document: &str) -> bool {
        self.inner.base.as_ref().is_some_and(|base| base.qrels().grade(query, document).is_none())
    }

    /// The ids of its documents, read once; `None` without any.
    ///
    /// # Errors
    ///
    /// A corpus that cannot be read.
    pub fn corpus_ids(&self) -> Result<Option<&CorpusIds>> {
        let Some(corpus) = &self.inner.corpus else { return Ok(None) };
        if self.inner.computed.ids.get().is_none() {
            // Two threads that read it at once read the same.
            let ids = CorpusIds::read(corpus, self.inner.units.as_deref())?;
            return Ok(Some(self.inner.computed.ids.get_or_init(|| ids)));
        }
        Ok(self.inner.computed.ids.get())
    }

    /// What its documents say under these keys of their metadata, by document; read once for each list of keys.
    ///
    /// # Errors
    ///
    /// A collection without documents, documents that cannot be read, a key that none of them has.
    pub fn document_fields(&self, keys: &[Cow<'static, str>]) -> Result<Arc<DocumentFields>> {
        self.inner.computed.fields.get(keys, || fields::read(self.corpus()?, keys, self.units()))
    }

    /// What some documents or passages say, to tell copies by; `None` of one that the corpus lacks. The corpus is read once
    /// for them and all of `others`.
    ///
    /// # Errors
    ///
    /// A collection without documents, documents that cannot be read.
    pub fn document_shingles<'i>(
        &self,
        ids: &[&str],
        others: impl FnOnce() -> BTreeSet<&'i str>,
    ) -> Result<Vec<Option<Arc<TextShingles>>>> {
        let shingles = |texts: &[&str]| Ok(Arc::new(TextShingles::new(texts.iter().copied())));
        self.inner.computed.texts.get((self.corpus()?, self.units()), ids, others, &shingles)
    }

    /// How long the texts of some documents or passages are; `None` of one that the corpus lacks. The corpus is read once for
    /// them and all of `others`.
    ///
    /// # Errors
    ///
    /// A collection without documents, documents that cannot be read or split into tokens.
    pub fn document_lengths<'i>(
        &self,
        unit: LengthUnit,
        ids: &[&str],
        others: impl FnOnce() -> BTreeSet<&'i str>,
    ) -> Result<Vec<Option<usize>>> {
        let length = |text: &str| match (unit, &self.inner.tokenizer) {
            (LengthUnit::Characters, _) => Ok(text.chars().count()),
            (LengthUnit::Tokens, None) => Ok(text.split_whitespace().count()),
            (LengthUnit::Tokens, Some(tokenizer)) => count_tokens(tokenizer.as_ref(), text),
        };
        let lengths = |texts: &[&str]| texts.iter().map(|text| length(text)).sum::<Result<usize>>();
        let known = &self.inner.computed.lengths[usize::from(unit == LengthUnit::Tokens)];
        known.get((self.corpus()?, self.units()), ids, others, &lengths)
    }

    /// The attribute of this name.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn attribute(&self, name: &str) -> Result<&Attribute> {
        let known = |attribute: &&Attribute| attribute.name() == name;
        self.attributes().iter().find(known).ok_or_else(|| {
            Error::invalid(format!("nothing defines the attribute {}: `attributes` does", Quoted(name)))
        })
    }

    /// Checks that the queries have what an attribute compares documents with.
    ///
    /// # Errors
    ///
    /// A query without a key, or with a value that cannot be compared.
    pub fn check_queries(&self, attribute: &Attribute) -> Result<()> {
        self.queries().iter().try_for_each(|query| attribute.check_query(&query.id, &query.metadata))
    }

    /// [`Qrels::sha256`] of its judgments.
    pub fn judgments_sha256(&self) -> String {
        self.inner.computed.hashes[1].get_or_init(|| self.qrels().sha256()).clone()
    }
}

/// Of queries with one id it cannot be told which one a judgment is of.
pub(super) fn two_queries(id: &str) -> Error {
    Error::invalid(format!("two queries have the id {}", Quoted(id)))
}

#[cfg(test)]
mod tests {
    use crate::collection::{CollectionBuilder, Query};

    const UNJUDGED: [(&str, i32); 0] = [];

    #[test]
    fn queries_without_judgments_are_counted_and_left_out() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q2", "b"), [("d1", 0)]);
        builder.add_query(Query::new("q3", "c"), UNJUDGED);
        builder.add_query(Query::new("q10", "a"), [("d1", 1)]);
        let collection = builder.build().unwrap();
        let ids: Vec<_> = collection.queries().iter().map(|query| query.id.as_str()).collect();
        assert_eq!(ids, ["q10", "q2"]);
        assert_eq!(
            (collection.unjudged_queries(), collection.without_judgments()[0].text.as_str()),
            (1, "c")
        );
        assert_eq!(collection.query("q2").unwrap().text, "b");
        assert!(collection.query("q3").is_none());
    }

    #[test]
    fn a_corpus_without_one_judged_document_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.json");
        let text =
            r#"{"queries": [{"id": "q1", "text": "a", "judgments": {"d1": 1, "d2": 0}}], "documents": DOCS}"#;
        let check = |documents: &str| {
            std::fs::write(&path, text.replace("DOCS", documents)).unwrap();
            crate::collection::Collection::json(&path).unwrap().check_corpus()
        };
        for (documents, number) in [("[]", 0), (r#"[{"id": "d7", "text": "a"}]"#, 1)] {
            let error = check(documents).unwrap_err().to_string();
            let expected = format!(
                "not one of the 2 judged documents, such as `d1`, is among its {number}: nothing that is found in it \
                 can be relevant"
            );
            assert!(error.ends_with(&expected), "{error}");
        }
        assert_eq!(check(r#"[{"id": "d2", "text": "a"}]"#).unwrap().missing, ["d1"]);
    }

    #[test]
    fn a_collection_without_any_judgment_asks_every_query() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "a"), UNJUDGED);
        let collection = builder.build().unwrap();
        assert_eq!((collection.queries().len(), collection.unjudged_queries()), (1, 1));
    }

    #[test]
    fn a_missing_corpus_is_an_error_that_says_what_to_add() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "a"), UNJUDGED);
        let message = builder.build().unwrap().corpus().unwrap_err().to_string();
        assert!(message.contains("CollectionBuilder::add_document"), "{message}");
    }
}
