//! Whether the graph finds what exact search finds: benchmarks/*.yaml says what is measured and what must hold.

use std::path::Path;

use nearest_articles::{Articles, Knobs, Vector};
use rankgate::{BoxError, Hit, retriever_fn};

/// `params:` of a configuration.
#[derive(serde::Deserialize)]
struct Params {
    /// Articles that a search of the graph keeps in sight; without it each article is compared.
    ef: Option<usize>,
    /// Shops with at most so many articles are searched one by one.
    #[serde(default)]
    small_shop: usize,
    /// Whether a query is asked of its shop alone.
    in_shop: bool,
}

/// The vectors of a file as the big-ann benchmarks have them: two numbers, how many and of which dimension, then bytes.
fn read(path: &Path) -> Result<Vec<Vector>, BoxError> {
    let bytes = std::fs::read(path)?;
    let (header, numbers) = bytes.split_at_checked(8).ok_or("a file without a header")?;
    let dimension = u32::from_le_bytes(header[4..].try_into()?);
    let vector = |numbers: &[u8]| Vector(numbers.iter().copied().map(f32::from).collect());
    Ok(numbers.chunks_exact(dimension as usize).map(vector).collect())
}

fn main() -> std::process::ExitCode {
    rankgate::harness!("benchmarks")
        .retriever("articles", |setup| {
            let Params { ef, small_shop, in_shop } = setup.params()?;
            let data = setup.folder().join("../data");
            let queries = read(&data.join("queries.u8bin"))?;
            let shops = setup.corpus()?.documents()?.map(|document| {
                let shop = document?.metadata.get("shop").and_then(|shop| shop.as_str()).unwrap_or_default().to_owned();
                Ok::<_, BoxError>(shop)
            });
            let knobs = Knobs { ef: ef.unwrap_or(1), seed: 1, small_shop };
            let articles =
                Articles::new(read(&data.join("articles.u8bin"))?, shops.collect::<Result<_, _>>()?, knobs);
            Ok(retriever_fn(move |query, depth| {
                let shop = query.metadata.get("shop").and_then(|shop| shop.as_str()).filter(|_| in_shop);
                let vector = queries.get(query.id.parse::<usize>()?).ok_or("a query without a vector")?;
                let found = match ef {
                    Some(_) => articles.nearest(vector, shop, depth),
                    None => articles.nearest_of_all(vector, shop, depth),
                };
                Ok(found.into_iter().map(|(article, far)| Hit::new(article.to_string(), -f64::from(far))).collect())
            }))
        })
        .run()
}
