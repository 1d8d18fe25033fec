//! The spec's own keys.

use serde_json::{Value as Json, json};

use super::collection::RawCollection;
use super::comparison::RawComparison;
use super::configuration::RawConfigurations;
use super::mapping::{Rule, mapping};
use super::read::{Count, FromNode, List, OneOrMany, Reader};
use super::scalar::Name;
use super::statistics::RawStatistics;
use super::template::PathTemplate;
use super::threshold::RawThreshold;
use crate::error::Quoted;
use crate::metric::Metric;
use crate::yaml::{Node, Problem};

mapping! {
    /// A retrieval benchmark: what is searched, what is measured, and what must hold.
    struct RawSpec as "a spec" {
        /// The version of this format: 1.
        "version" => version: Version,
        /// The benchmark's name, unique among the specs that are run together. Test names start with
        /// it, and golden files are in a folder of this name.
        "benchmark" => benchmark: Name,
        /// What it is about, for readers of reports.
        "description" => description: String,
        /// What is searched and judged.
        "collection" => collection: RawCollection,
        /// How many results a retriever is asked for per query, and to which frozen runs are cut. By
        /// default the deepest cutoff named anywhere, at least 10; at least 1000 where a metric has no
        /// cutoff.
        "depth" => depth: Count<1_000_000>,
        /// What is measured, by name; at least one.
        "configurations" => configurations: RawConfigurations,
        /// The metrics that are reported for every configuration, besides those of the gates.
        "metrics" | "metric" => metrics: OneOrMany<Metric>,
        /// Metadata keys of the queries by which reports are broken down.
        "segments" => segments: OneOrMany<String>,
        /// Limits on metrics.
        "thresholds" => thresholds: List<RawThreshold>,
        /// Candidates held against baselines.
        "comparisons" => comparisons: List<RawComparison>,
        /// How comparisons are decided.
        "statistics" => statistics: RawStatistics,
        /// The folder of golden files; by default `golden/` beside the nearest Cargo.toml, else beside
        /// this file.
        "golden" => golden: PathTemplate,
        /// Leave out queries that have no relevant document instead of scoring them 0; false by default.
        "skip-unjudgeable" => skip_unjudgeable: bool,
        /// Hold the metric report of each configuration against the one that was blessed; false by
        /// default.
        "snapshot" => snapshot: bool,
        /// Ask every live configuration twice and fail where the rankings differ; false by default.
        "deterministic" => deterministic: bool,
    }
    rules: [
        Rule::Required("version"),
        Rule::Required("benchmark"),
        Rule::Required("collection"),
        Rule::Required("configurations"),
    ]
}

/// A version of the format that is known.
pub(super) struct Version;

impl Version {
    const KNOWN: u64 = 1;
}

impl FromNode for Version {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, "a version, which is 1")?;
        if text.parse() == Ok(Self::KNOWN) {
            return Some(Self);
        }
        let problem =
            Problem::new(node.span, format!("unknown version {} of the spec's format", Quoted(text)));
        reader.report(problem.help("this rankgate knows version 1"));
        None
    }

    fn schema() -> Json {
        json!({"enum": [Self::KNOWN, Self::KNOWN.to_string()]})
    }
}

/// The schema of the whole file.
pub(super) fn json_schema() -> Json {
    let mut schema = RawSpec::schema();
    if let Json::Object(object) = &mut schema {
        object.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        object.insert("title".to_owned(), json!("rankgate benchmark"));
    }
    schema
}
