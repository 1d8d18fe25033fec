//! `statistics:`: how comparisons are decided.

use super::scalar::{Resamples, read_words};
use crate::gate::{Family, IntervalMethod, Statistics};
use crate::mapping::{Reader, mapping};
use crate::stats::{Confidence, Correction, DecidingTest};
use crate::yaml::Problem;

read_words!(Correction, DecidingTest, Family, IntervalMethod);

mapping! {
    /// How comparisons are decided.
    pub(super) struct RawStatistics as "`statistics`" {
        /// The confidence of every interval, from 0.5 to below 1; 0.95 by default. One minus it is the
        /// level of every test.
        "confidence" => confidence: Confidence,
        /// How often the bootstrap resamples; ends in 9, 9999 by default.
        "resamples" => resamples: Resamples,
        /// How p-values are adjusted within a family; `holm` by default.
        "correction" => correction: Correction,
        /// What random numbers are derived from; 1 by default.
        "seed" => seed: u64,
        /// Which test decides: `permutation` (default) or `bootstrap`. Both are reported.
        "test" => test: DecidingTest,
        /// Which interval of a difference is reported; that of the deciding test by default: `dual`, or
        /// `studentised` with `test: bootstrap`.
        "interval" => interval: IntervalMethod,
        /// A metadata key: queries with the same value belong together.
        "cluster" => cluster: String,
        /// Which gates share one error rate: those of a `comparison` (default), or all of the `spec`.
        "family" => family: Family,
    }
    rules: []
}

impl RawStatistics {
    pub(super) fn check(self, reader: &mut Reader<'_>) -> Statistics {
        if let (Some(correction), Some(test)) = (self.correction.field_value(), self.test.field_value())
            && correction.value == Correction::MaxT
            && !test.value.takes_max_t()
        {
            let problem =
                Problem::new(correction.at, format!("`max-t` does not go with `test: {}`", test.value));
            let problem = problem.related(test.at, "decides here");
            reader.report(
                problem
                    .help("it adjusts the permutation test, which flips the signs of all metrics together"),
            );
        }
        let default = Statistics::default();
        let test = self.test.into_value().unwrap_or_default();
        Statistics {
            confidence: self.confidence.into_value().unwrap_or(default.confidence),
            resamples: self.resamples.into_value().map_or(default.resamples, |count| count.0),
            correction: self.correction.into_value().unwrap_or_default(),
            seed: self.seed.into_value().unwrap_or(default.seed),
            test,
            interval: self.interval.into_value().unwrap_or(IntervalMethod::for_test(test)),
            cluster: self.cluster.into_value(),
            family: self.family.into_value().unwrap_or_default(),
        }
    }
}
