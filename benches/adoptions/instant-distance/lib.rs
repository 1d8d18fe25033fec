//! A graph of instant-distance over hashed words.

use instant_distance::{Builder, HnswMap, Search};

const DIMENSIONS: usize = 256;

#[derive(Clone)]
struct Point(Vec<f32>);

impl instant_distance::Point for Point {
    fn distance(&self, other: &Self) -> f32 {
        1.0 - self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum::<f32>()
    }
}

impl Point {
    /// Each word counts in one place, which a hash (FNV-1a) chooses.
    fn new(text: &str) -> Self {
        let mut values = vec![0.0_f32; DIMENSIONS];
        for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2) {
            let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            values[(hash % DIMENSIONS as u64) as usize] += 1.0;
        }
        let length = values.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        values.iter_mut().for_each(|value| *value /= length);
        Self(values)
    }
}

pub struct Engine(HnswMap<Point, String>);

impl Engine {
    pub fn new(documents: Vec<(String, String)>) -> Self {
        let points = documents.iter().map(|(_, contents)| Point::new(contents)).collect();
        let ids = documents.into_iter().map(|(id, _)| id).collect();
        Self(Builder::default().seed(1).ef_construction(100).ef_search(100).build(points, ids))
    }

    pub fn search(&self, query: &str, depth: usize) -> Vec<(String, f64)> {
        let mut search = Search::default();
        let found = self.0.search(&Point::new(query), &mut search);
        found.take(depth).map(|one| (one.value.clone(), -f64::from(one.distance))).collect()
    }
}
