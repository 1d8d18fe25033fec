//! Exact search built in: the nearest vectors of a file, for queries whose vectors stand in another.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rankgate_exact::{Allowed, Distance, Exact, VectorIds, Vectors};
use serde::Deserialize;
use serde_json::Value;

use crate::collection::{Collection, Query};
use crate::error::Quoted;
use crate::metric::Distances;
use crate::run::Hit;
use crate::{Error, Result};

use super::{BoxError, Retriever, Setup};

/// Queries that are answered together: each block of vectors is gone through once for all of them.
const BATCH: usize = 512;
/// What a value of a filter begins with that is the query's.
const OF_QUERY: &str = "$query.";

/// Parameters of the built-in exact search (`params:` of `builtin: exact`).
///
/// | key | value |
/// |---|---|
/// | `vectors` | the file of the documents' vectors, relative to the spec: see [`Vectors::read`] for its formats |
/// | `queries` | that of the queries' vectors |
/// | `distance` | `l2`, `cosine`, `inner-product` or `hamming` |
/// | `filter` | documents that may be found, by metadata: `{tenant: $query.tenant, language: de}` |
///
/// A vector without an id is the document, or the query, whose id is its number, from 0. Scores are distances with a minus.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExactParams {
    /// The file of the documents' vectors.
    pub vectors: PathBuf,
    /// The file of the queries' vectors.
    pub queries: PathBuf,
    /// How far two vectors are from each other.
    pub distance: Distance,
    /// What a document's metadata have to say to be found, by key.
    #[serde(default)]
    pub filter: BTreeMap<String, Value>,
}

/// The files, and the search in them once somebody asks.
#[derive(Clone, Debug)]
pub(crate) struct ExactSource {
    params: ExactParams,
    folder: PathBuf,
    collection: Collection,
}

impl ExactSource {
    pub(crate) fn new(setup: &Setup<'_>) -> Result<Self> {
        let (folder, collection) = (setup.folder().to_owned(), setup.collection().clone());
        Ok(Self { params: setup.params()?, folder, collection })
    }

    /// Reads which documents have a vector.
    pub(crate) fn base(&self) -> Result<VectorIds> {
        VectorIds::read(self.folder.join(&self.params.vectors))
    }

    /// Reads the vectors. `batch` queries are answered together.
    pub(crate) fn open(&self, batch: usize) -> Result<ExactSearch> {
        let read = |path: &Path| Vectors::read(self.folder.join(path));
        let (base, queries) = (read(&self.params.vectors)?, read(&self.params.queries)?);
        let filter = Filter::new(&self.params.filter, &base, &self.collection)?;
        let rows = VectorIds::new(&base)?;
        let query_rows = VectorIds::new(&queries)?;
        Ok(ExactSearch {
            exact: Exact::new(base, self.params.distance)?,
            queries,
            rows,
            query_rows,
            filter,
            collection: self.collection.clone(),
            batch,
        })
    }

    /// How many queries are answered together: alone where times are taken, as those of an index are.
    pub(crate) fn batch(timed: bool) -> usize {
        if timed { 1 } else { BATCH }
    }
}

/// Distances of any document, from files that are read when the first one is asked for.
#[derive(Debug)]
pub(crate) struct ExactDistances {
    source: ExactSource,
    search: OnceLock<Result<ExactSearch>>,
}

impl ExactDistances {
    pub(crate) fn new(source: ExactSource) -> Self {
        Self { source, search: OnceLock::new() }
    }
}

impl Distances for ExactDistances {
    fn distance(&self, query: &str, document: &str) -> Result<Option<f64>> {
        let search = self.search.get_or_init(|| self.source.open(1)).as_ref().map_err(Error::clone)?;
        let Some(row) = search.rows.row(document) else { return Ok(None) };
        let query_row = search.query_row(query)?;
        let known = search.collection.query(query);
        let allowed = known.map(|query| search.allowed(query)).transpose()?.flatten();
        if allowed.is_some_and(|allowed| !allowed[row]) {
            return Ok(None);
        }
        search.exact.distance(&search.queries, query_row, row).map(Some)
    }
}

/// Exact search for the queries of a collection.
#[derive(Debug)]
pub(crate) struct ExactSearch {
    exact: Exact,
    queries: Vectors,
    rows: VectorIds,
    query_rows: VectorIds,
    filter: Option<Filter>,
    collection: Collection,
    batch: usize,
}

impl ExactSearch {
    fn query_row(&self, id: &str) -> Result<usize> {
        self.query_rows.row(id).ok_or_else(|| {
            let (name, last) = (self.queries.name(), self.queries.len() - 1);
            let which = match self.queries.ids() {
                Some(_) => "its ids name other queries".to_owned(),
                None => format!("its vectors are of the queries 0 to {last}"),
            };
            Error::invalid(format!("{name} has no vector of query {}: {which}", Quoted(id)))
        })
    }

