//! `comparisons:`: a candidate held against a baseline.

use crate::gate::{
    Baseline, Comparison, ComparisonGate, Expect, Expectation, GateKind, Inconclusive, Level, Segment,
    Unjudged, comparison_name,
};
use crate::mapping::{Count, Field, FieldValue, OneOrMany, Reader, Rule, mapping};
use crate::metric::Metric;
use crate::spec::coverage::Share;
use crate::spec::gates::{GateContext, GateEntry, Gates, RawEntry};
use crate::spec::names::Names;
use crate::spec::scalar::{Label, Reference, read_words};
use crate::spec::scores::add_columns;
use crate::stats;
use crate::yaml::{Problem, Span, any_of};

read_words!(Expect, Unjudged);

mapping! {
    /// A candidate, or several, held against a baseline: one test per candidate and metric.
    pub(crate) struct RawComparison as "a comparison", "{candidate: mine, baseline: golden, metrics: [nDCG@10]}" {
        /// The configuration that is judged, or a list of several: all their tests are one family, and p-values are adjusted
        /// for its size.
        "candidate" => candidates: OneOrMany<Reference>,
        /// The configuration it is compared with, or `golden` for its own run that was last blessed.
        "baseline" => baseline: Reference,
        /// The metrics that are compared; none for `identical` and `overlap`.
        "metrics" | "metric" => metrics: OneOrMany<Metric>,
        /// The columns of scores that are compared, by their names under the spec's `scores`.
        "scores" | "score" => scores: OneOrMany<Reference>,
        /// The expectation; `no-regression` by default.
        "expect" => expect: Expect,
        /// In the metric's own units: the drop that `no-regression` forgives and the gain that `improvement` requires (0 by
        /// default), the loss that `non-inferiority` and the difference that `equivalence` accept.
        "margin" => margin: f64,
        /// How many documents `overlap` looks at.
        "cutoff" => cutoff: Count<1_000_000>,
        /// The smallest share in common that passes `overlap`.
        "min" => min: f64,
        /// What happens where the data do not decide: `fail` (default) or `warn`.
        "inconclusive" => inconclusive: Inconclusive,
        /// How unjudged documents count: `zero`, not relevant (default), or `worst`, of the highest grade
        /// if the baseline ranks them higher than the candidate, and not relevant otherwise.
        "unjudged" => unjudged: Unjudged,
        /// Only the queries with this value under a metadata key, such as `{category: billing}`.
        "segment" => segment: Segment,
        /// Whether it can fail the build: `blocking` (default) or `advisory`.
        "level" => level: Level,
        /// The share of the data that it needs, from 0 to 1; the spec's by default.
        "coverage" => coverage: Share,
        /// What sets it apart from another comparison of the same two on the same metric.
        "name" => name: Label,
    }
    rules: [
        Rule::Required("candidate"),
        Rule::Required("baseline"),
    ]
}

/// Expectations about scores, in contrast to rankings.
const OF_SCORES: &[Expect] =
    &[Expect::NoRegression, Expect::NonInferiority, Expect::Improvement, Expect::Equivalence];

/// The keys that only some expectations take.
const TAKEN_BY: [(&str, &[Expect]); 6] = [
    ("margin", OF_SCORES),
    ("cutoff", &[Expect::Overlap]),
    ("min", &[Expect::Overlap]),
    ("metrics", OF_SCORES),
    ("inconclusive", OF_SCORES),
    ("unjudged", OF_SCORES),
];

/// The keys that some expectations need.
const NEEDED_BY: [(&str, &[Expect]); 4] = [
    ("margin", &[Expect::NonInferiority, Expect::Equivalence]),
    ("cutoff", &[Expect::Overlap]),
    ("min", &[Expect::Overlap]),
    ("metrics", OF_SCORES),
];

impl RawComparison {
    /// The comparisons, one per candidate, of the entry that stands at `at`; `None` where it cannot be decided,
    /// which has been reported.
    pub(crate) fn check(
        mut self,
        at: Span,
        names: &Names<'_>,
        reader: &mut Reader<'_>,
    ) -> Option<Vec<Comparison>> {
        add_columns(&mut self.metrics, &mut self.scores, names, reader);
        let pair = self.check_pair(names, reader);
        let expect = match &self.expect {
            Field::Broken => None,
            expect => {
                let kind = expect.value().copied().unwrap_or_default();
                self.check_keys(kind, at, reader);
                self.check_direction(kind, reader);
                self.check_unjudged(kind, reader);
                self.expectation(kind, reader)
            }
        };
        let metrics = match self.metrics {
            Field::Given(given) => given.value.into_values(),
            Field::Absent => Vec::new(),
            Field::Broken => return None,
        };
        let (candidates, baseline) = pair?;
        let of_one = Comparison {
            // Which it is, is known where all are.
            entry: 0,
            candidate: String::new(),
            baseline,
            metrics,
            expect: expect?,
            inconclusive: self.inconclusive.into_value().unwrap_or_default(),
            unjudged: self.unjudged.into_value().unwrap_or_default(),
            segment: self.segment.into_value(),
            level: self.level.into_value().unwrap_or_default(),
            coverage: self.coverage.into_value().map(|share| share.0),
            name: self.name.into_value().map(|name| name.0),
        };
        Some(candidates.into_iter().map(|candidate| Comparison { candidate, ..of_one.clone() }).collect())
    }

