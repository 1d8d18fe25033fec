//! Retrievers: everything that answers queries, and how it is asked.
//!
//! A retriever is anything that implements [`Retriever`]; a closure becomes one with
//! [`retriever_fn`]. It is asked from several threads at once, as many as there are processors where the spec
//! does not say (`concurrency:`). Each query takes as long as it takes, unless the spec sets a limit
//! (`timeout:`). An error is kept with its query.
//!
//! Programs in other languages (`command:` in a spec) and services (`http:`) need no Rust: they are
//! started or asked as `docs/protocol.md` and `docs/http.md` say.
//!
//! # Many queries at once
//!
//! Where asking many at once is cheaper, as it is for an embedding model or a service with a multi-search
//! call, a retriever says how many it likes to get and answers them together:
//!
//! ```
//! use rankgate::retriever::{BoxError, Retriever};
//! use rankgate::{Hit, Query};
//!
//! # struct Model;
//! # impl Model { fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
//! #   Ok(texts.iter().map(|text| vec![text.len() as f32]).collect()) } }
//! # struct Index;
//! # impl Index { fn nearest(&self, vector: &[f32], limit: usize) -> Vec<(String, f64)> {
//! #   vec![(format!("d{}", vector[0]), 1.0)].into_iter().take(limit).collect() } }
//! struct Semantic {
//!     model: Model,
//!     index: Index,
//! }
//!
//! impl Retriever for Semantic {
//!     fn batch_size(&self) -> usize {
//!         64
//!     }
//!
//!     fn retrieve_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Vec<Hit>, BoxError>> {
//!         let texts: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
//!         match self.model.embed(&texts) {
//!             Ok(vectors) => vectors
//!                 .iter()
//!                 .map(|vector| {
//!                     let nearest = self.index.nearest(vector, depth).into_iter();
//!                     Ok(nearest.map(|(id, score)| Hit::new(id, score)).collect())
//!                 })
//!                 .collect(),
//!             // One answer per query, in any case.
//!             Err(error) => queries.iter().map(|_| Err(error.to_string().into())).collect(),
//!         }
//!     }
//!
//!     // A single query, such as the one that is left over at the end.
//!     fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
//!         self.retrieve_batch(std::slice::from_ref(query), depth).remove(0)
//!     }
//! }
//! # let semantic = Semantic { model: Model, index: Index };
//! # let answers = semantic.retrieve_batch(&[Query::new("q1", "a"), Query::new("q2", "bcd")], 10);
//! # assert_eq!(answers.len(), 2);
//! # assert_eq!(semantic.retrieve(&Query::new("q2", "bcd"), 10)?, [Hit::new("d3", 1.0)]);
//! # Ok::<(), BoxError>(())
//! ```
//!
//! # Async clients
//!
//! The trait is synchronous, so that no runtime is forced on anybody. A client that is async keeps its runtime beside it,
//! and `retrieve` waits with `runtime.block_on(client.search(...))`, as in `examples/postgres`: the threads that ask are
//! plain threads.

mod answer;
mod ask;
#[cfg(feature = "bm25")]
mod bm25;
#[cfg(feature = "harness")]
mod command;
#[cfg(feature = "http")]
mod http;
mod in_line;
mod limit;
mod response;
mod retrieve;
pub(crate) mod said;
mod setup;
mod time;

pub use answer::Answers;
#[doc(hidden)]
pub use ask::Asking;
pub(crate) use ask::{ask, ask_borrowed, batch_size};
#[cfg(feature = "harness")]
pub(crate) use command::{CommandRetriever, Hello, Served};
#[cfg(feature = "harness")]
#[doc(hidden)]
pub use command::{check_hello, protocol_line, read_object, why_broken, why_unstarted};
#[cfg(feature = "http")]
pub(crate) use http::HttpRetriever;
#[doc(hidden)]
pub use limit::Limit;
#[cfg(feature = "bm25")]
#[doc(inline)]
pub use rankgate_bm25::{Bm25, Bm25Params, Language, Tokenizer};
pub use response::Response;
#[doc(hidden)]
pub use retrieve::FnRetriever;
pub use retrieve::{BoxError, Retriever, retriever_fn};
pub(crate) use said::answer_fingerprint;
pub use said::{Answer, CitedSentence, Context};
#[doc(hidden)]
pub use setup::Factories;
pub use setup::Setup;
pub(crate) use time::{Took, Turn, Turns};

#[doc(hidden)]
pub use crate::model::{Failure, FailureCause, Latency};
