//! Comma-separated values, as RFC 4180 has them but for the line ends, which are `\n`.

use crate::offline::model::{Expect, Verdict};
use crate::offline::{Comparisons, Conclusion, Scores};
use crate::rendering::csv::line;

/// Scores with a line per run and metric, and per query where the scores have them; `query` is empty in
/// the lines of a whole run.
///
/// ```
/// # use rankgate::{Qrels, Source};
/// # use rankgate_cli::offline::Scoring;
/// # let qrels = Qrels::parse("mine.qrels", b"q1 0 d1 1\n")?;
/// # let run = Source::stream("mine.run", &b"q1 Q0 d1 1 2.0 t\n"[..]);
/// let scores = Scoring::new(["F(beta=2,rel=1)@10".parse()?]).source(&qrels, "mine.run", run)?;
/// assert!(rankgate_cli::offline::report::scores_csv(&[scores]).starts_with("run,query,metric,value,"));
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn scores_csv(runs: &[Scores]) -> String {
    let mut text = line(&["run", "query", "metric", "value", "interval_low", "interval_high"]);
    for run in runs {
        for (metric, value) in run.mean.iter() {
            let limits = run.interval.get(metric).copied().flatten();
            let [low, high] = [limit(limits, 0), limit(limits, 1)];
            text += &line(&[&*run.run, "", metric, &value.to_string(), &low, &high]);
        }
        if let Some(per_query) = &run.per_query {
            for (query, row) in per_query.iter() {
                for (metric, value) in per_query.metrics().iter().zip(row) {
                    text += &line(&[&*run.run, query, metric, &value.to_string(), "", ""]);
                }
            }
        }
    }
    text
}

/// Comparisons with a line each: the main keys of the JSON form.
pub fn comparisons_csv(all: &Comparisons) -> String {
    let mut text = line(&[
        "metric",
        "baseline",
        "candidate",
        "conclusion",
        "queries",
        "wins",
        "ties",
        "losses",
        "baseline_mean",
        "candidate_mean",
        "difference",
        "interval_low",
        "interval_high",
        "p_deciding",
        "p_adjusted",
        "expect",
        "verdict",
        "warnings",
    ]);
    for (index, one) in all.comparisons.iter().enumerate() {
        let word = |word: Option<&str>| word.unwrap_or_default().to_owned();
        let warnings: Vec<String> = one.warnings.iter().map(ToString::to_string).collect();
        text += &line(&[
            one.metric.clone(),
            one.baseline.clone(),
            one.candidate.clone(),
            word(one.conclusion.map(Conclusion::as_str)),
            one.queries.to_string(),
            one.wins.to_string(),
            one.ties.to_string(),
            one.losses.to_string(),
            one.baseline_mean.to_string(),
            one.candidate_mean.to_string(),
            one.difference.to_string(),
            limit(one.interval, 0),
            limit(one.interval, 1),
            one.p_deciding.to_string(),
            one.p_adjusted.to_string(),
            word(one.expect.map(Expect::as_str)),
            word(verdict_of(all, index).map(Verdict::as_str)),
            warnings.join("; "),
        ]);
    }
    text
}

fn limit(interval: Option<[f64; 2]>, end: usize) -> String {
    interval.map_or(String::new(), |limits| limits[end].to_string())
}

/// The verdict on a comparison; one on a candidate's rankings is that of all its metrics.
pub(super) fn verdict_of(all: &Comparisons, comparison: usize) -> Option<Verdict> {
    let verdicts = &all.gate.as_ref()?.verdicts;
    let metrics = all.comparisons.len() / verdicts.len().max(1);
    verdicts.get(comparison / metrics.max(1)).copied()
}
