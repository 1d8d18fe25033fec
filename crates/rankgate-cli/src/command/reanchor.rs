//! `rankgate reanchor`: judgments of documents whose ids changed.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::collection::Tables;
use rankgate::standalone::write_file;
use rankgate::{BoxError, Corpus, Qrels, Source};
use rankgate_health::{Fate, Reanchored, reanchor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::beir;
use crate::exit::Exit;
use crate::format::Format;
use crate::inputs::Files;
use crate::terminal::Terminal;

/// Move judgments to the ids that the same texts have in another corpus
///
/// A judged document is found by its text, else by its shingles of four words, if one text alone is nearly the same and
/// that is nearly the same as no other old text. Documents that were split, are gone or could be several are left out and
/// listed: nothing is guessed. The exit status is 1 where judgments were left out. Subtopics are kept, and from JSON
/// lines to JSON lines so is all else that a line says.
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
        let judgments = beir::judgments(&self.judgments)?;
        let (judged, lines) = read(&judgments)?;
        let moved = reanchor(&Corpus::open(&self.old)?, &Corpus::open(&self.new)?, &judged)?;
        if let Some(path) = &self.output {
            if moved.qrels.is_empty() {
                return Err(
                    format!("{}: no judgment was moved, and nothing is written", path.display()).into()
                );
            }
            let rewritten = lines.map(|text| JsonLines::moved(&text, &judgments, &moved)).transpose()?;
            write(&moved.qrels, path, rewritten.as_ref())?;
            if let Some(count @ 1..) = rewritten.map(|lines| lines.ungraded) {
                terminal.note(&format!(
                    "{}: left out {count} {} without a grade",
                    path.display(),
                    if count == 1 { "line" } else { "lines" }
                ));
            }
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

/// Judgments, and the text of the file where it is JSON, whose lines may say more than a grade.
fn read(path: &Path) -> Result<(Qrels, Option<String>), BoxError> {
    let source = Files::default().source(path)?;
    let name = source.path().display().to_string();
    let failed = |error: &dyn std::fmt::Display| format!("cannot read {name}: {error}");
    // A pipe gives its bytes once, and they are looked at twice.
    let mut bytes = None;
    if path == Path::new("-") {
        let mut read = Vec::new();
        std::io::stdin().read_to_end(&mut read).map_err(|error| failed(&error))?;
        bytes = Some(read);
    } else if path.exists() && !path.is_dir() && !source.can_be_read_again() {
        bytes = Some(std::fs::read(path).map_err(|error| failed(&error))?);
    }
    let source = || bytes.as_ref().map_or_else(|| Source::from(path), |bytes| Source::bytes(&name, bytes));
    let judged = Qrels::read_tables(source(), &Tables::default())?;
    if judged.is_empty() {
        return Err(format!("{name}: there are no judgments").into());
    }
    // What is no text is a table, and was read as such.
    let Ok(mut input) = source().open() else { return Ok((judged, None)) };
    let is_json = input.peek_text()?.trim_ascii_start().starts_with(b"{");
    Ok((judged, is_json.then(|| input.text()).transpose()?))
}

/// Keys of a line that the other forms of judgments hold, too.
const COLUMNS: [&str; 4] = ["query", "document", "grade", "subtopic"];

/// Judgments as JSON lines under their new ids, with all else that each line says.
#[derive(Default)]
struct JsonLines {
    text: String,
    /// Where a line says more, and what, so that it is not lost in columns.
    more: Option<String>,
    /// Lines whose grade is null.
    ungraded: usize,
}

impl JsonLines {
    /// Empty where the text is one object, which says nothing but grades.
    fn moved(text: &str, path: &Path, moved: &Reanchored) -> Result<Self, BoxError> {
        let mut lines = Self::default();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let Ok(mut keys) = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(line) else {
                return Ok(Self::default());
            };
            let (Some(query), Some(document), Some(grade)) =
                (keys.remove("query"), keys.remove("document"), keys.remove("grade"))
            else {
                return Ok(Self::default());
            };
            if grade.get() == "null" {
                lines.ungraded += 1;
                continue;
            }
            let document = match serde_json::from_str(document.get())? {
                Value::String(id) => id,
                id => id.to_string(),
            };
            let Some(to) = moved.fates.get(&document).and_then(Fate::target) else { continue };
            let more: Vec<&str> =
                keys.keys().map(String::as_str).filter(|key| !COLUMNS.contains(key)).collect();
            if !more.is_empty() && lines.more.is_none() {
                let keys = more.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
                lines.more = Some(format!("{}:{}: {keys}", path.display(), number + 1));
            }
            // The key `query` comes first: by that the format is known.
            lines.text += &format!("{{\"query\": {query}, \"document\": {}, \"grade\": {grade}", json!(to));
            for (key, value) in &keys {
                lines.text += &format!(", {}: {value}", json!(key));
            }
            lines.text += "}\n";
        }
        Ok(lines)
    }
}

fn write(qrels: &Qrels, path: &Path, lines: Option<&JsonLines>) -> Result<(), BoxError> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    if extension == Some("jsonl") {
        if let Some(lines) = lines.filter(|lines| !lines.text.is_empty()) {
            return Ok(write_file(path, &lines.text)?);
        }
        return Ok(write_file(
            path,
            &rows(qrels, |query, document, subtopic, grade| {
                let subtopic = subtopic.map(|subtopic| format!(", \"subtopic\": {}", json!(subtopic)));
                format!(
                    "{{\"query\": {}, \"document\": {}, \"grade\": {grade}{}}}\n",
                    json!(query),
                    json!(document),
                    subtopic.unwrap_or_default()
                )
            }),
        )?);
    }
    if let Some(more) = lines.and_then(|lines| lines.more.as_ref()) {
        return Err(format!("{more} would be lost in columns: write .jsonl, not {}", path.display()).into());
    }
    if extension != Some("tsv") {
        return Ok(qrels.write_trec(path)?);
    }
    let mut wrong = None;
    let text = rows(qrels, |query, document, subtopic, grade| {
        let has_tab = |id: &&str| id.contains(['\t', '\n', '\r']);
        let found = [query, document].into_iter().chain(subtopic).find(has_tab);
        wrong = wrong.take().or(found.map(str::to_owned));
        let subtopic = subtopic.map_or(String::new(), |subtopic| format!("\t{subtopic}"));
        format!("{query}\t{document}\t{grade}{subtopic}\n")
    });
    if let Some(id) = wrong {
        return Err(format!("the id {id:?} does not fit between tabs: write .jsonl").into());
    }
    let header = if qrels.has_subtopics() { "\tsubtopic" } else { "" };
    Ok(write_file(path, &format!("query-id\tcorpus-id\tscore{header}\n{text}"))?)
}

/// One row for each judgment; those by subtopic have a row for each.
fn rows(qrels: &Qrels, mut row: impl FnMut(&str, &str, Option<&str>, i32) -> String) -> String {
    if qrels.has_subtopics() {
        let by_subtopic = qrels.by_subtopic();
        return by_subtopic
            .map(|(query, id, subtopic, grade)| row(query, id, Some(subtopic), grade))
            .collect();
    }
    let mut text = String::new();
    for (query, all) in qrels.iter() {
        for (id, grade) in all.iter() {
            text += &row(query, id, None, grade);
        }
    }
    text
}
