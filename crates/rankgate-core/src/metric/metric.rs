//! A metric: one of the built-in ones with its parameters and cutoff, or a team's own.

mod identity;

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::custom::{Custom, Function};
use super::definition::{Aggregation, Definition, Formula};
use super::direction::Polarity;
use super::judged::JUDGED;
use super::judged_ranking::JudgedRanking;
use super::parameters::Parameters;
use super::ranked_query::RankedQuery;
use super::reaching;
use super::requirements::Requirements;
use super::signals::Signals;
use crate::{Error, Result, panic};

/// A metric with its parameters and cutoff, such as `nDCG@10`: a function of one judged ranking.
///
/// Parsed from `Name(param=value, ...)@cutoff`, case being ignored and other tools' names being
/// understood ([`catalogue`](super::catalogue()) lists them); shown in canonical form, in which defaults are left out.
/// Metrics sort as the catalogue does, then by parameters and cutoff; a team's own come last.
///
/// ```
/// use rankgate::metric::{JudgedRanking, Metric};
///
/// let metric: Metric = "ndcg_cut_10".parse()?;
/// assert_eq!(metric.to_string(), "nDCG@10");
/// assert_eq!(metric, "nDCG(gain=linear)@10".parse()?);
///
/// // Grades 2, 0, 3 at ranks 1 to 3, and a grade 1 that was not retrieved:
/// // (2 + 3/2) / (3 + 2/log2(3) + 1/2)
/// let ranking = JudgedRanking::new(vec![Some(2), Some(0), Some(3)], vec![0, 1, 2, 3]);
/// assert!((metric.compute(&ranking) - 0.735_007).abs() < 1e-6);
///
/// let error = "nDGC@10".parse::<Metric>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown metric `nDGC@10`; did you mean `nDCG@10`?");
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone)]
pub struct Metric {
    kind: Kind,
    /// What a query has to reach, of the share of queries that do.
    pub(super) at_least: Option<f64>,
}

#[derive(Clone)]
enum Kind {
    BuiltIn { definition: &'static Definition, parameters: Parameters },
    Custom(Arc<Custom>),
}

impl Metric {
    pub(super) fn built_in(definition: &'static Definition, parameters: Parameters) -> Self {
        Self { kind: Kind::BuiltIn { definition, parameters }, at_least: None }
    }

    fn own(custom: Custom) -> Self {
        Self { kind: Kind::Custom(Arc::new(custom)), at_least: None }
    }

    /// The metric `Judged@k`, which is reported beside every metric with cutoff `k`.
    ///
    /// There is no cutoff 0; it is taken as 1.
    ///
    /// ```
    /// use rankgate::metric::Metric;
    ///
    /// assert_eq!(Metric::judged_at(10).to_string(), "Judged@10");
    /// ```
    pub fn judged_at(k: usize) -> Self {
        Self::built_in(&JUDGED, Parameters::cut_at(Some(k.max(1))))
    }

    /// The share of queries whose score reaches a value, such as `nDCG@10>=0.5`: 1 for a query that does, else 0. A score
    /// that is less than 1e-9 below the value reaches it.
    ///
    /// It is written as it is shown wherever metrics are named. Its interval is that of Clopper and Pearson (1934).
    ///
    /// # Errors
    ///
    /// When every query reaches the value or none can, and when the metric is such a share itself.
    ///
    /// ```
    /// use rankgate::metric::{JudgedRanking, Metric};
    ///
    /// let metric = Metric::reaching("R@10".parse()?, 0.8)?;
    /// assert_eq!(metric, "R@10>=0.8".parse()?);
    /// // Four of five relevant documents.
    /// assert_eq!(metric.compute(&JudgedRanking::new(vec![Some(1); 4], vec![1; 5])), 1.0);
    /// assert!(Metric::reaching("R@10".parse()?, 1.2).is_err());
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn reaching(metric: Self, at_least: f64) -> Result<Self> {
        reaching::check(&metric, at_least)?;
        // Without a zero that is negative.
        Ok(Self { at_least: Some(at_least + 0.0), ..metric })
    }

    /// The metric itself; of the share of queries that reach a value, the metric that reaches it.
    pub(super) fn base(&self) -> Self {
        Self { kind: self.kind.clone(), at_least: None }
    }

