//! Runs of several collections compared with a baseline's at once.
//!
//! Tests that gates run in never come here: `#[inline]` leaves it to the builds of those who call it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::analysis::{
    Pair, Part, PartOfMean, Rules, Side, SuiteQuestion, answer_suite, check_expectation, chosen_best,
    compared_files, in_collection, macro_mean,
};
use crate::collection::Collection;
use crate::error::chain;
use crate::evaluation::{Evaluation, Judging};
use crate::gate::{Evidence, Unjudged};
use crate::metric::Metric;
use crate::model::{
    Conclusion, EvidenceReport, EvidenceShortage, Finding, GateReport, MemberReport, Report, SuiteReport,
    Verdict,
};
use crate::run::{Order, RunReader};
use crate::spec::{Spec, SuiteSpec};
use crate::stats::{self, Reason};
use crate::{Error, ErrorKind, Result};

/// How runs over the collections of a suite are to be compared: by its weights and statistics.
///
/// A side is a pattern for the paths of its run files, in which `{}` stands for a benchmark's name; a folder holds
/// `<benchmark>.run`. Judgments and conventions are those of the benchmarks' specs.
#[derive(Clone, Debug)]
pub struct ComparingSuite {
    metrics: Vec<Metric>,
    expect: Option<stats::Expectation>,
    /// How run files are read.
    reader: RunReader,
    evidence: Evidence,
}

/// What is asked where nothing is expected.
const ANY_GAIN: stats::Expectation = stats::Expectation::Improvement { min_gain: 0.0 };

/// A side's name and what it answered in each collection.
type Answered = (String, Vec<Evaluation>);

impl ComparingSuite {
    /// On these metrics; where none is named on those of the suite. Nothing is expected.
    #[inline]
    pub fn new(metrics: impl IntoIterator<Item = Metric>) -> Self {
        Self {
            metrics: metrics.into_iter().collect(),
            expect: None,
            reader: RunReader::new(),
            evidence: Evidence::default(),
        }
    }

    /// The expectation of every candidate, on every metric.
    #[must_use]
    #[inline]
    pub fn expect(mut self, expect: stats::Expectation) -> Self {
        self.expect = Some(expect);
        self
    }

    /// Which column of a run file says the order.
    #[must_use]
    #[inline]
    pub fn order(mut self, order: impl Into<Option<Order>>) -> Self {
        self.reader = self.reader.order(order);
        self
    }

    /// How much of what comparisons rest on has to be there in each collection; by default what the suite says.
    #[must_use]
    #[inline]
    pub fn evidence(mut self, evidence: Evidence) -> Self {
        self.evidence = evidence;
        self
    }

    /// Compares runs in files. All candidates and metrics are one family.
    ///
    /// # Errors
    /// A collection or a run that cannot be read, a run that is missing or answers nothing: nothing is said of fewer
    /// collections than there are.
    #[inline]
    pub fn files<P: AsRef<Path>>(&self, suite: &SuiteSpec, baseline: P, candidates: &[P]) -> Result<Report> {
        let collections = collections(suite)?;
        let read = |pattern: &Path| self.read_all(suite, &collections, pattern);
        let baseline = read(baseline.as_ref())?;
        let candidates: Vec<Answered> =
            candidates.iter().map(|one| read(one.as_ref())).collect::<Result<_>>()?;
        self.compare(suite, &baseline, &candidates)
    }

    /// What is asked of a metric.
    #[inline]
    fn question(&self, parts: &Arc<Vec<Part>>, metric: &Metric) -> SuiteQuestion {
        SuiteQuestion {
            parts: Arc::clone(parts),
            metric: metric.clone(),
            expect: self.expect.unwrap_or(ANY_GAIN),
            unjudged: Unjudged::default(),
            guarantee: stats::Guarantee::default(),
            drop: stats::DropTest::default(),
        }
    }

    /// What a side answered in each collection.
    #[inline]
    fn read_all(&self, suite: &SuiteSpec, collections: &[Collection], pattern: &Path) -> Result<Answered> {
        let members = suite.members.iter().zip(collections);
        let of = members.map(|(member, collection)| self.read(&member.spec, collection, pattern));
        Ok((pattern.display().to_string(), of.collect::<Result<_>>()?))
    }

