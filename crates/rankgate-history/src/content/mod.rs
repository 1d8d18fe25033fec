//! What histories read of a whole `report.json`.

mod check;
mod evidence;
mod gates;
mod numbers;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

pub use self::check::Inconsistency;
use crate::collection::{Metadata, Query};
use crate::measured::Scores;
use crate::model::{Latency, Verdict, Verdicts};
use crate::order;

/// What is read of a whole `report.json` for histories; `serde` reads it.
#[derive(Debug, Deserialize)]
pub struct ReportContent {
    // What stands twice is refused, so that all who read a report read the same.
    #[serde(rename = "schema")]
    _schema: Option<IgnoredAny>,
    #[serde(rename = "benchmark")]
    _benchmark: Option<IgnoredAny>,
    #[serde(rename = "history")]
    _history: Option<IgnoredAny>,
    confidence: Option<f64>,
    collection: Option<CollectionContent>,
    #[serde(default)]
    metrics: Vec<String>,
    #[serde(default)]
    configurations: Vec<ConfigurationContent>,
    #[serde(default)]
    gates: Vec<GateContent>,
}

#[derive(Debug, Deserialize)]
struct CollectionContent {
    queries: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct ConfigurationContent {
    name: String,
    depth: Option<usize>,
    variant: Option<IgnoredAny>,
    outcome: OutcomeContent,
}

#[derive(Debug)]
enum OutcomeContent {
    Measured(Box<MeasuredContent>),
    /// It was asked, and says why it has no scores.
    Errored,
    /// It was ignored or not asked.
    Other,
}

#[derive(Debug, Deserialize)]
struct MeasuredContent {
    latency: Option<Latency>,
    #[serde(default)]
    unanswered: Vec<String>,
    #[serde(default)]
    metrics: Vec<MetricContent>,
    #[serde(default)]
    segments: Vec<SegmentContent>,
    #[serde(default)]
    curves: Vec<CurveContent>,
    queries: Vec<QueryContent>,
}

#[derive(Debug, Deserialize)]
struct MetricContent {
    metric: String,
    value: f64,
    interval: Option<[f64; 2]>,
    spread: Option<[f64; 2]>,
    golden: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct SegmentContent {
    key: String,
    value: String,
    queries: usize,
    metrics: Vec<MetricContent>,
}

#[derive(Debug, Deserialize)]
struct CurveContent {
    metric: String,
    points: Vec<PointContent>,
}

#[derive(Debug, Deserialize)]
struct PointContent {
    cutoff: usize,
    value: f64,
}

#[derive(Debug, Deserialize)]
struct QueryContent {
    id: String,
    #[serde(default)]
    metadata: Metadata,
    scores: BTreeMap<String, f64>,
    golden: Option<GoldenContent>,
    #[serde(default)]
    anchors: BTreeMap<String, GoldenContent>,
    retrieved: Option<usize>,
    relevant: Option<usize>,
    found: Option<usize>,
    first_relevant: Option<usize>,
    dcg: Option<f64>,
    ideal_dcg: Option<f64>,
}

/// What is as it is now is left out of what is said of a golden run.
#[derive(Debug, Deserialize)]
struct GoldenContent {
    #[serde(default)]
    scores: BTreeMap<String, f64>,
}

#[derive(Debug, Deserialize)]
struct GateContent {
    /// The configuration that is judged.
    configuration: Option<String>,
    verdict: Verdict,
    /// Whether it fails nothing, whatever comes of it.
    #[serde(default)]
    advisory: bool,
    finding: Option<Box<RawValue>>,
    /// How much of what it rests on is there, where that is not all of it.
    evidence: Option<Box<RawValue>>,
}

/// Scores of a ranking, and of the golden one that stood there.
pub(crate) type Both = (Arc<Scores>, Arc<Scores>);

impl<'de> Deserialize<'de> for OutcomeContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OutcomeVisitor;
        impl<'de> Visitor<'de> for OutcomeVisitor {
            type Value = OutcomeContent;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the outcome of a configuration")
            }

