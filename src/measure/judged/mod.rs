//! What gates on judgments of a model rest on: the committed files of judgments and grades, answers and their claims.
//!
//! What is read is plain data of every build. Reading it is the feature `judge`, and all of it stands behind [`Reading`].

mod answer_metric;
mod answers;
mod files;
#[cfg(feature = "judge")]
mod read;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::mapping::missing;
use crate::metric::Metric;
use crate::run::Run;
use crate::spec::{Configuration, JudgePlan, PathTemplate};
use crate::{Error, ErrorKind, Result};

use super::Cache;

pub(crate) use self::answer_metric::AnswerMetric;
use self::answers::AnswerFiles;
pub(crate) use self::answers::{AnswersOf, again_name, blessed_name};
use self::files::JudgedFiles;
#[cfg(feature = "judge")]
use self::read::READING;

/// What was read of it so far.
#[derive(Default)]
pub(super) struct Judgments {
    files: OnceLock<Result<Arc<JudgedFiles>>>,
    /// What answerers said, by what they were asked.
    #[cfg(feature = "judge")]
    said: Mutex<BTreeMap<String, Result<String>>>,
    /// By metric of answers.
    answers: Mutex<BTreeMap<String, Result<Arc<AnswerFiles>>>>,
}

/// What reads files of judgments and of answers.
struct Reading {
    judgments: fn(&Cache) -> Result<JudgedFiles>,
    answers: fn(&Cache, &Metric) -> Result<AnswerFiles>,
    /// The contexts of a file of answers as a run.
    contexts: fn(&PathTemplate) -> Result<Run>,
    answers_to_bless: fn(&Cache, &Configuration) -> Result<String>,
    has_other_prompt: fn(&Cache, &Configuration, Option<&str>) -> Result<bool>,
    /// What judgments of documents call the judge.
    judge: fn(&JudgePlan) -> Result<String>,
}

/// Specs that need it have been refused already.
#[cfg(not(feature = "judge"))]
const READING: Option<Reading> = None;

fn reading() -> Result<Reading> {
    READING.ok_or_else(|| Error::with_kind(ErrorKind::Setup, missing!("judge").unwrap_or_default()))
}

/// The contexts of a file of answers as a run.
pub(super) fn contexts(path: &PathTemplate) -> Result<Run> {
    (reading()?.contexts)(path)
}

/// What judgments of documents call the judge.
///
/// # Errors
/// A prompt that cannot be read.
pub(crate) fn judge_id(plan: &JudgePlan) -> Result<String> {
    (reading()?.judge)(plan)
}

impl Cache {
    /// What the files of the spec's judge hold.
    pub(crate) fn judged_files(&self) -> Result<Arc<JudgedFiles>> {
        self.judgments
            .files
            .get_or_init(|| reading().and_then(|reading| (reading.judgments)(self)).map(Arc::new))
            .clone()
    }

    /// The same of a metric: one of answers is judged claim by claim.
    pub(crate) fn judged_files_of(&self, metric: Option<&Metric>) -> Result<Arc<JudgedFiles>> {
        if let Some(metric) = metric.filter(|metric| metric.is_of_answers()) {
            return Ok(Arc::clone(&self.answer_files(metric)?.files));
        }
        self.judged_files()
    }

    /// What there is to know of a metric of answers, read once.
    pub(crate) fn answer_files(&self, metric: &Metric) -> Result<Arc<AnswerFiles>> {
        let known = || self.judgments.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let key = metric.to_string();
        if let Some(files) = known().get(&key) {
            return files.clone();
        }
        let read = reading().and_then(|reading| (reading.answers)(self, metric)).map(Arc::new);
        known().entry(key).or_insert(read).clone()
    }

    /// Whether a configuration has answers.
    pub(crate) fn has_answers(&self, configuration: &Configuration) -> Result<bool> {
        let declared = configuration.answers.is_some() || configuration.answerer.is_some();
        // Without what reads them nobody asks for answers, whoever gives some.
        Ok(READING.is_some() && (declared || !self.measurement(configuration)?.said.is_empty()))
    }

    /// What is blessed beside a run: the answers with what the model was given.
    pub(crate) fn answers_to_bless(&self, configuration: &Configuration) -> Result<String> {
        (reading()?.answers_to_bless)(self, configuration)
    }

    /// Whether the answerer gets another prompt now than when its answers were blessed.
    pub(crate) fn has_other_prompt(&self, configuration: &Configuration, tag: Option<&str>) -> Result<bool> {
        (reading()?.has_other_prompt)(self, configuration, tag)
    }
}
