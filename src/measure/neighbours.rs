//! The true nearest neighbours of the queries, read once; those that a reference finds are filled in when it was asked.

use std::sync::Arc;

use crate::Result;
use crate::evaluation::Truth;
use crate::metric::Distances;
use crate::neighbours::Neighbours;
use crate::run::Run;
use crate::spec::NeighboursSource;

use super::Cache;

impl Cache {
    /// The true neighbours, for every evaluation of this benchmark; where a file has them, they are read.
    pub(super) fn truth(&self) -> Option<Truth> {
        let plan = self.spec.neighbours.as_ref()?;
        if let NeighboursSource::File { path, filtered } = &plan.source {
            self.truth.fill(|| {
                let queries = self.collection()?.queries();
                let truth = Neighbours::read(&path.resolve()?, queries)?;
                self.check_known(&truth)?;
                self.checked_truth(if *filtered {
                    truth.whole_below(self.deepest_neighbour())
                } else {
                    truth
                })
            });
        }
        Some(self.truth.clone())
    }

    /// Takes what the reference ranked for the truth, of so many results where it was asked for them. Known already, it stays
    /// what it is.
    pub(super) fn set_truth(
        &self,
        reference: &str,
        (run, asked): (&Run, Option<usize>),
        distances: Option<Arc<dyn Distances>>,
    ) {
        self.truth.fill(|| {
            let truth = Neighbours::from_reference(reference, run, asked)?;
            self.checked_truth(match distances {
                Some(distances) => truth.with_distances(distances),
                None => truth,
            })
        });
    }

    /// The same where the reference cannot be measured: what needs it fails by that.
    pub(super) fn fail_truth(&self, error: crate::Error) {
        self.truth.fill(|| Err(error));
    }

    /// Refuses neighbours that no index finds: not among the vectors of a configuration that searches exactly or, where
    /// there is none, not in the corpus. The files of one that the spec ignores may not be here.
    fn check_known(&self, truth: &Neighbours) -> Result<()> {
        let collection = self.collection()?;
        for configuration in self.spec.configurations.iter().filter(|one| one.ignore.is_none()) {
            if let Some(base) = self.base_of(configuration)? {
                return truth.check_ids(collection.queries(), base.as_ref());
            }
        }
        collection.corpus_ids()?.map_or(Ok(()), |ids| truth.check_ids(collection.queries(), ids))
    }

    fn checked_truth(&self, truth: Neighbours) -> Result<Neighbours> {
        let ties = self.spec.neighbours.as_ref().map(|plan| plan.ties).unwrap_or_default();
        let truth = truth.with_ties(ties);
        let queries = self.collection()?.queries();
        truth.check_depth(queries, self.deepest_neighbour())?;
        if let Some(metric) = self.spec.metrics.iter().find(|metric| metric.requirements().distances) {
            truth.check_distances(queries, &metric.to_string())?;
        }
        Ok(truth)
    }

    pub(super) fn needs_neighbours(&self) -> bool {
        self.spec.metrics.iter().any(|metric| metric.requirements().neighbours)
    }

    /// How many true neighbours the spec's metrics look at.
    fn deepest_neighbour(&self) -> usize {
        let needing = self.spec.metrics.iter().filter(|metric| metric.requirements().neighbours);
        needing.filter_map(crate::metric::Metric::cutoff).max().unwrap_or(0)
    }

    /// What should be known before a count of true neighbours is believed.
    pub(super) fn truth_caution(&self) -> Option<String> {
        let truth = self.truth.get()?.ok()?;
        (!truth.has_distances() && truth.distances().is_none()).then(|| {
            format!(
                "{} names neighbours without distances: a document that ties with the last of them counts as a miss",
                truth.name()
            )
        })
    }
}
