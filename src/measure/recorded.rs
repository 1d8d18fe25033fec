//! What configurations answered in the last test run: kept for commands that cannot ask a retriever of Rust, and read by them.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use crate::evaluation::Columns;
use crate::golden::{GoldenRun, Inputs, write_atomically};
use crate::output::Written;
use crate::retriever::Answer;
use crate::spec::{Configuration, ConfigurationSource};
use crate::utc::utc;
use crate::{Error, Result};

use super::columns::{read_beside, write_beside};
use super::{Measure, Measurement};

/// A run that is read in place of a retriever which only a test can ask.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// The configuration.
    pub configuration: String,
    /// The file, as messages show it.
    pub file: String,
    /// When a test run last found it so, `2026-11-22 02:21 UTC`; `None` of a golden run, which a checkout dates
    /// again.
    pub made: Option<String>,
    /// What differs since, judgments aside: these are today's.
    pub changed: Vec<String>,
}

/// The run, and what there is to say of it.
pub(crate) struct Recording {
    pub(crate) golden: GoldenRun,
    pub(crate) said: Recorded,
    /// The columns that its answers carried.
    pub(crate) columns: Columns,
}

impl Recorded {
    /// Which run it is, in a few words: `target/rankgate/toy/words.run, made 2026-11-22 02:21 UTC`.
    pub fn describe(&self) -> String {
        let made = self.made.as_ref().map_or("the blessed run".to_owned(), |made| format!("made {made}"));
        let mut text = format!("{}, {made}", self.file);
        if !self.changed.is_empty() {
            let changed: Vec<String> = self.changed.iter().map(ToString::to_string).collect();
            text += &format!("; changed since: {}", changed.join(", "));
        }
        text
    }
}

/// Where the configuration's answers in the last test run stand.
pub(super) fn recorded_run(measure: &Measure, configuration: &Configuration) -> PathBuf {
    measure.context.output.join(measure.name()).join(format!("{}.run", configuration.name))
}

/// The run that stands for a retriever which is registered elsewhere, where the caller allows it: its answers in the
/// last test run, else its blessed run.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn recording(measure: &Measure, configuration: &Configuration) -> Result<Option<Arc<Recording>>> {
    if !is_elsewhere(measure, configuration) {
        return Ok(None);
    }
    let (last, blessed) = (recorded_run(measure, configuration), measure.blessed_path(configuration)?);
    for (path, is_last) in [(last, true), (blessed, false)] {
        let Some(golden) = GoldenRun::read(&path)? else { continue };
        let made = path.metadata().and_then(|file| file.modified()).ok().filter(|_| is_last);
        let collection = measure.collection()?;
        let changed = measure.inputs(configuration, collection)?.changed_since(&golden.inputs);
        let said = Recorded {
            configuration: configuration.name.clone(),
            file: measure.context.shown(&path),
            made: made.map(utc),
            changed: changed.into_iter().filter(|input| *input != Inputs::JUDGMENTS).collect(),
        };
        let columns =
            read_beside(&path)?.columns.into_iter().map(|(name, column)| (name, Ok(column))).collect();
        return Ok(Some(Arc::new(Recording { golden, said, columns })));
    }
    Ok(None)
}

/// Whether a retriever is registered elsewhere, and the caller lets recorded runs stand for it.
pub(crate) fn is_elsewhere(measure: &Measure, configuration: &Configuration) -> bool {
    let ConfigurationSource::Retriever { name, .. } = &configuration.source else { return false };
    measure.context.recorded && measure.registry.retrievers.names().all(|known| known != name)
}

/// Keeps what was answered in this process, once in this test run.
pub(crate) fn write_recorded_runs(measure: &Measure) -> Result<()> {
    for configuration in &measure.spec.configurations {
        if let Some(Ok(measured)) = measure.measured_here(configuration) {
            let write = || write_recorded(measure, configuration, measured);
            measure.share_once(&measure.key_of("recorded", configuration), write)?;
        }
    }
    Ok(())
}

/// Keeps what the configuration answered in this test run, with scores, in the columns of TREC. A file that holds the
/// same already gets a new date.
fn write_recorded(measure: &Measure, configuration: &Configuration, measured: &Measurement) -> Result<()> {
    let collection = measure.collection()?;
    // A frozen run is read without the documents, and they are not read for this alone.
    let inputs = measure.inputs_on(configuration, collection, measure.corpus_so_far());
    let evaluation = &measured.evaluation;
    if evaluation.shared_run(0).is_none() {
        return Ok(());
    }
    let path = recorded_run(measure, configuration);
    let (folder, golden) = (measure.context.output.join(measure.name()), measure.golden_folder()?);
    if folder.canonicalize().is_ok_and(|folder| golden.canonicalize().is_ok_and(|golden| golden == folder)) {
        let message = "is the folder of golden files, which no run writes to: name another one with --output";
        return Err(Error::in_file(&folder, message));
    }
    let golden = GoldenRun::new(&configuration.name, evaluation, inputs, collection)?;
    if write_atomically(&path, &golden.to_trec()?)? == Written::Unchanged {
        let dated =
            File::options().write(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        dated.map_err(|error| Error::output("cannot write", &path, error))?;
    }
    write_beside(&path, evaluation)?;
    let line = |(query, answer): (&String, &Answer)| {
        let run = evaluation.run(0);
        let hits = run.and_then(|run| run.ranking(query)).unwrap_or_default();
        answer.line(query, hits.iter().map(|hit| hit.id.as_str()))
    };
    let answers = path.with_extension("answers.jsonl");
    if !measured.said.is_empty() {
        let lines: String = measured.said.iter().map(line).collect();
        write_atomically(&answers, lines.as_bytes())?;
    } else if answers.exists() {
        std::fs::remove_file(&answers).map_err(|error| Error::output("cannot remove", &answers, error))?;
    }
    Ok(())
}
