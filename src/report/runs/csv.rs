//! Comma-separated values, as RFC 4180 has them but for the line ends, which are `\n`.

use crate::model::Verdict;
use crate::offline::{Comparisons, Scores};
use crate::report::clean::clean;
use crate::report::message::word;

/// Scores with a line per run and metric, and per query where the scores have them; `query` is empty in
/// the lines of a whole run.
///
/// ```
/// # use rankgate::{Hit, Qrels, Run, offline::Scoring};
/// # let qrels = Qrels::parse("mine.qrels", b"q1 0 d1 1\n")?;
/// # let run = Run::from_rankings([("q1", vec![Hit::new("d1", 2.0)])])?;
/// let scores = Scoring::new(["F(beta=2,rel=1)@10".parse()?]).run(&qrels, "mine.run", &run)?;
/// assert!(rankgate::report::runs::scores_csv(&[scores]).starts_with("run,query,metric,value,"));
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
    ]);
    for run in runs {
        let facts = [run.queries, run.unanswered, run.unjudged_queries, run.tied_scores];
        let more = [run.without_relevant, run.left_out];
        for (metric, value) in run.mean.iter() {
            let [low, high] = limits(run.interval.get(metric).copied().flatten());
            let mut cells =
                vec![run.run.clone(), String::new(), metric.to_owned(), value.to_string(), low, high];
            cells.extend(facts.iter().chain(&more).map(usize::to_string));
            cells.push(run.confidence.to_string());
            text += &line(&cells);
        }
        for (query, row) in run.per_query.iter().flat_map(|per_query| per_query.iter()) {
            let metrics = run.mean.iter().map(|(metric, _)| metric);
            for (metric, value) in metrics.zip(row) {
                let mut cells = vec![run.run.clone(), query.to_owned(), metric.to_owned(), value.to_string()];
                cells.resize(13, String::new());
                text += &line(&cells);
            }
        }
    }
    text
}

/// Comparisons with a line each: the columns are the keys of the JSON form.
#[must_use]
pub fn comparisons_csv(all: &Comparisons) -> String {
    let mut text = line(&[
        "metric",
        "baseline",
        "candidate",
        "conclusion",
        "queries",
        "nonzero",
        "wins",
        "ties",
        "losses",
        "baseline_mean",
        "candidate_mean",
        "difference",
        "effect_dz",
        "interval_low",
        "interval_high",
        "t_interval_low",
        "t_interval_high",
        "p_two_sided",
        "p_greater",
        "p_less",
        "p_deciding",
        "p_adjusted",
        "p_error",
        "engine",
        "bootstrap_low",
        "bootstrap_high",
        "bootstrap_kind",
        "bootstrap_p_value",
        "bootstrap_win_share",
        "bootstrap_resamples",
        "minimum_detectable_effect",
        "judged_cutoff",
        "judged_baseline",
        "judged_candidate",
        "confidence",
        "test",
        "correction",
        "family",
        "seed",
        "verdict",
        "warnings",
    ]);
    for (index, one) in all.comparisons.iter().enumerate() {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let [low, high] = limits(one.interval);
        let [t_low, t_high] = limits(one.t_interval);
        let [boot_low, boot_high] = limits(one.bootstrap.interval);
        text += &line(&[
            one.metric.clone(),
            one.baseline.clone(),
            one.candidate.clone(),
            conclusion(one.conclusion).to_owned(),
            one.queries.to_string(),
            one.nonzero.to_string(),
            one.wins.to_string(),
            one.ties.to_string(),
            one.losses.to_string(),
            one.baseline_mean.to_string(),
            one.candidate_mean.to_string(),
            one.difference.to_string(),
            number(one.effect_dz),
            low,
            high,
            t_low,
            t_high,
            one.p_two_sided.to_string(),
            one.p_greater.to_string(),
            one.p_less.to_string(),
            one.p_deciding.to_string(),
            one.p_adjusted.to_string(),
            number(one.p_error),
            one.engine.to_string(),
            boot_low,
            boot_high,
            one.bootstrap.kind.to_string(),
            number(one.bootstrap.p_value),
            one.bootstrap.win_share.to_string(),
            one.bootstrap.resamples.to_string(),
            number(one.minimum_detectable_effect),
            one.judged.cutoff.to_string(),
            one.judged.baseline.to_string(),
            one.judged.candidate.to_string(),
            all.confidence.to_string(),
            all.test.to_string(),
            all.correction.to_string(),
            all.family.to_string(),
            all.seed.to_string(),
            verdict_of(all, index).map_or(String::new(), |verdict| word(verdict).to_lowercase()),
            one.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        ]);
    }
    text
}

/// The verdict on a comparison; one on a candidate's rankings is that of all its metrics.
pub(super) fn verdict_of(all: &Comparisons, comparison: usize) -> Option<Verdict> {
    let verdicts = &all.gate.as_ref()?.verdicts;
    let metrics = all.comparisons.len() / verdicts.len().max(1);
    verdicts.get(comparison / metrics.max(1)).copied()
}

fn conclusion(conclusion: crate::offline::Conclusion) -> &'static str {
    use crate::offline::Conclusion;
    match conclusion {
        Conclusion::Better => "better",
        Conclusion::Worse => "worse",
        Conclusion::NotShown => "not-shown",
        Conclusion::Identical => "identical",
    }
}

fn limits(interval: Option<[f64; 2]>) -> [String; 2] {
    interval.map_or_else(Default::default, |limits| limits.map(|limit| limit.to_string()))
}

fn line<C: AsRef<str>>(cells: &[C]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| quoted(cell.as_ref())).collect();
    cells.join(",") + "\n"
}

/// In quotes where it has to be. A cell is on one line, since tables are looked at in terminals and
/// logs; JSON has texts as they are. What a spreadsheet would take for a formula is made text by the
/// apostrophe that spreadsheets have for that.
fn quoted(cell: &str) -> String {
    let mut cell = clean(cell);
    if cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err() {
        cell.insert(0, '\'');
    }
    if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        assert_eq!(
            line(&["=HYPERLINK(\"http://x\",1)", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "-", "--"]),
            "\"'=HYPERLINK(\"\"http://x\"\",1)\",'+1+cmd|' /C calc'!A0,'-2+3,'@SUM(1),'-,'--\n"
        );
        assert_eq!(line(&["-0.25", "+1", "-1e-9", "a=b", "q-1", ""]), "-0.25,+1,-1e-9,a=b,q-1,\n");
    }

    #[test]
    fn what_would_end_a_cell_is_quoted() {
        assert_eq!(
            line(&["a", "b,c", "say \"x\"", "two\nlines", ""]),
            "a,\"b,c\",\"say \"\"x\"\"\",two\\nlines,\n"
        );
    }
}
