//! What a number of queries could show, and how many it takes.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::offline::analysis::{Answered, Basis};
use crate::offline::evaluation::Evaluation;
use crate::offline::gate::Expect;
use crate::offline::metric::Metric;
use crate::offline::model::{CoverageReport, LowCoverage};
use crate::offline::stats::{self, Confidence, Differences, Expectation, PairedT};
use crate::offline::{Error, Result};

use crate::offline::SCHEMA;

/// Correlations that are tried where one run alone does not show how it goes together with another.
const CORRELATIONS: [f64; 5] = [0.5, 0.7, 0.8, 0.9, 0.95];
/// Effects that are planned for by default.
const EFFECTS: [f64; 3] = [0.01, 0.02, 0.05];
/// By convention.
const POWER: f64 = 0.8;

/// A comparison that is being planned: on which metric, how sure it is to be, for which effects.
///
/// What counts is how the differences of two runs vary from query to query. Two runs show it. Of one run only the spread of
/// its scores is known; the rest has to be assumed. Numbers are those of a t test. Where queries are grouped
/// ([`Evaluation::clustered_by`]) the groups are planned for: they are what varies, and what has to be added.
///
/// ```
/// use rankgate_cli::offline::Planning;
/// use rankgate::{Collection, Evaluation, Hit, Qrels, Run};
///
/// let collection = Collection::from_qrels(Qrels::parse("mine.qrels", b"q1 0 d1 1\nq2 0 d1 1\n")?)?;
/// let run = Run::from_rankings([("q1", vec![Hit::new("d1", 1.0)]), ("q2", vec![Hit::new("d2", 1.0)])])?;
/// let plan = Planning::new("RR".parse()?).of_run("mine.run", &Evaluation::of_run(&collection, run)?)?;
/// assert!((plan.score_deviation.unwrap() - 0.5f64.sqrt()).abs() < 1e-12); // of 0 and 1
/// assert_eq!(plan.spreads[0].correlation, Some(0.5)); // assumed
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Planning {
    pub(crate) metric: Metric,
    /// Of the two-sided test.
    pub(crate) confidence: Confidence,
    /// The probability with which a true difference is to be shown, between the error rate and 1.
    pub(crate) power: f64,
    /// Effects are then true drops (no-regression), true gains (improvement), or margins in place of the expectation's.
    pub(crate) expect: Expectation,
    /// The effects that are planned for, in the metric's own units; where there are none, the expectation's margin, twice that
    /// if a drop or a gain has to be significant, or .01, .02 and .05 without one.
    pub(crate) effects: Vec<f64>,
    /// The coverage that runs need, as for a comparison.
    pub(crate) min_coverage: f64,
}

/// What so many queries could show; its JSON form is stable: fields are added, and `schema` counts changes
/// that break a reader.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Plan {
    /// The version of the JSON form.
    pub schema: u32,
    /// The metric's canonical name.
    pub metric: String,
    /// The runs, by the names of their files as they were given: one or two.
    pub runs: Vec<String>,
    /// Judged queries.
    pub queries: usize,
    /// The metadata key that groups them, where they are grouped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// How many groups they are in; numbers of queries that are needed are numbers of groups then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<usize>,
    /// Of the two-sided test that is planned for, between 0 and 1.
    pub confidence: f64,
    /// The probability with which a true difference is to be shown.
    pub power: f64,
    /// The expectation: `improvement` by default.
    pub expect: Expect,
    /// The margin, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// Whether the differences of two runs were observed, or their spread is assumed.
    pub observed: bool,
    /// Standard deviation of the first run's scores, where the spread of differences is derived from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_deviation: Option<f64>,
    /// One where the spread was observed, else one per assumption.
    pub spreads: Vec<Spread>,
}

/// How much the differences of two runs vary from query to query, and what follows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Spread {
    /// How the scores of the two runs correlate over the queries; null where a run has one score on all.
    pub correlation: Option<f64>,
    /// Standard deviation of the differences; where queries are grouped, of the groups' per query.
    pub standard_deviation: f64,
    /// The smallest true drop or gain that is shown, or margin that is kept where nothing is lost, with the power
    /// given; null without spread, or without a request.
    pub minimum_detectable_effect: Option<f64>,
    /// How many queries it takes for an effect.
    pub needed: Vec<Needed>,
}

