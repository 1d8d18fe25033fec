//! The rate that has to be limited beside another one.

use super::metric::Metric;

/// What a rate of errors says nothing of, so that a limit on it alone can be kept by a useless system.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counterpart {
    /// The name of the metric that counts the opposite error.
    pub metric: &'static str,
    /// What the useless system does for which this rate is 0: `never answers`.
    pub useless: &'static str,
}

impl Metric {
    /// The rate of the opposite error, of a metric that is the share of queries at which a system answers, or is silent, where
    /// it should not: by its results, or by its answers.
    #[doc(hidden)]
    pub fn counterpart(&self) -> Option<Counterpart> {
        self.base_definition()?.counterpart
    }

    /// Whether it is the rate that has to be limited beside the other one.
    #[doc(hidden)]
    pub fn is_counterpart_of(&self, other: &Self) -> bool {
        let name = self.base_definition().map(|definition| definition.name());
        other.counterpart().is_some_and(|counterpart| Some(counterpart.metric) == name)
    }
}

#[cfg(test)]
mod tests {
    use crate::metric::{Metric, catalogue};

    fn metric(name: &str) -> Metric {
        name.parse().unwrap()
    }

    #[test]
    fn each_counterpart_has_this_one_as_its_own() {
        let mut rates = 0;
        for definition in catalogue() {
            let Some(counterpart) = definition.counterpart else { continue };
            let (own, other) = (metric(definition.name()), metric(counterpart.metric));
            assert!(own.is_counterpart_of(&other) && other.is_counterpart_of(&own), "{own}");
            assert!(own.is_best_low() && !own.is_counterpart_of(&own), "{own}");
            rates += 1;
        }
        assert_eq!(rates, 2);
    }

    #[test]
    fn a_cutoff_or_a_value_to_reach_is_no_other_rate() {
        assert!(metric("FalseAnswer@5").is_counterpart_of(&metric("FalseSilence")));
        assert!(!metric("nDCG@10").is_counterpart_of(&metric("FalseAnswer")));
    }
}
