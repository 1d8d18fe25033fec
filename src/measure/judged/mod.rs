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

use std::sync::{Arc, OnceLock};

use crate::mapping::missing;
use crate::run::Run;
use crate::spec::{JudgePlan, PathTemplate};
use crate::{Error, ErrorKind, Result};

use super::Cache;

pub(super) use self::files::JudgedFiles;
use self::read::READING;

/// What was read of it so far.
#[derive(Default)]
pub(super) struct Judgments {
    files: OnceLock<Result<Arc<JudgedFiles>>>,
}

/// What reads files of judgments.
struct Reading {
    judgments: fn(&Cache) -> Result<JudgedFiles>,
    /// The contexts of a file of answers as a run.
    contexts: fn(&PathTemplate) -> Result<Run>,
    /// What judgments of documents call the judge.
    judge: fn(&JudgePlan) -> Result<String>,
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

impl Cache {
    /// What the files of the spec's judge hold.
    pub(crate) fn judged_files(&self) -> Result<Arc<JudgedFiles>> {
        self.judgments
            .files
            .get_or_init(|| reading().and_then(|reading| (reading.judgments)(self)).map(Arc::new))
            .clone()
    }
}
