//! Every two of several configurations.

use crate::evaluation::Evaluation;
use crate::gate::{Segment, Statistics};
use crate::metric::Metric;
use crate::model::{PairReport, PairsReport, RankedConfiguration};
use crate::stats::{ComparedPair, Differences, PairsTest, Stream, compare_pairs, mean};
use crate::{Error, Result, order};

use super::pair::ids;

/// Configurations that are compared with each other, by their names.
pub struct AllConfigurations<'a> {
    pub sides: Vec<(&'a str, &'a Evaluation)>,
    pub metrics: &'a [Metric],
    pub segment: Option<&'a Segment>,
    pub test: PairsTest,
}

impl AllConfigurations<'_> {
    /// Who beats whom, metric by metric.
    ///
    /// # Errors
    /// No query that all of them have; a metric that cannot be computed, or of which nothing says what is better.
    pub fn reports(&self, benchmark: &str, statistics: &Statistics) -> Result<Vec<PairsReport>> {
        let shared = self.shared()?;
        let stream = Stream::new(statistics.seed).for_name(benchmark).for_name("pairs");
        let of_metric = |metric: &Metric| self.report(metric, &shared, statistics, &stream);
        self.metrics.iter().map(of_metric).collect()
    }

    /// All of them over the queries of the segment that each has.
    fn shared(&self) -> Result<Vec<Evaluation>> {
        let nothing = || Error::invalid("there are no queries that several configurations have");
        let everywhere = self.sides.iter().map(|(_, evaluation)| ids(evaluation));
        let everywhere = everywhere.reduce(|all, one| &all & &one).ok_or_else(nothing)?;
        let of_side = |(_, evaluation): &(&str, &Evaluation)| {
            let kept =
                evaluation.keeping(|query| everywhere.contains(query.id.as_str())).ok_or_else(nothing)?;
            self.segment.map_or(Ok(kept.clone()), |segment| kept.segment(&segment.key, &segment.value))
        };
        self.sides.iter().map(of_side).collect()
    }

    fn report(
        &self,
        metric: &Metric,
        shared: &[Evaluation],
        statistics: &Statistics,
        stream: &Stream,
    ) -> Result<PairsReport> {
        if !metric.is_best_low() {
            metric.check_gain()?;
        }
        let mut ranked = Vec::new();
        for ((name, _), evaluation) in self.sides.iter().zip(shared) {
            evaluation.findable(metric)?;
            let scores = evaluation.scores(metric)?;
            let one = RankedConfiguration { name: (*name).to_owned(), mean: mean(&scores)? };
            ranked.push((one, by_unit(evaluation, scores)?));
        }
        // The sort is stable: of equal means the first comes first.
        order::sort_by(&mut ranked, |(a, _), (b, _)| match metric.is_best_low() {
            true => a.mean.total_cmp(&b.mean),
            false => b.mean.total_cmp(&a.mean),
        });
        let scores: Vec<&[f64]> = ranked.iter().map(|(_, sums)| sums.as_slice()).collect();
        let stream = stream.for_name(&metric.to_string());
        let compared = compare_pairs(&scores, self.test, statistics.confidence, &stream)?;
        let level = statistics.confidence.alpha();
        let of_pair = |one: &ComparedPair| {
            let [better, worse] = [one.pair.0, one.pair.1].map(|place| &ranked[place].0);
            PairReport {
                better: better.name.clone(),
                worse: worse.name.clone(),
                difference: better.mean - worse.mean,
                p_adjusted: one.p,
                shown: one.p <= level && one.is_settled(level),
            }
        };
        Ok(PairsReport {
            metric: metric.to_string(),
            segment: self.segment.map(|segment| [segment.key.clone(), segment.value.clone()]),
            test: self.test,
            queries: shared[0].queries().len(),
            resamples: compared.first().and_then(|one| one.resamples),
            pairs: compared.iter().map(of_pair).collect(),
            configurations: ranked.into_iter().map(|(one, _)| one).collect(),
        })
    }
}

/// The sums of the scores of each group of queries, in the order of their names; or the scores as they are.
fn by_unit(evaluation: &Evaluation, scores: Vec<f64>) -> Result<Vec<f64>> {
    let Some(groups) = evaluation.groups() else { return Ok(scores) };
    Ok(Differences::grouped(&vec![0.0; scores.len()], &scores, groups)?.sums().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{Collection, CollectionBuilder, Query};
    use crate::run::{Hit, Run};

    fn collection() -> Collection {
        let mut builder = CollectionBuilder::new();
        for at in 0..8 {
            builder.add_query(Query::new(format!("q{at}"), "alpha"), [("good", 1)]);
        }
        builder.build().unwrap()
    }

    /// So many of the queries are answered, with what is relevant.
    fn answered(collection: &Collection, number: usize) -> Evaluation {
        let hits = |at: usize| if at < number { vec![Hit::new("good", 1.0)] } else { vec![] };
        let run = Run::from_rankings((0..8).map(|at| (format!("q{at}"), hits(at)))).unwrap();
        Evaluation::of_run(collection, run).unwrap()
    }

    #[test]
    fn the_better_of_two_has_less_of_what_goes_wrong() {
        let collection = collection();
        let (few, many) = (answered(&collection, 2), answered(&collection, 8));
        let reports = |metric: &str| {
            let metrics = [metric.parse().unwrap()];
            let sides = vec![("few", &few), ("many", &many)];
            let all = AllConfigurations { sides, metrics: &metrics, segment: None, test: PairsTest::MaxT };
            all.reports("", &Statistics::default())
        };
        // By hand: RR 2/8 and 1, FalseSilence 6/8 and 0.
        for (metric, difference) in [("RR", 0.75), ("FalseSilence", -0.75)] {
            let pair = &reports(metric).unwrap()[0].pairs[0];
            assert_eq!(
                (pair.better.as_str(), pair.worse.as_str(), pair.difference),
                ("many", "few", difference)
            );
        }
        let error = reports("NumRet").unwrap_err().to_string();
        assert!(error.starts_with("nothing says whether more of NumRet is better"), "{error}");
    }
}
