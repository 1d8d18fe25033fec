//! Which rankings are better, and how sure that is.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use rankgate::benchmark::model::{EvidenceRemedies, EvidenceShortage, PairsReport};
use rankgate::metric::Metric;
use rankgate::stats::PairsTest;
use rankgate::{Collection, Evaluation, Qrels, Run};
use rankgate_offline::{Comparing, Comparisons};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::evaluate::{
    Gain, InputSource, bounded, bounded_rows, evidence, judging, metrics, order, read_run,
};
use super::plain::{Entries, Judged, Lists, OrderedObject, PlainQuery, depths, escaped, metric};
use super::{json, json_of, object};
use crate::access::Caller;
use crate::app::App;
use crate::body::receive;
use crate::compute::computing_long;
use crate::problem::{Answer, Problem};
use crate::work::Bounds;

/// Rankings that are compared at a time.
const MOST: usize = 50;

/// The plain form, or runs and judgments in rankgate's own formats.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompareRequest<'a> {
    #[serde(borrow)]
    queries: Option<Vec<PlainQuery<'a>>>,
    #[serde(borrow)]
    retrievers: Option<Entries<'a, Lists<'a>>>,
    k_values: Option<Vec<usize>>,
    gain: Option<Gain>,
    #[serde(borrow)]
    judgments: Option<&'a RawValue>,
    judgments_sha256: Option<String>,
    /// By name: an object, the text of a file, or `{"sha256": ...}`.
    #[serde(borrow)]
    runs: Option<Entries<'a, &'a RawValue>>,
    /// By name: the hash of a blob.
    #[serde(borrow)]
    runs_sha256: Option<Entries<'a, String>>,
    /// What the others are held against: the first where it is left out.
    baseline: Option<String>,
    /// Whether every two are compared.
    pairs: Option<bool>,
    project: Option<String>,
    metrics: Option<Vec<String>>,
    order: Option<String>,
    relevant_from: Option<i32>,
    /// The smallest share of what should be there that is enough: judged queries with a relevant document, answers to
    /// them.
    evidence: Option<f64>,
}

/// What the plain form is answered with.
#[derive(Serialize)]
struct ComparisonResult {
    comparison: OrderedObject<OrderedObject<f64>>,
    tests: Vec<PairsReport>,
}

/// Compares what was sent.
pub(crate) async fn compare(State(app): State<App>, caller: Caller, request: Request) -> Answer<Response> {
    let body = receive(request, &app, &caller).await?;
    let own = caller.clone();
    computing_long(&app, &own, body, move |app, body, bounds| {
        let body = body.into_decoded()?;
        let asked: CompareRequest<'_> = object(&body)?;
        app.counts.evaluations.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let plain = asked.queries.is_some() || asked.retrievers.is_some();
        let full = asked.runs.is_some() || asked.runs_sha256.is_some() || asked.judgments.is_some();
        match (plain, full) {
            (true, false) => json_of(StatusCode::OK, &asked.plain(Some(bounds))?),
            (false, true) => {
                let compared = asked.compared(app, &caller, bounds)?;
                Ok(json(StatusCode::OK, rankgate_offline::report::to_json(&compared)))
            }
            _ => Err(Problem::invalid(
                "give `queries` and `retrievers`, or `judgments` and `runs`, the one or the other",
            )),
        }
    })
    .await
}

