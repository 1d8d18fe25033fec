//! Scores compared without their rankings.

use crate::offline::analysis::{check_expectation, conclusion, shown_interval, verdict_of};
use crate::offline::error::Quoted;
use crate::offline::gate::{IntervalMethod, Statistics};
use crate::offline::json::record;
use crate::offline::metric::Metric;
use crate::offline::model::{Caution, Conclusion, IntervalOrigin, Verdict};
use crate::offline::order;
use crate::offline::stats::{
    self, ComparisonSettings, Correction, DecidingTest, Differences, Expectation, Reason, Stream, Warning,
};
use crate::offline::{Error, Result};

use crate::offline::comparison::{GateOutcome, worst};
use crate::offline::names::short_names;
use crate::offline::table::ScoreTable;

record! {
    /// Candidates compared with one baseline by their scores alone, on each metric. Differences are candidate minus
    /// baseline; the JSON form is stable: fields are added, and `schema` counts changes that break a reader.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct ScoreComparisons {
        /// The version of the JSON form.
        pub schema: u32,
        /// The confidence of the intervals, between 0 and 1.
        pub confidence: f64,
        /// How p-values are adjusted for the number of comparisons, candidates times metrics.
        pub correction: Correction,
        /// Which test decides.
        pub test: DecidingTest,
        /// What random numbers are derived from.
        pub seed: u64,
        /// What the candidates were held against, where anything was expected of them.
        pub gate?: Option<GateOutcome>,
        /// One per candidate and metric: by candidate, then by metric.
        pub comparisons: Vec<ScoreComparison>,
    }
}

record! {
    /// A candidate against the baseline on one metric.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct ScoreComparison {
        /// The candidate's file as it was given.
        pub candidate: String,
        /// The baseline's.
        pub baseline: String,
        /// The metric, by its canonical name where it has one.
        pub metric: String,
        /// Queries, which both files have.
        pub queries: usize,
        /// Queries on which the candidate scores higher.
        pub wins: usize,
        /// Queries on which both score the same.
        pub ties: usize,
        /// Queries on which the candidate scores lower.
        pub losses: usize,
        /// The baseline's mean.
        pub baseline_mean: f64,
        /// The candidate's mean.
        pub candidate_mean: f64,
        /// The mean difference.
        pub difference: f64,
        /// The interval of the difference, not adjusted for other comparisons; null where there is none.
        pub interval: Option<[f64; 2]>,
        /// How it was made, or why there is none.
        pub interval_kind: IntervalOrigin<IntervalMethod>,
        /// Two-sided p-value of the deciding test against no difference.
        pub p_deciding: f64,
        /// The same adjusted for the family.
        pub p_adjusted: f64,
        /// The claim that the data allow about the difference.
        pub conclusion: Conclusion,
        /// The reason, for the question that decides: the expectation, where there is one, else which is better.
        pub reason: Reason,
        /// The smallest true difference that so many queries show in four of five cases; null where they have no spread.
        pub minimum_detectable_effect: Option<f64>,
        /// What a reader should know of the verdict, or of the conclusion where nothing is expected.
        pub cautions: Vec<Caution>,
        /// The queries that lost most, worst first: id, the baseline's score and the candidate's.
        pub lost: Vec<(String, f64, f64)>,
        /// Those that gained most.
        pub gained: Vec<(String, f64, f64)>,
    }
}

