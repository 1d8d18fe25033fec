//! What a configuration answered, judged: each is asked once in a test run.

use std::sync::Arc;

use crate::Error;
use crate::error::chain;
use crate::evaluation::Evaluation;
use crate::progress::{Watched, Work};
use crate::retriever::{Failure, FailureCause};
use crate::run::Run;
use crate::spec::{Configuration, ConfigurationSource};

use super::strangers::strangers;
use super::{Cache, ask};

/// What was measured of a configuration.
#[derive(Clone, Debug)]
pub(crate) struct Measurement {
    pub(crate) evaluation: Evaluation,
    /// The same questions asked once more, where the spec wants to know whether answers repeat.
    pub(crate) again: Option<Run>,
    /// What should be known before its numbers are believed.
    pub(crate) cautions: Vec<String>,
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
        let asked = || {
            self.context.cache.as_ref().is_some_and(|shared| shared.holds(&self.answers_key(configuration)))
        };
        (self.measured_here(configuration).is_some() || asked()).then(|| self.measurement(configuration))
    }

    fn answers_key(&self, configuration: &Configuration) -> String {
        self.key_of("answers", configuration)
    }

    fn measure(&self, configuration: &Configuration) -> Result<Arc<Measurement>, Failure> {
        self.read_golden_files();
        let collection = self.collection().map_err(failure(FailureCause::Collection))?;
        let measurement = if let ConfigurationSource::Run { path, order } = &configuration.source {
            let work = Work::Building { benchmark: self.name(), configuration: &configuration.name };
            let _watched = Watched::start(self.context.observer(), work, None);
            let frozen = path.resolve().and_then(|path| ask::frozen(&self.spec, &path, *order, collection));
            frozen.map_err(failure(FailureCause::Run))?
        } else if let Some(recording) = self.recording(configuration).map_err(failure(FailureCause::Run))? {
            let judged = ask::of_run(&self.spec, recording.golden.run.as_ref().clone(), collection);
            judged.map_err(failure(FailureCause::Run))?
        } else {
            // What two documents of one id, or an unreadable corpus, would do to an index is anybody's guess.
            self.corpus().map_err(failure(FailureCause::Collection))?;
            let (factories, observer) = (&self.registry.retrievers, self.context.observer());
            let answers = || ask::answers(&self.spec, configuration, collection, factories, observer);
            let answers = match &self.context.cache {
                None => answers(),
                Some(shared) => {
                    let answers = shared.get_or_retry(&self.answers_key(configuration), answers);
                    answers.map_err(failure(FailureCause::Setup))?
                }
            }?;
            let judged = ask::judge(&self.spec, configuration, collection, answers);
            judged.map_err(failure(FailureCause::Error))?
        };
        let find = || strangers(&measurement.evaluation);
        let strangers = self.once(&self.key_of("strangers", configuration), find);
        match strangers.map_err(failure(FailureCause::Error))? {
            None => Ok(Arc::new(measurement)),
            Some(message) => Err(Failure::of_all(FailureCause::Error(message), 0)),
        }
    }
}

/// An error that keeps a whole configuration from being measured.
fn failure(cause: fn(String) -> FailureCause) -> impl Fn(Error) -> Failure {
    move |error| Failure::of_all(cause(chain(&error)), 0)
}