/// An effect and how many queries it takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Needed {
    /// A true drop or gain, or a margin, in the metric's own units.
    pub effect: f64,
    /// About how many queries show it with the requested power, or groups of them where they are grouped; null
    /// without spread, or where no number does.
    pub queries: Option<u64>,
}

impl Planning {
    /// On this metric, with 95% confidence and a power of 0.8, for an improvement.
    pub fn new(metric: Metric) -> Self {
        Self {
            metric,
            confidence: Confidence::default(),
            power: POWER,
            expect: Expectation::Improvement { margin: 0.0 },
            effects: Vec::new(),
            min_coverage: CoverageReport::NEEDED,
        }
    }

    /// # Errors
    /// A [`LowCoverage`] where a run answers too few of the judged queries.
    fn check_coverage(&self, sides: &[(&str, &Evaluation)]) -> Result<()> {
        let collection = sides[0].1.collection();
        let mut basis = Basis::of_collection(collection);
        let side = |&(name, evaluation)| Answered { name, evaluation, foreign_documents: None };
        basis.sides = sides.iter().map(side).collect();
        LowCoverage::check(basis.count(self.min_coverage)?.as_ref())
    }

    /// Plans from one run: its scores' spread, and the assumption that another run's is the same and that
    /// the two correlate as in each of [`Plan::spreads`].
    ///
    /// # Errors
    ///
    /// Fewer than two queries, or too few that are answered; a metric that cannot be computed, a power or an effect out of range.
    pub fn of_run(&self, name: &str, run: &Evaluation) -> Result<Plan> {
        self.metric.check_arithmetic()?;
        self.check_coverage(&[(name, run)])?;
        run.findable(&self.metric)?;
        let scores = spread_of(run, &self.metric)?;
        let (deviation, units) = (scores.standard_deviation(), scores.freedom + 1);
        let spread = |correlation: &f64| {
            let assumed = deviation * (2.0 * (1.0 - correlation)).sqrt();
            self.spread(Some(*correlation), assumed, units)
        };
        Ok(Plan {
            score_deviation: Some(deviation),
            spreads: CORRELATIONS.iter().map(spread).collect::<Result<_>>()?,
            ..self.plan(vec![name.to_owned()], run)
        })
    }

    /// Plans from the differences of two runs.
    ///
    /// # Errors
    ///
    /// As for [`of_run`](Self::of_run); evaluations of different queries.
    pub fn of_runs(&self, first: (&str, &Evaluation), second: (&str, &Evaluation)) -> Result<Plan> {
        let ids = |side: &Evaluation| side.queries().iter().map(|query| query.id.clone()).collect::<Vec<_>>();
        if ids(first.1) != ids(second.1) {
            return Err(Error::invalid("two runs are planned from the same queries only"));
        }
        self.metric.check_arithmetic()?;
        self.check_coverage(&[first, second])?;
        first.1.findable(&self.metric)?;
        if first.1.groups() != second.1.groups() {
            return Err(Error::invalid("two runs are planned from the same groups of queries only"));
        }
        let differences = second.1.differences_from(first.1, &self.metric)?;
        let of_side = |side| Ok::<_, Error>(spread_of(side, &self.metric)?.standard_deviation());
        let (one, other) = (of_side(first.1)?, of_side(second.1)?);
        let deviation = PairedT::new(&differences).ok_or_else(few)?.standard_deviation();
        // var(a - b) = var(a) + var(b) - 2 r sd(a) sd(b)
        let correlation = (one > 0.0 && other > 0.0).then(|| {
            let correlation = (one * one + other * other - deviation * deviation) / (2.0 * one * other);
            correlation.clamp(-1.0, 1.0)
        });
        let spread = self.spread(correlation, deviation, differences.len())?;
        let names = vec![first.0.to_owned(), second.0.to_owned()];
        Ok(Plan { observed: true, spreads: vec![spread], ..self.plan(names, first.1) })
    }

