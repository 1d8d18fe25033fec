//! `rankgate export`: a run for other tools.

use std::path::PathBuf;

use clap::Args;
use rankgate::BoxError;
use rankgate::run::{RunReader, RunWriter};

use crate::exit::Exit;
use crate::inputs::{Files, TableOptions};
use crate::terminal::Terminal;

/// Print a run in the columns of TREC: query, Q0, document, rank, score, tag
///
/// Of a run in any form that is read: golden runs, JSON, Parquet, TREC itself. Ranks are those that decide here. A golden run
/// has no scores: falling whole numbers stand in their place, equal ones where documents tied.
#[derive(Args)]
#[command(after_help = "\
Examples:
  rankgate export golden/helpdesk/words.run > words.trec
  rankgate export golden/helpdesk/hnsw.run --repeat 2 | trec_eval qrels -")]
pub(crate) struct Export {
    /// The run; `-` for standard input
    run: PathBuf,

    /// What stands in the last column [default: as the run has it, else rankgate]
    #[arg(long, value_name = "WORD")]
    tag: Option<String>,

    /// Which ranking of each query, where a golden run has several, from 1
    #[arg(long, value_name = "N")]
    repeat: Option<usize>,

    /// Percent-encode blanks and `%` in ids, which no column can hold otherwise
    #[arg(long)]
    percent_encode: bool,

    #[command(flatten)]
    tables: TableOptions,
}

impl Export {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let source = Files::default().source(&self.run)?;
        let mut reader = RunReader::new().tables(self.tables.tables());
        if let Some(repeat) = self.repeat {
            reader = reader.repeat(repeat);
        }
        let run = reader.read(source)?;
        let own = Some(run.tag()).filter(|tag| !tag.is_empty()).unwrap_or("rankgate");
        let writer =
            RunWriter::new(self.tag.as_deref().unwrap_or(own)).percent_encoded_ids(self.percent_encode);
        let mut text = Vec::new();
        writer.write_to(&run, &mut text)?;
        terminal.data(&String::from_utf8(text)?)?;
        Ok(Exit::Passed)
    }
}