    fn allowed(&self, query: &Query) -> Result<Option<Allowed>> {
        self.filter.as_ref().map(|filter| filter.allowed(query)).transpose()
    }

    fn answer(&self, queries: &[Query], depth: usize) -> Result<Vec<Vec<Hit>>> {
        let rows = queries.iter().map(|query| self.query_row(&query.id)).collect::<Result<Vec<_>>>()?;
        let allowed: Option<Vec<Allowed>> =
            queries.iter().map(|query| self.allowed(query)).collect::<Result<Option<Vec<_>>>>()?;
        let found = self.exact.nearest(&self.queries, &rows, depth, allowed.as_deref())?;
        let base = self.exact.base();
        let hits = found.into_iter().map(|nearest| {
            nearest.into_iter().map(|one| Hit::new(base.id(one.row), -one.distance)).collect()
        });
        Ok(hits.collect())
    }
}

impl Retriever for ExactSearch {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        self.retrieve_batch(std::slice::from_ref(query), depth).remove(0)
    }

    fn batch_size(&self) -> usize {
        self.batch
    }

    fn retrieve_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Vec<Hit>, BoxError>> {
        match self.answer(queries, depth) {
            Ok(all) => all.into_iter().map(Ok).collect(),
            // Which of them it is shows when each is asked alone.
            Err(_) if queries.len() > 1 => queries.iter().map(|query| self.retrieve(query, depth)).collect(),
            Err(error) => vec![Err(error.into())],
        }
    }
}

/// Which documents may be found, by their metadata.
#[derive(Debug)]
struct Filter {
    wanted: BTreeMap<String, Value>,
    /// What the documents say under each key, in the order of the vectors.
    documents: Vec<Vec<Option<Value>>>,
    /// By what was wanted.
    known: Mutex<HashMap<String, Allowed>>,
}

impl Filter {
    fn new(
        wanted: &BTreeMap<String, Value>,
        base: &Vectors,
        collection: &Collection,
    ) -> Result<Option<Self>> {
        if wanted.is_empty() {
            return Ok(None);
        }
        let keys: Vec<Cow<'static, str>> = wanted.keys().map(|key| Cow::Owned(key.clone())).collect();
        let why = |error: Error| Error::invalid(format!("`filter` needs the documents' metadata: {error}"));
        let fields = collection.document_fields(&keys).map_err(why)?;
        let mut documents = vec![Vec::with_capacity(base.len()); keys.len()];
        for row in 0..base.len() {
            let id = base.id(row);
            let missing = || {
                let (name, id) = (base.name(), Quoted(&id));
                Error::invalid(format!(
                    "{name}: vector {id} is no document of the collection, so that no filter knows it"
                ))
            };
            let said = fields.get(&id).ok_or_else(missing)?;
            for (key, values) in wanted.keys().zip(&mut documents) {
                values.push(said.get(key).cloned());
            }
        }
        Ok(Some(Self { wanted: wanted.clone(), documents, known: Mutex::default() }))
    }

    fn allowed(&self, query: &Query) -> Result<Allowed> {
        let of_query = |value: &Value| match value.as_str().and_then(|text| text.strip_prefix(OF_QUERY)) {
            None => Ok(value.clone()),
            Some(key) => query.metadata.get(key).cloned().ok_or_else(|| {
                let (id, key) = (Quoted(&query.id), Quoted(key));
                Error::invalid(format!("query {id} has no {key} in its metadata, which the filter asks for"))
            }),
        };
        let wanted: Vec<Value> = self.wanted.values().map(of_query).collect::<Result<_>>()?;
        let key = Value::Array(wanted.clone()).to_string();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(allowed) = known.get(&key) {
            return Ok(Arc::clone(allowed));
        }
        let count = self.documents.first().map_or(0, Vec::len);
        let allows = |row: usize| {
            self.documents
                .iter()
                .zip(&wanted)
                .all(|(values, wanted)| values[row].as_ref().is_some_and(|has| matches_value(has, wanted)))
        };
        let allowed: Allowed = Arc::new((0..count).map(allows).collect());
        known.insert(key, Arc::clone(&allowed));
        Ok(allowed)
    }
}

/// Whether a document's value is what is wanted: the same, or a list that holds it; several that are wanted are any of them.
fn matches_value(has: &Value, wanted: &Value) -> bool {
    match (has, wanted) {
        (_, Value::Array(any)) => any.iter().any(|one| matches_value(has, one)),
        (Value::Array(all), wanted) => all.contains(wanted),
        (has, wanted) => has == wanted,
    }
}
