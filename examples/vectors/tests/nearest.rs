//! Whether the graph finds what exact search finds: benchmarks/*.yaml says what is measured and what must hold.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use nearest_articles::{Articles, Knobs, Vector};
use rankgate::vectors::Vectors;
use rankgate::{BoxError, Hit, retriever_fn};

/// `params:` of a configuration.
#[derive(serde::Deserialize)]
struct Params {
    ef: usize,
    /// Shops with at most so many articles are searched one by one.
    small_shop: usize,
    /// Whether a query is asked of its shop alone.
    in_shop: bool,
}

fn main() -> std::process::ExitCode {
    // Each build of a benchmark draws other levels, as it would with a seed of the clock.
    let builds = Mutex::new(BTreeMap::<String, u64>::new());
    rankgate::harness!("benchmarks")
        .retriever("hnsw", move |setup| {
            let Params { ef, small_shop, in_shop } = setup.params()?;
            let data = setup.folder().join("../data");
            let articles = Vectors::read(data.join("articles.u8bin"))?;
            let queries = Vectors::read(data.join("queries.u8bin"))?;
            let shops = setup.corpus()?.documents()?.map(|document| {
                let shop = document?.metadata.get("shop").and_then(|shop| shop.as_str()).unwrap_or_default().to_owned();
                Ok::<_, BoxError>(shop)
            });
            let vectors = (0..articles.len()).map(|row| Vector(articles.row(row))).collect();
            let seed = {
                let mut builds = builds.lock().unwrap_or_else(PoisonError::into_inner);
                let build = builds.entry(setup.benchmark().to_owned()).or_default();
                *build += 1;
                *build
            };
            let knobs = Knobs { ef, seed, small_shop };
            let articles = Articles::new(vectors, shops.collect::<Result<_, _>>()?, knobs);
            Ok(retriever_fn(move |query, depth| {
                let shop = query.metadata.get("shop").and_then(|shop| shop.as_str()).filter(|_| in_shop);
                let vector = Vector(queries.row(query.id.parse()?));
                let found = articles.nearest(&vector, shop, depth);
                Ok(found.into_iter().map(|(article, far)| Hit::new(article.to_string(), -f64::from(far))).collect())
            }))
        })
        .run()
}