impl CompareRequest<'_> {
    fn plain(self, bounds: Option<&Bounds>) -> Answer<ComparisonResult> {
        let queries = self.queries.ok_or_else(|| Problem::at("/queries", "they are missing"))?;
        let Entries(retrievers) =
            self.retrievers.ok_or_else(|| Problem::at("/retrievers", "they are missing"))?;
        checked_number("/retrievers", retrievers.len())?;
        let further = match &self.k_values {
            Some(asked) => depths(Some(asked))?,
            None => Vec::new(),
        };
        // P, R and nDCG of each depth and of their own, RR and AP.
        bounded(bounds, queries.len(), 3 * further.len() + 5, retrievers.len())?;
        bounded_rows(bounds, &queries, retrievers.iter().map(|(_, lists)| lists))?;
        let judged = Judged::from_queries(&queries)?;
        let mut runs = Vec::new();
        for (name, lists) in &retrievers {
            runs.push((name.to_string(), judged.run(&format!("/retrievers/{}", escaped(name)), lists)?));
        }
        let gain = self.gain.unwrap_or_default();
        let (mut binary, mut gains) =
            (vec![("mrr".to_owned(), metric("RR")?), ("map".to_owned(), metric("AP")?)], vec![]);
        for (key, name, usual) in [("precision", "P", 5), ("recall", "R", 10)] {
            for depth in with(usual, &further) {
                binary.push((format!("{key}_at_{depth}"), metric(&format!("{name}@{depth}"))?));
            }
        }
        for depth in with(10, &further) {
            gains.push((format!("ndcg_at_{depth}"), gain.ndcg(depth)?));
        }
        let mut comparison: Vec<(String, OrderedObject<f64>)> =
            runs.iter().map(|(name, _)| (name.clone(), OrderedObject::default())).collect();
        let mut tests = Vec::new();
        // Where grades say something else than what is relevant, gains are of other judgments than the rest.
        let families = match &judged.graded {
            None => vec![(&judged.relevant, [binary, gains].concat())],
            Some(graded) => vec![(&judged.relevant, binary), (graded, gains)],
        };
        for (qrels, metrics) in families {
            let sides = evaluations(qrels, &runs, None)?;
            for ((_, side), (_, own)) in sides.iter().zip(&mut comparison) {
                for (key, metric) in &metrics {
                    own.0.push((key.clone(), side.value(metric)?));
                }
            }
            let comparing = Comparing::new(metrics.into_iter().map(|(_, metric)| metric))
                .evidence(evidence(self.evidence)?)
                .pairs(PairsTest::MaxT);
            let sides: Vec<(&str, &Evaluation)> =
                sides.iter().map(|(name, one)| (name.as_str(), one)).collect();
            tests.extend(comparing.compare(sides[0], &sides[1..]).map_err(with_remedies)?.pairs);
        }
        Ok(ComparisonResult { comparison: OrderedObject(comparison), tests })
    }

    fn compared(self, app: &App, caller: &Caller, bounds: &Bounds) -> Answer<Comparisons> {
        if self.k_values.is_some() || self.gain.is_some() {
            let detail = "`k_values` and `gain` go with `queries`; here `metrics` names what to compare";
            return Err(Problem::invalid(detail));
        }
        let given = InputSource { app, caller, project: self.project.as_deref(), bounds };
        let judgments = given.bytes("judgments", self.judgments, self.judgments_sha256.as_deref())?;
        let qrels = Qrels::parse("judgments", &judgments)?;
        let order = order(self.order.as_deref())?;
        let mut runs = Vec::new();
        for (name, raw) in self.runs.map_or_else(Vec::new, |Entries(runs)| runs) {
            let bytes = given.bytes(&format!("runs/{}", escaped(&name)), Some(raw), None)?;
            runs.push((name.to_string(), read_run(&name, &bytes, order)?));
        }
        for (name, sha256) in self.runs_sha256.map_or_else(Vec::new, |Entries(runs)| runs) {
            let bytes = given.bytes(&format!("runs_sha256/{}", escaped(&name)), None, Some(&sha256))?;
            runs.push((name.to_string(), read_run(&name, &bytes, order)?));
        }
        checked_number("/runs", runs.len())?;
        let baseline = match &self.baseline {
            None => 0,
            Some(named) => runs
                .iter()
                .position(|(name, _)| name == named)
                .ok_or_else(|| Problem::at("/baseline", format!("{named:?} is the name of no run")))?,
        };
        runs[..=baseline].rotate_right(1);
        let metrics: Vec<Metric> = metrics(self.metrics.as_deref())?;
        let judging = judging(self.relevant_from)?;
        bounds.scores(qrels.queries().count(), metrics.len(), runs.len())?;
        let sides = evaluations(&qrels, &runs, Some(judging))?;
        let sides: Vec<(&str, &Evaluation)> = sides.iter().map(|(name, one)| (name.as_str(), one)).collect();
        let mut comparing = Comparing::new(metrics).judging(judging).evidence(evidence(self.evidence)?);
        if self.pairs.unwrap_or(false) {
            comparing = comparing.pairs(PairsTest::MaxT);
        }
        comparing.compare(sides[0], &sides[1..]).map_err(with_remedies)
    }
}

/// What to send so that less is enough.
const IN_REQUESTS: EvidenceRemedies = EvidenceRemedies {
    share: |share| format!("send `\"evidence\": {share}` beside them"),
    queries: |queries| format!("send the {queries} judged queries alone"),
    split: |queries| format!("send the {queries} judged queries alone"),
    depth: |_| "send all of their results, or less of them on both sides".to_owned(),
    unjudgeable: "leave queries that are meant to have none out of the judgments",
};

/// An error of a comparison, with what to send where too little of what it rests on is there.
fn with_remedies(error: rankgate::Error) -> Problem {
    match error.downcast_ref::<EvidenceShortage>() {
        Some(shortage) => Problem::invalid(shortage.report().reason(&IN_REQUESTS)),
        None => error.into(),
    }
}

/// A depth, and those that were asked for besides.
fn with(usual: usize, further: &[usize]) -> Vec<usize> {
    let mut all = vec![usual];
    all.extend(further.iter().copied().filter(|depth| *depth != usual));
    all
}

fn checked_number(pointer: &str, number: usize) -> Answer<()> {
    match number {
        2..=MOST => Ok(()),
        _ => Err(Problem::at(pointer, format!("{number}: 2 to {MOST} are compared"))),
    }
}

fn evaluations(
    qrels: &Qrels,
    runs: &[(String, Run)],
    judging: Option<rankgate::Judging>,
) -> Answer<Vec<(String, Evaluation)>> {
    let collection = Collection::from_qrels(qrels.clone())?;
    let evaluate = |(name, run): &(String, Run)| {
        let evaluation = Evaluation::of_run(&collection, run.clone())?;
        let evaluation = judging.map_or(Ok(evaluation.clone()), |judging| evaluation.judged_by(judging))?;
        Ok::<_, rankgate::Error>((name.clone(), evaluation))
    };
    let named = |one: &(String, Run)| evaluate(one).map_err(|error| Problem::from(error).for_name(&one.0));
    runs.iter().map(named).collect()
}

/// What is done of the body without a store.
#[cfg(any(fuzzing, test))]
pub(crate) fn read(body: &[u8]) -> Answer<()> {
    let asked: CompareRequest<'_> = object(body)?;
    asked.plain(None).map(drop)
}
