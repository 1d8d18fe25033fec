//! A service that is asked by POST and answers with JSON, as `docs/http.md` says.

mod authority;
mod exchange;
mod retriever;
mod retry;
mod service;
mod shape;
mod tls;

pub(crate) use retriever::HttpRetriever;
pub(crate) use service::{Header, Service};
pub(crate) use shape::Shape;
