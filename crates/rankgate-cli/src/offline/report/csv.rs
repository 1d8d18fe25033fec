//! Comma-separated values, as RFC 4180 has them but for the line ends, which are `\n`.

use crate::offline::model::{ClaimReport, ComparisonFinding, Expect, JudgedReport, Verdict};
use crate::offline::{Comparisons, Conclusion, Scores};
use crate::rendering::csv::line;

/// Scores with a line per run and metric, and per query where the scores have them; `query` is empty in
/// the lines of a whole run.
///
/// ```
/// # use rankgate::{Hit, Qrels, Run};
/// # use rankgate_cli::offline::Scoring;
/// # let qrels = Qrels::parse("mine.qrels", b"q1 0 d1 1\n")?;
/// # let run = Run::from_rankings([("q1", vec![Hit::new("d1", 2.0)])])?;
/// let scores = Scoring::new(["F(beta=2,rel=1)@10".parse()?]).run(&qrels, "mine.run", &run)?;
/// assert!(rankgate_cli::offline::report::scores_csv(&[scores]).starts_with("run,query,metric,value,"));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[must_use]
pub fn scores_csv(runs: &[Scores]) -> String {
    let mut text = line(&[
        "run",
        "query",
        "metric",
        "value",
        "interval_low",
        "interval_high",
        "queries",
        "unanswered",
        "unjudged_queries",
        "tied_scores",
        "without_relevant",
        "left_out",
        "confidence",
        "groups",
    ]);
    for run in runs {
        let facts = [run.queries, run.unanswered, run.unjudged_queries, run.tied_scores];
        let more = [run.without_relevant, run.left_out];
        for (metric, value) in run.mean.iter() {
            let [low, high] = limits(run.interval.get(metric).copied().flatten());
            let mut cells =
                vec![run.run.clone(), String::new(), metric.to_owned(), value.to_string(), low, high];
            // What else is counted is of the queries that have an answer.
            let theirs = run.unanswerable_of(metric);
            match theirs {
                Some(theirs) => {
                    cells.push(theirs.queries.to_string());
                    cells.resize(cells.len() + facts.len() - 1 + more.len(), String::new());
                }
                None => cells.extend(facts.iter().chain(&more).map(usize::to_string)),
            }
            cells.push(run.confidence.to_string());
            let groups = run.groups.filter(|_| theirs.is_none());
            cells.push(groups.map_or_else(String::new, |groups| groups.to_string()));
            text += &line(&cells);
        }
        for per_query in run.all_per_query() {
            for (query, row) in per_query.iter() {
                for (metric, value) in per_query.metrics().iter().zip(row) {
                    let mut cells =
                        vec![run.run.clone(), query.to_owned(), metric.clone(), value.to_string()];
                    cells.resize(14, String::new());
                    text += &line(&cells);
                }
            }
        }
    }
    text
}

/// Comparisons with a line each: the columns are the keys of the JSON form, of lists and objects their contents.
#[must_use]
pub fn comparisons_csv(all: &Comparisons) -> String {
    let mut text = line(&COLUMNS.map(|(name, _)| name));
    for (index, one) in all.comparisons.iter().enumerate() {
        let row = Row { all, one, verdict: verdict_of(all, index) };
        text += &line(&COLUMNS.map(|(_, cell)| cell(&row)));
    }
    text
}

struct Row<'a> {
    all: &'a Comparisons,
    one: &'a ComparisonFinding,
    verdict: Option<Verdict>,
}

/// A column: its name, and what stands in it.
type Column = (&'static str, fn(&Row<'_>) -> String);

