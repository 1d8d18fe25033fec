//! How a configuration is asked and measured, from top to bottom; each is asked once in a test run.

use std::sync::Arc;
use std::time::Duration;

use crate::analysis::{above_scale, equal_scores, mostly};
use crate::collection::Collection;
use crate::error::chain;
use crate::evaluation::{Evaluation, runs};
use crate::gate::Repetition;
use crate::progress::Watched;
use crate::retriever::{Answers, Failure, FailureCause};
use crate::run::{Order, RunReader};
use crate::spec::{Configuration, ConfigurationSource, PathTemplate};
use crate::{Error, ErrorKind, Result};

use super::ask::{ask, ask_second_build, asks_twice, is_started};
use super::columns;
use super::parents::{run_in_view, view};
use super::recorded::{Recording, recording};
use super::second_build::one_build;
use super::{Measure, Measurement, SecondBuild};

impl Measure {
    /// The configuration's measurement, made once in this test run.
    pub(crate) fn measurement(&self, configuration: &Configuration) -> Result<Arc<Measurement>, Failure> {
        self.state(configuration).measurement.get_or_init(|| self.measure(configuration)).clone()
    }

    /// The same, if this process has made it or knows that it cannot be made.
    pub(crate) fn measured_here(
        &self,
        configuration: &Configuration,
    ) -> Option<&Result<Arc<Measurement>, Failure>> {
        self.state(configuration).measurement.get()
    }

    /// The same, if some process of the test run has asked it.
    pub(crate) fn measured_so_far(
        &self,
        configuration: &Configuration,
    ) -> Option<Result<Arc<Measurement>, Failure>> {
        let answered = || self.is_answered(configuration).then(|| self.measurement(configuration));
        self.measured_here(configuration).cloned().or_else(answered)
    }

    /// Whether some process of the test run has asked the configuration.
    fn is_answered(&self, configuration: &Configuration) -> bool {
        let shared = self.context.cache.as_ref();
        shared.is_some_and(|shared| shared.holds(&self.answers_key(configuration)))
    }

    fn answers_key(&self, configuration: &Configuration) -> String {
        self.key_of("answers", configuration)
    }

    fn measure(&self, configuration: &Configuration) -> Result<Arc<Measurement>, Failure> {
        self.read_golden_files();
        let collection = self.collection().map_err(unloaded)?;
        self.check_requirements().map_err(failure(FailureCause::Collection))?;
        let mut measurement = if let ConfigurationSource::Run { path, order } = &configuration.source {
            self.read_run(configuration, path, *order).map_err(failure(FailureCause::Run))?
        } else if let Some(recording) = self.recording(configuration).map_err(failure(FailureCause::Run))? {
            let evaluation = self.evaluate_golden(recording.golden.clone());
            let evaluation = evaluation.map_err(failure(FailureCause::Run))?;
            Measurement::new(evaluation.with_columns(recording.columns.clone()), None)
        } else {
            // What two documents of one id, or an unreadable corpus, would do to an index is anybody's guess.
            self.corpus().map_err(unloaded)?;
            let answers = self.answers(configuration, collection)?;
            self.judge(configuration, answers).map_err(failure(FailureCause::Error))?
        };
        measurement.warnings.extend(above_scale(&self.spec.metrics, collection.qrels().max_grade()));
        #[cfg(feature = "bm25")]
        measurement
            .warnings
            .extend(super::builtin::words_without_spaces(&configuration.source, collection.queries()));
        let mut measurement = columns::with_files(self, configuration, measurement);
        let foreign_documents =
            self.foreign_documents_in(&self.key_of("strangers", configuration), &measurement.evaluation);
        measurement.foreign_documents = foreign_documents.map_err(failure(FailureCause::Error))?;
        match mostly(&measurement.foreign_documents) {
            None => Ok(Arc::new(measurement)),
            Some(message) => Err(Failure::of_all(FailureCause::Error(message), 0)),
        }
    }

    /// Checks that the collection has what the spec's metrics need, before anything is asked.
    fn check_requirements(&self) -> crate::Result<()> {
        let collection = self.collection()?;
        for metric in &self.spec.metrics {
            let needed = metric.requirements();
            if needed.unanswerable && collection.unanswerable().is_empty() {
                return Err(Error::invalid(format!(
                    "{metric} needs unanswerable queries: mark them with `unanswerable: true` in their metadata"
                )));
            }
            if needed.subtopics && !collection.qrels().has_subtopics() {
                return Err(Error::invalid(format!(
                    "{metric} needs judgments by subtopic, and the collection has none: they stand in the second column of TREC's \
                     judgments"
                )));
            }
        }
        Ok(())
    }

