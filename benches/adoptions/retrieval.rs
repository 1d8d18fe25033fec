//! The gates of `benchmarks/`, one test each.

use std::process::ExitCode;

use adopted::Engine;
use rankgate::{Hit, retriever_fn};

fn main() -> ExitCode {
    rankgate::harness!("benchmarks")
        .retriever("engine", |setup| {
            let documents = setup.corpus()?.documents()?.collect::<rankgate::Result<Vec<_>>>()?;
            let texts = documents.into_iter().map(|document| {
                let title = document.title.unwrap_or_default();
                (document.id, format!("{title}. {}", document.text))
            });
            let engine = Engine::new(texts.collect());
            Ok(retriever_fn(move |query, depth| {
                Ok(engine
                    .search(&query.text, depth)
                    .into_iter()
                    .map(|(id, score)| Hit::new(id, score))
                    .collect())
            }))
        })
        .run()
}