    #[inline]
    fn read(&self, spec: &Spec, collection: &Collection, pattern: &Path) -> Result<Evaluation> {
        let name = &spec.benchmark;
        let Some(path) = run_of(pattern, name)? else {
            let looked = match pattern.is_dir() {
                true => pattern.join(format!("{name}.run")).display().to_string(),
                false => filled(pattern, name).display().to_string(),
            };
            let message = format!("there is no run of {name}: looked for {looked}");
            return Err(Error::with_kind(ErrorKind::Missing, message));
        };
        let judging = Judging {
            relevant_from: spec.collection.relevant_from,
            skip_unjudgeable: spec.skip_unjudgeable,
            exclude_identical_ids: spec.collection.exclude_identical_ids,
        };
        let evaluate = || {
            let is_judged = |query: &str| collection.judgments(query).is_some();
            let (run, repeats) = self.reader.read_judged(&(&path).into(), &is_judged)?;
            let evaluation = Evaluation::of_run(collection, run)?.judged_by(judging)?;
            let evaluation = evaluation.with_unjudged_repeats(repeats);
            match &spec.statistics.cluster {
                Some(key) => evaluation.clustered_by(key),
                None => Ok(evaluation),
            }
        };
        evaluate().map_err(|error| {
            let (shown, said) = (path.display().to_string(), chain(&error));
            let said = if said.contains(&shown) { said } else { format!("{shown}: {said}") };
            in_collection(name, &Error::with_kind(error.kind(), said))
        })
    }

    #[inline]
    fn compare(&self, suite: &SuiteSpec, baseline: &Answered, candidates: &[Answered]) -> Result<Report> {
        let metrics = if self.metrics.is_empty() { &suite.metrics } else { &self.metrics };
        if metrics.is_empty() {
            return Err(Error::invalid("there is no metric to compare on"));
        }
        // Without an expectation it is asked, and told, in which collections a candidate is better.
        let expect = self.expect.unwrap_or(ANY_GAIN);
        metrics.iter().try_for_each(|metric| check_expectation(metric, &expect))?;
        let mut questions = Vec::with_capacity(candidates.len() * metrics.len());
        let mut incomplete = Vec::with_capacity(candidates.len() * metrics.len());
        for candidate in candidates {
            let parts = Arc::new(parts(suite, candidate, baseline)?);
            let evidence = metrics.iter().map(|metric| self.evidence_of(suite, &parts, metric));
            incomplete.extend(evidence.collect::<Result<Vec<_>>>()?);
            questions.extend(metrics.iter().map(|metric| self.question(&parts, metric)));
        }
        let rules = Rules { suite: &suite.suite, weights: suite.weights, statistics: &suite.statistics };
        let answers = answer_suite(&questions, 0, &rules)?.into_iter().collect::<Result<Vec<_>>>()?;
        let differences: Vec<(String, f64)> =
            answers.iter().map(|(_, one)| (one.whole.metric.clone(), one.whole.difference)).collect();
        let mut gates = Vec::with_capacity(answers.len());
        for (place, (verdict, mut finding)) in answers.into_iter().enumerate() {
            let verdict = if self.expect.is_some() { verdict } else { Verdict::Reported };
            if self.expect.is_none() {
                finding.whole.expect = None;
                finding.whole.conclusion = Some(conclusion(finding.whole.reason, finding.outcome));
            }
            let others = differences.iter().enumerate();
            let others =
                others.filter(|(other, (metric, _))| *other != place && *metric == finding.whole.metric);
            let best = chosen_best(&finding.whole, verdict, others.map(|(_, (_, difference))| *difference));
            finding.whole.cautions.extend(best);
            let name = format!(
                "{}::{}-vs-{}::{}",
                suite.suite, finding.whole.candidate, finding.whole.baseline, finding.whole.metric
            );
            gates.push(GateReport {
                name,
                configuration: finding.whole.candidate.clone(),
                advisory: false,
                verdict,
                place: None,
                finding: Finding::Suite(Box::new(finding)),
                evidence: incomplete[place].clone(),
                inputs_changed: Vec::new(),
                advice: Vec::new(),
            });
        }
        let sides = || std::iter::once(baseline).chain(candidates);
        let mut means = Vec::new();
        for (name, evaluations) in sides() {
            let of = parts_of_mean(suite, evaluations);
            for metric in metrics {
                means.push(macro_mean(name, &of, metric, &suite.statistics)?);
            }
        }
        let queries: Vec<usize> = baseline.1.iter().map(|one| one.queries().len()).collect();
        let shares = suite.shares(&queries);
        let member = |(place, member): (usize, &crate::spec::SuiteMember)| MemberReport {
            benchmark: member.spec.benchmark.clone(),
            spec: member.path.display().to_string(),
            share: shares.get(place).copied(),
            queries: queries.get(place).copied(),
        };
        let collections = suite.members.iter().enumerate().map(member).collect();
        Ok(Report {
            suite: Some(SuiteReport { weights: suite.weights, collections, means }),
            confidence: suite.statistics.confidence.level(),
            metrics: metrics.iter().map(ToString::to_string).collect(),
            gates_in_spec: gates.len(),
            gates,
            ..Report::blank(&suite.suite)
        })
    }
}