impl ScoreComparisons {
    /// Compares the first of these tables, each by the name of its file, with every other one, on these metrics, or
    /// all of the first's where none is named; `movers` queries are named each way.
    ///
    /// # Errors
    ///
    /// Fewer than two tables; a metric that a table lacks, or of which more is not better where the expectation takes it
    /// for that; a query that one has and another does not, for means over other queries are not comparable; settings
    /// out of range.
    ///
    /// ```
    /// use rankgate_cli::offline::{ScoreComparisons, ScoreTable};
    /// use rankgate::Source;
    ///
    /// let read = |text: String| ScoreTable::read(Source::bytes("scores", text.as_bytes()));
    /// let lines = |gain: f64| {
    ///     (1..=8).map(|query| format!("q{query},{}\n", 0.25 + gain * f64::from(query))).collect::<String>()
    /// };
    /// let (a, b) = (read(format!("query,AP\n{}", lines(0.0)))?, read(format!("query,AP\n{}", lines(0.0625)))?);
    /// let all = ScoreComparisons::new(&[("a", &a), ("b", &b)], &[], &Default::default(), None, 5)?;
    /// assert_eq!((all.comparisons[0].wins, all.comparisons[0].difference), (8, 0.28125));
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn new(
        tables: &[(&str, &ScoreTable)],
        metrics: &[String],
        statistics: &Statistics,
        expect: Option<Expectation>,
        movers: usize,
    ) -> Result<Self> {
        let [(baseline, first), candidates @ ..] = tables else { return Err(too_few()) };
        if candidates.is_empty() {
            return Err(too_few());
        }
        let metrics = if metrics.is_empty() { first.metrics() } else { metrics };
        if let Some(expect) = &expect {
            // Of a team's own metric nothing is known here.
            let known = metrics.iter().filter_map(|name| name.parse::<Metric>().ok());
            known.into_iter().try_for_each(|metric| check_expectation(&metric, expect))?;
        }
        let names: Vec<&str> = tables.iter().map(|(name, _)| *name).collect();
        let short = short_names(&names);
        let mut asked = Vec::new();
        for (index, &(name, table)) in candidates.iter().enumerate() {
            comparable((baseline, first), (name, table))?;
            let stream =
                Stream::new(statistics.seed).for_name("").for_name(&short[0]).for_name(&short[index + 1]);
            for metric in metrics {
                let (before, after) = (column(baseline, first, metric)?, column(name, table, metric)?);
                asked.push(ScoreQuestion {
                    name,
                    metric,
                    differences: Differences::new(&before, &after)?,
                    before,
                    after,
                    stream,
                });
            }
        }
        let settings = ComparisonSettings {
            confidence: statistics.confidence,
            correction: statistics.correction,
            test: statistics.test,
            bootstrap_resamples: statistics.resamples,
            ..ComparisonSettings::default()
        };
        let ask = |expectation: Expectation| {
            let questions: Vec<stats::Question<'_>> = asked
                .iter()
                .map(|one| stats::Question {
                    expectation,
                    ..stats::Question::new(&one.differences, &one.stream)
                })
                .collect();
            stats::compare(&questions, &settings)
        };
        let told = ask(Expectation::Improvement { min_gain: 0.0 })?;
        let expected = expect.map(ask).transpose()?;
        let gate = expect.zip(expected.as_ref()).map(|(expect, answers)| {
            let verdicts: Vec<Verdict> = answers.iter().map(|one| verdict_of(one.decision.outcome)).collect();
            let verdict = worst(verdicts.iter().copied());
            let shown = |one: &stats::Comparison| shown_interval(one, statistics.interval()).0;
            let intervals = answers.iter().map(shown).collect();
            GateOutcome { expect: expect.into(), limit: expect.limit(), verdict, verdicts, intervals }
        });
        let deciding = expected.as_ref().unwrap_or(&told);
        let queries: Vec<&str> = first.iter().map(|(query, _)| query).collect();
        let of_one =
            |((asked, told), deciding): ((&ScoreQuestion<'_>, &stats::Comparison), &stats::Comparison)| {
                ScoreComparison {
                    reason: deciding.decision.reason,
                    minimum_detectable_effect: deciding.minimum_detectable_effect,
                    cautions: deciding.warnings.iter().map(|&warning| caution(warning, &queries)).collect(),
                    ..asked.to_comparison(baseline, &queries, told, statistics, movers)
                }
            };
        Ok(Self {
            schema: crate::offline::SCHEMA,
            confidence: statistics.confidence.level(),
            correction: statistics.correction,
            test: statistics.test,
            seed: statistics.seed,
            gate,
            comparisons: asked.iter().zip(&told).zip(deciding).map(of_one).collect(),
        })
    }
}

/// One candidate and metric.
struct ScoreQuestion<'a> {
    name: &'a str,
    metric: &'a str,
    before: Vec<f64>,
    after: Vec<f64>,
    differences: Differences,
    stream: Stream,
}

