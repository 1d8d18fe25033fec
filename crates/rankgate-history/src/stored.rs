//! Measurements in a `report.json`.

use std::collections::BTreeMap;
use std::sync::Arc;

use rankgate_core::collection::{Metadata, Query};
use rankgate_core::{Error, Result};
use rankgate_report::benchmark::model::SCHEMA;
use serde::Deserialize;

use crate::measured::{Inputs, Measurement, Scores, Standing};

/// What a history needs of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportFile {
    /// The benchmark.
    pub benchmark: String,
    /// Id of the commit.
    pub commit: String,
    /// By configuration, in the order of the report.
    pub measurements: Vec<(String, Measurement)>,
    /// Number of gates with each verdict.
    pub verdicts: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
struct Report {
    schema: u32,
    benchmark: String,
    #[serde(default)]
    metrics: Vec<String>,
    history: Option<Fingerprints>,
    #[serde(default)]
    configurations: Vec<Configuration>,
    #[serde(default)]
    gates: Vec<Gate>,
}

#[derive(Deserialize)]
struct Gate {
    verdict: String,
}

#[derive(Deserialize)]
struct Fingerprints {
    commit: Option<String>,
    queries: String,
    judgments: String,
    corpus: String,
    definitions: String,
    cluster: Option<String>,
    configurations: Vec<Fingerprint>,
}

#[derive(Deserialize)]
struct Fingerprint {
    name: String,
    depth: usize,
    ranking: String,
    golden: Option<String>,
    #[serde(default)]
    accepted: bool,
    gated: Vec<String>,
}

#[derive(Deserialize)]
struct Configuration {
    name: String,
    outcome: Outcome,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Outcome {
    Measured { measured: Measured },
    Other(serde::de::IgnoredAny),
}

#[derive(Deserialize)]
struct Measured {
    queries: Vec<QueryScores>,
}

#[derive(Deserialize)]
struct QueryScores {
    id: String,
    #[serde(default)]
    metadata: Metadata,
    scores: BTreeMap<String, f64>,
    golden: Option<GoldenScores>,
}

/// Scores of the golden run that differ from those of now.
#[derive(Deserialize)]
struct GoldenScores {
    #[serde(default)]
    scores: BTreeMap<String, f64>,
}

/// Reads a `report.json`.
///
/// # Errors
/// Not a report, or a report without a commit or without scores.
pub fn read_report(report: &[u8]) -> Result<ReportFile> {
    let report: Report = serde_json::from_slice(report)
        .map_err(|error| Error::invalid(format!("this is not a report of rankgate: {error}")))?;
    if report.schema != SCHEMA {
        let found = report.schema;
        return Err(Error::invalid(format!("`schema` is {found}; this version of rankgate reads {SCHEMA}")));
    }
    let Some(history) = report.history else {
        return Err(Error::invalid("it has no `history`, because nothing was measured"));
    };
    let Some(commit) = history.commit.filter(|commit| !commit.is_empty()) else {
        return Err(Error::invalid(
            "it has no commit: git had uncommitted changes, and no variable of the environment (RANKGATE_COMMIT, \
             GITHUB_SHA, CI_COMMIT_SHA, ...) was set",
        ));
    };
    let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
    for gate in report.gates {
        *verdicts.entry(gate.verdict).or_default() += 1;
    }
    let mut measurements = Vec::new();
    for one in history.configurations {
        let own = report.configurations.iter().find(|own| own.name == one.name);
        let Some(Outcome::Measured { measured }) = own.map(|own| &own.outcome) else {
            return Err(Error::invalid(format!("it has no scores of the configuration {}", one.name)));
        };
        let of =
            |golden: bool| scores(&measured.queries, &report.metrics, history.cluster.as_deref(), golden);
        let now = Standing { ranking: one.ranking, scores: Arc::new(of(false)?) };
        let golden = match one.golden {
            Some(ranking) if ranking == now.ranking => Some(now.clone()),
            Some(ranking) => Some(Standing { ranking, scores: Arc::new(of(true)?) }),
            None => None,
        };
        now.scores.check(&commit)?;
        let inputs = Inputs {
            queries: history.queries.clone(),
            judgments: history.judgments.clone(),
            corpus: history.corpus.clone(),
            depth: one.depth,
            definitions: history.definitions.clone(),
        };
        let (accepted, gated) = (one.accepted, one.gated);
        let measurement = Measurement { commit: commit.clone(), now, golden, accepted, inputs, gated };
        measurements.push((one.name, measurement));
    }
    Ok(ReportFile { benchmark: report.benchmark, commit, measurements, verdicts })
}

/// Scores of the ranking, or of the golden one.
fn scores(
    queries: &[QueryScores],
    metrics: &[String],
    cluster: Option<&str>,
    golden: bool,
) -> Result<Scores> {
    let mut by_metric: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for query in queries {
        for (metric, now) in &query.scores {
            let kept = query.golden.as_ref().filter(|_| golden).and_then(|golden| golden.scores.get(metric));
            by_metric.entry(metric).or_default().push(*kept.unwrap_or(now));
        }
    }
    let group = |query: &QueryScores, key: &str| {
        let mut own = Query::new(&query.id, "");
        own.metadata.clone_from(&query.metadata);
        own.group(key)
    };
    let groups = cluster.map(|key| queries.iter().map(|query| group(query, key)).collect());
    let place = |metric: &str| metrics.iter().position(|other| other == metric).unwrap_or(metrics.len());
    let mut by_metric: Vec<(String, Vec<f64>)> =
        by_metric.into_iter().map(|(metric, values)| (metric.to_owned(), values)).collect();
    by_metric.sort_by_key(|(metric, _)| place(metric));
    Ok(Scores {
        queries: queries.iter().map(|query| query.id.clone()).collect(),
        groups: groups.transpose()?,
        by_metric,
    })
}
