//! A service that is asked by POST and answers with JSON, as `docs/http.md` says.

mod retriever;
mod shape;

#[cfg(feature = "judge")]
pub(crate) use retriever::post;
pub(crate) use retriever::{HttpRetriever, Service};
pub(crate) use shape::Shape;
