//! Documents among the first of any configuration that somebody is to judge: people, or a model.

use std::collections::BTreeMap;

use rankgate::benchmark::Benchmark;
use rankgate::internal::Inspection;
use rankgate::metric::Metric;

use crate::error::chain;
use crate::evaluation::Evaluation;
use crate::gate::{Baseline, Graded};
use crate::spec::Spec;
use crate::{Error, Result};

/// Documents by the ids of query and document: the configurations that returned each, and at which rank.
pub type Ranks = BTreeMap<(String, String), BTreeMap<String, usize>>;

/// A configuration that did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedConfiguration {
    /// Its name.
    pub configuration: String,
    /// Why.
    pub reason: String,
    /// The spec ignores it; the others could not run.
    pub ignored: bool,
}

impl SkippedConfiguration {
    /// The note that it did not run.
    #[must_use]
    pub fn new(configuration: &str, reason: String, ignored: bool) -> Self {
        Self { configuration: configuration.to_owned(), reason, ignored }
    }
}

/// Takes in the first documents of a configuration for a query, of those that are wanted.
pub fn add<'a>(
    ranks: &mut Ranks,
    configuration: &str,
    query: &str,
    first: impl Iterator<Item = &'a str>,
    wanted: impl Fn(&str) -> bool,
) {
    for (rank, document) in (1..).zip(first).filter(|(_, document)| wanted(document)) {
        let places = ranks.entry((query.to_owned(), document.to_owned())).or_default();
        let place = places.entry(configuration.to_owned()).or_insert(rank);
        *place = rank.min(*place);
    }
}

/// What a spec's judge is to grade.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Holes {
    /// By the ids of query and document: the configurations, or blessed runs, that returned it, and at which
    /// rank.
    pub pairs: Ranks,
    /// Configurations that did not run.
    pub left_out: Vec<SkippedConfiguration>,
}

impl Holes {
    /// What the spec's judge is to grade: of each configuration that the spec does not ignore the first
    /// documents that people did not judge, or all of them. Variants and blessed runs are looked at where a
    /// gate rests on judgments of theirs. Retrievers run; no model does.
    ///
    /// # Errors
    /// A spec without a judge, a collection that cannot be read.
    pub fn find(benchmark: &Benchmark) -> Result<Self> {
        Self::of_configurations(benchmark, false)
    }

    /// The same of what gates rest on, and no deeper than their metrics look.
    ///
    /// # Errors
    /// As of [`find`](Self::find).
    pub fn needed_by_gates(benchmark: &Benchmark) -> Result<Self> {
        Self::of_configurations(benchmark, true)
    }

    fn of_configurations(benchmark: &Benchmark, needed_only: bool) -> Result<Self> {
        let (plan, inspection) = (benchmark.judge()?, Inspection::new(benchmark));
        let collection = benchmark.collection()?;
        let mut holes = Self { pairs: Ranks::new(), left_out: Vec::new() };
        let depth = if needed_only { deepest(benchmark.spec()).unwrap_or(plan.depth) } else { plan.depth };
        let look = |pairs: &mut Ranks, name: &str, evaluation: &Evaluation| {
            for query in collection.queries() {
                let wanted = |document: &str| match plan.graded {
                    Graded::All => true,
                    Graded::Holes => collection.qrels().grade(&query.id, document).is_none(),
                };
                for pass in 0..evaluation.passes() {
                    let first = evaluation.top(pass, &query.id, depth);
                    add(pairs, name, &query.id, first.into_iter(), wanted);
                }
            }
        };
        let judged = || benchmark.spec().comparisons.iter().filter(|one| one.judged.is_some());
        let limited = benchmark.spec().thresholds.iter().filter(|one| one.judged.is_some());
        let limited = limited.flat_map(|one| one.configurations.iter().map(String::as_str));
        let named: Vec<&str> = limited.chain(judged().flat_map(|one| one.configurations())).collect();
        for configuration in &benchmark.spec().configurations {
            if (configuration.is_derived() || needed_only) && !named.contains(&configuration.name.as_str()) {
                continue;
            }
            let left = |reason, ignored| SkippedConfiguration::new(&configuration.name, reason, ignored);
            if let Some(reason) = &configuration.ignore {
                holes.left_out.push(left(format!("the spec ignores it: {reason}"), true));
                continue;
            }
            match inspection.evaluation(configuration) {
                Ok(evaluation) => look(&mut holes.pairs, &configuration.name, &evaluation),
                Err(failure) => holes.left_out.push(left(chain(&Error::from(failure)), false)),
            }
        }
        for comparison in judged() {
            let tag = match &comparison.baseline {
                Baseline::Configuration(_) => continue,
                Baseline::Golden => None,
                Baseline::Anchor(tag) => Some(tag.as_str()),
            };
            let Some(candidate) = benchmark.spec().configuration(&comparison.candidate) else { continue };
            if let Some(golden) = inspection.golden(candidate, tag)? {
                let name = format!("{}, {}", comparison.candidate, comparison.baseline);
                look(&mut holes.pairs, &name, &golden.evaluation);
            }
        }
        Ok(holes)
    }
}

/// How deep the metrics look of gates that rest on judgments; `None` where one of them has no cutoff.
fn deepest(spec: &Spec) -> Option<usize> {
    let limited = spec.thresholds.iter().map(|one| (one.judged, &one.metrics));
    let compared = spec.comparisons.iter().map(|one| (one.judged, &one.metrics));
    let judged =
        limited.chain(compared).filter(|(judged, _)| judged.is_some()).flat_map(|(_, metrics)| metrics);
    let cutoffs: Option<Vec<usize>> =
        judged.filter(|metric| !metric.is_of_answers()).map(Metric::cutoff).collect();
    cutoffs?.into_iter().max()
}
