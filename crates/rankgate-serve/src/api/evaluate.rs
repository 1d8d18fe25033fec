//! How good rankings are.

use std::collections::HashSet;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use rankgate::gate::Evidence;
use rankgate::metric::Metric;
use rankgate::run::RunReader;
use rankgate::{Judging, Order, Qrels, Run};
use rankgate_offline::{Scores, Scoring};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::blobs::{find, project_of, size};
use super::plain::{Judged, Lists, OrderedObject, PlainQuery, depths, metric};
use super::{json, json_of, object};
use crate::access::Caller;
use crate::app::App;
use crate::body::receive;
use crate::compute::computing_long;
use crate::problem::{Answer, Problem};
use crate::records::Right;
use crate::work::{Bounds, most_queries};

/// The plain form, or runs and judgments in rankgate's own formats.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EvaluateRequest<'a> {
    #[serde(borrow)]
    queries: Option<Vec<PlainQuery<'a>>>,
    #[serde(borrow)]
    retrieved: Option<Lists<'a>>,
    k_values: Option<Vec<usize>>,
    gain: Option<Gain>,
    latencies_ms: Option<Vec<f64>>,
    #[serde(borrow)]
    run: Option<&'a RawValue>,
    run_sha256: Option<String>,
    #[serde(default)]
    per_query: bool,
    #[serde(default)]
    answered_only: bool,
    #[serde(borrow)]
    judgments: Option<&'a RawValue>,
    judgments_sha256: Option<String>,
    project: Option<String>,
    metrics: Option<Vec<String>>,
    order: Option<String>,
    relevant_from: Option<i32>,
}

/// What a grade gains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Gain {
    /// As much as it says.
    #[default]
    Linear,
    /// 2^grade - 1.
    Exp2,
}

impl Gain {
    /// nDCG at a depth, with this gain.
    pub(super) fn ndcg(self, depth: usize) -> Answer<Metric> {
        metric(&match self {
            Self::Linear => format!("nDCG@{depth}"),
            Self::Exp2 => format!("nDCG(gain=exp2)@{depth}"),
        })
    }
}

/// What the plain form is answered with.
#[derive(Serialize)]
struct EvaluationResult {
    num_queries: usize,
    mrr: f64,
    map_score: f64,
    precision_at_k: OrderedObject<f64>,
    recall_at_k: OrderedObject<f64>,
    f1_at_k: OrderedObject<f64>,
    ndcg_at_k: OrderedObject<f64>,
    hit_rate_at_k: OrderedObject<f64>,
    /// As they were sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    latencies_ms: Option<Vec<f64>>,
    /// What the service took for it.
    latency_ms: f64,
}

/// Scores what was sent.
pub(crate) async fn evaluate(State(app): State<App>, caller: Caller, request: Request) -> Answer<Response> {
    let begun = Instant::now();
    let body = receive(request, &app, &caller).await?;
    let own = caller.clone();
    computing_long(&app, &own, body, move |app, body, bounds| {
        let body = body.into_decoded()?;
        let asked: EvaluateRequest<'_> = object(&body)?;
        app.counts.evaluations.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if asked.is_plain()? {
            let evaluated = asked.plain(begun, Some(bounds))?;
            return json_of(StatusCode::OK, &evaluated);
        }
        let scores = asked.scored(app, &caller, bounds)?;
        Ok(json(StatusCode::OK, rankgate_offline::report::to_json(&scores)))
    })
    .await
}