    /// The candidates with their places.
    fn candidates(&self) -> Vec<(&str, Span)> {
        let all = self.candidates.value().into_iter().flat_map(|candidates| &candidates.0);
        all.map(|one| (one.value.0.as_str(), one.at)).collect()
    }

    /// The candidates, at least one, and what they are compared with.
    fn check_pair(&self, names: &Names<'_>, reader: &mut Reader<'_>) -> Option<(Vec<String>, Baseline)> {
        let mut check = |(name, at): &(&str, Span)| match *name {
            "golden" => {
                let problem = Problem::new(*at, "`golden` is a baseline, not a candidate");
                reader.report(problem.help("compare the configuration with `baseline: golden`"));
                None
            }
            name => names.check(name, *at, reader),
        };
        let given = self.candidates();
        let checked: Vec<Option<String>> = given.iter().map(&mut check).collect();
        let candidates: Option<Vec<String>> = checked.into_iter().collect();
        let baseline = self.baseline.field_value().and_then(|given| match &*given.value.0 {
            "golden" => Some(Baseline::Golden),
            name => names.check_or(name, &["golden"], given.at, reader).map(Baseline::Configuration),
        });
        let (candidates, baseline) = (candidates.filter(|all| !all.is_empty())?, baseline?);
        let same = given.iter().find(|(name, _)| baseline.configuration() == Some(name));
        if let (Some((name, first)), Some(second)) = (same, self.baseline.field_value()) {
            let message = format!("`{name}` is compared with itself");
            let problem = Problem::new(second.at, message).related(*first, "the candidate");
            reader.report(problem.help(match given.len() {
                1 => "`baseline: golden` compares with the run that was last blessed",
                _ => "leave it out of the candidates",
            }));
            return None;
        }
        Some((candidates, baseline))
    }

    /// Reports keys that do not go with the expectation, and missing ones.
    fn check_keys(&self, kind: Expect, whole: Span, reader: &mut Reader<'_>) {
        for (key, takers) in TAKEN_BY {
            let Some(at) = self.place(key).filter(|_| !takers.contains(&kind)) else { continue };
            let problem = Problem::new(at, format!("`{key}` does not go with `expect: {kind}`"));
            let problem = match self.expect.field_value() {
                Some(expect) => problem.related(expect.at, "expected here"),
                None => problem.help("`no-regression` is the default expectation"),
            };
            reader.report(if OF_SCORES.contains(&kind) {
                problem.help(format!("it goes with {}", any_of(takers.iter().map(|taker| taker.as_str()))))
            } else {
                problem.help(format!("`{kind}` compares rankings, not scores"))
            });
        }
        for (key, _) in NEEDED_BY.iter().filter(|(key, kinds)| kinds.contains(&kind) && self.lacks(key)) {
            let problem = Problem::new(whole, format!("`expect: {kind}` needs `{key}`"));
            reader.report(match *key {
                "metrics" => problem.help("name the metrics that the build is to stand or fall by"),
                "margin" => problem.help("how much the team can live with, in the metric's own units"),
                _ => problem,
            });
        }
    }

    /// Reports a metric of which more is not better, where the expectation takes it for that. Whether it changed can be
    /// asked of any, but for what goes wrong: that has a limit.
    fn check_direction(&self, kind: Expect, reader: &mut Reader<'_>) {
        let metrics = self.metrics.value().map(|metrics| &metrics.0[..]).unwrap_or_default();
        let takes_any = matches!(kind, Expect::Equivalence | Expect::Identical | Expect::Overlap);
        for metric in metrics {
            let Err(error) = metric.value.check_gain() else { continue };
            let is_low = metric.value.is_best_low();
            if takes_any && !is_low {
                continue;
            }
            let key = if metric.value.is_column() { "score" } else { "metric" };
            let limit =
                format!("`thresholds: [{{{key}: {}, max: ..., bound: upper}}]` limits it", metric.value);
            let problem = Problem::new(metric.at, error.to_string()).help(limit);
            reader.report(match is_low {
                true => problem,
                false => problem.help("`expect: equivalence` asks whether it is the same"),
            });
            return;
        }
    }

