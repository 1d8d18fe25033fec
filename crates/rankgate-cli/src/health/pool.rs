//! Unjudged documents: the pool of the first documents of all configurations.

use std::collections::{BTreeMap, HashMap};

use rand::TryRng;

use crate::health::collection::{Collection, Document, Query};
use crate::health::content_hash::sha256;
use crate::health::error::{Quoted, chain};
use crate::health::run::{Run, RunReader};
use crate::health::spec::{Configuration, ConfigurationSource, Spec};
use crate::health::stats::Stream;
use crate::health::{Error, ErrorKind, Result};

use rankgate::benchmark::{Benchmark, Recorded};
use rankgate_core::internal::shown::in_json;
use rankgate_judge::LabelPair;

/// Documents by the ids of query and document: the configurations that returned each, and at which rank.
type Ranks = BTreeMap<(String, String), BTreeMap<String, usize>>;

/// A configuration that did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedConfiguration {
    /// Its name.
    pub configuration: String,
    /// Why.
    pub reason: String,
}

/// Takes in the first documents of a configuration for a query, of those that are wanted.
fn add<'a>(
    ranks: &mut Ranks,
    configuration: &str,
    query: &str,
    first: impl Iterator<Item = &'a str>,
    wanted: impl Fn(&str) -> bool,
) {
    for (rank, document) in (1..).zip(first).filter(|(_, document)| wanted(document)) {
        let places = ranks.entry((query.to_owned(), document.to_owned())).or_default();
        let place = places.entry(configuration.to_owned()).or_insert(rank);
        *place = rank.min(*place);
    }
}

/// The extent of the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pooling {
    /// How many of the first documents of each configuration; at least 1.
    pub depth: usize,
    /// Only these queries, by id; all judged ones where it is empty.
    pub queries: Vec<String>,
    /// Also queries of which nothing is judged so far.
    pub unjudged_queries: bool,
    /// Also documents that a model judged.
    pub judged_by_model: bool,
}

impl Default for Pooling {
    /// The first 10 documents, for every judged query.
    fn default() -> Self {
        Self { depth: 10, queries: Vec::new(), unjudged_queries: false, judged_by_model: false }
    }
}

/// Documents that are to be judged.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pool {
    /// Query by query; within a query in an order that says nothing of ranks and configurations.
    pub entries: Vec<PoolEntry>,
    /// Number of queries.
    pub queries: usize,
    /// The configurations.
    pub configurations: Vec<String>,
    /// Those that were not.
    pub left_out: Vec<SkippedConfiguration>,
    /// Runs that were read where the retriever could not run.
    pub recorded: Vec<Recorded>,
    /// Entries of documents that the corpus does not have.
    pub foreign_documents: usize,
}

/// A document that is to be judged for a query.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PoolEntry {
    /// Query id.
    pub query: String,
    /// The query's text.
    pub query_text: String,
    /// Document id.
    pub document: String,
    /// Its title and text, a line apart; `None` where they are not known.
    pub document_text: Option<String>,
    /// The configurations that returned it, and at which rank.
    pub ranks: BTreeMap<String, usize>,
    /// The judgment, which is still missing.
    pub grade: Option<i32>,
}

impl Pool {
    /// Asks all configurations, and gathers unjudged documents among their
    /// first documents.
    ///
    /// A document whose grade is below 0 was looked at, and is no part of the pool.
    ///
    /// # Errors
    /// A collection that cannot be read or has judged spans of documents, an unknown query, a depth of 0.
    pub fn gather(benchmark: &Benchmark, pooling: &Pooling) -> Result<Self> {
        if pooling.depth == 0 {
            return Err(Error::invalid("a depth of 0 asks for nothing"));
        }
        let collection = benchmark.collection()?;
        if collection.passages().is_some() {
            let message = "judgments are of spans of documents here, and a pool is of documents: add spans to the file \
                           that `passages` names";
            return Err(Error::invalid(message));
        }
        let asked = collection.asking(wanted(collection, pooling)?)?;
        let mut spec = benchmark.spec().clone();
        spec.depth = spec.depth.max(pooling.depth);
        // Once is enough for a look at what comes back.
        spec.deterministic = false;
        let (mut configurations, mut left_out, mut recorded) = (Vec::new(), Vec::new(), Vec::new());
        let mut ranks = Ranks::new();
        for configuration in &benchmark.spec().configurations {
            let runs = match runs(benchmark, &spec, configuration, &asked) {
                Ok(runs) => runs,
                Err(error) => {
                    let (configuration, reason) = (configuration.name.clone(), chain(&error));
                    left_out.push(SkippedConfiguration { configuration, reason });
                    continue;
                }
            };
            configurations.push(configuration.name.clone());
            recorded.extend(benchmark.recording(configuration).ok().flatten());
            for query in asked.queries_to_ask() {
                let origins = collection.origins().filter(|_| pooling.judged_by_model);
                let unjudged = |document: &str| {
                    collection.qrels().grade(&query.id, document).is_none()
                        || origins.is_some_and(|origins| origins.is_of_model(&query.id, document))
                };
                for run in &runs {
                    let first = run.ranking(&query.id).unwrap_or_default().iter().take(pooling.depth);
                    let first = first.map(|hit| hit.id.as_str());
                    add(&mut ranks, &configuration.name, &query.id, first, unjudged);
                }
            }
        }
        let documents = texts(collection, ranks.keys().map(|(_, document)| document.as_str()))?;
        let text = |document: &Document| {
            let parts: Vec<&str> = document.title.as_deref().into_iter().chain([&*document.text]).collect();
            parts.join("\n")
        };
        let has_corpus = collection.corpus().is_ok();
        let entry = |((query, document), ranks): ((String, String), BTreeMap<String, usize>)| PoolEntry {
            query_text: asked.query(&query).map(|query| query.text.clone()).unwrap_or_default(),
            document_text: documents.get(&document).map(text),
            query,
            document,
            ranks,
            grade: None,
        };
        let mut entries: Vec<PoolEntry> = ranks.into_iter().map(entry).collect();
        entries.sort_by_cached_key(order);
        Ok(Self {
            queries: asked.queries_to_ask().len(),
            configurations,
            left_out,
            recorded,
            foreign_documents: match has_corpus {
                true => entries.iter().filter(|entry| entry.document_text.is_none()).count(),
                false => 0,
            },
            entries,
        })
    }
}