    /// The row of the catalogue that its [base](Self::base) belongs to.
    pub(super) fn base_definition(&self) -> Option<&'static Definition> {
        match &self.kind {
            Kind::BuiltIn { definition, .. } => Some(definition),
            Kind::Custom(_) => None,
        }
    }

    /// What the score of a query is worth: itself, or whether it reaches the value.
    fn worth(&self, score: f64) -> f64 {
        self.at_least.map_or(score, |at_least| reaching::indicator(score, at_least))
    }

    /// A metric of one's own, averaged over queries.
    ///
    /// `name` is a letter followed by letters, digits, `_`, `.` and `-`, and perhaps `@` and a cutoff;
    /// `range` holds every value that `f` can have. Metrics of one name are the same metric; a
    /// [`MetricRegistry`](super::MetricRegistry) makes sure that there is only one.
    ///
    /// # Errors
    ///
    /// When the name is malformed or one that a built-in metric goes by, or when the range is empty.
    ///
    /// ```
    /// use rankgate::metric::{JudgedRanking, Metric};
    ///
    /// // Does the best document that was judged come first?
    /// let metric = Metric::custom("BestFirst@1", 0.0..=1.0, |ranking| {
    ///     f64::from(ranking.grade_at(1).is_some_and(|grade| Some(&grade) == ranking.grades().first()))
    /// })?;
    /// assert_eq!(metric.compute(&JudgedRanking::new(vec![Some(2)], vec![2, 1])), 1.0);
    /// assert_eq!(metric.cutoff(), Some(1));
    /// assert!(Metric::custom("MAP", 0.0..=1.0, |_| 0.0).is_err());
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn custom(
        name: &str,
        range: RangeInclusive<f64>,
        f: impl Fn(&JudgedRanking) -> f64 + Send + Sync + 'static,
    ) -> Result<Self> {
        Ok(Self::own(Custom::new(name, range, Function::OfRanking(Box::new(f)))?))
    }

    /// A column of scores: numbers of queries that come from a file or from answers, and are computed from no ranking.
    ///
    /// # Errors
    ///
    /// As for [`custom`](Self::custom).
    pub fn column(name: &str, range: RangeInclusive<f64>, is_best_low: bool) -> Result<Self> {
        let polarity = if is_best_low { Polarity::LessIsBetter } else { Polarity::MoreIsBetter };
        Ok(Self::own(Custom::new(name, range, Function::Column { polarity })?))
    }

    /// A column of a table that any program may have written: one with the name of a metric has its range, and is better where
    /// the metric is. More of any other is better.
    #[doc(hidden)]
    pub fn column_called(name: &str) -> Self {
        let (name, range, polarity) = match name.parse::<Self>() {
            Ok(metric) if metric.check_gain().is_ok() => {
                (metric.to_string(), metric.range(), Polarity::MoreIsBetter)
            }
            Ok(metric) => (metric.to_string(), metric.range(), metric.polarity()),
            Err(_) => (name.to_owned(), f64::NEG_INFINITY..=f64::INFINITY, Polarity::MoreIsBetter),
        };
        Self::own(Custom { name, cutoff: None, range, f: Function::Column { polarity } })
    }

    /// Returns true if it is a column of scores, or the share of queries whose score in a column reaches a value.
    pub fn is_column(&self) -> bool {
        self.column_name().is_some()
    }

    /// The name of the column.
    pub fn column_name(&self) -> Option<&str> {
        match &self.kind {
            Kind::Custom(custom) => custom.polarity().map(|_| custom.name.as_str()),
            Kind::BuiltIn { .. } => None,
        }
    }

    /// What a query has whose score in the column is `value`.
    ///
    /// # Errors
    ///
    /// A value outside of the range of the column.
    pub fn of_column(&self, value: f64) -> Result<f64> {
        self.checked(value)
    }

    /// Which values of a column of scores are better.
    pub(super) fn column_polarity(&self) -> Option<Polarity> {
        match &self.kind {
            Kind::Custom(custom) if self.at_least.is_none() => custom.polarity(),
            Kind::Custom(_) | Kind::BuiltIn { .. } => None,
        }
    }

