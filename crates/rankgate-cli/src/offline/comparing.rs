//! Runs compared with a baseline.

mod coverage;
mod decide;
#[cfg(test)]
mod one_p_tests;
mod report;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::offline::analysis::{Pair, shown};
use crate::offline::collection::{Collection, Query};
use crate::offline::evaluation::{Evaluation, Judging};
use crate::offline::gate::{Expectation, Statistics};
use crate::offline::metric::Metric;
use crate::offline::model::CoverageReport;
use crate::offline::run::{Ranking, RunReader};
use crate::offline::{Error, Result, Source};

use crate::offline::baseline::Baseline;
use crate::offline::comparison::Comparisons;

/// Queries that are named each way by default.
const MOVERS: usize = 5;
/// Documents of a ranking that are held at most, but for the judged ones.
const DEEPEST_HELD: usize = 100;

/// How to compare runs: metrics, tests, and the expectation.
///
/// All candidates and metrics are one family of comparisons, adjusted for their number.
///
/// ```
/// use rankgate_cli::offline::{Comparing, Conclusion};
/// use rankgate::{Collection, Evaluation, Hit, Qrels, Run};
///
/// let mut qrels = Qrels::new();
/// let (mut old, mut new) = (Vec::new(), Vec::new());
/// for query in 1..=8 {
///     qrels.insert(&format!("q{query}"), "d1", 1)?;
///     // The answer was found after as many others as the query's number.
///     let found = Hit::new("d1", 0.0);
///     let others = (1..=query).rev().map(|other| Hit::new(format!("other {other}"), f64::from(other)));
///     old.push((format!("q{query}"), others.chain([found]).collect()));
///     new.push((format!("q{query}"), vec![Hit::new("d1", 1.0)]));
/// }
/// let collection = Collection::from_qrels(qrels)?;
/// let evaluate = |rankings| Evaluation::of_run(&collection, Run::from_rankings(rankings)?);
///
/// let comparisons = Comparing::new(["RR@10".parse()?])
///     .compare(("old.run", &evaluate(old)?), &[("new.run", &evaluate(new)?)])?;
/// let compared = &comparisons.comparisons[0];
/// assert!((compared.difference - 0.7714).abs() < 1e-4);
/// assert_eq!(compared.claims[0].p, 2.0 / 256.0);
/// assert_eq!(compared.conclusion, Some(Conclusion::Better));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Comparing {
    pub(crate) metrics: Vec<Metric>,
    pub(crate) statistics: Statistics,
    /// The expectation of every candidate, on every metric.
    pub expect: Option<Expectation>,
    /// How many queries are named that lost, and that gained.
    pub(crate) movers: usize,
    /// How run files are read, for [`sources`](Self::sources).
    pub(crate) reader: RunReader,
    /// How the rankings of run files are judged, likewise.
    pub(crate) judging: Judging,
    /// The coverage that comparisons need on both sides, from 0 to 1: the share of the judged queries with a relevant
    /// document that both answered. Below it nothing is compared, and the error is a
    /// [`LowCoverage`](rankgate_report::benchmark::model::LowCoverage).
    pub(crate) min_coverage: f64,
    /// Whether [`Comparisons::report`] has the queries' rankings, which take longer than all else in it.
    pub(crate) pictured: bool,
}

impl Comparing {
    /// On these metrics, of which one that comes twice counts once: 95% confidence, the permutation test,
    /// Holm's correction, nothing expected.
    pub fn new(metrics: impl IntoIterator<Item = Metric>) -> Self {
        let mut unique: Vec<Metric> = Vec::new();
        for metric in metrics {
            if !unique.contains(&metric) {
                unique.push(metric);
            }
        }
        Self {
            metrics: unique,
            statistics: Statistics::default(),
            expect: None,
            movers: MOVERS,
            reader: RunReader::new(),
            judging: Judging::default(),
            min_coverage: CoverageReport::NEEDED,
            pictured: true,
        }
    }

