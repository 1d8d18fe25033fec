//! Families of comparisons, each tested once and as a whole, whichever of its gates were selected.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::gate::{Baseline, Comparison, Segment};
use crate::metric::Metric;
use crate::progress::Watched;
use crate::spec::Spec;
use crate::words::counted;
use crate::{Error, ErrorKind, Result};

use crate::analysis::{Compared, Pair, Part, Question, Side, compare};
use crate::benchmark::decide::Decisions;
use crate::model::{ComparisonFinding, Verdict};
use crate::stats::Expectation;

/// The data on a spec's comparisons so far.
#[derive(Default)]
pub(crate) struct Families {
    /// By comparison.
    pairs: Vec<OnceLock<Result<Arc<Pair>>>>,
    /// By entry, which is the family.
    entries: Vec<OnceLock<Arc<Family>>>,
}

/// The verdicts on one family, by comparison and metric.
pub(crate) struct Family(BTreeMap<(usize, String), Result<(Verdict, ComparisonFinding)>>);

impl Families {
    pub(crate) fn new(spec: &Spec) -> Self {
        Self {
            pairs: spec.comparisons.iter().map(|_| OnceLock::new()).collect(),
            entries: spec.comparisons.iter().map(|_| OnceLock::new()).collect(),
        }
    }
}

impl Family {
    /// Asks a question about each metric of the comparisons, and decides all of them together.
    pub(crate) fn test<'a>(
        comparisons: impl Iterator<Item = (usize, &'a Comparison)>,
        mut question: impl FnMut(usize, &Metric, Expectation) -> Result<Question>,
        decide: impl FnOnce(&[Question], usize) -> Result<Vec<Result<Compared>>>,
    ) -> Self {
        let (mut all, mut places, mut questions) = (BTreeMap::default(), Vec::new(), Vec::new());
        // A comparison that cannot be made still counts: the others must not pass for want of it.
        let mut untested = 0;
        for (index, comparison) in comparisons {
            let Some(expect) = comparison.expect.tested() else { continue };
            for metric in &comparison.metrics {
                let place = (index, metric.to_string());
                match question(index, metric, expect) {
                    Ok(question) => {
                        places.push(place);
                        questions.push(question);
                    }
                    Err(error) => {
                        untested += usize::from(expect.is_corrected());
                        all.insert(place, Err(error));
                    }
                }
            }
        }
        match decide(&questions, untested) {
            Ok(found) => {
                let found = found.into_iter().map(|one| one.map(|one| (one.verdict, one.finding)));
                all.extend(places.into_iter().zip(found));
            }
            Err(error) => all.extend(places.into_iter().map(|place| (place, Err(error.clone())))),
        }
        Self(all)
    }

    /// The verdict on a comparison by a metric.
    pub(crate) fn of(&self, comparison: usize, metric: &Metric) -> Result<(Verdict, ComparisonFinding)> {
        let unknown = || Error::with_kind(ErrorKind::Internal, format!("nobody asked about {metric}"));
        self.0.get(&(comparison, metric.to_string())).cloned().unwrap_or_else(|| Err(unknown()))
    }
}

impl Decisions {
    /// The two sides of a comparison, paired once.
    pub(crate) fn pair(&self, comparison: usize) -> Result<Arc<Pair>> {
        self.families.pairs[comparison].get_or_init(|| self.make_pair(comparison)).clone()
    }

    /// The same as a metric sees them: of a column the queries with a score on both sides.
    pub(crate) fn pair_of(&self, comparison: usize, metric: Option<&Metric>) -> Result<Arc<Pair>> {
        let pair = self.pair(comparison)?;
        metric.map_or(Ok(Arc::clone(&pair)), |metric| pair.for_metric(metric))
    }

    fn make_pair(&self, comparison: usize) -> Result<Arc<Pair>> {
        let comparison = &self.measure.spec.comparisons[comparison];
        let Comparison { candidate, baseline, segment, .. } = comparison;
        self.pair_between(candidate, baseline, segment.as_ref())
    }

    /// A configuration and what it is compared with, over the queries that both have; of those, a segment.
    pub(crate) fn pair_between(
        &self,
        name: &str,
        baseline: &Baseline,
        segment: Option<&Segment>,
    ) -> Result<Arc<Pair>> {
        let measured =
            |name: &str| Ok::<_, Error>(self.measure.measurement(self.measure.configuration(name)?)?);
        let candidate = measured(name)?;
        let candidate_side = Side { name, evaluation: &candidate.evaluation, asked: None };
        let pair = |baseline: &Side<'_>| Pair::new(&candidate_side, baseline, segment);
        let pair = match baseline {
            Baseline::Configuration(name) => {
                let baseline = measured(name)?;
                pair(&Side { name, evaluation: &baseline.evaluation, asked: None })
            }
            Baseline::Golden => {
                let configuration = self.measure.configuration(name)?;
                let blessed = self.blessed(configuration)?.ok_or_else(|| unblessed(name))?;
                pair(&Side { name: "golden", evaluation: &blessed.evaluation, asked: Some(&blessed.asked) })
            }
        };
        Ok(Arc::new(pair?))
    }

    /// The family of a comparison, tested once.
    pub(crate) fn family(&self, comparison: usize) -> Arc<Family> {
        let slot = &self.families.entries[self.measure.spec.comparisons[comparison].entry];
        slot.get_or_init(|| Arc::new(self.test(&self.members(comparison)))).clone()
    }

    /// The comparisons of the family that one belongs to.
    fn members(&self, comparison: usize) -> Vec<usize> {
        let spec = &self.measure.spec;
        let entry = |comparison: usize| spec.comparisons[comparison].entry;
        (0..spec.comparisons.len()).filter(|&other| entry(other) == entry(comparison)).collect()
    }

