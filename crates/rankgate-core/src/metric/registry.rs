//! The metrics that a name can mean: the built-in ones and a team's own.

use super::catalogue::catalogue;
use super::metric::Metric;
use super::{parse, reaching};
use crate::{Error, ErrorKind, Result};
use std::collections::BTreeMap;

/// The built-in metrics and those that were registered.
///
/// ```
/// use rankgate::metric::{Metric, MetricRegistry};
///
/// let mut metrics = MetricRegistry::new();
/// metrics.register(Metric::custom("TopIsJudged", 0.0..=1.0, |ranking| ranking.judged_at(1) as f64)?)?;
///
/// assert_eq!(metrics.parse("topisjudged")?.to_string(), "TopIsJudged");
/// assert_eq!(metrics.parse("mrr@10")?.to_string(), "RR@10");
/// let error = metrics.parse("TopIsJuged").unwrap_err();
/// assert_eq!(error.to_string(), "unknown metric `TopIsJuged`; did you mean `TopIsJudged`?");
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MetricRegistry {
    /// By lower-case name.
    own: BTreeMap<String, Metric>,
}

impl MetricRegistry {
    /// The built-in metrics.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a metric made by [`Metric::custom`].
    ///
    /// # Errors
    ///
    /// When a metric of this name is there already; names that differ in case only are the same.
    pub fn register(&mut self, metric: Metric) -> Result<()> {
        let name = metric.to_string();
        if metric.base_definition().is_some() || metric.at_least.is_some() {
            return Err(Error::with_kind(
                ErrorKind::Setup,
                format!("metric {name} is built in, it need not be registered"),
            ));
        }
        if self.own.insert(name.to_ascii_lowercase(), metric).is_some() {
            return Err(Error::with_kind(ErrorKind::Setup, format!("metric {name} is registered twice")));
        }
        Ok(())
    }

    /// The metric of this name, case being ignored.
    ///
    /// # Errors
    ///
    /// When there is none, with the name that was probably meant; when a cutoff or a parameter is
    /// missing, malformed, or not one that the metric takes.
    pub fn parse(&self, name: &str) -> Result<Metric> {
        if let Some((metric, value)) = reaching::split(name)? {
            return Metric::reaching(self.parse(metric)?, value);
        }
        match self.own.get(&name.trim().to_ascii_lowercase()) {
            Some(metric) => Ok(metric.clone()),
            None => {
                let own: Vec<_> = self.own.values().map(Metric::to_string).collect();
                parse::parse(name, &own)
                    .map(|(definition, parameters)| Metric::built_in(definition, parameters))
            }
        }
    }

    /// What there is, for people: the built-in metrics' patterns (`nDCG@k`), then one's own metrics.
    pub fn names(&self) -> Vec<String> {
        let built_in =
            catalogue().iter().flat_map(|definition| definition.patterns()).map(ToString::to_string);
        built_in.chain(self.own.values().map(Metric::to_string)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(name: &str) -> Metric {
        Metric::custom(name, 0.0..=1.0, |_| 0.0).unwrap()
    }

    #[test]
    fn a_name_is_registered_once() {
        let mut metrics = MetricRegistry::new();
        metrics.register(own("Utility@5")).unwrap();
        metrics.register(own("Utility")).unwrap();
        for (metric, message) in [
            (own("utility"), "metric utility is registered twice"),
            ("P@5".parse().unwrap(), "metric P@5 is built in, it need not be registered"),
        ] {
            assert_eq!(metrics.register(metric).unwrap_err().to_string(), message);
        }
        assert!(metrics.names().ends_with(&["utility".to_owned(), "Utility@5".to_owned()]));
    }

    #[test]
    fn a_metric_of_ones_own_has_the_cutoff_it_was_registered_with() {
        let mut metrics = MetricRegistry::new();
        metrics.register(own("Utility@5")).unwrap();
        assert_eq!(metrics.parse(" UTILITY@5 ").unwrap().cutoff(), Some(5));
        let error = metrics.parse("Utility@10").unwrap_err();
        assert_eq!(error.to_string(), "unknown metric `Utility@10`; did you mean `Utility@5`?");
    }
}
