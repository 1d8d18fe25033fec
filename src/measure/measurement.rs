//! What was measured of a configuration.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::analysis::{ForeignDocuments, nothing_judged, rising_scores};
use crate::evaluation::Evaluation;
use crate::retriever::said::Answer;
use crate::run::Run;

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
    pub(crate) said: BTreeMap<String, Answer>,
}

impl Measurement {
    pub(super) fn new(evaluation: Evaluation, again: Option<Run>) -> Self {
        Self {
            warnings: nothing_judged(&evaluation)
                .into_iter()
                .chain(rising_scores(evaluation.rising()))
                .collect(),
            evaluation,
            again,
            foreign_documents: ForeignDocuments::default(),
            build_time: Duration::ZERO,
            said: BTreeMap::new(),
        }
    }
}