    /// How many p-values of a comparison's family are adjusted for each other.
    pub(crate) fn family_size(&self, comparison: usize) -> usize {
        let members =
            self.members(comparison).into_iter().map(|member| &self.measure.spec.comparisons[member]);
        let corrected = members.filter(|one| one.expect.tested().is_some_and(|expect| expect.is_corrected()));
        corrected.map(|one| one.metrics.len()).sum()
    }

    fn test(&self, members: &[usize]) -> Family {
        let comparisons = &self.measure.spec.comparisons;
        let question = |index: usize, metric: &Metric, expect| {
            Ok(Question {
                parts: Part::alone(self.pair_of(index, Some(metric))?),
                metric: metric.clone(),
                expect,
                expected: true,
                unjudged: comparisons[index].unjudged,
            })
        };
        Family::test(
            members.iter().map(|&index| (index, &comparisons[index])),
            question,
            |questions, untested| {
                let comparisons = counted(questions.len(), "comparison", "comparisons");
                let what = format!("{}: resampling {comparisons}", self.measure.name());
                let _watched = Watched::start(self.measure.context.observer(), what);
                compare(questions, untested, self.measure.name(), &self.measure.spec.statistics)
            },
        )
    }
}

/// What keeps a pair from being made until somebody blesses its candidate.
pub(crate) fn unblessed(candidate: &str) -> Error {
    let message = format!("there is no golden run of {candidate} yet");
    Error::with_kind(ErrorKind::Missing, message)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::benchmark::Benchmark;
    use crate::benchmark::Registry;
    use crate::model::Finding;

    /// Six queries on which `new`, and `twin` likewise, is better than `old`, in two metrics: p is 1/64 for each,
    /// which is below 0.025, and twice that is not.
    fn benchmark(folder: &std::path::Path) -> Benchmark {
        let entry = "  - {candidate: new, baseline: old, expect: improvement, metrics: [RR@10, RR@5]}\n";
        with_comparisons(folder, entry)
    }

    fn with_comparisons(folder: &std::path::Path, comparisons: &str) -> Benchmark {
        let mut text = String::from("version: 1\nbenchmark: toy\ncollection:\n  inline:\n    queries:\n");
        let (mut old, mut new) = (String::new(), String::new());
        for query in 1..=6 {
            writeln!(text, "    - {{id: q{query}, text: alpha, relevant: {{r: 1, n1: 0}}}}").unwrap();
            // Gains of several sizes.
            for rank in 1..=query {
                writeln!(old, "q{query} Q0 n{rank} {rank} {}.0 old", 9 - rank).unwrap();
            }
            writeln!(old, "q{query} Q0 r {} 1.0 old", query + 1).unwrap();
            writeln!(new, "q{query} Q0 r 1 2.0 new\nq{query} Q0 n1 2 1.0 new").unwrap();
        }
        std::fs::write(folder.join("old.run"), old).unwrap();
        std::fs::write(folder.join("new.run"), new).unwrap();
        text += "configurations:\n  old: {run: old.run}\n  new: {run: new.run}\n  twin: {run: new.run}\n";
        writeln!(text, "comparisons:\n{comparisons}").unwrap();
        let path = folder.join("toy.yaml");
        std::fs::write(&path, text).unwrap();
        Benchmark::open(path, &Registry::new()).unwrap()
    }

    #[test]
    fn a_verdict_does_not_depend_on_what_was_selected() {
        let folder = tempfile::tempdir().unwrap();
        let whole = benchmark(folder.path()).run();
        for index in 0..2 {
            let alone = benchmark(folder.path()).decide(index);
            assert_eq!(alone, whole.gates[index]);
            let Finding::Comparison(finding) = &alone.finding else { panic!("{alone:?}") };
            assert_eq!((alone.verdict, finding.p_adjusted), (Verdict::Inconclusive, 4.0 / 64.0));
        }
    }

    #[test]
    fn candidates_of_one_entry_are_one_family() {
        let folder = tempfile::tempdir().unwrap();
        let entry = |candidates: &str| {
            format!("  - {{{candidates}, baseline: old, expect: improvement, metric: RR@10}}\n")
        };
        let apart = ["candidate: new", "candidate: twin"].map(entry).concat();
        let together = entry("candidate: [new, twin]");
        for (comparisons, verdict, p_adjusted, family) in
            [(apart, Verdict::Passed, 2.0 / 64.0, 1), (together, Verdict::Inconclusive, 4.0 / 64.0, 2)]
        {
            let whole = with_comparisons(folder.path(), &comparisons).run();
            for index in 0..2 {
                let alone = with_comparisons(folder.path(), &comparisons).decide(index);
                assert_eq!(alone, whole.gates[index], "{comparisons}");
                let Finding::Comparison(finding) = &alone.finding else { panic!("{alone:?}") };
                let adjusted = finding.rows.iter().any(|row| row.value == "Holm over 2 gates");
                assert_eq!((alone.verdict, finding.p_adjusted, adjusted), (verdict, p_adjusted, family == 2));
            }
        }
    }

    #[test]
    fn an_entry_is_tested_once() {
        let folder = tempfile::tempdir().unwrap();
        let entry = "  - {candidate: [new, twin], baseline: old, metric: RR@10}\n";
        let benchmark = with_comparisons(folder.path(), entry);
        assert!(Arc::ptr_eq(&benchmark.decisions.family(0), &benchmark.decisions.family(1)));
        assert!(Arc::ptr_eq(&benchmark.decisions.pair(0).unwrap(), &benchmark.decisions.pair(0).unwrap()));
    }
}