impl EvaluateRequest<'_> {
    fn is_plain(&self) -> Answer<bool> {
        let plain = self.queries.is_some() || self.retrieved.is_some();
        let full = self.run.is_some()
            || self.run_sha256.is_some()
            || self.judgments.is_some()
            || self.judgments_sha256.is_some();
        match (plain, full) {
            (true, false) => Ok(true),
            (false, true) => Ok(false),
            _ => Err(Problem::invalid(
                "give `queries` and `retrieved`, or `judgments` and `run`, the one or the other",
            )),
        }
    }

    fn plain(self, begun: Instant, bounds: Option<&Bounds>) -> Answer<EvaluationResult> {
        let queries = self.queries.ok_or_else(|| Problem::at("/queries", "they are missing"))?;
        let lists = self.retrieved.ok_or_else(|| Problem::at("/retrieved", "it is missing"))?;
        if self.metrics.is_some() || self.order.is_some() || self.relevant_from.is_some() || self.per_query {
            let detail = "`metrics`, `order`, `relevant_from` and `per_query` go with `judgments` and `run`";
            return Err(Problem::invalid(detail));
        }
        let (depths, gain) = (depths(self.k_values.as_deref())?, self.gain.unwrap_or_default());
        checked_latencies(self.latencies_ms.as_deref(), queries.len())?;
        // P, R, F1, Success and nDCG of each depth, RR and AP.
        bounded(bounds, queries.len(), 5 * depths.len() + 2, 1)?;
        bounded_rows(bounds, &queries, [&lists].into_iter())?;
        let judged = Judged::from_queries(&queries)?;
        let run = judged.run("/retrieved", &lists)?;
        let mut binary = vec![metric("RR")?, metric("AP")?];
        for depth in &depths {
            for name in ["P", "R", "F1", "Success"] {
                binary.push(metric(&format!("{name}@{depth}"))?);
            }
        }
        let gains: Vec<Metric> = depths.iter().map(|depth| gain.ndcg(*depth)).collect::<Answer<_>>()?;
        let scores = Scoring::new(binary).run(&judged.relevant, "retrieved", &run)?;
        let graded = Scoring::new(gains.clone()).run(judged.gains(), "retrieved", &run)?;
        let of = |scores: &Scores, name: &str| mean(scores, &metric(name)?);
        let by_depth = |name: &str| -> Answer<OrderedObject<f64>> {
            let one = |depth: &usize| Ok((depth.to_string(), of(&scores, &format!("{name}@{depth}"))?));
            depths.iter().map(one).collect::<Answer<Vec<_>>>().map(OrderedObject)
        };
        let ndcg = depths.iter().zip(&gains).map(|(depth, one)| Ok((depth.to_string(), mean(&graded, one)?)));
        Ok(EvaluationResult {
            num_queries: scores.queries,
            mrr: of(&scores, "RR")?,
            map_score: of(&scores, "AP")?,
            precision_at_k: by_depth("P")?,
            recall_at_k: by_depth("R")?,
            f1_at_k: by_depth("F1")?,
            ndcg_at_k: OrderedObject(ndcg.collect::<Answer<_>>()?),
            hit_rate_at_k: by_depth("Success")?,
            latencies_ms: self.latencies_ms,
            latency_ms: begun.elapsed().as_secs_f64() * 1e3,
        })
    }

    fn scored(self, app: &App, caller: &Caller, bounds: &Bounds) -> Answer<Scores> {
        if self.k_values.is_some() || self.gain.is_some() || self.latencies_ms.is_some() {
            let detail =
                "`k_values`, `gain` and `latencies_ms` go with `queries`; here `metrics` names what to score";
            return Err(Problem::invalid(detail));
        }
        let given = InputSource { app, caller, project: self.project.as_deref(), bounds };
        let judgments = given.bytes("judgments", self.judgments, self.judgments_sha256.as_deref())?;
        let run = given.bytes("run", self.run, self.run_sha256.as_deref())?;
        let qrels = Qrels::parse("judgments", &judgments)?;
        let order = order(self.order.as_deref())?;
        let run = read_run("run", &run, order)?;
        let metrics = metrics(self.metrics.as_deref())?;
        bounds.scores(qrels.queries().count(), metrics.len(), 1)?;
        let scoring = Scoring::new(metrics)
            .judging(judging(self.relevant_from)?)
            .answered_only(self.answered_only)
            .per_query(self.per_query)
            .order(order);
        Ok(scoring.run(&qrels, "run", &run)?)
    }
}

/// Takes memory for scores, where there is a server to take it of.
pub(super) fn bounded(bounds: Option<&Bounds>, queries: usize, metrics: usize, runs: usize) -> Answer<()> {
    bounds.map_or(Ok(()), |bounds| bounds.scores(queries, metrics, runs))
}

/// Takes memory for what is judged and retrieved, where there is a server to take it of.
pub(super) fn bounded_rows<'a>(
    bounds: Option<&Bounds>,
    queries: &[PlainQuery<'_>],
    lists: impl Iterator<Item = &'a Lists<'a>>,
) -> Answer<()> {
    let Some(bounds) = bounds else { return Ok(()) };
    let (mut number, mut rows) = (queries.len(), queries.iter().map(PlainQuery::rows).sum());
    for lists in lists {
        number += lists.len();
        rows += lists.iter().map(Vec::len).sum::<usize>();
    }
    bounds.rows(number, rows)
}

fn mean(scores: &Scores, metric: &Metric) -> Answer<f64> {
    let missing = || Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("{metric} was not computed"));
    scores.mean.get(&metric.to_string()).copied().ok_or_else(missing)
}

/// Refuses invalid answer times, and a number of them that is not that of the queries.
fn checked_latencies(latencies: Option<&[f64]>, queries: usize) -> Answer<()> {
    let Some(latencies) = latencies else { return Ok(()) };
    if latencies.len() != queries {
        let detail = format!("{} times for {queries} queries: one for each", latencies.len());
        return Err(Problem::at("/latencies_ms", detail));
    }
    match latencies.iter().position(|one| !one.is_finite() || *one < 0.0) {
        Some(place) => {
            let detail = format!("{} is no time in milliseconds: it is 0 or more", latencies[place]);
            Err(Problem::at(format!("/latencies_ms/{place}"), detail))
        }
        None => Ok(()),
    }
}

