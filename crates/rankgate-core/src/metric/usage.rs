//! What answers consumed: `Usage(tokens)`, `Usage(calls)`, `Usage(cost)`, `Usage(repeats)`.
//!
//! The value of a query is what its answer says of itself: tokens and calls as whole numbers, a cost in any currency; all are
//! 0 or more, and less is better. It is the mean over queries, and over repeats. An answer that does not say it is an error.
//! Of an answer of several searches their number is that of its calls, where it says no other, and repeats are the results that
//! an earlier search had returned already.

use super::definition::Definition;
use super::parameters::{Parameter, Parameters};
use super::ranked_query::RankedQuery;
use crate::json::as_json;
use crate::words::keywords;
use crate::{Error, Result};

pub(super) static USAGE: Definition =
    Definition::of_documents("Usage", "tokens, calls or cost that the answer says it consumed", usage)
        .written(&["Usage(tokens)", "Usage(calls)", "Usage(cost)", "Usage(repeats)"])
        .parameters(&[Parameter::Resource])
        .unbounded();

keywords! {
    /// Something that answering a query consumes.
    pub enum Resource {
        /// Tokens of models.
        Tokens = "tokens",
        /// Calls of models and services.
        Calls = "calls",
        /// The price, in any currency.
        Cost = "cost",
        /// Results of several searches that an earlier one had returned already.
        Repeats = "repeats",
    }
}

/// What answering a query consumed, as far as the retriever says it.
///
/// ```
/// use rankgate::metric::{Metric, RankedQuery, Usage};
///
/// let usage = Usage::default().with_tokens(812).with_cost(0.0021);
/// let asked = RankedQuery::new("q1", "battery", ["d1"], []).with_usage(usage);
/// assert_eq!("Usage(tokens)".parse::<Metric>()?.compute_of_query(&asked)?, 812.0);
/// let error = "Usage(calls)".parse::<Metric>()?.compute_of_query(&asked).unwrap_err();
/// assert_eq!(error.to_string(), "Usage(calls): the usage of the answer has no `calls`");
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of models.
    pub tokens: Option<u64>,
    /// Calls of models and services.
    pub calls: Option<u64>,
    /// The price, 0 or more, in any currency.
    pub cost: Option<f64>,
    /// Results that an earlier search of the same answer had returned already; `None` where it does not say its searches.
    pub repeats: Option<u64>,
}

as_json!(struct Usage { tokens?, calls?, cost?, repeats? });

impl Usage {
    /// The same with so many tokens.
    #[must_use]
    pub fn with_tokens(self, tokens: u64) -> Self {
        Self { tokens: Some(tokens), ..self }
    }

    /// The same with so many calls.
    #[must_use]
    pub fn with_calls(self, calls: u64) -> Self {
        Self { calls: Some(calls), ..self }
    }

    /// The same with this price, a number of 0 or more.
    #[must_use]
    pub fn with_cost(self, cost: f64) -> Self {
        Self { cost: Some(cost), ..self }
    }

    /// How much of a resource it says.
    #[must_use]
    pub fn amount(&self, resource: Resource) -> Option<f64> {
        match resource {
            Resource::Tokens => self.tokens.map(|tokens| tokens as f64),
            Resource::Calls => self.calls.map(|calls| calls as f64),
            Resource::Cost => self.cost,
            Resource::Repeats => self.repeats.map(|repeats| repeats as f64),
        }
    }

    /// The same where `self` leaves something open that `other` says.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.or(other.tokens),
            calls: self.calls.or(other.calls),
            cost: self.cost.or(other.cost),
            repeats: self.repeats.or(other.repeats),
        }
    }

    /// Whether it says anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn usage(asked: &RankedQuery<'_>, parameters: &Parameters) -> Result<f64> {
    let (Some(resource), Some(usage)) = (parameters.resource(), asked.usage()) else { return Ok(f64::NAN) };
    usage.amount(resource).ok_or_else(|| {
        Error::invalid(match resource {
            Resource::Repeats => {
                "the usage of the answer has no `repeats`: they are counted where it brings its searches, `calls`".to_owned()
            }
            _ => format!("the usage of the answer has no `{}`", resource.as_str()),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{JudgedRanking, Metric};

    #[test]
    fn a_resource_is_named_in_parentheses() {
        for (text, canonical) in [("usage( COST )", "Usage(cost)"), ("Usage('tokens')", "Usage(tokens)")] {
            assert_eq!(text.parse::<Metric>().unwrap().to_string(), canonical);
        }
        for (text, why) in [
            ("Usage", "metric `Usage`: Usage needs a resource, as in `Usage(cost)`"),
            (
                "Usage(time)",
                "metric `Usage(time)`: the resource must be `tokens`, `calls`, `cost` or `repeats`, not `time`",
            ),
            ("Usage(cost)@10", "metric `Usage(cost)@10`: Usage takes no cutoff"),
        ] {
            assert_eq!(text.parse::<Metric>().unwrap_err().to_string(), why);
        }
    }

    #[test]
    fn less_is_better_and_what_is_not_known_is_no_0() {
        let cost: Metric = "Usage(cost)".parse().unwrap();
        assert!(cost.is_best_low() && !cost.is_best_high() && !cost.needs_relevance());
        assert_eq!(cost.requirements().usage, Some(Resource::Cost));
        let asked = RankedQuery::new("q1", "", ["d"], [("d", 1)]);
        let unknown = "Usage(cost) needs answers that say their `usage`, and it is not known here";
        assert_eq!(cost.compute_of_query(&asked).unwrap_err().to_string(), unknown);
        let grades = JudgedRanking::new(vec![Some(1)], vec![1]);
        assert_eq!(cost.try_compute(&grades).unwrap_err().to_string(), unknown);
        let free = asked.with_usage(Usage::default().with_cost(0.0));
        assert_eq!(cost.compute_of_query(&free).unwrap(), 0.0);
        let dear: Metric = "Usage(cost)>=0.5".parse().unwrap();
        assert_eq!(dear.compute_of_query(&free).unwrap(), 0.0);
    }
}
