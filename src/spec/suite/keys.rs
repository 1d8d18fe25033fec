//! The keys of a suite.

use serde_json::{Value as Json, json};

use crate::gate::Weights;
use crate::gates::comparison::keys::RawComparison;
use crate::gates::threshold::keys::RawThreshold;
use crate::mapping::{FromNode, List, OneOrMany, Reader, Rule, Spanned, mapping};
use crate::metric::Metric;
use crate::spec::coverage::Share;
use crate::spec::raw::{Version, titled, without};
use crate::spec::scalar::{Name, read_words};
use crate::spec::statistics::RawStatistics;
use crate::spec::template::InputFile;
use crate::yaml::{Node, Problem, Value};

read_words!(Weights);

mapping! {
    /// Several benchmarks with one verdict on all of them: what must hold on average over their collections, and in
    /// each.
    pub(super) struct RawSuite as "a suite" {
        /// The version of this format: 1.
        "version" => version: Version,
        /// The suite's name, unique among the suites and benchmarks that are run together. Test names start with it.
        "suite" => suite: Name,
        /// The files of its benchmarks, two or more, each carried out as it is, its own gates included.
        "benchmarks" => benchmarks: OneOrMany<InputFile>,
        /// How much each collection counts: all alike (`equal`, default), each by its number of queries (`queries`), or as
        /// given by name, such as `{helpdesk: 2, blog: 1}`.
        "weights" => weights: RawWeights,
        /// The metrics that are reported for every configuration, besides those of the gates.
        "metrics" | "metric" => metrics: OneOrMany<Metric>,
        /// Limits on the weighted mean over collections.
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

/// Weights by name, or a word for them.
pub(super) enum RawWeights {
    Word(Weights),
    Given(Vec<(Spanned<String>, f64)>),
}

impl FromNode for RawWeights {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            let word: Weights = reader.read(node)?;
            if word == Weights::Given {
                let problem = Problem::new(node.span, "the weights are not here");
                reader.report(problem.help("write them by name, such as `{helpdesk: 2, blog: 1}`"));
                return None;
            }
            return Some(Self::Word(word));
        };
        let mut given = Vec::with_capacity(entries.len());
        for entry in entries.iter() {
            let weight = reader.number(&entry.value, "a weight, which is a number above 0")?;
            if !(weight > 0.0 && weight <= 1e6) {
                let message = format!("a weight is above 0 and at most 1000000, not {weight}");
                return reader.refuse(entry.value.span, message);
            }
            given.push((Spanned { at: entry.key.span, value: entry.key.text.to_string() }, weight));
        }
        Some(Self::Given(given))
    }

    #[inline]
    fn schema() -> Json {
        let number = json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000});
        json!({"anyOf": [
            {"enum": [Weights::Equal.as_str(), Weights::Queries.as_str()]},
            {"type": "object", "minProperties": 1, "additionalProperties": number},
        ]})
    }
}

/// Keys of entries that are about one collection.
const OF_ONE_THRESHOLD: &[&str] = &["score", "scores", "segment", "inconclusive"];
const OF_ONE_COMPARISON: &[&str] = &["score", "scores", "segment", "cutoff", "min"];
const OF_ONE_STATISTICS: &[&str] = &["group-by"];

/// The JSON Schema (draft 2020-12) of a suite, as [`json_schema`](crate::spec::json_schema) is that of a benchmark's spec.
#[inline]
pub fn suite_schema() -> Json {
    let mut schema = titled(RawSuite::schema(), "rankgate suite", "suite");
    without(&mut schema, "/properties/thresholds/items/properties", OF_ONE_THRESHOLD);
    without(&mut schema, "/properties/comparisons/items/properties", OF_ONE_COMPARISON);
    without(&mut schema, "/properties/statistics/properties", OF_ONE_STATISTICS);
    schema
}
