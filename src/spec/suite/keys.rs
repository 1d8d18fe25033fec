//! The keys of a suite.

use crate::gates::comparison::keys::RawComparison;
use crate::gates::threshold::keys::RawThreshold;
use crate::mapping::{List, OneOrMany, Rule, mapping};
use crate::metric::Metric;
use crate::spec::coverage::Share;
use crate::spec::raw::Version;
use crate::spec::scalar::Name;
use crate::spec::statistics::RawStatistics;
use crate::spec::template::InputFile;

mapping! {
    /// Several benchmarks with one verdict on all of them: what must hold on average over their collections, and in
    /// each.
    pub(in crate::spec) struct RawSuite as "a suite" {
        /// The version of this format: 1.
        "version" => version: Version,
        /// The suite's name, unique among the suites and benchmarks that are run together. Test names start with it.
        "suite" => suite: Name,
        /// The files of its benchmarks, two or more, each carried out as it is, its own gates included.
        "benchmarks" => benchmarks: OneOrMany<InputFile>,
        /// The metrics that are reported for every configuration, besides those of the gates.
        "metrics" | "metric" => metrics: OneOrMany<Metric>,
        /// Limits on the mean over collections, each of which counts alike.
        "thresholds" => thresholds: List<RawThreshold>,
        /// Candidates held against baselines over all collections.
        "comparisons" => comparisons: List<RawComparison>,
        /// How the suite's comparisons are decided, whatever its benchmarks say of their own.
        "statistics" => statistics: RawStatistics,
        /// The share of the data that gates need in each collection, from 0 to 1; each benchmark's own by default.
        "coverage" => coverage: Share,
    }
    rules: [
        Rule::Required("version"),
        Rule::Required("suite"),
        Rule::Required("benchmarks"),
        Rule::AtLeastOne(&["thresholds", "comparisons"]),
    ]
}
