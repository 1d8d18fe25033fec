//! The quality of the search: benchmarks/*.yaml says what is measured and what must hold.

use rankgate::{BoxError, Hit, retriever_fn};
use sqlite_search::Articles;

/// `params:` of a configuration; a misspelt one is an error with its line in the YAML file.
#[derive(serde::Deserialize)]
struct Params {
    tokenizer: String,
    title_weight: f64,
}

fn main() -> std::process::ExitCode {
    rankgate::harness!("benchmarks")
        .retriever("fts5", |setup| {
            let Params { tokenizer, title_weight } = setup.params()?;
            let articles = Articles::new(&tokenizer, title_weight)?;
            articles.add(setup.corpus()?.documents()?.map(|document| {
                let document = document?;
                Ok::<_, BoxError>((document.id, document.title.unwrap_or_default(), document.text))
            }))?;
            Ok(retriever_fn(move |query, depth| {
                let found = articles.search(&query.text, depth)?;
                Ok(found.into_iter().map(|(id, score)| Hit::new(id, score)).collect())
            }))
        })
        .run()
}