/// What runs and judgments are read from.
pub(super) struct InputSource<'a> {
    pub(super) app: &'a App,
    pub(super) caller: &'a Caller,
    pub(super) project: Option<&'a str>,
    pub(super) bounds: &'a Bounds,
}

impl InputSource<'_> {
    /// The bytes of a file in one of rankgate's formats: a text in JSON, an object, or a blob.
    pub(super) fn bytes(&self, key: &str, raw: Option<&RawValue>, sha256: Option<&str>) -> Answer<Vec<u8>> {
        let bytes = self.sent_bytes(key, raw, sha256)?;
        let (queries, rows) = extent(&bytes, most_queries(self.bounds.limits()));
        self.bounds.rows(queries, rows)?;
        Ok(bytes)
    }

    fn sent_bytes(&self, key: &str, raw: Option<&RawValue>, sha256: Option<&str>) -> Answer<Vec<u8>> {
        match (raw, sha256) {
            (Some(raw), None) => {
                let text = raw.get();
                match text.as_bytes().first() {
                    Some(b'"') => Ok(serde_json::from_str::<String>(text)
                        .map_err(|error| Problem::at(format!("/{key}"), error.to_string()))?
                        .into_bytes()),
                    Some(b'{') => Ok(text.as_bytes().to_vec()),
                    _ => Err(Problem::at(format!("/{key}"), "it is an object, or the text of a file")),
                }
            }
            (None, Some(sha256)) => {
                let project = project_of(self.caller, self.project, Right::Read)?;
                self.bounds.take_stored(size(self.app, &project, sha256)?)?;
                find(self.app, &project, sha256)
            }
            _ => Err(Problem::at(
                format!("/{key}"),
                format!("give `{key}` or `{key}_sha256`, the one or the other"),
            )),
        }
    }
}

/// How many queries and rows a file has at most, before it is read; no more queries are counted than one above `most`.
/// In lines a query is the first word. An object has one in each object.
pub(super) fn extent(bytes: &[u8], most: usize) -> (usize, usize) {
    if bytes.trim_ascii_start().first() == Some(&b'{') {
        let count = |wanted: u8| bytes.iter().filter(|byte| **byte == wanted).count();
        return (count(b'{'), count(b',') + count(b'{'));
    }
    let (mut queries, mut rows) = (HashSet::new(), 0);
    for line in bytes.split(|byte| *byte == b'\n') {
        rows += 1;
        if queries.len() <= most {
            let ends = line.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b',');
            queries.insert(&line[..ends.unwrap_or(line.len())]);
        }
    }
    (queries.len(), rows)
}

/// A run in one of rankgate's formats.
pub(super) fn read_run(name: &str, bytes: &[u8], order: Option<Order>) -> Answer<Run> {
    let reader = RunReader::new().order(order);
    Ok(reader.parse(name, bytes)?)
}

pub(super) fn order(named: Option<&str>) -> Answer<Option<Order>> {
    match named {
        None => Ok(None),
        Some("score") => Ok(Some(Order::Score)),
        Some("rank") => Ok(Some(Order::Rank)),
        Some(other) => Err(Problem::at("/order", format!("{other:?} is no order: score or rank"))),
    }
}

pub(super) fn judging(relevant_from: Option<i32>) -> Answer<Judging> {
    let relevant_from = relevant_from.unwrap_or(1);
    if relevant_from < 1 {
        return Err(Problem::at(
            "/relevant_from",
            format!("{relevant_from}: grades below 1 are not relevant"),
        ));
    }
    Ok(Judging { relevant_from, ..Judging::default() })
}

/// How much has to be there: nine in ten where nobody says another share.
pub(super) fn evidence(share: Option<f64>) -> Answer<Evidence> {
    match share {
        None => Ok(Evidence::default()),
        Some(share) if (0.0..=1.0).contains(&share) => Ok(Evidence::default().at_least(share)),
        Some(share) => Err(Problem::at("/evidence", format!("it is a share from 0 to 1, not {share}"))),
    }
}

/// Metrics by their names.
pub(super) fn metrics(named: Option<&[String]>) -> Answer<Vec<Metric>> {
    let usual = || ["nDCG@10", "RR@10", "R@100"].map(str::to_owned).to_vec();
    let named = named.map_or_else(usual, <[String]>::to_vec);
    if named.is_empty() || named.len() > 200 {
        return Err(Problem::at("/metrics", "name 1 to 200 metrics"));
    }
    let read = |(place, name): (usize, &String)| {
        name.parse()
            .map_err(|error: rankgate::Error| Problem::at(format!("/metrics/{place}"), error.to_string()))
    };
    named.iter().enumerate().map(read).collect()
}

/// The handling of the body without a store.
#[cfg(any(fuzzing, test))]
pub(crate) fn read(body: &[u8], begun: Instant) -> Answer<()> {
    let asked: EvaluateRequest<'_> = object(body)?;
    if asked.is_plain()? { asked.plain(begun, None).map(drop) } else { Ok(()) }
}