impl ScoreQuestion<'_> {
    fn to_comparison(
        &self,
        baseline: &str,
        queries: &[&str],
        comparison: &stats::Comparison,
        statistics: &Statistics,
        movers: usize,
    ) -> ScoreComparison {
        let (interval, interval_kind) = shown_interval(comparison, statistics.interval());
        let moved = |at: usize| self.after[at] - self.before[at];
        let mut lost: Vec<usize> = (0..queries.len()).filter(|&at| moved(at) < -stats::ROUNDING).collect();
        let mut gained: Vec<usize> = (0..queries.len()).filter(|&at| moved(at) > stats::ROUNDING).collect();
        // Queries stand in the order of their ids, and the sort is stable.
        order::sort_by(&mut lost, |&a, &b| moved(a).total_cmp(&moved(b)));
        order::sort_by(&mut gained, |&a, &b| moved(b).total_cmp(&moved(a)));
        let named = |at: &usize| (queries[*at].to_owned(), self.before[*at], self.after[*at]);
        ScoreComparison {
            candidate: self.name.to_owned(),
            baseline: baseline.to_owned(),
            metric: self.metric.to_owned(),
            queries: comparison.queries,
            wins: comparison.wins,
            ties: comparison.ties,
            losses: comparison.losses,
            baseline_mean: comparison.baseline_mean,
            candidate_mean: comparison.candidate_mean,
            difference: comparison.difference,
            interval,
            interval_kind,
            p_deciding: comparison.p_two_sided(),
            p_adjusted: comparison.p_adjusted_two_sided(),
            conclusion: conclusion(comparison.decision.outcome, Metric::takes_rise_for_gain(self.metric)),
            reason: comparison.decision.reason,
            minimum_detectable_effect: comparison.minimum_detectable_effect,
            cautions: Vec::new(),
            lost: lost.iter().take(movers).map(named).collect(),
            gained: gained.iter().take(movers).map(named).collect(),
        }
    }
}

/// A warning, with its unit called by the query's id.
fn caution(warning: Warning, queries: &[&str]) -> Caution {
    let unit = warning.unit().map(|unit| queries[unit].to_owned());
    Caution::Statistics { warning, unit, cluster: None }
}

fn too_few() -> Error {
    Error::invalid("a comparison needs the scores of a baseline and of a candidate")
}

/// Refuses tables whose means are not of the same queries.
fn comparable((baseline, first): (&str, &ScoreTable), (name, table): (&str, &ScoreTable)) -> Result<()> {
    if baseline == name {
        return Err(Error::invalid(format!("{name} is compared with itself")));
    }
    for ((with, some), (without, others)) in
        [((baseline, first), (name, table)), ((name, table), (baseline, first))]
    {
        if let Some((query, _)) = some.iter().find(|(query, _)| others.scores_of(query).is_none()) {
            let query = Quoted(query);
            let message = format!(
                "query {query} is in {with} and not in {without}: scores of both sides have to be of \
                                   the same queries, 0 where one was not answered"
            );
            return Err(Error::invalid(message));
        }
    }
    Ok(())
}

