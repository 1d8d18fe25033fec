//! A configuration's golden files: read to compare with, written to accept.

use std::collections::BTreeSet;

use crate::collection::{Collection, Query};
use crate::evaluation::Evaluation;
use crate::golden::{GoldenRun, Inputs, Snapshot};
use crate::spec::{Configuration, ConfigurationSource};
use crate::{Error, Result};

use super::carry::Benchmark;
use super::measure::judging;

/// A blessed run, judged by today's judgments.
#[derive(Debug)]
pub(crate) struct Golden {
    pub(super) evaluation: Evaluation,
    /// What differs from the day it was blessed, the retriever aside.
    pub(super) changed: Vec<&'static str>,
    /// The queries that were asked that day, answered or not.
    pub(super) asked: BTreeSet<String>,
}

impl Golden {
    /// Whether all these queries were asked that day.
    pub(super) fn covers(&self, queries: &[Query]) -> bool {
        queries.iter().all(|query| self.asked.contains(&query.id))
    }
}

impl Benchmark {
    pub(super) fn read_golden(
        &self,
        configuration: &Configuration,
    ) -> Result<Option<std::sync::Arc<Golden>>> {
        let path = self.golden_folder()?.join(format!("{}.run", configuration.name));
        let Some(mut golden) = GoldenRun::read(&path)? else { return Ok(None) };
        let collection = self.collection().map_err(Error::invalid)?;
        let changed = self.inputs(configuration, collection)?.changed_since(&golden.inputs);
        let asked = golden.asked();
        golden.run.truncate(self.spec.depth);
        let evaluation = Evaluation::of_run(collection, golden.run)?
            .judged_by(judging(&self.spec))?
            .with_depth(self.spec.depth);
        Ok(Some(std::sync::Arc::new(Golden { evaluation, changed, asked })))
    }

    pub(super) fn write_golden(&self, configuration: &Configuration) -> Result<()> {
        let measurement = self.measured(configuration).map_err(Error::retrieval)?;
        let collection = self.collection().map_err(Error::invalid)?;
        let Some(run) = measurement.evaluation.run(0) else {
            return Err(Error::invalid("nothing was answered, so there is nothing to bless"));
        };
        let golden = GoldenRun::new(run, self.inputs(configuration, collection)?, collection)?;
        let path = self.golden_folder()?.join(format!("{}.run", configuration.name));
        self.note_blessed(&path, golden.write(&path)?);
        Ok(())
    }

    /// What the configuration's run depends on beside the retriever.
    fn inputs(&self, configuration: &Configuration, collection: &Collection) -> Result<Inputs> {
        let params = match &configuration.source {
            ConfigurationSource::Builtin { params, .. } | ConfigurationSource::Retriever { params, .. } => {
                params.to_json().to_string()
            }
            _ => String::new(),
        };
        let corpus = self.corpus().map_err(Error::invalid)?;
        Ok(Inputs {
            depth: self.spec.depth,
            params,
            queries: collection.queries_sha256(),
            judgments: collection.qrels().sha256(),
            corpus: corpus.map(|facts| facts.sha256.clone()).unwrap_or_default(),
        })
    }

    /// Writes a metric report; a file that this run has written itself stays written.
    pub(super) fn bless_snapshot(&self, snapshot: &Snapshot) -> Result<()> {
        let written = snapshot.bless()?;
        let already = self.blessed().iter().any(|(file, _)| *file == self.context.shown(&snapshot.path()));
        if !already {
            self.note_blessed(&snapshot.path(), written);
        }
        Ok(())
    }

    /// What the report says of a configuration, as it is kept under `golden/`.
    pub(super) fn snapshot_of(&self, configuration: &Configuration) -> Result<Snapshot> {
        let nothing = || Error::invalid("there is no measurement to take a snapshot of");
        Ok(Snapshot {
            folder: self.golden_folder()?,
            name: configuration.name.clone(),
            description: format!("{}: {}", self.name(), configuration.source),
            input_file: self.context.input_file(&self.spec.path),
            source: self.context.source.clone(),
            text: (self.context.snapshot)(&self.report(), &configuration.name).ok_or_else(nothing)?,
        })
    }

    /// `golden/<benchmark>`.
    pub(super) fn golden_folder(&self) -> Result<std::path::PathBuf> {
        Ok(self.spec.golden_folder()?.join(self.name()))
    }
}
