//! Pages as points, and those nearest to a query.

use instant_distance::{Builder, HnswMap, Point, Search};
use rayon::prelude::*;

use crate::{Embedder, Error};

/// Pages by their embeddings.
pub struct Dense {
    embedder: Embedder,
    ids: Vec<String>,
    points: Vec<Unit>,
}

/// How the nearest pages are found.
pub enum Neighbours {
    /// All pages are looked at.
    Exact,
    /// A graph is walked.
    Graph(HnswMap<Unit, usize>),
}

/// A vector of length 1.
#[derive(Clone)]
pub struct Unit(Vec<f32>);

impl Unit {
    fn cosine(&self, other: &Self) -> f32 {
        self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
    }
}

impl Point for Unit {
    fn distance(&self, other: &Self) -> f32 {
        1.0 - self.cosine(other)
    }
}

impl Dense {
    /// Embeds pages, given by id and text.
    pub fn build(embedder: Embedder, pages: Vec<(String, String)>) -> Result<Self, Error> {
        let points = pages.par_iter().map(|(_, text)| Ok(Unit(embedder.embed(text)?)));
        let points = points.collect::<Result<_, Error>>()?;
        Ok(Self { ids: pages.into_iter().map(|(id, _)| id).collect(), points, embedder })
    }

    /// Links the pages; a search follows `breadth` candidates and finds no more than those.
    pub fn graph(&self, breadth: usize) -> Result<Neighbours, Error> {
        let numbers = (0..self.points.len()).collect();
        let builder = Builder::default().seed(20260101).ef_search(breadth);
        // On several threads the links would come out differently each time, a fixed seed or not.
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        Ok(Neighbours::Graph(one_thread.install(|| builder.build(self.points.clone(), numbers))))
    }

    /// The ids and cosines of the nearest `limit` pages; equal ones by id.
    pub fn find(
        &self,
        query: &str,
        neighbours: &Neighbours,
        limit: usize,
    ) -> Result<Vec<(&str, f32)>, Error> {
        let query = Unit(self.embedder.embed(query)?);
        let mut found: Vec<(&str, f32)> = match neighbours {
            Neighbours::Exact => self
                .ids
                .iter()
                .zip(&self.points)
                .map(|(id, page)| (id.as_str(), query.cosine(page)))
                .collect(),
            Neighbours::Graph(graph) => {
                let mut search = Search::default();
                let near = graph.search(&query, &mut search);
                near.map(|item| (self.ids[*item.value].as_str(), query.cosine(item.point))).collect()
            }
        };
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        found.truncate(limit);
        Ok(found)
    }
}
