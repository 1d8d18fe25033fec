//! Every gate of every spec under benchmarks/ as a test: `cargo test --test retrieval`.

use std::collections::HashSet;
use std::process::ExitCode;

use rankgate::{BoxError, Document, Hit, Query, retriever_fn};

fn main() -> ExitCode {
    // The folder of the specs, relative to this crate.
    rankgate::harness!("benchmarks")
        // The retriever `words` of a spec. The closure builds it once in a test run.
        .retriever("words", |setup| {
            let index = setup
                .corpus()?
                .documents()?
                .map(|document| Ok(index(&document?)));
            let index: Vec<(String, HashSet<String>)> = index.collect::<Result<_, BoxError>>()?;
            // The returned retriever answers each query with documents, best first.
            Ok(retriever_fn(move |query: &Query, depth: usize| {
                Ok(search(&index, query, depth))
            }))
        })
        .run()
}

/// A document's id and its words. Put your own index here.
fn index(document: &Document) -> (String, HashSet<String>) {
    let title = document.title.as_deref().unwrap_or_default();
    (
        document.id.clone(),
        words(&format!("{title} {}", document.text)),
    )
}

/// The documents that share most words with the query.
fn search(index: &[(String, HashSet<String>)], query: &Query, depth: usize) -> Vec<Hit> {
    let asked = words(&query.text);
    let shared = index
        .iter()
        .map(|(id, words)| Hit::new(id.as_str(), words.intersection(&asked).count() as f64));
    let mut hits: Vec<Hit> = shared.filter(|hit| hit.score > 0.0).collect();
    // Equal scores need a fixed order, or rankings change from run to run.
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    hits.truncate(depth);
    hits
}

fn words(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
