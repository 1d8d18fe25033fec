//! The gates of `benchmarks/`, one test each.

use std::process::ExitCode;

use rankgate::{Hit, Setup, retriever_fn};
use refactoring::{Found, Index, Page, Scan};

fn main() -> ExitCode {
    rankgate::harness!("benchmarks")
        .retriever("scan", |setup| {
            let scan = Scan::new(pages(setup)?);
            Ok(retriever_fn(move |query, depth| Ok(hits(scan.find(&query.text, depth)))))
        })
        .retriever("index", |setup| {
            let index = Index::new(pages(setup)?);
            Ok(retriever_fn(move |query, depth| Ok(hits(index.find(&query.text, depth)))))
        })
        .run()
}

fn pages(setup: &Setup) -> rankgate::Result<Vec<Page>> {
    let page = |document: rankgate::Document| {
        (document.id, format!("{} {}", document.title.unwrap_or_default(), document.text))
    };
    setup.corpus()?.documents()?.map(|document| Ok(page(document?))).collect()
}

fn hits(found: Vec<Found>) -> Vec<Hit> {
    found.into_iter().map(|(id, shared)| Hit::new(id, f64::from(shared))).collect()
}