impl ComparingSuite {
    /// Incomplete evidence of a comparison, in all collections.
    ///
    /// # Errors
    /// Where less is there than has to be.
    #[inline]
    fn evidence_of(
        &self,
        suite: &SuiteSpec,
        parts: &[Part],
        metric: &Metric,
    ) -> Result<Option<EvidenceReport>> {
        let mut all = Vec::new();
        for (part, member) in parts.iter().zip(&suite.members) {
            let evidence = self.evidence.or(suite.evidence).or(member.spec.evidence);
            let expect = self.expect.map(Into::into);
            let pinned = member.spec.collection.pins_judgments();
            let compared = compared_files(&part.pair, metric, evidence, (expect, pinned))?;
            let Some(report) = compared else { continue };
            let named = EvidenceReport::of_suite(vec![(part.benchmark.clone(), report.clone())]);
            EvidenceShortage::check(named.as_ref())?;
            all.push((part.benchmark.clone(), report));
        }
        Ok(EvidenceReport::of_suite(all))
    }
}

/// The judgments of a suite's benchmarks.
#[inline]
fn collections(suite: &SuiteSpec) -> Result<Vec<Collection>> {
    let collection = |spec: &Spec| -> Result<Collection> {
        let source = spec.collection.resolve()?;
        source.check_pins(&spec.collection.pins)?;
        source.load()
    };
    let members = suite.members.iter().map(|member| {
        collection(&member.spec).map_err(|error| in_collection(&member.spec.benchmark, &error))
    });
    members.collect()
}

/// Both sides in every collection.
#[inline]
fn parts(suite: &SuiteSpec, candidate: &Answered, baseline: &Answered) -> Result<Vec<Part>> {
    let queries: Vec<usize> = baseline.1.iter().map(|one| one.queries().len()).collect();
    let sides = candidate.1.iter().zip(&baseline.1);
    let members = suite.members.iter().zip(sides).zip(suite.shares(&queries));
    members
        .map(|((member, (ours, theirs)), share)| {
            let side = |name, evaluation| Side { name, evaluation, asked: None };
            let pair = Pair::new(&side(&candidate.0, ours), &side(&baseline.0, theirs), None);
            let benchmark = member.spec.benchmark.clone();
            let pair = pair.map_err(|error| in_collection(&benchmark, &error))?;
            Ok(Part { benchmark, share, pair: Arc::new(pair) })
        })
        .collect()
}

#[inline]
fn parts_of_mean<'a>(suite: &'a SuiteSpec, evaluations: &'a [Evaluation]) -> Vec<PartOfMean<'a>> {
    let queries: Vec<usize> = evaluations.iter().map(|one| one.queries().len()).collect();
    let members = suite.members.iter().zip(evaluations).zip(suite.shares(&queries));
    let part = |((member, evaluation), share): ((&'a crate::spec::SuiteMember, &'a Evaluation), f64)| {
        PartOfMean { benchmark: &member.spec.benchmark, share, evaluation }
    };
    members.map(part).collect()
}

/// The claim that the data allow where nothing was expected.
#[inline]
fn conclusion(reason: Reason, outcome: stats::Outcome) -> Conclusion {
    match outcome {
        _ if reason == Reason::Identical => Conclusion::Identical,
        stats::Outcome::Passed => Conclusion::Better,
        stats::Outcome::Failed => Conclusion::Worse,
        stats::Outcome::Inconclusive => Conclusion::NotShown,
    }
}

/// A benchmark's run file, as a pattern or a folder names it; `None` where it is not there.
///
/// # Errors
/// A pattern without `{}` that is no folder.
#[inline]
fn run_of(pattern: &Path, benchmark: &str) -> Result<Option<PathBuf>> {
    if pattern.is_dir() {
        let files = ["run", "run.gz", "run.zst"].map(|ending| pattern.join(format!("{benchmark}.{ending}")));
        return Ok(files.into_iter().find(|file| file.is_file()));
    }
    if !pattern.to_string_lossy().contains("{}") {
        let shown = pattern.display();
        if !pattern.exists() {
            let said =
                "there is no such folder; a path with `{}` in place of the benchmark's name would do as well";
            return Err(Error::of_file(ErrorKind::Missing, pattern, said));
        }
        return Err(Error::invalid(format!(
            "{shown} is neither a folder of runs, `<benchmark>.run` each, nor a path with `{{}}` in place of the \
             benchmark's name"
        )));
    }
    Ok(Some(filled(pattern, benchmark)).filter(|path| path.is_file()))
}