    /// The value for one query.
    ///
    /// Built-in metrics are within their [`range`](Self::range), but for a `DCG(gain=exp2)` of grades
    /// above 1023, which is infinite. A metric of one's own gives whatever its function does, and NaN where
    /// that [needs the documents](Self::needs_documents); [`try_compute`](Self::try_compute) checks it.
    pub fn compute(&self, ranking: &JudgedRanking) -> f64 {
        self.worth(self.score(ranking))
    }

    fn score(&self, ranking: &JudgedRanking) -> f64 {
        match &self.kind {
            Kind::BuiltIn { definition, parameters } => match definition.formula {
                Formula::Grades(compute) => compute(ranking, parameters),
                Formula::Query(_) => f64::NAN,
            },
            Kind::Custom(custom) => match &custom.f {
                Function::OfRanking(f) => f(ranking),
                Function::Column { .. } => f64::NAN,
            },
        }
    }

    /// Whether it looks at the query and its documents, and not at grades alone.
    pub fn needs_documents(&self) -> bool {
        self.requirements().documents
    }

    /// What it has to be given besides the grades of a ranking.
    pub fn requirements(&self) -> Requirements {
        match &self.kind {
            Kind::BuiltIn { definition, .. } => definition.requirements(),
            Kind::Custom(custom) => custom.f.requirements(),
        }
    }

    /// The value for one query by its documents, of a metric that [needs them](Self::needs_documents).
    ///
    /// # Errors
    ///
    /// When something is missing that the metric needs, or it is one of grades.
    pub fn compute_of_query(&self, asked: &RankedQuery<'_>) -> Result<f64> {
        self.check_query_has_all(asked)?;
        match &self.kind {
            Kind::BuiltIn { definition: Definition { formula: Formula::Query(f), .. }, parameters } => {
                let named = |error| Error::invalid(format!("{self}: {error}"));
                self.checked(f(asked, parameters).map_err(named)?)
            }
            Kind::BuiltIn { .. } | Kind::Custom(_) => Err(Error::invalid(format!(
                "{self} is a metric of grades, and only documents are known here"
            ))),
        }
    }

    /// The value for one query, if it is a finite number within the metric's range.
    ///
    /// # Errors
    ///
    /// When it is not: a metric of one's own panics or is not what it was said to be, or it
    /// [needs the documents](Self::needs_documents).
    ///
    /// ```
    /// use rankgate::metric::{JudgedRanking, Metric};
    ///
    /// let metric = Metric::custom("HitsOverJudged", 0.0..=1.0, |ranking| {
    ///     ranking.hits(10, 1) as f64 / ranking.judged_at(10) as f64
    /// })?;
    /// let error = metric.try_compute(&JudgedRanking::new(vec![None], vec![1])).unwrap_err();
    /// assert_eq!(error.to_string(), "HitsOverJudged is NaN, which is not in its range from 0 to 1");
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn try_compute(&self, ranking: &JudgedRanking) -> Result<f64> {
        self.check_ranking_has_all(ranking)?;
        match &self.kind {
            Kind::Custom(_) => self.checked(self.caught(|| self.score(ranking))?),
            Kind::BuiltIn { .. } => self.checked(self.score(ranking)),
        }
    }

    /// What a function gives that is not ours, and may panic.
    fn caught(&self, f: impl FnOnce() -> f64) -> Result<f64> {
        panic::catch(f).map_err(|message| Error::invalid(format!("{} panicked: {message}", self.base())))
    }

    /// What lies behind the value for one query: hits, R, first relevant rank, gains.
    pub fn signals(&self, ranking: &JudgedRanking) -> Signals {
        match &self.kind {
            Kind::BuiltIn { definition, parameters } => {
                let residual = definition.residual.map(|residual| residual(ranking, parameters));
                Signals::from_ranking(ranking, parameters, residual)
            }
            Kind::Custom(custom) => Signals::from_ranking(ranking, &Parameters::cut_at(custom.cutoff), None),
        }
    }

    /// The lowest grade that it counts as relevant in this ranking: its own `rel=`, else the ranking's.
    pub fn relevant_from(&self, ranking: &JudgedRanking) -> i32 {
        match &self.kind {
            Kind::BuiltIn { parameters, .. } => parameters.rel(ranking),
            Kind::Custom(_) => ranking.relevant_from(),
        }
    }

