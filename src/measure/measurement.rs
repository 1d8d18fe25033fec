//! What a configuration answered, judged: each is asked once in a test run.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::Error;
use crate::analysis::{ForeignDocuments, above_scale, equal_scores, mostly, nothing_judged, order_warnings};
use crate::error::{Quoted, chain};
use crate::evaluation::{Evaluation, Truth, runs};
use crate::progress::{Watched, Work};
use crate::retriever::{Answers, Bm25Params, Failure, FailureCause, Tokenizer, is_without_spaces};
use crate::run::{Run, RunReader};
use crate::spec::{Configuration, ConfigurationSource, NeighboursPlan};

use super::Cache;

/// What was measured of a configuration.
#[derive(Clone, Debug)]
pub(crate) struct Measurement {
    pub(crate) evaluation: Evaluation,
    /// The same questions asked once more, where the spec wants to know whether answers repeat.
    pub(crate) again: Option<Run>,
    /// What should be known before its numbers are believed.
    pub(crate) warnings: Vec<String>,
    /// Its results that belong to no document of the corpus.
    pub(crate) foreign_documents: ForeignDocuments,
    /// How long the retriever took to be built; none of what is not built here.
    pub(crate) build_time: Duration,
    /// What it answered beside its rankings, by query.
    pub(crate) said: std::collections::BTreeMap<String, crate::retriever::said::Answer>,
}

impl Measurement {
    fn new(evaluation: Evaluation, again: Option<Run>) -> Self {
        Self {
            warnings: nothing_judged(&evaluation)
                .into_iter()
                .chain(order_warnings(evaluation.rising()))
                .collect(),
            evaluation,
            again,
            foreign_documents: ForeignDocuments::default(),
            build_time: Duration::ZERO,
            said: std::collections::BTreeMap::new(),
        }
    }
}

impl Cache {
    /// The configuration's measurement, made once in this test run.
    pub(crate) fn measurement(&self, configuration: &Configuration) -> Result<Arc<Measurement>, Failure> {
        self.slot(configuration).measurement.get_or_init(|| self.measure(configuration)).clone()
    }

