//! Gates on repeatability: whether asking twice, and building twice, gives the same rankings.

use super::DeterministicGate;
use crate::analysis::deterministic;
use crate::benchmark::decide::{Decision, Decisions};
use crate::collection::Query;
use crate::measure::{OneBuild, SecondBuild, is_behind_bridge, is_started};
use crate::model::{Verdict, Warning};
use crate::spec::Configuration;
use crate::{Error, ErrorKind, Result};

impl Decisions {
    pub(crate) fn deterministic(
        &self,
        configuration: &Configuration,
        gate: &DeterministicGate,
    ) -> Result<Decision> {
        let measurement = self.measure.measurement(configuration)?;
        let (Some(first), Some(second)) = (measurement.evaluation.run(0), &measurement.again) else {
            return Err(Error::with_kind(ErrorKind::Internal, "the configuration was asked only once"));
        };
        // Whether a document answers them does not matter here.
        let beside = measurement.evaluation.asked_beside();
        let queries: Vec<Query> = measurement.evaluation.queries().iter().chain(beside).cloned().collect();
        let mut finding = deterministic::compare(&queries, [first, second], None);
        if finding.differing.is_empty() {
            match self.measure.second_build(configuration, gate.of)? {
                SecondBuild::Answered(run) => {
                    let built = match (
                        is_started(&self.measure, configuration),
                        is_behind_bridge(&self.measure, configuration),
                    ) {
                        (_, true) => "built twice in one process",
                        (true, false) => "started twice",
                        (false, false) => "built twice",
                    };
                    finding = deterministic::compare(&queries, [first, &run], Some(built));
                }
                SecondBuild::Skipped(reason) => {
                    let is_slow = matches!(reason, OneBuild::Slow { .. });
                    finding.warnings.extend(is_slow.then(|| Warning::new("one-build", reason.to_string())));
                    finding.one_build = Some(reason.to_string());
                }
            }
        }
        let verdict = if finding.differing.is_empty() { Verdict::Passed } else { Verdict::Failed };
        Ok(Decision::new(verdict, finding))
    }
}