    /// The rank below which documents do not matter, if there is one.
    pub fn cutoff(&self) -> Option<usize> {
        match &self.kind {
            // Whether there is any result is seen of the first.
            Kind::BuiltIn { definition, parameters } if definition.requirements().unanswerable => {
                Some(parameters.cutoff().unwrap_or(1))
            }
            Kind::BuiltIn { parameters, .. } => parameters.cutoff(),
            Kind::Custom(custom) => custom.cutoff,
        }
    }

    /// The highest grade that counts as it is, where the metric's name has one (`max=`).
    pub fn max_grade(&self) -> Option<i32> {
        match &self.kind {
            Kind::BuiltIn { parameters, .. } => parameters.max,
            Kind::Custom(_) => None,
        }
    }

    /// The values that the metric can have for a query: from 0 to 1, for DCG and counts to infinity.
    pub fn range(&self) -> RangeInclusive<f64> {
        if self.at_least.is_some() { 0.0..=1.0 } else { self.range_of_scores() }
    }

    fn range_of_scores(&self) -> RangeInclusive<f64> {
        match &self.kind {
            Kind::BuiltIn { definition, .. } => definition.range(),
            Kind::Custom(custom) => custom.range.clone(),
        }
    }

    /// What a score is worth, if it is one that the metric can have.
    fn checked(&self, score: f64) -> Result<f64> {
        let range = self.range_of_scores();
        if score.is_finite() && range.contains(&score) {
            return Ok(self.worth(score));
        }
        Err(Error::invalid(format!(
            "{} is {score}, which is not in its range from {} to {}",
            self.base(),
            range.start(),
            range.end()
        )))
    }

    /// How the scores of single queries become the score of a run.
    pub fn aggregation(&self) -> Aggregation {
        self.definition().map_or(Aggregation::Mean, Definition::aggregation)
    }

    /// Whether it sums up over queries instead of averaging: its values are whole numbers, unless they are
    /// means over repeats.
    pub fn is_count(&self) -> bool {
        self.aggregation() == Aggregation::Sum
    }

    /// Whether it is the share of queries at which a system answers or is silent where it should not.
    #[doc(hidden)]
    pub fn is_of_silence(&self) -> bool {
        self.counterpart().is_some()
    }

    /// Whether no ranking of some of these documents scores higher than all of them by grade, the highest first: its score then is
    /// the ceiling of what a reranker can make of them.
    ///
    /// ```
    /// use rankgate::metric::Metric;
    ///
    /// let highest = |name: &str| name.parse().map(|metric: Metric| metric.is_highest_by_grade());
    /// assert!(highest("nDCG@10")? && highest("AP")?);
    /// // Fewer documents can be more precise, and a diverse ranking is no ranking by grade.
    /// assert!(!highest("SetP")? && !highest("alpha-nDCG@10")?);
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn is_highest_by_grade(&self) -> bool {
        self.base_definition().is_some_and(Definition::is_highest_by_grade)
    }

    /// Why its values over queries cannot be compared, tested or given limits: those are of arithmetic means.
    ///
    /// # Errors
    /// A geometric mean.
    #[doc(hidden)]
    pub fn check_arithmetic(&self) -> Result<()> {
        if self.aggregation() != Aggregation::GeometricMean {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "{self} is a geometric mean, which `rankgate eval` reports; what is tested and limited are arithmetic means, such as AP"
        )))
    }

    /// Whether its values are 0 and 1 only.
    pub fn is_binary(&self) -> bool {
        self.at_least.is_some() || self.definition().is_some_and(Definition::is_binary)
    }

    /// Whether it measures relevance, so that it says nothing about a query without relevant
    /// documents. `Judged@k` and `NumRet` do not, and a metric of one's own need not where it
    /// [looks at documents](Self::needs_documents).
    pub fn needs_relevance(&self) -> bool {
        self.requirements().relevance
    }

    /// The row of the [`catalogue`](super::catalogue()) it belongs to; none for a metric of one's own, and none for a
    /// [share of queries](Self::reaching).
    pub fn definition(&self) -> Option<&'static Definition> {
        self.base_definition().filter(|_| self.at_least.is_none())
    }
}

