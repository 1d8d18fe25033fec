//! A metric is its canonical name: read, shown, compared and sorted by it.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use super::{Kind, Metric};
use crate::metric::catalogue::catalogue;
use crate::metric::parameters::Parameters;
use crate::metric::{parse, reaching};
use crate::{Error, Result};

/// Reads a built-in metric; for a team's own as well there is
/// [`MetricRegistry::parse`](crate::metric::MetricRegistry::parse).
impl FromStr for Metric {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if let Some((metric, value)) = reaching::split(text)? {
            return Self::reaching(metric.parse()?, value);
        }
        parse::parse(text, &[]).map(|(definition, parameters)| Self::built_in(definition, parameters))
    }
}

/// The canonical form.
impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match &self.kind {
            Kind::BuiltIn { definition, parameters } => definition.canonical(parameters),
            Kind::Custom(custom) => custom.name.clone(),
        };
        match self.at_least {
            None => f.pad(&name),
            Some(at_least) => f.pad(&format!("{name}{}{at_least}", reaching::SIGN)),
        }
    }
}

impl fmt::Debug for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Metric({self})")
    }
}

impl serde::Serialize for Metric {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Metric {
    /// Where it sorts: the catalogue's position, parameters, a custom name, the value that is reached.
    fn key(&self) -> (usize, Option<&Parameters>, Option<&str>, Option<u64>) {
        let at_least = self.at_least.map(reaching::sort_key);
        match &self.kind {
            Kind::BuiltIn { definition, parameters } => {
                let position = catalogue().iter().position(|listed| std::ptr::eq(*listed, *definition));
                (position.unwrap_or(usize::MAX), Some(parameters), None, at_least)
            }
            Kind::Custom(custom) => (usize::MAX, None, Some(&custom.name), at_least),
        }
    }
}

impl Ord for Metric {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Metric {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Metric {}

impl Hash for Metric {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use super::*;

    fn metric(name: &str) -> Metric {
        name.parse().unwrap()
    }

    #[test]
    fn metrics_are_keys() {
        let names = ["mrr@10", "P@10", "rr@10", "P@5", "RR", "P_5", "RBP(p=0.80)", "rbp.80", "RBP(p=0.9)"];
        let sorted: Vec<_> = names.map(metric).into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        assert_eq!(sorted, ["P@5", "P@10", "RR", "RR@10", "RBP(p=0.8)", "RBP(p=0.9)"].map(metric));
        assert!(metric("RBP(p=0.8)") < metric("RBP(p=0.9)"));
        assert_eq!(names.map(metric).into_iter().collect::<HashSet<_>>().len(), sorted.len());
    }

    #[test]
    fn ones_own_metrics_sort_last_and_are_the_same_by_name() {
        let own = |name| Metric::custom(name, -1.0..=1.0, |_| 0.5).unwrap();
        assert_eq!(own("mine"), Metric::custom("mine", 0.0..=2.0, |_| 1.5).unwrap());
        assert!(metric("NumRelRet") < own("a") && own("a") < own("b"));
        assert_eq!((own("mine@20").cutoff(), own("mine").range()), (Some(20), -1.0..=1.0));
    }

    #[test]
    fn metrics_are_written_out_by_their_canonical_name() {
        assert_eq!(serde_json::to_string(&metric("map_cut.100")).unwrap(), "\"AP@100\"");
        assert_eq!(format!("{:?} {:>8}", metric("mrr"), metric("mrr")), "Metric(RR)       RR");
    }
}
