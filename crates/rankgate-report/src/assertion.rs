//! Assertions on an evaluation, for ordinary `#[test]` functions.

use std::panic::Location;
use std::sync::Arc;

use crate::analysis::{
    self, Answered, Basis, Compared, CompleteLists, ForeignDocuments, MissingRelevant, Pair, Part, Question,
    Side, check_people, foreign_documents, held_down, judged_some, nothing_judged,
};
use crate::evaluation::{Evaluation, hold};
use crate::gate::{Bound, Statistics, Unjudged};
use crate::metric::{IntoMetric, Metric};
use crate::model::{
    CoverageReport, Finding, GateReport, LowCoverage, Report, ThresholdFinding, Verdict, Warning,
};
use crate::report;
use crate::stats::{self, Confidence, Expectation};
use crate::{Error, ErrorKind, Result};

/// What the retriever is called where nobody gave it a name.
const NAME: &str = "the retriever";
/// What it is compared with.
const BASELINE: &str = "the baseline";

/// What to write in a test so that less is enough.
fn lower_in_test(share: &str) -> String {
    // Rust takes no `0` for a share.
    let point = if share.contains('.') { "" } else { ".0" };
    format!("write `evaluation.with_min_coverage({share}{point})`")
}

impl Evaluation {
    /// What is not complete of the sides, of which this is the first, over the queries of a pair.
    ///
    /// # Errors
    /// A share that is none; a corpus that cannot be read; a metric that cannot be computed.
    fn coverage(&self, metric: &Metric, pair: Option<&Pair>) -> Result<Option<CoverageReport>> {
        let mut basis = Basis::of_collection(self.collection());
        basis.needs_relevant = metric.needs_relevance();
        let missing = match basis.needs_relevant {
            true => Some(MissingRelevant::new(self.collection(), self.collection().corpus_ids()?)),
            false => None,
        };
        basis.missing_relevant = missing.as_ref();
        let sides = match pair {
            None => vec![(NAME, self)],
            Some(pair) => {
                basis.count_unpaired(pair);
                basis.lists = Some(CompleteLists::scored(metric));
                vec![(NAME, &pair.candidate), (BASELINE, &pair.baseline)]
            }
        };
        let found = |(_, side): &(&str, &Self)| foreign_documents(side, || side.collection().corpus_ids());
        let found: Vec<ForeignDocuments> = sides.iter().map(found).collect::<Result<_>>()?;
        let answered = |((name, evaluation), foreign_documents)| Answered {
            name,
            evaluation,
            foreign_documents: Some(foreign_documents),
        };
        basis.sides = sides.into_iter().zip(&found).map(answered).collect();
        basis.count(self.min_coverage().unwrap_or(CoverageReport::NEEDED))
    }
}

/// Assertions in the manner of `assert!`: silent when they hold, else a panic with the message that
/// a gate of a spec would give, naming the queries that are to blame.
impl Evaluation {
    /// Asserts that the metric's mean is at least `min`.
    ///
    /// ```should_panic
    /// # let mut builder = rankgate::CollectionBuilder::new();
    /// # builder.add_query(rankgate::Query::new("q1", "alpha"), [("d1", 1)]);
    /// # let collection = builder.build().unwrap();
    /// let evaluation = rankgate::evaluate(&collection, 10, |_query, _depth| Ok(vec![])).unwrap();
    /// evaluation.assert_at_least("nDCG@10", 0.60);
    /// ```
    ///
    /// # Panics
    /// When it is less, is not a number, or cannot be computed; when the metric can never be `min`, or the
    /// [coverage](Self::with_min_coverage) is too low.
    #[track_caller]
    pub fn assert_at_least(&self, metric: impl IntoMetric, min: f64) {
        self.assert_limit(metric, Bound::Mean, [Some(min), None]);
    }

    /// Asserts that the metric's mean is at most `max`.
    ///
    /// # Panics
    /// When it is more, is not a number, or cannot be computed; when the metric can never be `max`, or the
    /// [coverage](Self::with_min_coverage) is too low.
    #[track_caller]
    pub fn assert_at_most(&self, metric: impl IntoMetric, max: f64) {
        self.assert_limit(metric, Bound::Mean, [None, Some(max)]);
    }

    /// Asserts that the lower end of the mean's 95% interval is at least `min`: that the metric is
    /// known to be that good, and not by the luck of the queries.
    ///
    /// # Panics
    /// When it is less, when there is no interval (one query, or all queries with one score),
    /// when the metric cannot be computed or can never be `min`, or when the [coverage](Self::with_min_coverage) is too low.
    #[track_caller]
    pub fn assert_lower_bound_at_least(&self, metric: impl IntoMetric, min: f64) {
        self.assert_limit(metric, Bound::Lower, [Some(min), None]);
    }

