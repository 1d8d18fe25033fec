//! Budgets of text that the results of a query do not fill, although there may be more results.

use crate::error::Quoted;
use crate::evaluation::Evaluation;
use crate::metric::{LengthUnit, Limit, Metric};
use crate::words::counted;

use super::Cache;

/// Queries that a caution names.
const NAMED: usize = 3;

impl Cache {
    /// What to know of metrics that look at less than their budgets, where there may be more results than those that were asked for.
    pub(super) fn unfilled_budgets(&self, evaluation: &Evaluation) -> Vec<String> {
        let asked = (self.spec.depth, "that were asked for", "; `depth` asks for more");
        self.spec.metrics.iter().filter_map(|metric| unfilled(evaluation, metric, asked)).collect()
    }

    /// The same of a run file, whose lists all end at one length.
    pub(super) fn unfilled_budgets_of_run(&self, evaluation: &Evaluation) -> Vec<String> {
        let Some(cut) = evaluation.cut() else { return Vec::new() };
        let kept = (cut, "at which the file's lists end", "");
        self.spec.metrics.iter().filter_map(|metric| unfilled(evaluation, metric, kept)).collect()
    }
}

/// Of a metric with a budget: the queries of which so many results fit into it.
fn unfilled(
    evaluation: &Evaluation,
    metric: &Metric,
    (depth, which, advice): (usize, &str, &str),
) -> Option<String> {
    let (unit, budget) = match metric.limit()? {
        Limit::Results(_) => return None,
        Limit::Characters(most) => (LengthUnit::Characters, most),
        Limit::Tokens(most) => (LengthUnit::Tokens, most),
    };
    let run = evaluation.run(0)?;
    // The corpus is read once for all of them.
    let all = || run.iter().flat_map(|(_, hits)| hits).map(|hit| hit.id.as_str()).collect();
    let short = evaluation.queries().iter().filter(|query| {
        let hits = run.ranking(&query.id).unwrap_or_default();
        let ids: Vec<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
        let lengths = || evaluation.collection().document_lengths(unit, &ids, all);
        // What cannot be read is said by the gates that need it.
        hits.len() == depth && lengths().is_ok_and(|all| all.iter().flatten().sum::<usize>() < budget)
    });
    let short: Vec<String> = short.map(|query| Quoted(&query.id).to_string()).collect();
    let more = if short.len() > NAMED { ", ..." } else { "" };
    (!short.is_empty()).then(|| {
        format!(
            "{metric} sees less than its budget for {} ({}{more}): all {} {which} fit into it{advice}",
            counted(short.len(), "query", "queries"),
            short[..short.len().min(NAMED)].join(", "),
            counted(depth, "result", "results"),
        )
    })
}