    /// What differences that vary so much show on so many units, by a t test. It would show a large effect on two queries;
    /// the signs of so few, which decide, show nothing.
    fn spread(&self, correlation: Option<f64>, deviation: f64, units: usize) -> Result<Spread> {
        let (confidence, power) = (self.confidence, self.expect.power_of_claim(self.power));
        let fewest = stats::fewest_units(confidence);
        let needed = |effect| {
            let queries = match self.apart(effect) {
                Some(apart) => stats::queries_needed(apart, deviation, confidence, power)?,
                None => None,
            };
            Ok(Needed { effect, queries: queries.map(|queries| queries.max(fewest as u64)) })
        };
        let detectable = stats::detectable_difference(deviation, units, confidence, power)?;
        Ok(Spread {
            correlation,
            standard_deviation: deviation,
            minimum_detectable_effect: detectable
                .map(|apart| unseen_gain(self.expect) + apart)
                .filter(|effect| units >= fewest && *effect <= self.largest()),
            needed: self.needed(needed)?,
        })
    }

    /// How far an effect is from what has to be ruled out; nothing where no number of queries shows it.
    fn apart(&self, effect: f64) -> Option<f64> {
        match self.expect {
            Expectation::NoRegression { margin } => (effect > margin).then_some(effect),
            Expectation::Improvement { margin } => (effect > margin).then_some(effect - margin),
            Expectation::NonInferiority { .. } | Expectation::Equivalence { .. } => Some(effect),
        }
    }

    /// How many queries each effect takes.
    fn needed<N>(&self, needed: impl Fn(f64) -> Result<N>) -> Result<Vec<N>> {
        let default = || match (self.expect, self.expect.limit()) {
            (Expectation::NonInferiority { .. } | Expectation::Equivalence { .. }, Some(margin)) => {
                vec![margin]
            }
            (_, Some(limit)) => vec![2.0 * limit],
            (_, None) => EFFECTS.to_vec(),
        };
        self.possible()?;
        let effects = if self.effects.is_empty() { default() } else { self.effects.clone() };
        effects.into_iter().map(needed).collect()
    }

    /// That the effects which somebody named are such as the metric can have.
    fn possible(&self) -> Result<()> {
        if let Some(effect) = self.effects.iter().find(|effect| !(effect.is_finite() && **effect > 0.0)) {
            return Err(Error::invalid(format!(
                "an effect is a number larger than 0, not {effect}: drops and margins, too, are given without a sign"
            )));
        }
        let (metric, largest) = (&self.metric, self.largest());
        match self.effects.iter().find(|effect| **effect > largest) {
            None => Ok(()),
            Some(effect) => Err(Error::invalid(format!(
                "no effect on {metric} is as large as {effect}: its values are {} to {}",
                metric.range().start(),
                metric.range().end()
            ))),
        }
    }

    /// The largest difference that two values of the metric can have; infinite for DCG and counts.
    fn largest(&self) -> f64 {
        self.metric.range().end() - self.metric.range().start()
    }

    fn plan(&self, runs: Vec<String>, of: &Evaluation) -> Plan {
        Plan {
            schema: SCHEMA,
            metric: self.metric.to_string(),
            runs,
            queries: of.queries().len(),
            cluster: of.cluster().map(str::to_owned),
            groups: of.groups().map(|groups| groups.iter().collect::<BTreeSet<_>>().len()),
            confidence: self.confidence.level(),
            power: self.power,
            expect: self.expect.into(),
            limit: self.expect.limit(),
            observed: false,
            score_deviation: None,
            spreads: Vec::new(),
        }
    }
}

/// How a run's scores vary over the queries, or over groups of them.
fn spread_of(run: &Evaluation, metric: &Metric) -> Result<PairedT> {
    let scores = run.scores(metric)?;
    let none = vec![0.0; scores.len()];
    let of_scores = match run.groups() {
        None => Differences::new(&none, &scores),
        Some(groups) => Differences::grouped(&none, &scores, groups),
    };
    PairedT::new(&of_scores?).ok_or_else(few)
}

/// The gain of which no number of queries shows anything: the one that is asked for.
fn unseen_gain(expect: Expectation) -> f64 {
    match expect {
        Expectation::Improvement { margin } => margin,
        Expectation::NoRegression { .. }
        | Expectation::NonInferiority { .. }
        | Expectation::Equivalence { .. } => 0.0,
    }
}