    #[track_caller]
    fn assert_limit(&self, metric: impl IntoMetric, bound: Bound, limits: [Option<f64>; 2]) {
        let metric = metric.into_metric();
        assert_silent(|place| self.limit_message(&metric?, bound, limits, place));
    }

    /// What there is to say when a limit is not kept.
    fn limit_message(
        &self,
        metric: &Metric,
        bound: Bound,
        [min, max]: [Option<f64>; 2],
        place: &str,
    ) -> Result<Option<String>> {
        [min, max].into_iter().flatten().try_for_each(|limit| metric.check_limit(limit))?;
        let confidence = Confidence::default();
        let of = &self.for_metric(metric)?;
        judged_some(of, NAME, metric)?;
        check_people(of, metric)?;
        let coverage = of.coverage(metric, None)?;
        if let Some(report) = too_little(coverage.as_ref(), metric, place) {
            return Ok(Some(report));
        }
        let estimate = of.estimate(metric, confidence)?;
        let verdict = hold(bound, &estimate, min, max);
        if verdict == Verdict::Passed {
            return Ok(None);
        }
        let finding = ThresholdFinding {
            warnings: [("nothing-judged", nothing_judged(of)), ("held-down", held_down(of, metric, max))]
                .into_iter()
                .filter_map(|(kind, text)| Some(Warning::new(kind, text?)))
                .collect(),
            ..analysis::threshold(of, metric, &estimate, (bound, confidence), [min, max], None)?
        };
        let finding = Finding::Threshold(Box::new(finding));
        Ok(Some(message(metric, verdict, finding, coverage, place)))
    }
}

/// Comparisons of two evaluations of the same queries, as a spec makes them by default: 95% confidence,
/// the permutation test, and for what is in the candidate's favour a second one.
impl Evaluation {
    /// Compares the metric with a baseline's: means, difference, intervals, p-values, effect and what
    /// these queries could have shown. The verdict in it is on whether there is a regression, and takes more for better.
    ///
    /// ```
    /// # use rankgate::{CollectionBuilder, Hit, Query, evaluate};
    /// let mut builder = CollectionBuilder::new();
    /// for id in ["q1", "q2", "q3", "q4", "q5"] {
    ///     builder.add_query(Query::new(id, "alpha"), [("d1", 1)]);
    /// }
    /// let collection = builder.build()?;
    /// let old = evaluate(&collection, 10, |_, _| Ok(vec![Hit::new("d2", 2.0), Hit::new("d1", 1.0)]))?;
    /// let new = evaluate(&collection, 10, |_, _| Ok(vec![Hit::new("d1", 1.0)]))?;
    ///
    /// let comparison = new.compare(&old, "RR@10")?;
    /// assert_eq!(comparison.difference, 0.5);
    /// assert_eq!(comparison.permutation().p_greater, 1.0 / 32.0); // one of 2^5 sign vectors
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    ///
    /// # Errors
    /// Two sides that were not asked the same queries, are judged differently or returned no document at all; a
    /// metric that cannot be computed; too low a [coverage](Self::with_min_coverage), which is a
    /// [`LowCoverage`](crate::benchmark::model::LowCoverage).
    pub fn compare(&self, baseline: &Evaluation, metric: impl IntoMetric) -> Result<stats::Comparison> {
        let (question, compared) = self.ask(baseline, metric.into_metric()?, None)?;
        let coverage = self.coverage(&question.metric, Some(question.pair()))?;
        LowCoverage::check(coverage.as_ref())?;
        Ok(compared.comparison)
    }

    /// Asserts that no drop against the baseline is shown whose mean is larger than `margin`, in the
    /// metric's own units.
    ///
    /// It holds where nothing is shown: [`assert_non_inferior`](Self::assert_non_inferior) demands more.
    ///
    /// # Panics
    /// When such a drop is shown, or the two cannot be compared (see [`compare`](Self::compare)).
    #[track_caller]
    pub fn assert_no_regression(&self, baseline: &Evaluation, metric: impl IntoMetric, margin: f64) {
        self.assert_expected(baseline, metric, Expectation::NoRegression { margin });
    }

    /// Asserts that the metric is shown to be worse than the baseline's by less than `margin`, in the
    /// metric's own units (non-inferiority).
    ///
    /// # Panics
    /// When that is not shown, or the two cannot be compared (see [`compare`](Self::compare)).
    #[track_caller]
    pub fn assert_non_inferior(&self, baseline: &Evaluation, metric: impl IntoMetric, margin: f64) {
        self.assert_expected(baseline, metric, Expectation::NonInferiority { margin });
    }

