//! Articles that are like another one: an HNSW graph, with or without a shop that they must be of.

use instant_distance::{Builder, HnswMap, Point, Search};

/// An article's vector.
#[derive(Clone)]
pub struct Vector(pub Vec<f32>);

impl Point for Vector {
    fn distance(&self, other: &Self) -> f32 {
        self.0.iter().zip(&other.0).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt()
    }
}

/// How the graph is built and searched.
#[derive(Clone, Copy)]
pub struct Knobs {
    /// Articles that a search keeps in sight.
    pub ef: usize,
    /// What the graph's levels are drawn from.
    pub seed: u64,
    /// Shops with at most so many articles are searched one by one.
    pub small_shop: usize,
}

pub struct Articles {
    graph: HnswMap<Vector, usize>,
    vectors: Vec<Vector>,
    shops: Vec<String>,
    small_shop: usize,
}

impl Articles {
    /// A graph of vectors, each of the shop at its place.
    pub fn new(vectors: Vec<Vector>, shops: Vec<String>, knobs: Knobs) -> Self {
        let builder = Builder::default().ef_construction(100).ef_search(knobs.ef).seed(knobs.seed);
        let graph = builder.build(vectors.clone(), (0..vectors.len()).collect());
        Self { graph, vectors, shops, small_shop: knobs.small_shop }
    }

    /// The nearest articles with their distances, of one shop where that is wanted.
    pub fn nearest(&self, to: &Vector, shop: Option<&str>, limit: usize) -> Vec<(usize, f32)> {
        let count = self.shops.iter().filter(|has| shop.is_some_and(|shop| *has == shop)).count();
        if shop.is_some() && count <= self.small_shop {
            return self.nearest_of_all(to, shop, limit);
        }
        let mut search = Search::default();
        let found = self.graph.search(to, &mut search).map(|item| (*item.value, item.distance));
        found.filter(|(article, _)| self.is_in(*article, shop)).take(limit).collect()
    }

    /// The same without the graph: each article is compared.
    pub fn nearest_of_all(&self, to: &Vector, shop: Option<&str>, limit: usize) -> Vec<(usize, f32)> {
        let articles = (0..self.vectors.len()).filter(|article| self.is_in(*article, shop));
        let mut all: Vec<_> = articles.map(|article| (article, to.distance(&self.vectors[article]))).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        all.truncate(limit);
        all
    }

    fn is_in(&self, article: usize, shop: Option<&str>) -> bool {
        shop.is_none_or(|shop| self.shops[article] == shop)
    }
}
