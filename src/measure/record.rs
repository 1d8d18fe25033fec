//! Keeping what configurations answered, for commands that cannot ask a retriever of Rust.

use std::fs::File;
use std::time::SystemTime;

use crate::golden::{GoldenRun, write_atomically};
use crate::output::Written;
use crate::retriever::Answer;
use crate::spec::Configuration;
use crate::{Error, Result};

use super::{Cache, Measurement, write_beside};

impl Cache {
    /// Keeps what was answered in this process, once in this test run.
    pub(crate) fn write_recorded_runs(&self) -> Result<()> {
        for configuration in &self.spec.configurations {
            if let Some(Ok(measured)) = self.measured_here(configuration) {
                let write = || self.write_recorded(configuration, measured);
                self.share_once(&self.key_of("recorded", configuration), write)?;
            }
        }
        Ok(())
    }

    /// Keeps what the configuration answered in this test run, with scores, in the columns of TREC. A file that holds the
    /// same already gets a new date.
    fn write_recorded(&self, configuration: &Configuration, measured: &Measurement) -> Result<()> {
        let collection = self.collection()?;
        // A frozen run is read without the documents, and they are not read for this alone.
        let inputs = self.inputs_on(configuration, collection, self.corpus_so_far());
        let evaluation = &measured.evaluation;
        if evaluation.shared_run(0).is_none() {
            return Ok(());
        }
        let path = self.recorded_run(configuration);
        let (folder, golden) = (self.context.output.join(self.name()), self.golden_folder()?);
        if folder
            .canonicalize()
            .is_ok_and(|folder| golden.canonicalize().is_ok_and(|golden| golden == folder))
        {
            let message =
                "is the folder of golden files, which no run writes to: name another one with --output";
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
            std::fs::remove_file(&answers)
                .map_err(|error| Error::output("cannot remove", &answers, error))?;
        }
        Ok(())
    }
}