#[inline]
fn filled(pattern: &Path, benchmark: &str) -> PathBuf {
    PathBuf::from(pattern.to_string_lossy().replace("{}", benchmark))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::report;
    use crate::spec::Registry;

    /// Two collections of 12 and 30 queries; `old` finds the answer at the second rank, `new` at the first.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: String, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for (name, queries) in [("few", 12), ("many", 30)] {
            let (mut old, mut new, mut spec) = (String::new(), String::new(), String::new());
            write!(spec, "version: 1\nbenchmark: {name}\ncollection:\n  inline:\n    queries:\n").unwrap();
            for query in 0..queries {
                writeln!(spec, "      - {{id: q{query}, text: x, relevant: [d]}}").unwrap();
                let rank = 1 + query % 3;
                writeln!(
                    old,
                    "q{query} Q0 x 1 9 t\nq{query} Q0 y 2 8 t\nq{query} Q0 d {} {} t",
                    rank + 1,
                    9.5 - f64::from(rank)
                )
                .unwrap();
                writeln!(new, "q{query} Q0 d 1 9 t").unwrap();
            }
            spec += "configurations: {mine: {retriever: mine}}\nmetrics: [RR@10]\n";
            write(format!("{name}.yaml"), &spec);
            write(format!("old/{name}.run"), &old);
            write(format!("runs/{name}.new.run"), &new);
        }
        let gate = "metrics: [RR@10]\nthresholds: [{metric: RR@10, min: 0.1}]\n";
        write(
            "all.yaml".to_owned(),
            &format!("version: 1\nsuite: all\nbenchmarks: [few.yaml, many.yaml]\n{gate}"),
        );
        folder
    }

    fn suite(folder: &Path) -> SuiteSpec {
        SuiteSpec::load(folder.join("all.yaml"), Registry::new().any_retriever()).unwrap()
    }

    #[test]
    fn runs_of_several_collections_are_compared_at_once() {
        let folder = folder();
        let place = |path: &str| folder.path().join(path);
        let sides = (place("old"), place("runs/{}.new.run"));
        let report = ComparingSuite::new([]).files(&suite(folder.path()), &sides.0, &[&sides.1]).unwrap();
        assert_eq!(report.gates[0].verdict, Verdict::Reported);
        let Finding::Suite(finding) = &report.gates[0].finding else { panic!() };
        assert_eq!(finding.whole.conclusion, Some(Conclusion::Better));
        assert_eq!((finding.whole.candidate_mean, finding.whole.queries), (1.0, 42));
        let text = report::text(&report);
        assert!(text.contains("RR@10 by collection") && text.contains("is better than"), "{text}");
        // What is expected is a gate.
        let comparing = ComparingSuite::new([]).expect(stats::Expectation::Improvement { min_gain: 0.9 });
        let report = comparing.files(&suite(folder.path()), &sides.0, &[&sides.1]).unwrap();
        assert_eq!(report.gates[0].verdict, Verdict::Inconclusive);
    }

    #[test]
    fn which_candidate_is_better_is_not_asked_of_a_metric_that_does_not_say_it() {
        let folder = folder();
        let place = |path: &str| folder.path().join(path);
        let sides = (place("old"), place("runs/{}.new.run"));
        let comparing = ComparingSuite::new(["NumRet".parse().unwrap()]);
        let error = comparing.files(&suite(folder.path()), &sides.0, &[&sides.1]).unwrap_err().to_string();
        assert!(error.starts_with("nothing says whether more of NumRet is better"), "{error}");
    }

    #[test]
    fn a_run_that_is_missing_is_an_error_that_says_where_it_was_looked_for() {
        let folder = folder();
        let place = |path: &str| folder.path().join(path);
        let said = |baseline: &str, candidate: &str| {
            let all = ComparingSuite::new([]);
            let report = all.files(&suite(folder.path()), place(baseline), &[place(candidate)]);
            report.unwrap_err().to_string()
        };
        let error = said("old/few.run", "runs/{}.new.run");
        assert!(error.contains("neither a folder of runs") && error.contains("`{}`"), "{error}");
        let error = said("old", "runs/{}.run");
        assert!(
            error.contains("there is no run of few: looked for") && error.contains("runs/few.run"),
            "{error}"
        );
        std::fs::remove_file(place("old/many.run")).unwrap();
        let error = said("old", "runs/{}.new.run");
        assert!(error.contains("there is no run of many") && error.ends_with("old/many.run"), "{error}");
        std::fs::write(place("old/many.run"), "q1 Q0 d\n").unwrap();
        let error = said("old", "runs/{}.new.run");
        assert!(error.starts_with("many: ") && error.contains("many.run"), "{error}");
    }
}