/// The rankings of one configuration, one run for each of its repeats, or why there are none.
fn runs(
    benchmark: &Benchmark,
    spec: &Spec,
    configuration: &Configuration,
    asked: &Collection,
) -> Result<Vec<Run>> {
    let mut runs = asked_or_read(benchmark, spec, configuration, asked)?;
    if spec.collection.exclude_identical_ids {
        runs.iter_mut().for_each(|run| _ = run.exclude_identical_ids());
    }
    Ok(runs)
}

fn asked_or_read(
    benchmark: &Benchmark,
    spec: &Spec,
    configuration: &Configuration,
    asked: &Collection,
) -> Result<Vec<Run>> {
    if let ConfigurationSource::Run { path, order } = &configuration.source {
        return Ok(vec![RunReader::new().order(*order).read(path.resolve()?)?]);
    }
    if let Some(runs) = benchmark.recorded_runs(configuration)? {
        return Ok(runs);
    }
    // What two documents of one id, or an unreadable corpus, would do to an index is anybody's guess.
    benchmark.check_corpus()?;
    benchmark.ask(spec, configuration, asked)
}

/// These documents, by id, as far as the corpus has them; none without a corpus.
pub(crate) fn texts<'a>(
    collection: &Collection,
    ids: impl Iterator<Item = &'a str>,
) -> Result<HashMap<String, Document>> {
    collection.corpus().map_or_else(|_| Ok(HashMap::new()), |corpus| corpus.find(ids))
}

/// The queries to pool, each once.
fn wanted(collection: &Collection, pooling: &Pooling) -> Result<Vec<Query>> {
    let unjudged = collection.without_judgments();
    let mut queries: BTreeMap<&str, &Query> = BTreeMap::new();
    for id in &pooling.queries {
        let others = || unjudged.iter().find(|query| query.id == *id);
        let Some(query) = collection.query(id).or_else(others) else {
            return Err(Error::with_kind(
                ErrorKind::Missing,
                format!("the collection has no query {}", Quoted(id)),
            ));
        };
        queries.insert(&query.id, query);
    }
    if pooling.queries.is_empty() {
        let others = unjudged.iter().filter(|_| pooling.unjudged_queries);
        queries.extend(collection.queries().iter().chain(others).map(|query| (query.id.as_str(), query)));
    }
    Ok(queries.into_values().cloned().collect())
}

/// Query by query, and within one by numbers that depend on the two ids alone: a judge who sees the best
/// documents first, or those of one configuration together, judges them by that.
fn order(entry: &PoolEntry) -> (String, u64, String) {
    let mut numbers = Stream::new(1).for_name("pool").for_name(&entry.query).for_name(&entry.document).rng(0);
    let Ok(number) = numbers.try_next_u64();
    (entry.query.clone(), number, entry.document.clone())
}

/// One document a line, with its query, its text, the ranks at which configurations returned it, and a
/// grade of `null` to be replaced.
#[expect(clippy::expect_used, reason = "the keys are strings, and a String takes any text")]
pub fn pool_lines(pool: &Pool) -> String {
    let mut lines = String::new();
    for entry in &pool.entries {
        lines += &in_json(serde_json::to_string(entry).expect("an entry is JSON"));
        lines.push('\n');
    }
    lines
}

impl From<&PoolEntry> for LabelPair {
    fn from(entry: &PoolEntry) -> Self {
        Self {
            query: entry.query.clone(),
            query_text: entry.query_text.clone(),
            // The page saves these, and merging knows by them whether the texts are the same.
            query_sha256: Some(sha256(&entry.query_text)),
            document: entry.document.clone(),
            document_text: entry.document_text.clone().unwrap_or_default(),
            document_sha256: entry.document_text.as_ref().map(|text| sha256(text)),
            scale: Vec::new(),
            rubric: None,
        }
    }
}
