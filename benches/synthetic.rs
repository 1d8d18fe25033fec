//! Writes seeded synthetic judgments and runs of any size, in the format of TREC:
//!
//! ```sh
//! cargo bench --bench synthetic -- target/synthetic --queries 7000 --depth 1000 --judged 50 --runs 2
//! ```
//!
//! makes `qrels`, `a.run`, `b.run` and so on. Relevance decays with rank as it does in real runs,
//! documents are drawn from 10 million, scores fall and now and then tie, and each run is a noisier
//! copy of what an ideal system would return.

#![expect(clippy::unwrap_used, reason = "a generator may stop, and says why")]

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

const DOCUMENTS: u32 = 10_000_000;

struct Size {
    folder: PathBuf,
    queries: u32,
    depth: usize,
    judged: usize,
    runs: usize,
    seed: u64,
}

impl Size {
    fn from_args() -> Self {
        let mut size = Self {
            folder: "target/synthetic".into(),
            queries: 7_000,
            depth: 1_000,
            judged: 50,
            runs: 2,
            seed: 1,
        };
        // cargo adds `--bench`.
        let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
        while let Some(argument) = arguments.next() {
            let mut number = || arguments.next().unwrap().parse::<u64>().unwrap();
            match argument.as_str() {
                "--queries" => size.queries = number() as u32,
                "--depth" => size.depth = number() as usize,
                "--judged" => size.judged = number() as usize,
                "--runs" => size.runs = number() as usize,
                "--seed" => size.seed = number(),
                folder => size.folder = folder.into(),
            }
        }
        size
    }
}

fn main() {
    let size = Size::from_args();
    std::fs::create_dir_all(&size.folder).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(size.seed);
    let create = |name: String| BufWriter::new(File::create(size.folder.join(name)).unwrap());
    let mut qrels = create("qrels".into());
    let mut runs: Vec<_> =
        (0..size.runs).map(|run| create(format!("{}.run", char::from(b'a' + run as u8)))).collect();
    for query in 0..size.queries {
        let query = 1_000_000 + query * 7;
        let judged = distinct(size.judged, &mut random, &HashSet::new());
        for document in &judged {
            let grade = [0, 0, 0, 1, 1, 2, 3][random.random_range(0..7usize)];
            writeln!(qrels, "{query} 0 {document} {grade}").unwrap();
        }
        let taken: HashSet<u32> = judged.iter().copied().collect();
        for (index, run) in runs.iter_mut().enumerate() {
            let ranking = ranking(&size, index, &judged, &taken, &mut random);
            let mut score = 60.0 * (1.0 + random.random::<f64>());
            for (rank, document) in (1..).zip(ranking) {
                writeln!(run, "{query} Q0 {document} {rank} {score:.6} s").unwrap();
                // One in sixteen ties with its neighbour.
                if random.random_range(0..16) != 0 {
                    score *= 1.0 - 0.004 * random.random::<f64>();
                }
            }
        }
    }
}

/// Two thirds of the judged documents, sooner or later by luck and the run's number, among others.
fn ranking(
    size: &Size,
    run: usize,
    judged: &[u32],
    taken: &HashSet<u32>,
    random: &mut ChaCha8Rng,
) -> Vec<u32> {
    let mut ranking = distinct(size.depth, random, taken);
    let noise = 1.0 + run as f64 / 4.0;
    let mut places = HashSet::new();
    for &document in judged {
        // Spread over the logarithm of the rank: half of those found stand in the first tenth or so.
        let place = (size.depth as f64).powf(random.random::<f64>()) * noise;
        let place = place as usize - 1;
        if random.random_range(0..3) > 0 && place < size.depth && places.insert(place) {
            ranking[place] = document;
        }
    }
    ranking
}

fn distinct(count: usize, random: &mut ChaCha8Rng, taken: &HashSet<u32>) -> Vec<u32> {
    let mut seen = HashSet::new();
    let mut drawn = Vec::with_capacity(count);
    while drawn.len() < count {
        let document = random.random_range(0..DOCUMENTS);
        if !taken.contains(&document) && seen.insert(document) {
            drawn.push(document);
        }
    }
    drawn
}