#[doc(hidden)]
impl Metric {
    /// The lowest grade that it finds anything in, where it measures relevance: gains are above 0 whatever
    /// grade counts as relevant elsewhere.
    pub fn finds_from(&self, ranking: &JudgedRanking) -> Option<i32> {
        let lowest = match &self.kind {
            Kind::Custom(_) => 1,
            Kind::BuiltIn { definition, parameters } if definition.is_binary_relevance() => {
                parameters.rel(ranking)
            }
            Kind::BuiltIn { parameters, .. } => parameters.gains_from(),
        };
        self.needs_relevance().then_some(lowest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(name: &str) -> Metric {
        name.parse().unwrap()
    }

    #[test]
    fn properties_of_metrics() {
        let zero_to_one = 0.0..=1.0;
        let from_zero = 0.0..=f64::INFINITY;
        // metric, cutoff, range, aggregation, binary, needs relevance
        for (name, cutoff, range, aggregation, binary, relevance) in [
            ("nDCG@10", Some(10), &zero_to_one, Aggregation::Mean, false, true),
            ("AP", None, &zero_to_one, Aggregation::Mean, false, true),
            ("IPrec@0.5", None, &zero_to_one, Aggregation::Mean, false, true),
            ("Success@5", Some(5), &zero_to_one, Aggregation::Mean, true, true),
            ("DCG@20", Some(20), &from_zero, Aggregation::Mean, false, true),
            ("Judged@7", Some(7), &zero_to_one, Aggregation::Mean, false, false),
            ("NumRet", None, &from_zero, Aggregation::Sum, false, false),
            ("NumRel", None, &from_zero, Aggregation::Sum, false, true),
            ("NumRelRet", None, &from_zero, Aggregation::Sum, false, true),
        ] {
            let metric = metric(name);
            assert_eq!(metric.cutoff(), cutoff, "{name}");
            assert_eq!(&metric.range(), range, "{name}");
            assert_eq!(metric.aggregation(), aggregation, "{name}");
            assert_eq!(metric.is_binary(), binary, "{name}");
            assert_eq!(metric.needs_relevance(), relevance, "{name}");
        }
    }

    #[test]
    fn the_lowest_relevant_grade_is_the_metrics_own_or_the_rankings() {
        let ranking = JudgedRanking::new(vec![], vec![]);
        assert_eq!(ranking.relevant_from(), 1);
        let ranking = ranking.with_relevant_from(3);
        assert_eq!(ranking.relevant_from(), 3);
        let own = Metric::custom("x", 0.0..=1.0, |_| 0.5).unwrap();
        for (metric, grade) in
            [(metric("AP"), 3), (metric("AP(rel=2)"), 2), (metric("P(rel=4)@5"), 4), (own, 3)]
        {
            assert_eq!(metric.relevant_from(&ranking), grade, "{metric}");
        }
    }

    #[test]
    fn a_panic_of_ones_own_metric_is_an_error_that_names_it() {
        let ranking = JudgedRanking::new(vec![None], vec![1]);
        let own = Metric::custom("Mine@3", 0.0..=1.0, |_| panic!("no such grade")).unwrap();
        let error = own.try_compute(&ranking).unwrap_err().to_string();
        assert!(error.starts_with("Mine@3 panicked: no such grade ("), "{error}");
    }

    #[test]
    fn values_outside_the_range_are_errors() {
        let empty = JudgedRanking::new(vec![], vec![]);
        for (value, message) in [
            (f64::NAN, "x is NaN, which is not in its range from 0 to 1"),
            (1.5, "x is 1.5, which is not in its range from 0 to 1"),
            (f64::INFINITY, "x is inf, which is not in its range from 0 to 1"),
        ] {
            let metric = Metric::custom("x", 0.0..=1.0, move |_| value).unwrap();
            assert_eq!(metric.try_compute(&empty).unwrap_err().to_string(), message);
        }
        let huge = JudgedRanking::new(vec![Some(2000)], vec![2000]);
        assert!(metric("DCG(gain=exp2)@5").try_compute(&huge).is_err());
        assert_eq!(metric("nDCG(gain=exp2)@5").try_compute(&huge).unwrap(), 1.0);
    }
}
