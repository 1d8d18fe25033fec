//! A service that is asked by POST and answers with JSON, as `docs/http.md` says.

pub(crate) mod post;
mod retriever;
mod shape;

pub(crate) use retriever::HttpRetriever;
pub(crate) use shape::Shape;
