//! The data of gates on metrics of answers: answers, their claims, and the verdicts of a model and people on these.
//!
//! The data are plain types of every build. Reading them is the feature `judge`, behind [`Reading`].

mod counts;
mod files;
mod metric;
#[cfg(feature = "judge")]
mod read;
/// Specs that need it have been refused already.
#[cfg(not(feature = "judge"))]
mod read {
    pub(super) const READING: Option<super::Reading> = None;
}

use std::sync::{Arc, Mutex, PoisonError};

use crate::Result;
use crate::evaluation::Refusals;
use crate::golden::GoldenRun;
use crate::metric::Metric;
use crate::order::SmallMap;
use crate::spec::Configuration;

use super::judged::{JudgedFiles, no_reading};
use super::{Cache, Measurement};

use self::files::AnswerFiles;
pub(crate) use self::files::{AnswersOf, again_name, blessed_name};
pub(crate) use self::metric::AnswerMetric;
#[cfg(feature = "judge")]
pub(crate) use self::read::JudgedPiece;
use self::read::READING;

/// What was read of it so far.
#[derive(Default)]
pub(super) struct AnswersRead {
    /// By metric of answers.
    files: Mutex<SmallMap<String, Result<Arc<AnswerFiles>>>>,
    /// Answerers' replies, by question.
    #[cfg(feature = "judge")]
    said: Mutex<SmallMap<String, Result<String>>>,
}

#[cfg(feature = "judge")]
impl AnswersRead {
    /// Answerers' replies alone.
    pub(super) fn without_verdicts(&self) -> Self {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { files: Mutex::default(), said: Mutex::new(said) }
    }
}

/// What reads files of answers.
struct Reading {
    answers: fn(&Cache, &Metric) -> Result<AnswerFiles>,
    answers_to_bless: fn(&Cache, &Configuration, &GoldenRun) -> Result<String>,
    has_other_prompt: fn(&Cache, &Configuration, Option<&str>) -> Result<bool>,
    refusals: fn(&Cache, &Configuration, &Measurement) -> Result<Vec<Refusals>>,
}

fn reading() -> Result<Reading> {
    READING.ok_or_else(no_reading)
}

impl Cache {
    /// What the files of the spec's judge hold for a metric: one of answers is judged claim by claim.
    pub(crate) fn judged_files_of(&self, metric: Option<&Metric>) -> Result<Arc<JudgedFiles>> {
        if let Some(metric) = metric.filter(|metric| metric.is_of_answers()) {
            return Ok(Arc::clone(&self.answer_files(metric)?.files));
        }
        self.judged_files()
    }

    /// What there is to know of a metric of answers, read once.
    pub(crate) fn answer_files(&self, metric: &Metric) -> Result<Arc<AnswerFiles>> {
        let known = || self.answers.files.lock().unwrap_or_else(PoisonError::into_inner);
        let key = metric.to_string();
        if let Some(files) = known().get(&key) {
            return files.clone();
        }
        let read = reading().and_then(|reading| (reading.answers)(self, metric)).map(Arc::new);
        known().get_or_insert_with(key, || read).clone()
    }

    /// Whether a configuration has answers.
    pub(crate) fn has_answers(&self, configuration: &Configuration) -> Result<bool> {
        let declared = configuration.answers.is_some() || configuration.answerer.is_some();
        // Without what reads them nobody asks for answers, whoever gives some.
        Ok(READING.is_some() && (declared || !self.raw_measurement(configuration)?.said.is_empty()))
    }

    /// Which answers of a configuration decline, by query.
    pub(super) fn refusals(
        &self,
        configuration: &Configuration,
        measured: &Measurement,
    ) -> Result<Vec<Refusals>> {
        (reading()?.refusals)(self, configuration, measured)
    }

    /// The answers with the model's contexts, to bless beside this run.
    pub(crate) fn answers_to_bless(
        &self,
        configuration: &Configuration,
        golden: &GoldenRun,
    ) -> Result<String> {
        (reading()?.answers_to_bless)(self, configuration, golden)
    }

    /// Whether the answerer gets another prompt now than when its answers were blessed.
    pub(crate) fn has_other_prompt(&self, configuration: &Configuration, tag: Option<&str>) -> Result<bool> {
        (reading()?.has_other_prompt)(self, configuration, tag)
    }
}
