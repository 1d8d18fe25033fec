//! The gates of `benchmarks/`, one test each.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

use hybrid::{Dense, Embedder, Error, Neighbours, reciprocal_ranks};
use rankgate::retriever::{Bm25, Bm25Params, Language};
use rankgate::{Hit, Retriever, Setup, retriever_fn};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Params {
    /// Candidates that a search in the graph follows; without it all pages are looked at.
    breadth: Option<usize>,
}

fn main() -> ExitCode {
    rankgate::harness!("benchmarks")
        .retriever("words", |setup| words(setup))
        .retriever("meaning", |setup| {
            let Params { breadth } = setup.params()?;
            let dense = dense(setup)?;
            let neighbours = breadth.map_or(Ok(Neighbours::Exact), |breadth| dense.graph(breadth))?;
            Ok(retriever_fn(move |query, depth| {
                let found = dense.find(&query.text, &neighbours, depth)?;
                Ok(found.into_iter().map(|(id, cosine)| Hit::new(id, f64::from(cosine))).collect())
            }))
        })
        .retriever("fused", |setup| {
            let (words, dense) = (words(setup)?, dense(setup)?);
            Ok(retriever_fn(move |query, depth| {
                let by_words = words.retrieve(query, depth)?;
                let by_meaning = dense.find(&query.text, &Neighbours::Exact, depth)?;
                let fused = reciprocal_ranks(&[
                    by_words.iter().map(|hit| hit.id.as_str()).collect(),
                    by_meaning.into_iter().map(|(id, _)| id).collect(),
                ]);
                Ok(fused.into_iter().take(depth).map(|(id, score)| Hit::new(id, score)).collect())
            }))
        })
        .run()
}

/// BM25, stemmed.
fn words(setup: &Setup) -> Result<Bm25, Error> {
    let params = Bm25Params { stemmer: Some(Language::English), ..Bm25Params::default() };
    Bm25::build(setup.corpus()?.documents()?, &params)
}

/// The pages' embeddings, which several configurations share: computed once per process.
fn dense(setup: &Setup) -> Result<&'static Dense, Error> {
    static DENSE: OnceLock<Result<Dense, String>> = OnceLock::new();
    let build = || -> Result<Dense, Error> {
        let folder = std::env::var_os("MINILM_DIR").map(PathBuf::from);
        let folder = folder.ok_or("MINILM_DIR is not set: export MINILM_DIR=$(./setup.sh)")?;
        let pages = setup.corpus()?.documents()?.map(|document| {
            let document = document?;
            Ok((document.id, format!("{}. {}", document.title.unwrap_or_default(), document.text)))
        });
        Dense::build(Embedder::open(&folder)?, pages.collect::<rankgate::Result<_>>()?)
    };
    let dense = DENSE.get_or_init(|| build().map_err(|error| error.to_string()));
    dense.as_ref().map_err(|error| error.clone().into())
}
