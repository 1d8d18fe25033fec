//! What answers consumed, as they say themselves.

use std::sync::Arc;

use super::passes::UsageByQuery;
use super::{Evaluation, Pass};
use crate::metric::{Metric, RankedQuery};
use crate::{Error, Result};

impl Evaluation {
    /// The score of a query by what its answer says that it consumed.
    pub(super) fn usage(&self, metric: &Metric, asked: RankedQuery<'_>, pass: &Pass) -> Result<f64> {
        let Some(usage) = &pass.usage else {
            return Err(Error::invalid(format!(
                "{metric} is of what answers say beside their ranking, and only rankings are known here: run files, golden runs, \
                 fusions, stages and builtin retrievers have no `usage`"
            )));
        };
        let silent = || Error::invalid(format!("{metric}: the answer says nothing of its `usage`"));
        let usage = usage.get(asked.id()).ok_or_else(silent)?;
        metric.compute_of_query(&asked.with_usage(*usage))
    }

    /// Whether the answers say all that a metric of usage needs; true of other metrics.
    pub(super) fn says_usage(&self, metric: &Metric) -> bool {
        let Some(resource) = metric.requirements().usage else { return true };
        let says = |index: usize| {
            let id = &self.queries[index].id;
            let amount = |pass: &Pass| pass.usage.as_ref()?.get(id)?.amount(resource);
            self.own(index, &self.passes).all(|pass| amount(pass).is_some())
        };
        (0..self.queries.len()).all(says)
    }
}

#[doc(hidden)]
impl Evaluation {
    /// The same where answers say what they consumed, for each pass.
    pub fn with_usage(self, usage: Vec<UsageByQuery>) -> Self {
        let usage = usage.into_iter().map(|one| Some(Arc::new(one))).chain(std::iter::repeat(None));
        let pass = |(pass, usage): (&Pass, Option<Arc<UsageByQuery>>)| Pass { usage, ..pass.clone() };
        Self { passes: self.passes.iter().zip(usage).map(pass).collect(), ..self }
    }

    /// The same where the answers said what those of another evaluation did.
    pub(super) fn with_usage_of(self, other: &Self) -> Self {
        let pass = |(pass, other): (&Pass, &Pass)| Pass { usage: other.usage.clone(), ..pass.clone() };
        Self { passes: self.passes.iter().zip(other.passes.iter()).map(pass).collect(), ..self }
    }
}
