//! Which way a metric gets better, and the words and roles for what rose or fell.
//!
//! The metric's definition says it; where that does not, the limits or the expectation of gates on it. Where nothing says
//! it, a rise is neither a gain nor a loss.

use crate::findings::Kind;
use crate::metric::{Metric, Polarity};
use crate::model::Report;

/// The same of a finding's metric, or else by what its gate takes for better.
pub(crate) fn of_finding(finding: &dyn Kind) -> Polarity {
    let Some((metric, says)) = finding.says_better() else { return Polarity::Unknown };
    match Polarity::of_name(metric) {
        Polarity::Unknown => says,
        known => known,
    }
}

/// Which values of a metric are better in a report: by its definition, or else by the report's gates on it, if they agree.
pub fn of_report(report: &Report, name: &str) -> Polarity {
    let known = Polarity::of_name(name);
    if known != Polarity::Unknown {
        return known;
    }
    let says = report.gates.iter().filter_map(|gate| gate.finding.kind().says_better());
    let mut says = says.filter(|(metric, says)| *metric == name && *says != Polarity::Unknown);
    let Some((_, first)) = says.next() else { return Polarity::Unknown };
    if says.all(|(_, other)| other == first) { first } else { Polarity::Unknown }
}

/// The largest difference that two values of a metric can have, by its name.
pub fn widest(metric: &str) -> f64 {
    metric.parse::<Metric>().map_or(f64::INFINITY, |metric| *metric.difference_range().end())
}

/// The words for queries that fell and for those that rose.
pub fn words(polarity: Polarity) -> [&'static str; 2] {
    match polarity {
        Polarity::MoreIsBetter => ["worse", "better"],
        Polarity::LessIsBetter => ["better", "worse"],
        Polarity::Unknown => ["lower", "higher"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Finding, Report};
    use crate::report::tests::sample;

    /// A report whose first gate limits a metric of which nobody knows what is better.
    fn limited(min: Option<f64>, max: Option<f64>) -> Report {
        let mut report = sample::helpdesk();
        for gate in &mut report.gates {
            let Finding::Threshold(finding) = &mut gate.finding else { continue };
            finding.metric = "leaks".to_owned();
            (finding.min, finding.max) = (min, max);
        }
        report
    }

    #[test]
    fn a_definition_says_what_is_better_before_any_gate() {
        let report = limited(None, Some(1.0));
        let of = |metric: &str| {
            let mut finding = report.gates[0].finding.clone();
            let Finding::Threshold(one) = &mut finding else { panic!() };
            one.metric = metric.to_owned();
            of_finding(finding.kind())
        };
        assert_eq!(of("nDCG@10"), Polarity::MoreIsBetter);
        assert_eq!(of("FalseAnswer"), Polarity::LessIsBetter);
        assert_eq!(of("leaks"), Polarity::LessIsBetter);
        assert_eq!(Polarity::of_name("OwnUtility@3"), Polarity::Unknown);
    }

    #[test]
    fn limits_say_what_is_better_where_the_definition_does_not() {
        for (min, max, polarity) in [
            (Some(1.0), None, Polarity::MoreIsBetter),
            (None, Some(1.0), Polarity::LessIsBetter),
            (Some(1.0), Some(2.0), Polarity::Unknown),
        ] {
            assert_eq!(of_report(&limited(min, max), "leaks"), polarity, "{min:?} {max:?}");
        }
        assert_eq!(of_report(&sample::helpdesk(), "leaks"), Polarity::Unknown);
    }

    #[test]
    fn a_rise_is_a_gain_a_loss_or_a_number() {
        assert_eq!(words(Polarity::LessIsBetter), ["better", "worse"]);
    }
}
