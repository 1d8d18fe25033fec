//! Who beats whom, where an entry with several candidates asks for it.

use std::sync::{Arc, OnceLock};

use crate::Result;
use crate::analysis;
use crate::benchmark::decide::Decisions;
use crate::gate::Comparison;
use crate::measure::Measurement;
use crate::model::PairsReport;
use crate::progress::{Watched, Work};
use crate::spec::Spec;
use crate::stats::PairsTest;

/// The pairs so far, by entry.
pub(crate) struct PairsCache(Vec<OnceLock<Result<Vec<PairsReport>>>>);

impl PairsCache {
    pub(crate) fn new(spec: &Spec) -> Self {
        Self(spec.comparisons.iter().map(|_| OnceLock::new()).collect())
    }
}

impl Decisions {
    /// Of each entry that asks who beats whom, and whose configurations are all measured by now, the answer.
    pub(crate) fn who_beats_whom(&self) -> Vec<Result<Vec<PairsReport>>> {
        let entries = self.cache.spec.comparisons.chunk_by(|one, next| one.entry == next.entry);
        entries
            .filter_map(|entry| {
                let (first, test) = (entry.first()?, entry.first()?.pairs?);
                let sides = self.all_measured(entry)?;
                let answer = || self.compare_everyone(first, test, &sides);
                Some(self.everyone.0[first.entry].get_or_init(answer).clone())
            })
            .collect()
    }

    /// An entry's baseline and candidates but for those that the spec ignores; `None` where one of them, or all
    /// but one, is not measured.
    fn all_measured<'a>(&self, entry: &'a [Comparison]) -> Option<Vec<(&'a str, Arc<Measurement>)>> {
        let baseline = entry.first().and_then(|one| one.baseline.configuration());
        let mut sides = Vec::new();
        for name in baseline.into_iter().chain(entry.iter().map(|one| one.candidate.as_str())) {
            let configuration = self.cache.configuration(name).ok()?;
            match (self.cache.measured_so_far(configuration), &configuration.ignore) {
                (Some(measured), _) => sides.push((name, measured.ok()?)),
                (None, Some(_)) => {}
                (None, None) => return None,
            }
        }
        (sides.len() > 1).then_some(sides)
    }

    fn compare_everyone(
        &self,
        of: &Comparison,
        test: PairsTest,
        sides: &[(&str, Arc<Measurement>)],
    ) -> Result<Vec<PairsReport>> {
        let everyone = analysis::AllConfigurations {
            sides: sides.iter().map(|(name, measured)| (*name, &measured.evaluation)).collect(),
            metrics: &of.metrics,
            segment: of.segment.as_ref(),
            test,
        };
        let pairs = sides.len() * (sides.len() - 1) / 2;
        let work = Work::Comparing { benchmark: self.cache.name(), comparisons: pairs * of.metrics.len() };
        let _watched = Watched::start(self.cache.context.observer(), work, None);
        let compare = || everyone.reports(self.cache.name(), &self.cache.spec.statistics);
        match &self.cache.context.cache {
            // The processes of one test run do it once.
            Some(shared) => {
                let key = self.cache.key(&format!("pairs-{:06}", of.entry));
                shared
                    .get_or_make(&key, || compare().map_err(|error| error.to_string()))?
                    .map_err(crate::Error::invalid)
            }
            None => compare(),
        }
    }
}