            fn visit_str<E>(self, _: &str) -> Result<OutcomeContent, E> {
                Ok(OutcomeContent::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OutcomeContent, A::Error> {
                let mut found = OutcomeContent::Other;
                while let Some(key) = map.next_key::<String>()? {
                    match (key.as_str(), &found) {
                        ("measured", OutcomeContent::Other) => {
                            found = OutcomeContent::Measured(map.next_value()?);
                        }
                        ("errored", OutcomeContent::Other) => {
                            map.next_value::<IgnoredAny>()?;
                            found = OutcomeContent::Errored;
                        }
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(found)
            }
        }
        deserializer.deserialize_any(OutcomeVisitor)
    }
}

impl ConfigurationContent {
    fn measured(&self) -> Option<&MeasuredContent> {
        match &self.outcome {
            OutcomeContent::Measured(measured) => Some(measured),
            OutcomeContent::Errored | OutcomeContent::Other => None,
        }
    }
}

impl QueryContent {
    /// The query as a collection has it, without its text.
    fn query(&self) -> Query {
        let mut query = Query::new(&self.id, "");
        query.metadata.clone_from(&self.metadata);
        query
    }

    /// Left out where it is the score of now.
    fn golden_score(&self, metric: &str) -> Option<f64> {
        let now = self.scores.get(metric)?;
        Some(*self.golden.as_ref()?.scores.get(metric).unwrap_or(now))
    }
}

impl ReportContent {
    /// How many of its gates came to each verdict.
    #[must_use]
    pub fn verdicts(&self) -> Verdicts {
        self.gates.iter().map(|gate| gate.verdict).collect()
    }

    /// Times that the answers of a configuration took.
    #[must_use]
    pub fn latency(&self, configuration: &str) -> Option<Latency> {
        let own = self.configurations.iter().find(|one| one.name == configuration)?;
        own.measured()?.latency
    }

    /// By configuration the scores of its ranking, and of the golden one that stood there; `cluster` is the metadata key
    /// that groups queries.
    ///
    /// # Errors
    /// Queries that do not all have the same metrics, or lack what they are grouped by.
    pub fn scores(&self, cluster: Option<&str>) -> Result<BTreeMap<String, Both>, String> {
        let measured = self.configurations.iter().filter_map(|one| Some((one, one.measured()?)));
        let scores = measured.map(|(one, measured)| {
            Ok((one.name.clone(), paired_scores(&measured.queries, &self.metrics, cluster)?))
        });
        scores.collect()
    }
}

/// The scores of queries now and in the golden run, on metrics in this order.
fn paired_scores(
    queries: &[QueryContent],
    metrics: &[String],
    cluster: Option<&str>,
) -> Result<Both, String> {
    let mut by_metric: BTreeMap<&String, [Vec<f64>; 2]> = BTreeMap::new();
    for query in queries {
        for (metric, score) in &query.scores {
            let [now, golden] = by_metric.entry(metric).or_default();
            now.push(*score);
            golden.push(query.golden_score(metric).unwrap_or(*score));
        }
    }
    if by_metric.values().any(|[now, _]| now.len() != queries.len()) {
        return Err("its queries do not all have the same metrics".to_owned());
    }
    let group_of =
        |query: &QueryContent, key: &str| query.query().group(key).map_err(|error| error.to_string());
    let groups = cluster.map(|key| queries.iter().map(|query| group_of(query, key)).collect());
    let mut now = Scores {
        queries: queries.iter().map(|query| query.id.clone()).collect(),
        groups: groups.transpose()?,
        by_metric: Vec::new(),
    };
    let mut golden = now.clone();
    let mut by_metric: Vec<_> = by_metric.into_iter().collect();
    let place = |metric: &String| metrics.iter().position(|other| other == metric).unwrap_or(metrics.len());
    order::sort_by_key(&mut by_metric, |(metric, _)| place(metric));
    for (metric, [of_now, of_golden]) in by_metric {
        now.by_metric.push((metric.clone(), of_now));
        golden.by_metric.push((metric.clone(), of_golden));
    }
    Ok((Arc::new(now), Arc::new(golden)))
}

#[cfg(test)]
mod tests;
