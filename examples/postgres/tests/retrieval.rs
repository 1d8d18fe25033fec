//! The quality of the search: benchmarks/*.yaml says what is measured and what must hold.

use std::process::ExitCode;
use std::sync::Arc;

use postgres_search::{Article, ByVectors, ByWords, Connections, Vectors};
use rankgate::{BoxError, Hit, Setup, retriever_fn};
use tokio::runtime::Runtime;

#[derive(serde::Deserialize)]
struct Words {
    language: String,
}

#[derive(serde::Deserialize)]
struct Neighbours {
    dimensions: usize,
    ef_search: Option<u32>,
}

fn main() -> ExitCode {
    // One runtime for everything. rankgate asks from threads that are not the runtime's, so waiting in
    // them with `block_on` is fine; four queries at once need four connections.
    let runtime = match Runtime::new() {
        Ok(runtime) => Arc::new(runtime),
        Err(error) => {
            eprintln!("no runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    let for_vectors = Arc::clone(&runtime);

    rankgate::harness!("benchmarks")
        .retriever("words", move |setup| {
            let Words { language } = setup.params()?;
            let runtime = Arc::clone(&runtime);
            let search = runtime.block_on(async {
                ByWords::build(connect(setup).await?, &language, &articles(setup)?)
                    .await
                    .map_err(BoxError::from)
            })?;
            Ok(retriever_fn(move |query, depth| hits(runtime.block_on(search.search(&query.text, depth))?)))
        })
        .retriever("vectors", move |setup| {
            let Neighbours { dimensions, ef_search } = setup.params()?;
            let articles = articles(setup)?;
            let texts: Vec<_> =
                articles.iter().map(|article| format!("{} {}", article.title, article.body)).collect();
            let vectors = Vectors::learn(texts.iter().map(String::as_str), dimensions);
            let runtime = Arc::clone(&for_vectors);
            let search = runtime.block_on(async {
                let connections = connect(setup).await?;
                ByVectors::build(connections, vectors, dimensions, ef_search, &articles)
                    .await
                    .map_err(BoxError::from)
            })?;
            Ok(retriever_fn(move |query, depth| hits(runtime.block_on(search.search(&query.text, depth))?)))
        })
        .run()
}

async fn connect(setup: &Setup<'_>) -> Result<Connections, BoxError> {
    let url = std::env::var("DATABASE_URL")
        .map_err(|_| "DATABASE_URL names no server; run ./with-server.sh cargo test")?;
    // A schema for each configuration: they are built at the same time.
    let schema = format!("rankgate-{}-{}", setup.benchmark(), setup.configuration());
    Ok(Connections::open(&url, &schema, 4).await?)
}

fn articles(setup: &Setup<'_>) -> rankgate::Result<Vec<Article>> {
    let article = |document: rankgate::Document| Article {
        id: document.id,
        title: document.title.unwrap_or_default(),
        body: document.text,
    };
    setup.corpus()?.documents()?.map(|document| document.map(article)).collect()
}

fn hits(found: Vec<(String, f64)>) -> Result<Vec<Hit>, BoxError> {
    Ok(found.into_iter().map(|(id, score)| Hit::new(id, score)).collect())
}