    /// Asserts that a gain over the baseline is shown.
    ///
    /// # Panics
    /// When it is not, or the two cannot be compared (see [`compare`](Self::compare)).
    #[track_caller]
    pub fn assert_improves(&self, baseline: &Evaluation, metric: impl IntoMetric) {
        self.assert_expected(baseline, metric, Expectation::Improvement { margin: 0.0 });
    }

    #[track_caller]
    fn assert_expected(&self, baseline: &Evaluation, metric: impl IntoMetric, expect: Expectation) {
        let metric = metric.into_metric();
        assert_silent(|place| self.comparison_message(baseline, metric?, expect, place));
    }

    /// What there is to say when an expectation does not hold.
    fn comparison_message(
        &self,
        baseline: &Evaluation,
        metric: Metric,
        expect: Expectation,
        place: &str,
    ) -> Result<Option<String>> {
        let (question, compared) = self.ask(baseline, metric, Some(expect))?;
        let coverage = self.coverage(&question.metric, Some(question.pair()))?;
        if let Some(report) = too_little(coverage.as_ref(), &question.metric, place) {
            return Ok(Some(report));
        }
        if compared.verdict == Verdict::Passed {
            return Ok(None);
        }
        Ok(Some(message(&question.metric, compared.verdict, compared.finding.into(), coverage, place)))
    }

    /// Asks whether there is a regression where nothing is expected, of whatever metric.
    fn ask(
        &self,
        baseline: &Evaluation,
        metric: Metric,
        expect: Option<Expectation>,
    ) -> Result<(Question, Compared)> {
        // Whoever compares by hand would not see which queries were left out.
        for (have, other, side) in [(self, baseline, BASELINE), (baseline, self, NAME)] {
            let lacks =
                |id: &str| other.queries().binary_search_by(|query| query.id.as_str().cmp(id)).is_err();
            if let Some(query) = have.queries().iter().find(|query| lacks(&query.id)) {
                return Err(Error::invalid(format!(
                    "{side} was not asked query `{}`: both sides need the same queries",
                    query.id
                )));
            }
        }
        // Of each side by itself, so that the message says which one lacks documents.
        for (side, name) in [(self, NAME), (baseline, BASELINE)] {
            side.checked(&metric)
                .map_err(|error| Error::with_kind(error.kind(), format!("{name}: {error}")))?;
        }
        self.check_comparable(baseline, &metric)?;
        let side = |name, evaluation| Side { name, evaluation, asked: None };
        let pair = Pair::new(&side(NAME, self), &side(BASELINE, baseline), None)?;
        let question = Question {
            parts: Part::alone(Arc::new(pair)),
            metric,
            expect: expect.unwrap_or_default(),
            expected: expect.is_some(),
            unjudged: Unjudged::Zero,
        };
        let compared =
            analysis::compare(std::slice::from_ref(&question), 0, "", &Statistics::default())?.pop();
        let nothing = || Error::with_kind(ErrorKind::Internal, "nothing was compared");
        Ok((question, compared.ok_or_else(nothing)??))
    }
}

/// Panics with what there is to say of the caller's place.
#[track_caller]
fn assert_silent(message: impl FnOnce(&str) -> Result<Option<String>>) {
    let caller = Location::caller();
    let message = message(&format!("{}:{}", caller.file(), caller.line()));
    if let Some(message) = message.unwrap_or_else(|error| Some(crate::error::chain(&error))) {
        panic!("{message}");
    }
}

/// The message of an assertion that is not decided, where the coverage is too low.
fn too_little(coverage: Option<&CoverageReport>, metric: &Metric, place: &str) -> Option<String> {
    let short = coverage.filter(|report| !report.is_enough())?;
    let finding = Finding::undecided(short.reason(lower_in_test));
    Some(message(metric, Verdict::Error, finding, Some(short.clone()), place))
}

/// The message of an assertion, which is that of a gate.
fn message(
    metric: &Metric,
    verdict: Verdict,
    finding: Finding,
    coverage: Option<CoverageReport>,
    place: &str,
) -> String {
    let gate = GateReport {
        name: metric.to_string(),
        configuration: NAME.to_owned(),
        advisory: false,
        verdict,
        texts: None,
        place: None,
        finding,
        coverage,
        inputs_changed: Vec::new(),
        advice: Vec::new(),
    };
    let report = Report { metrics: vec![metric.to_string()], ..Report::blank(place) };
    report::message(&report, &gate)
}
