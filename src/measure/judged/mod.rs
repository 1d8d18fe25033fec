//! Judgments of documents by a model and people: the committed files of judgments and grades.
//!
//! The data are plain types of every build. Reading them is the feature `judge`, behind [`Reading`].

pub(super) mod files;
#[cfg(feature = "judge")]
pub(super) mod read;
/// Specs that need it have been refused already.
#[cfg(not(feature = "judge"))]
mod read {
    pub(super) const READING: Option<super::Reading> = None;
}

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use crate::analysis::{Corrected, Judges};
use crate::evaluation::Evaluation;
use crate::mapping::missing;
use crate::metric::Metric;
use crate::run::Run;
use crate::spec::{JudgePlan, PathTemplate};
use crate::stats::Stream;
use crate::words::counted;
use crate::{Error, ErrorKind, Result};

use super::Cache;

pub(super) use self::files::JudgedFiles;
use self::read::READING;

/// What was read of it so far.
#[derive(Default)]
pub(super) struct Judgments {
    files: OnceLock<Result<Arc<JudgedFiles>>>,
    unjudged: OnceLock<Option<UnjudgedGates>>,
}

/// Gates that lack a judgment which nobody could request on this machine.
pub(crate) struct UnjudgedGates {
    pub(crate) reason: String,
    pub(crate) names: BTreeSet<String>,
}

/// What reads files of judgments.
struct Reading {
    judgments: fn(&Cache) -> Result<JudgedFiles>,
    /// The contexts of a file of answers as a run.
    contexts: fn(&PathTemplate) -> Result<Run>,
    /// What judgments of documents call the judge.
    judge: fn(&JudgePlan) -> Result<String>,
    /// The gates that lack a judgment which nobody could request on this machine.
    unjudged: fn(&Cache) -> Result<Option<UnjudgedGates>>,
    /// How many judgments stand beside the report.
    beside_report: fn(&Cache) -> Result<usize>,
    /// Scores by both kinds of judgments; with a stream also by the model's errors elsewhere.
    correct: fn(&Judges, &[&Evaluation], &Metric, Option<&Stream>) -> Result<Corrected>,
}

fn reading() -> Result<Reading> {
    READING.ok_or_else(no_reading)
}

/// Why nothing reads files of judgments or of answers in this build.
pub(super) fn no_reading() -> Error {
    Error::with_kind(ErrorKind::Setup, missing!("judge").unwrap_or_default())
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

/// Scores by both kinds of judgments; with a stream also by the model's errors elsewhere, where a gate carries these over.
///
/// # Errors
/// A metric that cannot be computed.
pub(crate) fn correct(
    judges: &Judges,
    sides: &[&Evaluation],
    metric: &Metric,
    stream: Option<&Stream>,
) -> Result<Corrected> {
    (reading()?.correct)(judges, sides, metric, stream)
}

impl Cache {
    /// Gates that lack a judgment which nobody could request on this machine, as its last `rankgate judge --ci` found. What
    /// keeps that from being read errs where a gate is decided.
    pub(crate) fn unjudged_gates(&self) -> Option<&UnjudgedGates> {
        let read = || reading().and_then(|reading| (reading.unjudged)(self)).unwrap_or_default();
        self.judgments.unjudged.get_or_init(read).as_ref()
    }

    /// That gates rest on judgments which are not committed, if any of them may.
    pub(crate) fn uncommitted_judgments(&self) -> Option<String> {
        let path = self.context.judgments_beside_report(self.name()).filter(|path| path.is_file())?;
        let number =
            reading().and_then(|reading| (reading.beside_report)(self)).ok().filter(|number| *number > 0)?;
        let judgments = counted(number, "judgment", "judgments");
        Some(format!("gates also read {} ({judgments}), which is not committed", self.context.shown(&path)))
    }

    /// What the files of the spec's judge hold.
    pub(crate) fn judged_files(&self) -> Result<Arc<JudgedFiles>> {
        self.judgments
            .files
            .get_or_init(|| reading().and_then(|reading| (reading.judgments)(self)).map(Arc::new))
            .clone()
    }
}