fn column(name: &str, table: &ScoreTable, metric: &str) -> Result<Vec<f64>> {
    let at = table.metrics().iter().position(|known| known == metric);
    let at = at.ok_or_else(|| {
        let known = table.metrics().join(", ");
        Error::invalid(format!("{name} has no scores of {metric}; it has {known}"))
    })?;
    Ok(table.iter().map(|(_, scores)| scores[at]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::Source;

    fn table(text: &str) -> ScoreTable {
        ScoreTable::read(Source::bytes("t", text.as_bytes())).unwrap()
    }

    fn compare(
        tables: &[(&str, &ScoreTable)],
        metrics: &[&str],
        expect: Option<Expectation>,
    ) -> Result<ScoreComparisons> {
        let metrics: Vec<String> = metrics.iter().map(|&metric| metric.to_owned()).collect();
        ScoreComparisons::new(tables, &metrics, &Statistics::default(), expect, 1)
    }

    #[test]
    fn scores_are_compared_as_the_statistics_compare_them() {
        let a = table("query,AP,RR\nq1,0.5,1\nq2,0.25,1\nq3,0.5,1\nq4,0,1\nq5,0.125,1\nq6,0.5,1\nq7,0.5,1\n");
        let b =
            table("query,RR,AP\nq7,1,1\nq6,1,0.75\nq5,1,0.25\nq4,1,0.5\nq3,1,0.75\nq2,1,0.5\nq1,1,0.75\n");
        let all =
            compare(&[("a.csv", &a), ("b.csv", &b)], &[], Some(Expectation::NoRegression { tolerance: 0.0 }))
                .unwrap();
        let [ap, rr] = &all.comparisons[..] else { panic!("two metrics") };
        // Seven gains of seven: 2 / 2^7 by the permutation test. In the candidate's favour it counts an unseen query that loses
        // L = (1 + 1.078125) / (1 + 2.375), of the squares and the sum of a's scores. Its exponential weight outweighs all
        // gains d with probability 1 / product of (1 + d / L); two-sided p-values are twice that, and Holm's correction of
        // two doubles them.
        assert_eq!((ap.wins, ap.losses), (7, 0));
        let lost = 2.078_125 / 3.375;
        let outweighed: f64 =
            [0.25, 0.25, 0.25, 0.5, 0.125, 0.25, 0.5].map(|gain| 1.0 + gain / lost).iter().product();
        assert!((ap.p_deciding - 2.0 / outweighed).abs() < 1e-12, "{}", ap.p_deciding);
        assert_eq!(ap.p_adjusted, 2.0 * ap.p_deciding);
        assert_eq!((ap.conclusion, rr.conclusion), (Conclusion::NotShown, Conclusion::NotShown));
        let alone = compare(&[("a.csv", &a), ("b.csv", &b)], &["AP"], None).unwrap();
        let [alone] = &alone.comparisons[..] else { panic!("one metric") };
        assert_eq!((alone.p_deciding, alone.p_adjusted), (ap.p_deciding, ap.p_deciding));
        assert_eq!(alone.conclusion, Conclusion::NotShown);
        assert_eq!(ap.gained, [("q4".to_owned(), 0.0, 0.5)]);
        assert_eq!((rr.ties, rr.difference), (7, 0.0));
        assert_eq!(all.gate.unwrap().verdict, Verdict::Passed);
    }

    /// Ten queries on which the candidate's value is higher by 1: of two-sided p-values 2 / 2^10 is the least.
    #[test]
    fn a_rise_is_a_gain_where_more_is_better_alone() {
        let scores = |metric: &str, value: f64| {
            let lines: String = (0..10).map(|query| format!("q{query},{value}\n")).collect();
            table(&format!("query,{metric}\n{lines}"))
        };
        let gain = Expectation::Improvement { min_gain: 0.0 };
        for (metric, words, refused) in [
            ("FalseSilence", ["higher", "lower"], "less of FalseSilence is better"),
            ("FalseAnswer", ["higher", "lower"], "less of FalseAnswer is better"),
            ("Count(leak)@10", ["higher", "lower"], "nothing says whether more of Count(leak)@10 is better"),
            ("Copies@10", ["higher", "lower"], "nothing says whether more of Copies@10 is better"),
            ("NumRet", ["higher", "lower"], "nothing says whether more of NumRet is better"),
            ("RR", ["better", "worse"], ""),
            ("our-own", ["better", "worse"], ""),
        ] {
            let (low, high) = (scores(metric, 0.0), scores(metric, 1.0));
            let of = |tables: [(&str, &ScoreTable); 2], expect| compare(&tables, &[metric], expect);
            for (tables, word) in
                [[("low", &low), ("high", &high)], [("high", &high), ("low", &low)]].into_iter().zip(words)
            {
                let told = of(tables, None).unwrap();
                assert_eq!(told.comparisons[0].conclusion.as_str(), word, "{metric}");
                let text = crate::offline::report::score_comparisons(&told, Default::default());
                assert_eq!(text.contains(" won, "), refused.is_empty(), "{text}");
                for expect in [
                    gain,
                    Expectation::NoRegression { tolerance: 0.0 },
                    Expectation::NonInferiority { margin: 0.5 },
                ] {
                    match (of(tables, Some(expect)), refused) {
                        (Ok(held), "") => assert!(held.gate.is_some(), "{metric}"),
                        (Err(error), refused) if !refused.is_empty() => {
                            let error = error.to_string();
                            assert!(
                                error.starts_with(refused) && error.contains("takes more for better"),
                                "{error}"
                            );
                        }
                        (other, _) => panic!("{metric}: {other:?}"),
                    }
                }
                // Whether it is the same asks for no direction.
                let same = Expectation::Equivalence { margin: 0.5 };
                assert_eq!(
                    of(tables, Some(same)).unwrap().gate.unwrap().verdict,
                    Verdict::Failed,
                    "{metric}"
                );
            }
        }
    }

    #[test]
    fn scores_of_other_queries_are_an_error() {
        let (a, b) = (table("query,AP\nq1,1\nq2,1\n"), table("query,AP\nq1,1\n"));
        for (one, other, query) in
            [(&a, &b, "q2 is in one and not in other"), (&b, &a, "q2 is in other and not in one")]
        {
            let error = compare(&[("one", one), ("other", other)], &[], None).unwrap_err().to_string();
            assert!(error.replace('`', "").contains(query), "{error}");
        }
        let error = compare(&[("a", &a), ("b", &a.clone())], &["RR"], None).unwrap_err().to_string();
        assert_eq!(error, "a has no scores of RR; it has AP");
        assert!(
            compare(&[("a", &a)], &[], None).is_err() && compare(&[("a", &a), ("a", &a)], &[], None).is_err()
        );
    }
}
