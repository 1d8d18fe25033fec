//! Gates on repeatability: whether asking twice gives the same rankings.

use super::DeterministicGate;
use crate::analysis::deterministic;
use crate::benchmark::decide::{Decide, Decision, Decisions};
use crate::model::Verdict;
use crate::spec::Configuration;
use crate::{Error, ErrorKind, Result};

impl Decide for DeterministicGate {
    fn decide(&self, decisions: &Decisions, configuration: &Configuration) -> Result<Decision> {
        decisions.deterministic(configuration)
    }
}

impl Decisions {
    fn deterministic(&self, configuration: &Configuration) -> Result<Decision> {
        let measurement = self.cache.measurement(configuration)?;
        let (Some(first), Some(second)) = (measurement.evaluation.run(0), &measurement.again) else {
            return Err(Error::with_kind(ErrorKind::Internal, "the configuration was asked only once"));
        };
        let finding = deterministic::compare(measurement.evaluation.queries(), first, second);
        Ok(Decision {
            verdict: if finding.differing.is_empty() { Verdict::Passed } else { Verdict::Failed },
            finding: finding.into(),
            acceptable: false,
        })
    }
}
