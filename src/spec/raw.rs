//! The spec's own keys, and the list of those whose entries ask for gates.

use super::collection::RawCollection;
use super::configuration::RawConfigurations;
use super::coverage::Share;
use super::gates::{GateContext, GateEntry, Gates, RawEntry, checked_entries};
use super::scalar::Name;
use super::scores::RawScores;
use super::statistics::RawStatistics;
use super::template::PathTemplate;
use crate::error::Quoted;
use crate::gates::comparison::keys::RawComparison;
use crate::gates::deterministic::keys::RawDeterministic;
use crate::gates::latency::keys::RawLatency;
use crate::gates::threshold::keys::RawThreshold;
use crate::mapping::{Count, FromNode, List, OneOrMany, Reader, Rule, Spanned, mapping};
use crate::metric::Metric;
use crate::yaml::{Node, Problem, Span};

mapping! {
    /// A retrieval benchmark: a collection, configurations, and gates.
    pub(super) struct RawSpec as "a spec" {
        /// The version of this format: 1.
        "version" => version: Version,
        /// The benchmark's name, unique among the specs that are run together. Test names start with
        /// it, and golden files are in a folder of this name.
        "benchmark" => benchmark: Name,
        /// The searched and judged collection.
        "collection" => collection: RawCollection,
        /// Results per query that a retriever should return, and the depth to which frozen runs are cut. By
        /// default the deepest cutoff named anywhere, at least 10; at least 1000 where a metric has no
        /// cutoff.
        "depth" => depth: Count<1_000_000>,
        /// The retrievers and run files that are measured, by name; at least one.
        "configurations" => configurations: RawConfigurations,
        /// The metrics that are reported for every configuration, besides those of the gates.
        "metrics" | "metric" => metrics: OneOrMany<Metric>,
        /// Metadata keys of the queries that break reports down.
        "segments" => segments: OneOrMany<String>,
        /// Limits on metrics.
        "thresholds" => thresholds: List<RawThreshold>,
        /// Candidates held against baselines.
        "comparisons" => comparisons: List<RawComparison>,
        /// Limits on the time that answers take.
        "latency" => latency: List<RawLatency>,
        /// Columns of scores by name, for `score` of thresholds and `scores` of comparisons.
        "scores" => scores: RawScores,
        /// How comparisons are decided.
        "statistics" => statistics: RawStatistics,
        /// The share of the data that gates need, from 0 to 1, unless a gate has its own; 0.9 by default.
        "coverage" => coverage: Share,
        /// The folder of golden files; by default `golden/` beside the nearest Cargo.toml, else beside
        /// this file.
        "golden" => golden: PathTemplate,
        /// Leave out queries that have no relevant document instead of scoring them 0; false by default.
        "skip-queries-without-relevant" => skip_queries_without_relevant: bool,
        /// Hold the metric report of each configuration against the one that was blessed; false by
        /// default.
        "snapshot" => snapshot: bool,
        /// Build every live configuration twice, ask it twice, and fail where rankings differ; false by default. `builds`: also
        /// where a build takes more than 10 s. `answers`: ask one build twice.
        "deterministic" => deterministic: RawDeterministic,
    }
    rules: [
        Rule::Required("version"),
        Rule::Required("benchmark"),
        Rule::Required("collection"),
        Rule::Required("configurations"),
    ]
}

/// Defines [`Entries`] and how they are checked, from the keys that ask for gates: a field of [`RawSpec`] with the type of
/// its entries. A further key is its field above and a line in this list.
macro_rules! gate_keys {
    ($($key:ident: $raw:ty,)+) => {
        /// The entries that ask for gates, as far as they are sound.
        #[derive(Default)]
        pub(super) struct Entries {
            $(pub(super) $key: Vec<Spanned<<$raw as RawEntry>::Checked>>,)+
        }

        impl RawSpec {
            /// Whether an entry asks for a gate, or was meant to.
            fn has_entries(&self) -> bool {
                $(self.$key.has_items())||+
            }

            /// Takes the entries out and checks them. Errors are reported.
            pub(super) fn entries(&mut self, context: &GateContext<'_>, reader: &mut Reader<'_>) -> Entries {
                Entries {
                    $($key: checked_entries(&mut self.$key, context, reader),)+
                }
            }
        }

        impl Entries {
            /// Each with its place among those of its key.
            fn each(&self) -> impl Iterator<Item = (usize, Span, &dyn GateEntry)> {
                let none = std::iter::empty();
                $(let none = none.chain(
                    self.$key.iter().enumerate().map(|(index, one)| (index, one.at, &one.value as &dyn GateEntry)),
                );)+
                none
            }
        }
    };
}
gate_keys! {
    thresholds: RawThreshold,
    comparisons: RawComparison,
    latency: RawLatency,
}

impl RawSpec {
    /// Whether anything in the spec is meant to be a gate.
    pub(super) fn asks_for_gates(&self) -> bool {
        self.has_entries() || self.snapshot.is_on() || self.deterministic.is_on()
    }
}

impl Entries {
    /// The metrics that they name, in their order.
    pub(super) fn metrics(&self) -> impl Iterator<Item = &Metric> {
        self.each().flat_map(|(.., entry)| entry.metrics())
    }

    /// The same with the places of their entries.
    pub(super) fn metrics_with_places(&self) -> impl Iterator<Item = (Span, &Metric)> {
        self.each().flat_map(|(_, at, entry)| entry.metrics().iter().map(move |metric| (at, metric)))
    }

    /// Adds the gates of all entries.
    pub(super) fn expand(&self, benchmark: &str, gates: &mut Gates<'_, '_>) {
        self.each().for_each(|(index, at, entry)| entry.expand(index, at, benchmark, gates));
    }
}

/// A version of the format that is known.
pub(super) struct Version;

impl Version {
    pub(super) const KNOWN: u64 = 1;
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
}
