//! Runs under a spec's judgments, from any source and time.

use crate::Result;
use crate::analysis::{ForeignDocuments, foreign_documents};
use crate::evaluation::{Evaluation, Judging};
use crate::golden::GoldenRun;
use crate::run::Run;

use super::Cache;

impl Cache {
    /// Judges a run that stands for what a configuration would answer, or answered once or several times.
    pub(crate) fn evaluate(&self, mut runs: Vec<Run>) -> Result<Evaluation> {
        let identical = self.exclude_identical(&mut runs);
        runs.iter_mut().for_each(|run| run.truncate(self.spec.depth));
        let judged = Evaluation::of_runs(self.collection()?, runs)?.judged_by(self.judging())?;
        Ok(self.grouped(judged)?.with_depth(self.spec.depth).with_identical_ids(identical))
    }

    /// Takes out what has its query's id, where the spec wants that, before rankings are cut.
    pub(crate) fn exclude_identical(&self, runs: &mut [Run]) -> usize {
        match self.spec.collection.exclude_identical_ids {
            true => runs.iter_mut().map(Run::exclude_identical_ids).sum(),
            false => 0,
        }
    }

    /// What was answered, as it is scored: without what has its query's id, and cut at the depth.
    pub(super) fn as_scored(&self, mut run: Run) -> Run {
        self.exclude_identical(std::slice::from_mut(&mut run));
        run.truncate(self.spec.depth);
        run
    }

    /// Judges all that was blessed or recorded.
    pub(crate) fn evaluate_golden(&self, golden: GoldenRun) -> Result<Evaluation> {
        self.evaluate(golden.into_runs(self.collection()?))
    }

    /// The evaluation with its queries in the groups that the spec asks for.
    pub(super) fn grouped(&self, evaluation: Evaluation) -> Result<Evaluation> {
        let evaluation = evaluation.with_truth(self.truth());
        match &self.spec.statistics.group_by {
            None => Ok(evaluation),
            Some(key) => evaluation.clustered_by(key),
        }
    }

    /// What scores rest on beside judgments, in words: scores can be compared where these are the same. Of spans nobody can
    /// score a run again without the documents, so that the words are none of [`Judging`].
    pub(crate) fn definitions(&self) -> String {
        let is_of_passages =
            self.collection_so_far().is_some_and(|collection| collection.passages().is_some());
        let of_passages = if is_of_passages { ", judged passages" } else { "" };
        let attributes = self.spec.attributes.iter().map(|attribute| format!(", attribute {attribute}"));
        self.judging().definitions() + of_passages + &attributes.collect::<String>()
    }

    pub(crate) fn judging(&self) -> Judging {
        Judging {
            relevant_from: self.spec.collection.relevant_from,
            skip_queries_without_relevant: self.spec.skip_queries_without_relevant,
            exclude_identical_ids: self.spec.collection.exclude_identical_ids,
        }
    }

    /// The results of a measurement, or of a blessed run, that belong to no document; counted once in this test run.
    pub(crate) fn foreign_documents_in(
        &self,
        key: &str,
        evaluation: &Evaluation,
    ) -> Result<ForeignDocuments> {
        self.share_once(key, || foreign_documents(evaluation, || self.collection()?.corpus_ids()))
    }
}