    /// `unjudged: worst` counts against the candidate, and an equivalence fails by a gain as well.
    fn check_unjudged(&self, kind: Expect, reader: &mut Reader<'_>) {
        if kind != Expect::Equivalence || self.unjudged.value() != Some(&Unjudged::Worst) {
            return;
        }
        let Some(at) = self.place("unjudged") else { return };
        let message = "`unjudged: worst` does not go with `expect: equivalence`: it counts unjudged documents against the \
                       candidate, and an equivalence also fails by a gain";
        reader
            .report(Problem::new(at, message).help("`expect: non-inferiority` with a `margin` goes with it"));
    }

    /// Where one of the keys of [`TAKEN_BY`] stands.
    fn place(&self, key: &str) -> Option<Span> {
        match key {
            "margin" => self.margin.field_value().map(|given| given.key),
            "cutoff" => self.cutoff.field_value().map(|given| given.key),
            "min" => self.min.field_value().map(|given| given.key),
            "metrics" => self.metrics.field_value().map(|given| given.key),
            "unjudged" => self.unjudged.field_value().map(|given| given.key),
            _ => self.inconclusive.field_value().map(|given| given.key),
        }
    }

    /// Whether one of the keys of [`NEEDED_BY`] is absent.
    fn lacks(&self, key: &str) -> bool {
        match key {
            "margin" => self.margin.is_absent(),
            "cutoff" => self.cutoff.is_absent(),
            "min" => self.min.is_absent(),
            _ => self.metrics.is_absent(),
        }
    }

    fn expectation(&self, kind: Expect, reader: &mut Reader<'_>) -> Option<Expectation> {
        Some(match kind {
            Expect::NoRegression => {
                stats::Expectation::NoRegression { margin: self.amount(reader)?.unwrap_or(0.0) }.into()
            }
            Expect::Improvement => {
                stats::Expectation::Improvement { margin: self.amount(reader)?.unwrap_or(0.0) }.into()
            }
            Expect::NonInferiority => {
                stats::Expectation::NonInferiority { margin: self.margin(reader)? }.into()
            }
            Expect::Equivalence => stats::Expectation::Equivalence { margin: self.margin(reader)? }.into(),
            Expect::Identical => Expectation::Identical,
            Expect::Overlap => {
                let (cutoff, min) = (self.cutoff.field_value(), self.min.field_value());
                if let Some(min) = min.filter(|min| !(min.value > 0.0 && min.value <= 1.0)) {
                    let message = format!("a share is over 0 and at most 1, not {}", min.value);
                    return reader.refuse(min.at, message);
                }
                Expectation::Overlap { cutoff: cutoff?.value.0, min: min?.value }
            }
        })
    }

    /// A margin above 0.
    fn margin(&self, reader: &mut Reader<'_>) -> Option<f64> {
        let margin = self.amount(reader)??;
        if margin > 0.0 {
            return Some(margin);
        }
        let at = self.margin.field_value()?.at;
        let problem = Problem::new(at, "a margin is more than 0");
        reader.report(problem.help("no number of queries can show a difference of exactly nothing"));
        None
    }

    /// A difference in the metrics' units, within what is possible. The outer `None`: it is wrong,
    /// which has been reported. The inner `None`: it is not there.
    #[expect(clippy::option_option, reason = "absent and wrong lead to different things")]
    fn amount(&self, reader: &mut Reader<'_>) -> Option<Option<f64>> {
        let given: &FieldValue<f64> = match &self.margin {
            Field::Absent => return Some(None),
            Field::Broken => return None,
            Field::Given(given) => given,
        };
        if given.value < 0.0 {
            return reader.refuse(given.at, format!("this is an amount, 0 or more, not {}", given.value));
        }
        let metrics = self.metrics.value().map(|metrics| &metrics.0[..]).unwrap_or_default();
        let impossible = metrics.iter().find_map(|metric| metric.value.check_difference(given.value).err());
        if let Some(error) = impossible {
            return reader.refuse(given.at, error.to_string());
        }
        Some(Some(given.value))
    }
}

impl RawEntry for RawComparison {
    type Checked = Comparison;

    fn check(self, at: Span, context: &GateContext<'_>, reader: &mut Reader<'_>) -> Option<Vec<Comparison>> {
        self.check(at, context.names, reader)
    }
}

impl GateEntry for Comparison {
    fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    fn set_entry(&mut self, entry: usize) {
        self.entry = entry;
    }

    /// One gate per metric, or one where no metric is compared.
    fn expand(&self, index: usize, at: Span, benchmark: &str, gates: &mut Gates<'_, '_>) {
        let metrics = self.metrics.iter().map(Some);
        let no_metric = self.metrics.is_empty().then_some(None);
        for metric in metrics.chain(no_metric) {
            let what = (&self.expect, metric);
            let (segment, label) = (self.segment.as_ref(), self.name.as_deref());
            let baseline = self.baseline.to_string();
            let name = comparison_name(benchmark, &self.candidate, &baseline, what, segment, label);
            let gate = ComparisonGate { comparison: index, metric: metric.cloned() };
            gates.add(name, &self.candidate, self.level, GateKind::Comparison(gate), at);
        }
    }
}
