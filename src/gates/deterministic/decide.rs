//! Gates on repeatability: whether asking twice, and building twice, gives the same rankings.

use super::DeterministicGate;
use crate::analysis::deterministic;
use crate::benchmark::decide::{Decide, Decision, Decisions};
use crate::collection::Query;
use crate::measure::SecondBuild;
use crate::model::{BuildCheck, OneBuild, Verdict};
use crate::spec::Configuration;
use crate::{Error, ErrorKind, Result};

impl Decide for DeterministicGate {
    fn decide(&self, decisions: &Decisions, configuration: &Configuration) -> Result<Decision> {
        decisions.deterministic(self, configuration)
    }
}

impl Decisions {
    fn deterministic(&self, gate: &DeterministicGate, configuration: &Configuration) -> Result<Decision> {
        let measurement = self.cache.measurement(configuration)?;
        let (Some(first), Some(second)) = (measurement.evaluation.run(0), &measurement.again) else {
            return Err(Error::with_kind(ErrorKind::Internal, "the configuration was asked only once"));
        };
        // Whether a document answers them does not matter here.
        let beside = measurement.evaluation.asked_beside();
        let queries: Vec<Query> = measurement.evaluation.queries().iter().chain(beside).cloned().collect();
        let mut finding = deterministic::compare(&queries, first, second);
        finding.builds = Some(if finding.differing.is_empty() {
            match self.cache.second_build(configuration, gate.of)? {
                SecondBuild::Answered(run) => BuildCheck::Repeated {
                    differing: deterministic::compare(&queries, first, &run).differing,
                    program: self.cache.is_started(configuration),
                    in_process: self.cache.is_behind_bridge(configuration),
                },
                SecondBuild::Skipped(reason) => BuildCheck::Skipped { reason },
            }
        } else {
            BuildCheck::Skipped { reason: OneBuild::Differing }
        });
        Ok(Decision {
            verdict: if finding.repeats() { Verdict::Passed } else { Verdict::Failed },
            finding: finding.into(),
            acceptable: false,
        })
    }
}
