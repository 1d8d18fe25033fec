//! `rankgate neighbours`: the true nearest neighbours of queries, by exact search, as a file of truth.

use std::path::PathBuf;

use clap::Args;
use rankgate::run::RunWriter;
use rankgate::vectors::{Distance, Exact, Neighbour, Vectors};
use rankgate::{BoxError, Hit, Run};

use crate::exit::Exit;
use crate::terminal::Terminal;

/// Write the true nearest neighbours of queries, found by exact search
///
/// The files of vectors are read by their endings: fvecs, bvecs, ivecs, fbin, f16bin, u8bin, i8bin, ibin, npy, parquet. So is the
/// output: `.parquet` has the columns query, document, rank and score; `.ibin` all neighbours and then all distances, as the
/// big-ann benchmarks have them; `.ivecs` neighbours alone; anything else is a run in TREC format. Scores are distances with
/// a minus. A vector without an id is called by its number, from 0.
#[derive(Args)]
#[command(after_help = "\
A spec reads the file under `neighbours`, and its gates count what an index finds of it:
  neighbours: {file: truth.parquet}
  thresholds: [{metric: NN@10, min: 0.95}]

Examples:
  rankgate neighbours base.fbin query.fbin --k 100 -o truth.parquet
  rankgate neighbours sift_base.fvecs sift_query.fvecs --k 100 --distance l2 -o truth.ibin")]
pub(crate) struct Neighbours {
    /// The vectors that are searched
    base: PathBuf,

    /// The vectors of the queries
    queries: PathBuf,

    /// How many neighbours of each query
    #[arg(short, long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    k: u32,

    /// l2, cosine, inner-product or hamming
    #[arg(long, default_value = "l2")]
    distance: Distance,

    /// The file of truth to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

impl Neighbours {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let (base, queries) = (Vectors::read(&self.base)?, Vectors::read(&self.queries)?);
        let k = self.k as usize;
        if k > base.len() {
            let message = format!("--k {k}: {} has {} vectors", base.name(), base.len());
            return Err(message.into());
        }
        let exact = Exact::new(base, self.distance)?;
        let rows: Vec<usize> = (0..queries.len()).collect();
        let found = exact.nearest(&queries, &rows, k, None)?;
        let base = exact.base();
        let ending = self.output.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match ending {
            "ibin" | "ivecs" if base.ids().is_some() => {
                let name = base.name();
                return Err(format!(
                    "{name} has ids, which .{ending} cannot hold: write a .parquet file or a run"
                )
                .into());
            }
            "ibin" | "ivecs" => {
                let bytes = if ending == "ibin" { ibin(&found, k) } else { ivecs(&found, k) };
                rankgate::vectors::write(&self.output, &bytes)?;
            }
            _ => {
                let hits = |nearest: &Vec<Neighbour>| -> Vec<Hit> {
                    nearest.iter().map(|one| Hit::new(base.id(one.row), -one.distance)).collect()
                };
                let rankings =
                    found.iter().enumerate().map(|(row, nearest)| (queries.id(row), hits(nearest)));
                RunWriter::new("exact").write(&Run::from_rankings(rankings)?, &self.output)?;
            }
        }
        terminal.note(&format!(
            "{} queries among {} vectors of dimension {}, {}: {k} neighbours each in {}",
            queries.len(),
            base.len(),
            base.dimension(),
            self.distance,
            self.output.display()
        ));
        Ok(Exit::Passed)
    }
}

/// Rows of neighbours, and their length at the head.
fn ibin(found: &[Vec<Neighbour>], k: usize) -> Vec<u8> {
    let size = |number: usize| (number as u32).to_le_bytes();
    let mut bytes = [size(found.len()), size(k)].concat();
    bytes.extend(found.iter().flatten().flat_map(|one| size(one.row)));
    bytes.extend(found.iter().flatten().flat_map(|one| (one.distance as f32).to_le_bytes()));
    bytes
}

/// Rows of neighbours, each behind its length.
fn ivecs(found: &[Vec<Neighbour>], k: usize) -> Vec<u8> {
    let row = |nearest: &Vec<Neighbour>| {
        let numbers = std::iter::once(k).chain(nearest.iter().map(|one| one.row));
        numbers.flat_map(|number| (number as u32).to_le_bytes()).collect::<Vec<u8>>()
    };
    found.iter().flat_map(row).collect()
}