const COLUMNS: [Column; 46] = [
    ("metric", |row| row.one.metric.clone()),
    ("baseline", |row| row.one.baseline.clone()),
    ("candidate", |row| row.one.candidate.clone()),
    ("conclusion", |row| word_of(row.one.conclusion.map(Conclusion::as_str))),
    ("queries", |row| row.one.queries.to_string()),
    ("nonzero", |row| (row.one.wins + row.one.losses).to_string()),
    ("wins", |row| row.one.wins.to_string()),
    ("ties", |row| row.one.ties.to_string()),
    ("losses", |row| row.one.losses.to_string()),
    ("baseline_mean", |row| row.one.baseline_mean.to_string()),
    ("candidate_mean", |row| row.one.candidate_mean.to_string()),
    ("difference", |row| row.one.difference.to_string()),
    ("effect_dz", |row| number(row.one.effect_dz)),
    ("interval_low", |row| limit(row.one.interval, 0)),
    ("interval_high", |row| limit(row.one.interval, 1)),
    ("t_interval_low", |row| limit(row.one.t_interval, 0)),
    ("t_interval_high", |row| limit(row.one.t_interval, 1)),
    ("p_two_sided", |row| row.one.p_two_sided.to_string()),
    ("p_greater", |row| row.one.p_greater.to_string()),
    ("p_less", |row| row.one.p_less.to_string()),
    ("p_deciding", |row| row.one.p_deciding.to_string()),
    ("p_adjusted", |row| row.one.p_adjusted.to_string()),
    ("p_error", |row| number(row.one.p_error)),
    ("engine", |row| row.one.engine.to_string()),
    ("bootstrap_low", |row| limit(row.one.bootstrap.interval, 0)),
    ("bootstrap_high", |row| limit(row.one.bootstrap.interval, 1)),
    ("bootstrap_kind", |row| row.one.bootstrap.kind.to_string()),
    ("bootstrap_p_value", |row| number(row.one.bootstrap.p_value)),
    ("bootstrap_win_share", |row| row.one.bootstrap.win_share.to_string()),
    ("bootstrap_resamples", |row| row.one.bootstrap.resamples.to_string()),
    ("minimum_detectable_effect", |row| number(row.one.minimum_detectable_effect)),
    ("judged_cutoff", |row| judged(row, |one| one.cutoff.to_string())),
    ("judged_baseline", |row| judged(row, |one| one.baseline.to_string())),
    ("judged_candidate", |row| judged(row, |one| one.candidate.to_string())),
    ("judged_only_difference", |row| number(row.one.judged_only.as_ref().map(|only| only.difference))),
    ("confidence", |row| row.all.confidence.to_string()),
    ("test", |row| row.all.test.to_string()),
    ("correction", |row| row.all.correction.to_string()),
    ("family", |row| row.all.family.to_string()),
    ("seed", |row| row.all.seed.to_string()),
    ("expect", |row| word_of(row.one.expect.map(Expect::as_str))),
    ("limit", |row| number(row.one.limit)),
    ("p_margin", |row| number(row.one.p_margin)),
    ("claims", |row| joined(row.one.claims.iter().map(claim))),
    ("verdict", |row| word_of(row.verdict.map(Verdict::as_str))),
    ("cautions", |row| joined(row.one.cautions.iter().map(ToString::to_string))),
];

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// Empty of a column of scores.
fn judged(row: &Row<'_>, field: fn(&JudgedReport) -> String) -> String {
    row.one.judged.as_ref().map_or_else(String::new, field)
}

fn limit(interval: Option<[f64; 2]>, end: usize) -> String {
    number(interval.map(|limits| limits[end]))
}

fn word_of(word: Option<&str>) -> String {
    word.unwrap_or_default().to_owned()
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join("; ")
}

/// `greater than -0.02: p 0.0123 shown`
fn claim(claim: &ClaimReport) -> String {
    format!("{} than {}: p {} {}", claim.direction, claim.null, claim.p_adjusted, claim.evidence)
}

/// The verdict on a comparison; one on a candidate's rankings is that of all its metrics.
pub(super) fn verdict_of(all: &Comparisons, comparison: usize) -> Option<Verdict> {
    let verdicts = &all.gate.as_ref()?.verdicts;
    let metrics = all.comparisons.len() / verdicts.len().max(1);
    verdicts.get(comparison / metrics.max(1)).copied()
}

fn limits(interval: Option<[f64; 2]>) -> [String; 2] {
    interval.map_or_else(Default::default, |limits| limits.map(|limit| limit.to_string()))
}
