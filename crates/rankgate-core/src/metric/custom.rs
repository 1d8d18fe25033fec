//! A team's own metric.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use super::direction::Polarity;
use super::judged_ranking::JudgedRanking;
use super::name::built_in_called;
use super::parameters::Parameters;
use super::requirements::Requirements;
use crate::error::Quoted;
use crate::{Error, Result};

/// What a team's own metric is computed by: from grades.
pub(super) enum Function {
    OfRanking(Box<dyn Fn(&JudgedRanking) -> f64 + Send + Sync>),
    /// Nothing is computed: it is a column of scores.
    Column {
        polarity: Polarity,
    },
}

/// See [`Metric::custom`](super::Metric::custom).
pub(super) struct Custom {
    pub(super) name: String,
    pub(super) cutoff: Option<usize>,
    pub(super) range: RangeInclusive<f64>,
    pub(super) f: Function,
}

impl Function {
    /// What it has to be given.
    pub(super) fn requirements(&self) -> Requirements {
        match self {
            Self::OfRanking(_) => Requirements::RELEVANCE,
            Self::Column { .. } => Requirements::NONE,
        }
    }
}

impl Custom {
    /// Which values are better, of a column of scores.
    pub(super) fn polarity(&self) -> Option<Polarity> {
        match self.f {
            Function::Column { polarity } => Some(polarity),
            Function::OfRanking(_) => None,
        }
    }

    pub(super) fn new(name: &str, range: RangeInclusive<f64>, f: Function) -> Result<Self> {
        let (base, at) = match name.split_once('@') {
            Some((base, at)) => (base, Some(at)),
            None => (name, None),
        };
        let mut parameters = Parameters::default();
        if let Some(at) = at {
            parameters.set_cutoff(at).map_err(|expected| {
                Error::invalid(format!("metric name {}: the cutoff must be {expected}", Quoted(name)))
            })?;
        }
        let mut characters = base.chars();
        let well_formed = characters.next().is_some_and(|c| c.is_ascii_alphabetic())
            && characters.all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
        if !well_formed {
            return Err(Error::invalid(format!(
                "metric name {}: expected a letter, then letters, digits, `_`, `.` and `-`",
                Quoted(name)
            )));
        }
        if let Some(definition) = built_in_called(base) {
            return Err(Error::invalid(format!(
                "metric name {} is taken: it is the built-in {}",
                Quoted(name),
                definition.name()
            )));
        }
        if range.start().partial_cmp(range.end()) != Some(Ordering::Less) {
            return Err(Error::invalid(format!(
                "metric {name}: the range from {} to {} is empty",
                range.start(),
                range.end()
            )));
        }
        let cutoff = parameters.cutoff();
        let name = cutoff.map_or_else(|| base.to_owned(), |k| format!("{base}@{k}"));
        Ok(Self { name, cutoff, range, f })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing() -> Function {
        Function::OfRanking(Box::new(|_| 0.0))
    }

    #[test]
    fn what_a_metric_of_ones_own_may_be_called() {
        for (name, expected) in [
            ("Utility", Ok("Utility")),
            ("click-model.v2_b@010", Ok("click-model.v2_b@10")),
            ("ndcg", Err("metric name `ndcg` is taken: it is the built-in nDCG")),
            ("HIT@5", Err("metric name `HIT@5` is taken: it is the built-in Success")),
            ("map_cut", Err("metric name `map_cut` is taken: it is the built-in AP")),
            ("P_7", Err("metric name `P_7` is taken: it is the built-in P")),
            ("x@0", Err("metric name `x@0`: the cutoff must be at least 1: ranks start at 1")),
            ("", Err("metric name ``: expected a letter, then letters, digits, `_`, `.` and `-`")),
            ("a b", Err("metric name `a b`: expected a letter, then letters, digits, `_`, `.` and `-`")),
        ] {
            let made = Custom::new(name, 0.0..=1.0, nothing());
            let made = made.map(|custom| custom.name).map_err(|error| error.to_string());
            assert_eq!(made, expected.map(str::to_owned).map_err(str::to_owned));
        }
    }

    #[test]
    fn a_range_holds_something() {
        for (range, message) in [
            (1.0..=1.0, "metric x: the range from 1 to 1 is empty"),
            (1.0..=0.0, "metric x: the range from 1 to 0 is empty"),
            (f64::NAN..=1.0, "metric x: the range from NaN to 1 is empty"),
        ] {
            let error = Custom::new("x", range, nothing()).err().unwrap();
            assert_eq!(error.to_string(), message);
        }
    }
}
