//! The one trait that a retriever implements.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::collection::Query;
use crate::run::Hit;

use super::Response;
use super::said::Answer;

/// Any error of a retriever or of its construction.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Something that ranks documents for a query.
///
/// It is asked from several threads at once (`concurrency:` in the spec; where that is not said, as many as
/// there are processors), hence `Sync`.
///
/// ```
/// use rankgate::retriever::{BoxError, Retriever};
/// use rankgate::{Hit, Query};
///
/// struct Fixed;
///
/// impl Retriever for Fixed {
///     fn retrieve(&self, _query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
///         Ok([Hit::new("d1", 2.0), Hit::new("d2", 1.0)].into_iter().take(depth).collect())
///     }
/// }
/// # assert_eq!(Fixed.retrieve(&Query::new("q1", "alpha"), 1)?, [Hit::new("d1", 2.0)]);
/// # Ok::<(), BoxError>(())
/// ```
pub trait Retriever: Send + Sync {
    /// The documents for `query`, best first; any beyond `depth` are cut off.
    ///
    /// They are ranked by score, highest first. Equal scores keep the order of the list. An empty list is an answer: the
    /// query found nothing and scores 0. A document may stand in the list once, and a score may be
    /// infinite but not NaN.
    ///
    /// # Errors
    /// Any reason that keeps the retriever from answering. It is reported with the query's id and makes
    /// the configuration's gates errors; it never counts as a score of 0.
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError>;

    /// How many queries [`retrieve_batch`](Self::retrieve_batch) likes to get at once; 1 by default.
    fn batch_size(&self) -> usize {
        1
    }

    /// The answers to several queries, one per query and in their order.
    ///
    /// Implement it, with [`batch_size`](Self::batch_size), where asking many at once is cheaper:
    /// an embedding model, a service with a multi-search call; [`retriever`](crate::retriever#many-queries-at-once)
    /// shows how. The default asks one by one, and a query that is alone goes to [`retrieve`](Self::retrieve).
    /// There is no time limit unless the spec sets one (`timeout:`), which a batch has as often as it has
    /// queries.
    fn retrieve_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Vec<Hit>, BoxError>> {
        queries.iter().map(|query| self.retrieve(query, depth)).collect()
    }

    /// The answer to a query with its [numbers](Response::with_score). This is what is asked; by default it is
    /// [`retrieve`](Self::retrieve) alone.
    ///
    /// Implement this method, and `retrieve` with the [`hits`](Response::hits) of it.
    ///
    /// # Errors
    /// As of [`retrieve`](Self::retrieve).
    fn respond(&self, query: &Query, depth: usize) -> Result<Response, BoxError> {
        self.retrieve(query, depth).map(Response::new)
    }

    /// The same of several queries, one answer per query and in their order; by default those of
    /// [`retrieve_batch`](Self::retrieve_batch) alone.
    fn respond_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Response, BoxError>> {
        self.retrieve_batch(queries, depth).into_iter().map(|answer| answer.map(Response::new)).collect()
    }

    /// What a model answered with what was retrieved, by the queries' ids: of a whole pipeline, which answers and does
    /// not rank alone. Taken once, when all queries have been ranked; nothing by default.
    ///
    /// These are a configuration's answers as those of a file are, which needs the feature `judge`. A query that is
    /// missing has an answer of nothing.
    fn take_answers(&self) -> BTreeMap<String, Answer> {
        BTreeMap::new()
    }
}

/// What points to a retriever is one.
macro_rules! pointers {
    ($($pointer:ty),+) => {$(
        impl<R: Retriever + ?Sized> Retriever for $pointer {
            fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
                (**self).retrieve(query, depth)
            }
            fn batch_size(&self) -> usize {
                (**self).batch_size()
            }
            fn retrieve_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Vec<Hit>, BoxError>> {
                (**self).retrieve_batch(queries, depth)
            }
            fn respond(&self, query: &Query, depth: usize) -> Result<Response, BoxError> {
                (**self).respond(query, depth)
            }
            fn respond_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Response, BoxError>> {
                (**self).respond_batch(queries, depth)
            }
            fn take_answers(&self) -> BTreeMap<String, Answer> {
                (**self).take_answers()
            }
        }
    )+};
}

pointers!(&R, Box<R>, Arc<R>);

/// A closure as a [`Retriever`]; made by [`retriever_fn`].
pub struct FnRetriever<F>(F);

impl<F> Retriever for FnRetriever<F>
where
    F: Fn(&Query, usize) -> Result<Vec<Hit>, BoxError> + Send + Sync,
{
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        (self.0)(query, depth)
    }
}

/// Makes a retriever of a closure from a query and a depth to hits.
///
/// ```
/// use rankgate::retriever::{Retriever, retriever_fn};
/// use rankgate::{Hit, Query};
///
/// let retriever = retriever_fn(|query, depth| {
///     Ok(query.text.split(' ').take(depth).map(|word| Hit::new(word, 1.0)).collect())
/// });
/// assert_eq!(retriever.retrieve(&Query::new("q1", "alpha beta"), 1)?, [Hit::new("alpha", 1.0)]);
/// # Ok::<(), rankgate::retriever::BoxError>(())
/// ```
pub fn retriever_fn<F>(f: F) -> FnRetriever<F>
where
    F: Fn(&Query, usize) -> Result<Vec<Hit>, BoxError> + Send + Sync,
{
    FnRetriever(f)
}
