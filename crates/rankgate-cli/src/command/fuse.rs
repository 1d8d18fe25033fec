//! `rankgate fuse`: several runs as one.

use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::run::{RunReader, RunWriter};
use rankgate::{BoxError, Run};
use rankgate_report::internal::analysis::rising_scores;

use crate::exit::Exit;
use crate::fusion::{Fusion, Method, Norm};
use crate::inputs::{By, Files, TableOptions, check_standard_input};
use crate::terminal::Terminal;

/// Fuse runs into one
///
/// Runs are of the same queries; one that a run does not answer is fused of the others. Documents are ordered by fused score,
/// equal ones by id, the highest first, as trec_eval orders ties.
#[derive(Args)]
#[command(after_help = "\
rrf and borda look at ranks alone. The others fuse scores, which --norm makes comparable first.

Examples:
  rankgate fuse bm25.run dense.run --out hybrid.run
  rankgate fuse bm25.run dense.run --method weighted --weights 0.3,0.7 --out hybrid.run
  rankgate fuse a.run b.run c.run --method comb-mnz --norm z-score --depth 100 | rankgate eval qrels.txt -")]
pub(crate) struct Fuse {
    /// Runs, at least two (- for standard input)
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// How the runs are fused
    #[arg(long, short, value_enum, default_value_t)]
    method: Method,

    /// How scores become comparable [default: min-max]
    #[arg(long, value_enum)]
    norm: Option<Norm>,

    /// A weight of at least 0 for each run, with commas between them: needed by weighted, possible with rrf, comb-mnz and borda
    #[arg(long, value_name = "WEIGHT", value_delimiter = ',')]
    weights: Vec<f64>,

    /// For rrf: the number added to ranks [default: 60]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    k: Option<f64>,

    /// How many results of each run are fused [default: all]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// How many results of the fused run are written [default: all]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,

    /// What says the order of the runs [default: rank for a golden run, score for any other]
    #[arg(long, value_enum)]
    order: Option<By>,

    /// The last column of what is written
    #[arg(long, value_name = "TEXT", default_value = "fused")]
    tag: String,

    /// Where the fused run is written, compressed where it ends in .gz; standard output without it
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    tables: TableOptions,
}

impl Fuse {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let fusion = self.fusion()?;
        check_standard_input(&self.runs)?;
        let order = self.order.map(Into::into);
        let files = Files::new(&self.tables, order);
        let reader = RunReader::new().order(order);
        let read = |path: &PathBuf| -> Result<(String, Run), BoxError> {
            let mut run = reader.read_source(&files.run(path)?)?;
            if let Some(depth) = self.depth {
                run.truncate(depth as usize);
            }
            Ok((path.display().to_string(), run))
        };
        let runs: Vec<(String, Run)> = self.runs.iter().map(read).collect::<Result<_, _>>()?;
        let named: Vec<(&str, &Run)> = runs.iter().map(|(name, run)| (name.as_str(), run)).collect();
        let mut fused = fusion.fuse(&named)?;
        if let Some(top) = self.top {
            fused.truncate(top as usize);
        }
        for (name, run) in &named {
            if let Some(warning) = rising_scores(run.rising()) {
                terminal.warn(&format!("{name}: {warning}"));
            }
            let missing = fused.len() - run.len();
            if missing > 0 {
                terminal.warn(&format!("{name} does not answer {missing} of the {} queries", fused.len()));
            }
        }
        self.write(&fused, terminal)?;
        Ok(Exit::Passed)
    }

    fn fusion(&self) -> Result<Fusion, BoxError> {
        let Self { method, norm, weights, k, .. } = self;
        if norm.is_some() && method.is_by_rank() {
            return Err(format!("{} looks at ranks alone and takes no --norm", method.name()).into());
        }
        if k.is_some() && *method != Method::Rrf {
            return Err("--k goes with --method rrf only".into());
        }
        let (norm, weights, k) = (norm.unwrap_or_default(), weights.clone(), k.unwrap_or(60.0));
        let fusion = Fusion { method: *method, norm, weights, k };
        fusion.check(self.runs.len())?;
        Ok(fusion)
    }

    fn write(&self, fused: &Run, terminal: &Terminal) -> Result<(), BoxError> {
        let writer = RunWriter::new(self.tag.clone());
        match &self.out {
            Some(path) if path != Path::new("-") => writer.write(fused, path)?,
            _ => {
                let mut text = Vec::new();
                writer.write_to(fused, &mut text)?;
                terminal.data(&String::from_utf8(text)?)?;
            }
        }
        Ok(())
    }
}