    /// Reads and judges a frozen run.
    fn read_run(
        &self,
        configuration: &Configuration,
        path: &PathTemplate,
        order: Option<Order>,
    ) -> Result<Measurement> {
        let what = format!("{}: reading {}", self.name(), configuration.name);
        let _watched = Watched::start(self.context.observer(), what);
        let path = path.resolve()?;
        // Chunks are cut once they are documents.
        let depth = if view(self, configuration)?.is_some() { usize::MAX } else { self.spec.asked_depth() };
        let run = RunReader::new().order(order).depth(depth).read(path)?;
        let (run, warning) = run_in_view(self, configuration, run)?;
        let mut measurement = Measurement::new(self.evaluate(vec![run])?, None);
        measurement.warnings.extend(warning);
        Ok(measurement)
    }

    /// The run that stands for a retriever which is registered elsewhere, read once.
    pub(crate) fn recording(&self, configuration: &Configuration) -> Result<Option<Arc<Recording>>> {
        self.state(configuration).recording.get_or_init(|| recording(self, configuration)).clone()
    }

    /// What a live configuration answers, asked by one process of the test run.
    fn answers(&self, configuration: &Configuration, collection: &Collection) -> Result<Answers, Failure> {
        let ask = || ask(self, &self.spec, configuration, collection);
        match &self.context.cache {
            None => ask(),
            Some(shared) => {
                let answers = shared.get_or_retry(&self.answers_key(configuration), ask);
                answers.map_err(failure(FailureCause::Setup))?
            }
        }
    }

    /// Judges the answers of a live configuration.
    fn judge(&self, configuration: &Configuration, answers: Answers) -> crate::Result<Measurement> {
        let collection = self.collection()?;
        let scores = answers.scores;
        let mut runs = runs(collection.queries_to_ask(), answers.passes)?;
        let again = if asks_twice(self, &self.spec, configuration) { runs.get(1).cloned() } else { None };
        let again = again.map(|again| self.as_scored(again));
        runs.truncate(configuration.repeats);
        let identical = self.exclude_identical(&mut runs);
        runs.iter_mut().for_each(|run| run.truncate(self.spec.depth));
        let evaluation = Evaluation::of_passes(collection, self.judging(), runs)?;
        let evaluation = self.grouped(evaluation)?.with_identical_ids(identical);
        let evaluation = evaluation.asked_for(self.spec.depth).with_latency(answers.latency);
        let evaluation = evaluation.with_columns(columns::of_answers(self, &scores)?);
        let build_time = Duration::from_millis(answers.build_ms);
        let mut measurement = Measurement::new(evaluation, again);
        measurement.warnings.extend(answers.warnings);
        measurement.warnings.extend(equal_scores(&measurement.evaluation));
        Ok(Measurement { said: answers.said, build_time, ..measurement })
    }

    /// The answers of a second build, made once in this test run, where the spec or the time of the first one asks for it.
    ///
    /// # Errors
    /// A second build that cannot be made or does not answer.
    pub(crate) fn second_build(
        &self,
        configuration: &Configuration,
        of: Option<Repetition>,
    ) -> Result<SecondBuild> {
        let took = self.measurement(configuration)?.build_time;
        if let Some(reason) = one_build(configuration, of, took) {
            return Ok(SecondBuild::Skipped(reason));
        }
        self.state(configuration).second_build.get_or_init(|| self.build_again(configuration)).clone()
    }

    fn build_again(&self, configuration: &Configuration) -> Result<SecondBuild> {
        let collection = self.collection()?;
        let ask = || {
            ask_second_build(self, configuration, collection).map_err(|failure| {
                let kind = Error::from(failure.clone()).kind();
                let what = if is_started(self, configuration) { "started" } else { "built" };
                Error::with_kind(kind, format!("when it was {what} a second time: {failure}"))
            })
        };
        let answers = self.share_once(&self.key_of("second-build", configuration), ask)?;
        let none = || Error::with_kind(ErrorKind::Internal, "a second build has no ranking");
        let run = runs(collection.queries_to_ask(), answers.passes)?.into_iter().next().ok_or_else(none)?;
        Ok(SecondBuild::Answered(self.as_scored(run)))
    }
}

/// A collection that cannot be read.
fn unloaded(error: Error) -> Failure {
    let message = format!("the collection could not be loaded: {}", chain(&error));
    Failure::of_all(FailureCause::Collection(message), 0)
}

/// An error that keeps a whole configuration from being measured.
fn failure(cause: fn(String) -> FailureCause) -> impl Fn(Error) -> Failure {
    move |error| Failure::of_all(cause(chain(&error)), 0)
}
