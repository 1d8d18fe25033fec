//! The numbers that people look at when a metric's value surprises them.

use super::judged_ranking::JudgedRanking;
use super::parameters::Parameters;

/// What lies behind a metric's value for one query, with the metric's cutoff, lowest relevant grade
/// and gain; see [`Metric::signals`](super::Metric::signals).
///
/// ```
/// use rankgate::metric::{JudgedRanking, Metric};
///
/// let metric: Metric = "R@3".parse()?;
/// let signals = metric.signals(&JudgedRanking::new(vec![Some(0), None, Some(2), Some(1)], vec![2, 1, 1, 0]));
/// assert_eq!((signals.hits, signals.relevant, signals.first_relevant), (1, 3, Some(3)));
/// assert_eq!((signals.retrieved, signals.judged), (3, 2));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Signals {
    /// Documents retrieved within the cutoff.
    pub retrieved: usize,
    /// Judged documents within the cutoff.
    pub judged: usize,
    /// Relevant documents within the cutoff.
    pub hits: usize,
    /// R: relevant documents judged for the query, retrieved or not.
    pub relevant: usize,
    /// Rank of the first relevant document, be it within the cutoff or below.
    pub first_relevant: Option<usize>,
    /// For RBP: how much larger it could be if what is not known were relevant.
    pub residual: Option<f64>,
}

impl Signals {
    pub(super) fn from_ranking(
        ranking: &JudgedRanking,
        parameters: &Parameters,
        residual: Option<f64>,
    ) -> Self {
        let (depth, rel) = (parameters.depth(), parameters.rel(ranking));
        Self {
            retrieved: ranking.len().min(depth),
            judged: ranking.judged_at(depth),
            hits: ranking.hits(depth, rel),
            relevant: ranking.relevant(rel),
            first_relevant: ranking.first_relevant_rank(rel),
            residual,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;

    #[test]
    fn signals_follow_the_metrics_cutoff_relevance_and_gain() {
        let ranking = JudgedRanking::sample("1 - 2 0", &[3]);
        let signals = |name: &str| name.parse::<Metric>().unwrap().signals(&ranking);
        let at_two = signals("RR(rel=2)@2");
        assert_eq!((at_two.retrieved, at_two.judged, at_two.hits), (2, 1, 0));
        assert_eq!((at_two.relevant, at_two.first_relevant), (2, Some(3)));
        assert_eq!(signals("AP").residual, None);
        let own = Metric::custom("mine@2", 0.0..=1.0, |_| 0.5).unwrap().signals(&ranking);
        assert_eq!((own.retrieved, own.hits, own.relevant), (2, 1, 3));
    }

    #[test]
    fn an_unanswered_query_has_nothing() {
        let signals = "nDCG@10".parse::<Metric>().unwrap().signals(&JudgedRanking::sample("", &[2]));
        assert_eq!((signals.retrieved, signals.hits, signals.first_relevant), (0, 0, None));
    }
}
