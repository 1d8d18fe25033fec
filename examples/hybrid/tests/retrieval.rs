//! The gates of `benchmarks/`, one test each.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use hybrid::{Dense, Embedder, Error, Neighbours, Words, fuse};
use rankgate::{Hit, Setup, retriever_fn};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Params {
    /// Candidates that a search in the graph follows; without it all pages are looked at.
    breadth: Option<usize>,
}

fn main() -> ExitCode {
    rankgate::harness!("benchmarks")
        .retriever("words", |setup| {
            let words = Words::build(&pages(setup)?);
            Ok(retriever_fn(move |query, depth| Ok(hits(words.find(&query.text, depth)))))
        })
        .retriever("meaning", |setup| {
            let Params { breadth } = setup.params()?;
            let dense = dense(setup)?;
            let neighbours = breadth.map_or(Ok(Neighbours::Exact), |breadth| dense.graph(breadth))?;
            Ok(retriever_fn(move |query, depth| Ok(hits(dense.find(&query.text, &neighbours, depth)?))))
        })
        .retriever("both", |setup| {
            let (words, dense) = (Words::build(&pages(setup)?), dense(setup)?);
            Ok(retriever_fn(move |query, depth| {
                let meaning = dense.find(&query.text, &Neighbours::Exact, depth)?;
                Ok(hits(fuse(&[words.find(&query.text, depth), meaning], depth)))
            }))
        })
        .run()
}

/// Ids and texts.
fn pages(setup: &Setup) -> rankgate::Result<Vec<(String, String)>> {
    let pages = setup.corpus()?.documents()?.map(|page| {
        let page = page?;
        Ok((page.id, format!("{}. {}", page.title.unwrap_or_default(), page.text)))
    });
    pages.collect()
}

fn hits(found: Vec<(&str, f32)>) -> Vec<Hit> {
    found.into_iter().map(|(id, score)| Hit::new(id, f64::from(score))).collect()
}

/// The pages' embeddings, which several configurations share: computed once per process.
fn dense(setup: &Setup) -> Result<&'static Dense, Error> {
    static DENSE: OnceLock<Result<Dense, String>> = OnceLock::new();
    let build = || -> Result<Dense, Error> {
        let folder = std::env::var_os("MINILM_DIR").map(PathBuf::from);
        let folder = folder.ok_or("MINILM_DIR is not set: export MINILM_DIR=$(./setup.sh)")?;
        // They stay there for the next test run, which embeds what is new.
        let vectors = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors");
        Dense::build(Embedder::open(&folder, &vectors)?, pages(setup)?)
    };
    let dense = DENSE.get_or_init(|| build().map_err(|error| error.to_string()));
    dense.as_ref().map_err(|error| error.clone().into())
}
