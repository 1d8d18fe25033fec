//! Gates on judgments of models and on answers, and what lint says of them.

mod calibrated;
mod conversations;
mod judged;
mod judged_files;
mod judged_samples;
mod rag;
mod rag_answerers;
mod rag_criterion;
mod rag_diagnostics;
mod rag_judge_check;
mod rag_missing_answers;
mod rag_pipeline;
mod server;
mod strata;
