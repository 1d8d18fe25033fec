//! The run with the best mean on one half of the queries, compared with a baseline on the other half.

use std::collections::BTreeSet;

use rankgate::benchmark::model::Verdict;
use rankgate::collection::Query;
use rankgate::metric::Metric;
use rankgate::report::Style;
use rankgate::report::internal::clean::{clean, shorten_name};
use rankgate::report::internal::number::{count, counted, score};
use rankgate::report::internal::page::{Block, Section, Table};
use rankgate::report::internal::{painter, verdict};
use rankgate::{Error, Evaluation, Result};
use serde::Serialize;

use super::halves::choosing;
use super::{NAME, SCHEMA, WIDTH};
use crate::offline::report::comparisons_within;
use crate::offline::{Comparing, Comparisons};

/// The chosen run and its confirmation.
#[derive(Serialize)]
pub(crate) struct Choice {
    schema: u32,
    pub(crate) verdict: Verdict,
    metric: String,
    /// The key of the hash that halves the queries.
    key: String,
    chosen: String,
    baseline: String,
    /// Queries that choose, and queries that confirm.
    queries: [usize; 2],
    /// Means of the queries that choose, in the order of the runs.
    means: Vec<(String, f64)>,
    /// The comparison on the queries that confirm; none if the baseline has the best mean on the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<Comparisons>,
}

/// Chooses the run with the highest mean on one half of the queries, the first of equal ones, and tests on the other half that
/// it improves on the baseline. Queries of one group, by the metadata key `group-by`, stay in one half.
///
/// # Errors
/// A metric of which more is not better; fewer than two queries or groups; those of [`Comparing::compare`].
pub(crate) fn choose(
    (metric, key, cluster): (&Metric, &str, Option<&str>),
    comparing: &Comparing,
    baseline: usize,
    runs: &[(String, Evaluation)],
) -> Result<Choice> {
    metric.check_gain()?;
    let (baseline_name, baseline_run) = &runs[baseline];
    let group = |query: &Query| cluster.map_or_else(|| Ok(query.id.clone()), |key| query.group(key));
    let groups: Vec<String> = baseline_run.queries().iter().map(group).collect::<Result<_>>()?;
    let first = choosing(key, groups.iter().map(String::as_str));
    let queries = baseline_run.queries().iter().zip(&groups);
    let choose: BTreeSet<&str> = queries
        .filter(|(_, group)| first.contains(group.as_str()))
        .map(|(query, _)| query.id.as_str())
        .collect();
    let half = |run: &Evaluation, chooses: bool| {
        let kept = run.keeping(|query| choose.contains(query.id.as_str()) == chooses);
        kept.ok_or_else(|| Error::invalid("a choice needs at least two judged queries: one half is empty"))
    };
    let means = runs.iter().map(|(name, run)| Ok((name.clone(), half(run, true)?.value(metric)?)));
    let means: Vec<(String, f64)> = means.collect::<Result<_>>()?;
    let best = means.iter().map(|(_, mean)| *mean).fold(f64::NEG_INFINITY, f64::max);
    // A run that equals the baseline is no reason to change.
    let is_best = |at: &usize| means[*at].1 == best;
    let chosen = std::iter::once(baseline).chain(0..runs.len()).find(is_best).unwrap_or(baseline);
    let confirmed = if chosen == baseline {
        None
    } else {
        let (theirs, ours) = (half(baseline_run, false)?, half(&runs[chosen].1, false)?);
        Some(comparing.compare((baseline_name, &theirs), &[(&runs[chosen].0, &ours)])?)
    };
    let verdict = confirmed.as_ref().and_then(|all| all.gate.as_ref()).map(|gate| gate.verdict);
    Ok(Choice {
        schema: SCHEMA,
        verdict: verdict.unwrap_or(Verdict::Failed),
        metric: metric.to_string(),
        key: key.to_owned(),
        chosen: runs[chosen].0.clone(),
        baseline: baseline_name.clone(),
        queries: [choose.len(), groups.len() - choose.len()],
        means,
        confirmed,
    })
}

impl Choice {
    pub(crate) fn text(&self, style: Style, width: usize) -> String {
        let (chosen, metric) = (shorten_name(&self.chosen, NAME), clean(&self.metric));
        let choosing = counted(self.queries[0], "query", "queries");
        let said = match self.confirmed {
            None => {
                format!("keep {chosen}: no other run has a higher {metric} on the {choosing} that choose")
            }
            Some(_) => format!(
                "{chosen}, chosen on {choosing}, against the baseline on the other {}",
                count(self.queries[1])
            ),
        };
        let mut means = Table::headed(["", &metric, ""]).right([1]);
        for (name, mean) in &self.means {
            let marks = [(name == &self.chosen, "chosen"), (name == &self.baseline, "baseline")];
            let marks = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark);
            let marks = marks.collect::<Vec<_>>().join(", ");
            means.row([shorten_name(name, NAME), score(&self.metric, *mean), marks]);
        }
        let sections = [
            Section::headed(format!("{}: {said}", verdict::word(self.verdict))),
            Section::headed(format!("means of the {choosing} that choose")).part([Block::Table(means)]),
        ];
        let mut text = painter::page(&sections, WIDTH, style);
        if let Some(confirmed) = &self.confirmed {
            text.push('\n');
            text += &comparisons_within(confirmed, style, width, true);
        }
        text
    }
}
