//! Gates on judgments of models and on answers, and what lint says of them.

mod calibrated;
mod conversations;
mod judged;
mod rag;
mod rag_answerers;
mod rag_diagnostics;
mod server;
mod strata;