    /// The same, if this process has made it or knows that it cannot be made.
    pub(crate) fn measured_here(
        &self,
        configuration: &Configuration,
    ) -> Option<&Result<Arc<Measurement>, Failure>> {
        self.slot(configuration).measurement.get()
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
    pub(super) fn is_answered(&self, configuration: &Configuration) -> bool {
        let shared = self.context.cache.as_ref();
        shared.is_some_and(|shared| shared.holds(&self.answers_key(configuration)))
    }

    fn answers_key(&self, configuration: &Configuration) -> String {
        self.key_of("answers", configuration)
    }

    fn measure(&self, configuration: &Configuration) -> Result<Arc<Measurement>, Failure> {
        self.read_golden_files();
        let spec = &self.spec;
        let asked = self.collection().map_err(unloaded)?;
        self.check_requirements(configuration).map_err(failure(FailureCause::Collection))?;
        self.measure_reference(configuration);
        let of_run = |run: Run| {
            let (run, warning) = self.run_in_view(configuration, run)?;
            let mut measurement = Measurement::new(self.evaluate(vec![run])?, None);
            measurement.warnings.extend(warning);
            Ok(measurement)
        };
        let mut measurement = if let ConfigurationSource::Run { path, order } = &configuration.source {
            let work =
                Work::Building { benchmark: self.name(), configuration: &configuration.name, limit: None };
            let _watched = Watched::start(self.context.observer(), work, None);
            let read = |path: PathBuf| {
                // Chunks are cut once they are documents.
                let depth = if self.view(configuration)?.is_some() { usize::MAX } else { spec.asked_depth() };
                RunReader::new().order(*order).depth(depth).read(path)
            };
            let run = path.resolve().and_then(read);
            run.and_then(of_run).map_err(failure(FailureCause::Run))?
        } else if let Some(recording) = self.recording(configuration).map_err(failure(FailureCause::Run))? {
            let evaluation = self.evaluate_golden(recording.golden.clone());
            let evaluation = evaluation.map_err(failure(FailureCause::Run))?;
            Measurement::new(evaluation.with_columns(recording.columns.clone()), None)
        } else {
            // What two documents of one id, or an unreadable corpus, would do to an index is anybody's guess.
            self.corpus().map_err(unloaded)?;
            let ask = || self.ask(spec, configuration, asked);
            let answers = match &self.context.cache {
                None => ask(),
                Some(shared) => {
                    let answers = shared.get_or_retry(&self.answers_key(configuration), ask);
                    answers.map_err(failure(FailureCause::Setup))?
                }
            }?;
            let judged = self.judge(configuration, answers);
            let mut measurement = judged.map_err(failure(FailureCause::Error))?;
            measurement.warnings.extend(equal_scores(&measurement.evaluation));
            measurement
        };
        if self.is_reference(configuration)
            && let Some(run) = measurement.evaluation.run(0)
        {
            let asked = measurement.evaluation.has_whole_lists().then_some(spec.depth);
            self.set_truth(&configuration.name, run, asked);
        }
        if self.needs_neighbours() {
            measurement.warnings.extend(self.truth_warnings());
        }
        let highest = self.collection().map_or(0, |collection| collection.qrels().max_grade());
        measurement.warnings.extend(above_scale(&spec.metrics, highest));
        measurement.warnings.extend(self.words_without_spaces(configuration));
        let mut measurement = self.with_files_of_scores(configuration, measurement);
        let foreign_documents =
            self.foreign_documents_in(&self.key_of("strangers", configuration), &measurement.evaluation);
        measurement.foreign_documents = foreign_documents.map_err(failure(FailureCause::Error))?;
        match mostly(&measurement.foreign_documents) {
            None => Ok(Arc::new(measurement)),
            Some(message) => Err(Failure::of_all(FailureCause::Error(message), 0)),
        }
    }

    /// That the built-in search takes each sentence of the queries for one word.
    fn words_without_spaces(&self, configuration: &Configuration) -> Option<String> {
        let ConfigurationSource::Bm25 { params } = &configuration.source else { return None };
        let by_words = params.deserialize::<Bm25Params>().ok()?.tokenizer == Tokenizer::Words;
        let queries = self.collection().ok()?.queries();
        let spaceless = queries.iter().filter(|query| is_without_spaces(&query.text)).count();
        (by_words && 2 * spaceless > queries.len()).then(|| {
            format!(
                "{spaceless} of {} queries are in a script without spaces, and `tokenizer: words` takes a whole sentence for \
                 one word: set `tokenizer: {{ngram: {{min: 2, max: 3}}}}`",
                queries.len()
            )
        })
    }

    fn is_reference(&self, configuration: &Configuration) -> bool {
        let plan = self.spec.neighbours.as_ref();
        plan.and_then(NeighboursPlan::reference) == Some(configuration.name.as_str())
    }

    /// Measures the configuration that knows the true neighbours before any other whose metrics need them.
    fn measure_reference(&self, configuration: &Configuration) {
        let name = self.spec.neighbours.as_ref().and_then(NeighboursPlan::reference);
        let Some(reference) = name.and_then(|name| self.spec.configuration(name)) else { return };
        if !self.is_reference(configuration)
            && let Err(failure) = self.measurement(reference)
        {
            let kind = Error::from(failure.clone()).kind();
            let message = format!("the reference {} was not measured: {failure}", Quoted(&reference.name));
            self.fail_truth(Error::with_kind(kind, message));
        }
    }

    /// Checks that the collection has what the spec's metrics need, before anything is asked.
    fn check_requirements(&self, configuration: &Configuration) -> crate::Result<()> {
        let collection = self.collection()?;
        for metric in &self.spec.metrics {
            if metric.requirements().unanswerable && collection.unanswerable().is_empty() {
                return Err(Error::invalid(format!(
                    "{metric} needs unanswerable queries: mark them with `unanswerable: true` in their metadata"
                )));
            }
            let needed = metric.requirements();
            if needed.subtopics && !collection.qrels().has_subtopics() {
                return Err(Error::invalid(format!(
                    "{metric} needs judgments by subtopic, and the collection has none: they stand in the second column of TREC's \
                     judgments"
                )));
            }
            let why = |error| Error::invalid(format!("{metric} needs the documents' metadata: {error}"));
            if let Some(name) = needed.attribute {
                let attribute = collection.attribute(name)?;
                collection.check_queries(attribute).map_err(why)?;
                // What documents do not say hits may.
                match (self.has_hits(configuration), collection.corpus()) {
                    (true, Err(_)) => Ok(()),
                    (true, Ok(_)) => collection.known_document_fields(attribute.keys()).map(drop),
                    (false, _) => collection.document_fields(attribute.keys()).map(drop),
                }
                .map_err(why)?;
            }
        }
        match self.truth().as_ref().and_then(Truth::get) {
            Some(Err(error)) if self.needs_neighbours() => Err(error),
            _ => Ok(()),
        }
    }

    /// Judges the answers of a live configuration.
    fn judge(&self, configuration: &Configuration, answers: Answers) -> crate::Result<Measurement> {
        let collection = self.collection()?;
        let hit_metadata = self.checked_hit_metadata(collection, answers.documents)?;
        let scores = answers.scores;
        let mut runs = runs(collection.queries_to_ask(), answers.passes)?;
        let again = if self.asks_twice(&self.spec, configuration) { runs.get(1).cloned() } else { None };
        let again = again.map(|again| self.as_scored(again));
        runs.truncate(configuration.repeats);
        let identical = self.exclude_identical(&mut runs);
        runs.iter_mut().for_each(|run| run.truncate(self.spec.depth));
        let evaluation = Evaluation::of_passes(collection, self.judging(), runs)?;
        let evaluation = self.grouped(evaluation)?.with_identical_ids(identical);
        let evaluation = evaluation.asked_for(self.spec.depth).with_latency(answers.latency);
        let evaluation = evaluation.with_hit_metadata(hit_metadata);
        let evaluation = evaluation.with_columns(self.columns_of_answers(&scores)?);
        let build_time = Duration::from_millis(answers.build_ms);
        let mut measurement = Measurement::new(evaluation, again);
        measurement.warnings.extend(answers.warnings);
        Ok(Measurement { said: answers.said, build_time, ..measurement })
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
