//! `rankgate reanchor`: judgments of documents whose ids changed.

use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::standalone::write_file;
use rankgate::{BoxError, Corpus, Qrels};
use rankgate_health::reanchor;
use serde_json::json;

use crate::exit::Exit;
use crate::format::Format;
use crate::inputs::Files;
use crate::terminal::Terminal;

/// Move judgments to the ids that the same texts have in another corpus
///
/// A judged document is found by its text, else by its shingles of four words, if one text alone is nearly the same and
/// that is nearly the same as no other old text. Documents that were split, are gone or could be several are left out and
/// listed: nothing is guessed. The exit status is 1 where judgments were left out.
#[derive(Args)]
#[command(after_help = "\
Examples:
  rankgate reanchor old/corpus.jsonl new/corpus.jsonl qrels/test.tsv
  rankgate reanchor old.jsonl new.jsonl qrels.txt --output new.qrels
  rankgate reanchor old.jsonl new.jsonl qrels.txt --format json")]
pub(crate) struct Reanchor {
    /// The documents that were judged: JSON lines, or id, tab, text
    old: PathBuf,

    /// The documents as they are now
    new: PathBuf,

    /// The judgments, in any format: TREC, BEIR, JSON, Parquet. A folder of BEIR stands for its qrels/test.tsv
    judgments: PathBuf,

    /// Write the judgments that were moved: as JSON lines where the name ends in .jsonl, as BEIR has them where it ends
    /// in .tsv, else in the format of TREC
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Reanchor {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        self.check_output()?;
        let judged = Files::default().qrels(&self.judgments)?;
        let moved = reanchor(&Corpus::open(&self.old)?, &Corpus::open(&self.new)?, &judged)?;
        if let Some(path) = &self.output {
            if moved.qrels.is_empty() {
                return Err(
                    format!("{}: no judgment was moved, and nothing is written", path.display()).into()
                );
            }
            write(&moved.qrels, path)?;
        }
        let json = || format!("{:#}\n", json!(moved.report()));
        self.format.print(terminal, || moved.text(), json)?;
        Ok(if moved.is_complete() { Exit::Passed } else { Exit::Failed })
    }

    /// Refuses to write over what is read: judgments that are left out would be lost.
    fn check_output(&self) -> Result<(), BoxError> {
        let Some(output) = &self.output else { return Ok(()) };
        let Ok(place) = output.canonicalize() else { return Ok(()) };
        let read = [&self.old, &self.new, &self.judgments];
        match read.into_iter().any(|path| path.canonicalize().is_ok_and(|path| path == place)) {
            true => {
                Err(format!("{}: it is read and would be written over: name another file", output.display())
                    .into())
            }
            false => Ok(()),
        }
    }
}

fn write(qrels: &Qrels, path: &Path) -> Result<(), BoxError> {
    let lines = |line: &dyn Fn(&str, &str, i32) -> String| -> String {
        let of_query = |(query, all)| -> String {
            let all: &rankgate::collection::Judgments = all;
            all.iter().map(|(document, grade)| line(query, document, grade)).collect()
        };
        qrels.iter().map(of_query).collect()
    };
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("jsonl") => {
            let line = |query: &str, document: &str, grade| {
                // The key `query` comes first: by that the format is known.
                format!(
                    "{{\"query\": {}, \"document\": {}, \"grade\": {grade}}}\n",
                    json!(query),
                    json!(document)
                )
            };
            Ok(write_file(path, &lines(&line))?)
        }
        Some("tsv") => {
            let has_tab = |id: &str| id.contains(['\t', '\n', '\r']);
            let ids =
                qrels.iter().flat_map(|(query, all)| all.iter().map(move |(document, _)| [query, document]));
            if let Some(id) = ids.flatten().find(|id| has_tab(id)) {
                return Err(format!("the id {id:?} does not fit between tabs: write .jsonl").into());
            }
            let text = lines(&|query, document, grade| format!("{query}\t{document}\t{grade}\n"));
            Ok(write_file(path, &format!("query-id\tcorpus-id\tscore\n{text}"))?)
        }
        _ => Ok(qrels.write_trec(path)?),
    }
}