    /// Compares runs, each with its name in results, the baseline first: the same as to [`compare`](Self::compare) what they
    /// hold, in far less memory. Of the baseline only the ids are kept, and of a candidate only the report.
    ///
    /// # Errors
    ///
    /// As for [`compare`](Self::compare); a file that cannot be read or is no run; a run that answers none
    /// of the judged queries; a metric of one's own that [needs the documents](Metric::needs_documents).
    pub fn sources(&self, collection: &Collection, sources: &[(String, Source<'_>)]) -> Result<Comparisons> {
        let names: Vec<&str> = sources.iter().map(|(name, _)| name.as_str()).collect();
        self.check(&names)?;
        let on_rankings = matches!(self.expect, Some(Expectation::Identical | Expectation::Overlap { .. }));
        let cutoffs = self.metrics.iter().map(|metric| metric.cutoff().unwrap_or(usize::MAX));
        let on_rankings_down_to = match self.expect {
            Some(Expectation::Overlap { cutoff, .. }) => cutoff,
            Some(Expectation::Identical) => usize::MAX,
            Some(Expectation::Scores(_)) | None => 0,
        };
        let deepest = cutoffs.max().unwrap_or(0).max(on_rankings_down_to);
        let kept = Mutex::new(Baseline::new(on_rankings, deepest));
        let (first, places) =
            self.read(collection, &sources[0].1, |_, ranking| Baseline::keep(&kept, ranking))?;
        let mut kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        kept.places = places;
        let (mut evaluations, mut all_alike) = (vec![first], Vec::new());
        for (_, source) in &sources[1..] {
            let alike = |query: &Query, ranking: &Ranking<'_>| kept.alike(query, Some(ranking));
            let (evaluation, mut by_query) = self.read(collection, source, alike)?;
            let of_query = |query: &Query| {
                let answered = by_query.remove(&query.id);
                answered.unwrap_or_else(|| kept.alike(query, None))
            };
            all_alike.push(evaluation.queries().iter().map(of_query).collect::<Vec<_>>());
            evaluations.push(evaluation);
        }
        drop(kept);
        let evaluations: Vec<&Evaluation> = evaluations.iter().collect();
        let mut all_alike = all_alike.into_iter();
        self.compared(&names, &evaluations, |candidate, baseline| {
            Pair::of_alike(candidate, baseline, all_alike.next().unwrap_or_default())
        })
    }

    /// Reads a run, judged, and what `more` makes of each ranking.
    fn read<T: Send>(
        &self,
        collection: &Collection,
        source: &Source<'_>,
        more: impl Fn(&Query, &Ranking<'_>) -> T + Sync,
    ) -> Result<(Evaluation, BTreeMap<String, T>)> {
        // What nobody judged is told apart down to the cutoffs, if they are not too deep to be held.
        let cutoffs = self.metrics.iter().map(|metric| metric.cutoff().unwrap_or(DEEPEST_HELD));
        let deepest = cutoffs.max().unwrap_or(0).min(DEEPEST_HELD);
        let overlap = match self.expect {
            Some(Expectation::Overlap { cutoff, .. }) => cutoff.min(DEEPEST_HELD),
            _ => 0,
        };
        let top = shown(&self.metrics).max(deepest).max(overlap);
        let (evaluation, more) =
            Evaluation::while_reading(collection, &self.reader, source, self.judging, top, more)?;
        Ok((self.clustered(&evaluation)?, more))
    }

    /// The evaluation with its queries in the groups of `group-by`.
    fn clustered(&self, evaluation: &Evaluation) -> Result<Evaluation> {
        match &self.statistics.group_by {
            None => Ok(evaluation.clone()),
            Some(key) => evaluation.clustered_by(key),
        }
    }

    /// Compares candidates with a baseline, each by the name of its file and its scores.
    ///
    /// # Errors
    ///
    /// No metric, no candidate, two runs of one name; runs without a query in common or that returned
    /// nothing; a metric that cannot be computed; a query without the metadata that the statistics group by;
    /// settings out of range.
    pub fn compare(
        &self,
        baseline: (&str, &Evaluation),
        candidates: &[(&str, &Evaluation)],
    ) -> Result<Comparisons> {
        let (names, evaluations): (Vec<&str>, Vec<&Evaluation>) =
            std::iter::once(baseline).chain(candidates.iter().copied()).unzip();
        self.check(&names)?;
        let evaluations: Vec<Evaluation> =
            evaluations.into_iter().map(|one| self.clustered(one)).collect::<Result<_>>()?;
        let evaluations: Vec<&Evaluation> = evaluations.iter().collect();
        self.compared(&names, &evaluations, |candidate, baseline| Pair::new(candidate, baseline, None))
    }

    fn check(&self, names: &[&str]) -> Result<()> {
        self.metrics.iter().try_for_each(Metric::check_arithmetic)?;
        if self.metrics.is_empty() || names.len() < 2 {
            return Err(Error::invalid("a comparison needs a metric and a candidate"));
        }
        if let Some((index, name)) =
            names.iter().enumerate().find(|(index, name)| names[..*index].contains(name))
        {
            let first = if names[0] == *name && index > 0 { "compared with itself" } else { "given twice" };
            return Err(Error::invalid(format!("{name} is {first}")));
        }
        Ok(())
    }
}
