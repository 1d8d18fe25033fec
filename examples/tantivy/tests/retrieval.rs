//! The gates of `benchmarks/`, one test each.

use std::process::ExitCode;

use rankgate::{Hit, retriever_fn};
use tantivy_example::{Page, Search};

fn main() -> ExitCode {
    rankgate::harness!("benchmarks")
        .retriever("tantivy", |setup| {
            let documents = setup.corpus()?.documents()?.collect::<rankgate::Result<Vec<_>>>()?;
            let pages = documents.into_iter().map(|document| Page {
                id: document.id,
                title: document.title.unwrap_or_default(),
                body: document.text,
            });
            let search = Search::build(&setup.params()?, pages)?;
            Ok(retriever_fn(move |query, depth| {
                let found = search.find(&query.text, depth)?;
                Ok(found.into_iter().map(|(id, score)| Hit::new(id, f64::from(score))).collect())
            }))
        })
        .run()
}