fn few() -> Error {
    Error::invalid("one query, or one group of them, does not show how much queries vary")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::collection::{Collection, Qrels};
    use crate::offline::run::{Hit, Run};

    /// P@2 of 0, 0.5 or 1 for each query.
    fn run(hits: &[usize]) -> Evaluation {
        let (mut qrels, mut rankings) = (Qrels::new(), Vec::new());
        for (query, hits) in hits.iter().enumerate() {
            for document in ["a", "b"] {
                qrels.insert(&format!("q{query}"), document, 1).unwrap();
            }
            let ids = ["a", "b"].into_iter().take(*hits).chain(["n"]);
            rankings.push((format!("q{query}"), ids.map(|id| Hit::new(id, 1.0)).collect()));
        }
        let run = Run::from_rankings(rankings).unwrap();
        Evaluation::of_run(&Collection::from_qrels(qrels).unwrap(), run).unwrap()
    }

    fn planning() -> Planning {
        Planning { effects: vec![0.1], ..Planning::new("P@2".parse().unwrap()) }
    }

    /// 18 of 20 queries are nine in ten, and as many as a comparison needs.
    #[test]
    fn too_few_answers_are_no_plan() {
        let whole = run(&[1; 20]);
        let with = |answered: usize| {
            let rankings = (0..answered).map(|query| (format!("q{query}"), vec![Hit::new("a", 1.0)]));
            Evaluation::of_run(whole.collection(), Run::from_rankings(rankings).unwrap()).unwrap()
        };
        assert!(planning().of_run("a", &with(18)).is_ok());
        let error = planning().of_runs(("a", &whole), ("b", &with(2))).unwrap_err().to_string();
        assert!(
            error.starts_with("b has results for 2 of 20 judged queries (10%). 90% is needed."),
            "{error}"
        );
        let little = Planning { min_coverage: 0.1, ..planning() };
        assert!(little.of_run("b", &with(2)).is_ok());
    }

    #[test]
    fn two_runs_show_how_much_their_differences_vary() {
        // d = 0, .5, -.5, .5, 0: sd = sqrt(0.7 / 4) = .41833; r from sd .41833 and .5.
        let (before, after) = (run(&[0, 0, 1, 1, 2]), run(&[0, 1, 0, 2, 2]));
        let runs = (("a", &before), ("b", &after));
        let plan = planning().of_runs(runs.0, runs.1).unwrap();
        let [spread] = plan.spreads.as_slice() else { panic!("{plan:?}") };
        assert!((spread.standard_deviation - 0.418_330).abs() < 1e-6, "{spread:?}");
        assert!((spread.correlation.unwrap() - 0.597_614).abs() < 1e-6, "{spread:?}");
        assert!(plan.observed && plan.score_deviation.is_none() && plan.expect == Expect::Improvement);
        // scipy 1.17: the noncentral t distribution gives a power of .8020 at 140 queries, and below .8 at 139.
        assert_eq!(spread.needed[0].queries, Some(140));
    }

    #[test]
    fn groups_are_planned_for_as_a_comparison_of_them_is() {
        let mut queries = String::new();
        let mut qrels = Qrels::new();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        // P@1 of six queries in three groups: differences (1, 1), (0, 0), (1, 0).
        for (at, hit) in [true, true, false, false, true, false].into_iter().enumerate() {
            queries += &format!("{{\"_id\": \"q{at}\", \"text\": \"t\", \"page\": \"p{}\"}}\n", at / 2);
            qrels.insert(&format!("q{at}"), "a", 1).unwrap();
            before.push((format!("q{at}"), vec![Hit::new("n", 1.0)]));
            after.push((format!("q{at}"), vec![Hit::new(if hit { "a" } else { "n" }, 1.0)]));
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("queries.jsonl");
        std::fs::write(&file, queries).unwrap();
        let collection = Collection::with_queries(&file, qrels).unwrap();
        let evaluated = |rankings: Vec<(String, Vec<Hit>)>| {
            Evaluation::of_run(&collection, Run::from_rankings(rankings).unwrap()).unwrap()
        };
        let (before, after) = (evaluated(before), evaluated(after));
        let grouped = |one: &Evaluation| one.clustered_by("page").unwrap();
        let planning = Planning { effects: vec![0.5], ..Planning::new("P@1".parse().unwrap()) };
        let plan = planning.of_runs(("a", &grouped(&before)), ("b", &grouped(&after))).unwrap();
        assert_eq!((plan.queries, plan.groups, plan.cluster.as_deref()), (6, Some(3), Some("page")));
        // Sums 2, 0, 1 of two queries each: means 1, 0, .5 per query, standard deviation .5.
        assert!((plan.spreads[0].standard_deviation - 0.5).abs() < 1e-9, "{plan:?}");
        // One run alone: its scores vary as much.
        let one = planning.of_run("b", &grouped(&after)).unwrap();
        assert!((one.score_deviation.unwrap() - 0.5).abs() < 1e-9 && one.groups == Some(3));
        let error = planning.of_runs(("a", &before), ("b", &grouped(&after))).unwrap_err().to_string();
        assert_eq!(error, "two runs are planned from the same groups of queries only");
    }

    #[test]
    fn one_run_needs_assumptions() {
        let plan = planning().of_run("a", &run(&[0, 0, 1, 1, 2, 1])).unwrap();
        assert!(!plan.observed);
        let deviation = plan.score_deviation.unwrap();
        // of 0, 0, .5, .5, 1, .5: sqrt(.708333 / 5)
        assert!((deviation - 0.376_386).abs() < 1e-6);
        // At a correlation of one half differences vary as much as scores do.
        assert!((plan.spreads[0].standard_deviation - deviation).abs() < 1e-12);
        assert!(plan.spreads.windows(2).all(|pair| {
            pair[1].minimum_detectable_effect < pair[0].minimum_detectable_effect
                && pair[1].needed[0].queries < pair[0].needed[0].queries
        }));
    }

    /// Of five queries the smallest two-sided p of random signs is 2 / 2^5 = .0625, of six 2 / 2^6 = .03125.
    #[test]
    fn what_is_assumed_shows_nothing_that_random_signs_cannot() {
        let detectable = |hits: &[usize], confidence| {
            let planning = Planning { confidence: Confidence::new(confidence).unwrap(), ..planning() };
            planning.of_run("a", &run(hits)).unwrap().spreads[4].minimum_detectable_effect
        };
        assert_eq!(detectable(&[0, 0, 1, 1, 2], 0.95), None);
        assert!(detectable(&[0, 0, 1, 1, 2], 0.9).is_some());
        assert!(detectable(&[0, 0, 1, 1, 2, 2], 0.95).is_some());
        let plan = Planning { effects: vec![1.0], ..planning() }.of_run("a", &run(&[0, 0, 1, 1, 2])).unwrap();
        assert!(plan.spreads.iter().all(|spread| spread.needed[0].queries == Some(6)), "{plan:?}");
    }

    /// Of six P@2 of 0 and 1 the standard deviation is .5477; at a correlation of .5 a t test would show
    /// (t_5(.975) + t_5(.99)) .5477 / sqrt(6) = (2.5706 + 3.3649) .2236 = 1.33.
    #[test]
    fn nothing_is_detectable_beyond_the_range_of_the_metric() {
        let plan = Planning { power: 0.99, ..planning() }.of_run("a", &run(&[0, 2, 0, 2, 0, 2])).unwrap();
        assert_eq!(plan.spreads[0].minimum_detectable_effect, None);
        assert!(plan.spreads[4].minimum_detectable_effect.is_some_and(|effect| effect < 1.0));
    }

    #[test]
    fn what_does_not_vary_shows_nothing() {
        let one = run(&[1, 1, 1]);
        let plan = planning().of_runs(("a", &one), ("b", &one)).unwrap();
        let spread = &plan.spreads[0];
        assert_eq!((spread.correlation, spread.minimum_detectable_effect), (None, None));
        assert_eq!(spread.needed[0].queries, None);
    }

    #[test]
    fn what_cannot_be_planned_is_an_error() {
        let error = |planning: Planning, run: &Evaluation| planning.of_run("a", run).unwrap_err().to_string();
        assert_eq!(error(planning(), &run(&[1])), few().to_string());
        let runs = run(&[0, 1]);
        for effect in [0.0, -0.1, f64::NAN, f64::INFINITY] {
            let told = error(Planning { effects: vec![0.1, effect], ..planning() }, &runs);
            assert!(
                told.starts_with(&format!("an effect is a number larger than 0, not {effect}: ")),
                "{told}"
            );
        }
        assert_eq!(
            error(Planning { effects: vec![1.5], ..planning() }, &runs),
            "no effect on P@2 is as large as 1.5: its values are 0 to 1"
        );
        let counted = Planning { effects: vec![1.5], ..Planning::new("DCG@10".parse().unwrap()) };
        assert!(counted.of_run("a", &runs).is_ok());
        assert!(error(Planning { power: 80.0, ..planning() }, &runs).contains("a power is between"));
    }
}
