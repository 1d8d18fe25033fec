//! Two leaderboards of the same runs: do other judgments, or another metric, rank them alike?

use crate::error::Quoted;
use crate::json::record;
use crate::stats::{ROUNDING, kendall_tau, rank_biased_overlap, tau_ap};
use crate::{Error, Result, SCHEMA};

/// The persistence of rank-biased overlap: the first ten places carry 86% of the weight.
const P: f64 = 0.9;

record! {
    /// By what runs are ranked.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    write pub struct LeaderboardBasis {
        /// The judgments, by the name of their file as it was given.
        pub judgments: String,
        /// The metric's canonical name.
        pub metric: String,
        /// Queries that its mean is taken over.
        pub queries: usize,
    }
}

record! {
    /// A run on both leaderboards.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct RankedRun {
        /// The run, by the name of its file as it was given.
        pub run: String,
        /// Its value on the first and on the second.
        pub values: [f64; 2],
        /// Its rank from 1 on the first and on the second; runs of one value share the best rank of theirs.
        pub ranks: [usize; 2],
    }
}

record! {
    /// Two leaderboards of the same runs, and how far they agree. Nothing is tested: the coefficients describe these runs and
    /// queries.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct Leaderboards {
        /// The version of the JSON form.
        pub schema: u32,
        /// By what the first ranks, which the AP correlation takes for the truth.
        pub first: LeaderboardBasis,
        /// By what the second ranks.
        pub second: LeaderboardBasis,
        /// The runs, in the order of the first.
        pub runs: Vec<RankedRun>,
        /// Kendall's tau-b, from -1 to 1; null where either ranks all runs alike.
        pub kendall_tau: Option<f64>,
        /// The AP correlation of the second with the first, from -1 to 1: swaps near the top cost more.
        pub tau_ap: f64,
        /// The mean of that and of the first with the second.
        pub tau_ap_symmetric: f64,
        /// Rank-biased overlap, from 0 to 1.
        pub rank_biased_overlap: f64,
        /// Its persistence.
        pub persistence: f64,
    }
}

impl LeaderboardBasis {
    /// Judgments and metric by their names, and how many queries count.
    pub fn new(judgments: impl Into<String>, metric: impl Into<String>, queries: usize) -> Self {
        Self { judgments: judgments.into(), metric: metric.into(), queries }
    }
}

impl Leaderboards {
    /// Of runs with their values on both, of which more is better.
    ///
    /// ```
    /// use rankgate_offline::{LeaderboardBasis, Leaderboards};
    ///
    /// let basis = |judgments| LeaderboardBasis::new(judgments, "nDCG@10", 50);
    /// let runs = [("a", [0.5, 0.4]), ("b", [0.4, 0.2]), ("c", [0.3, 0.3])].map(|(run, values)| (run.to_owned(), values));
    /// let both = Leaderboards::new(basis("people.qrels"), basis("model.qrels"), runs.to_vec())?;
    /// assert_eq!((both.runs[1].run.as_str(), both.runs[1].ranks), ("b", [2, 3]));
    /// assert_eq!(both.tau_ap, 0.5);
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fewer than two runs, a run that is named twice, a value that is not a number.
    pub fn new(
        first: LeaderboardBasis,
        second: LeaderboardBasis,
        runs: Vec<(String, [f64; 2])>,
    ) -> Result<Self> {
        if runs.len() < 2 {
            return Err(Error::invalid("a leaderboard takes two runs or more"));
        }
        let mut names: Vec<&str> = runs.iter().map(|(run, _)| run.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::invalid(format!("the run {} is named twice", Quoted(twice[0]))));
        }
        let values = |side: usize| without_rounding(runs.iter().map(|(_, values)| values[side]).collect());
        let (one, other) = (values(0), values(1));
        let few = || Error::invalid("a leaderboard takes two runs or more");
        let towards = tau_ap(&other, &one)?.ok_or_else(few)?;
        let back = tau_ap(&one, &other)?.ok_or_else(few)?;
        let rank = |values: &[f64], own: f64| 1 + values.iter().filter(|value| **value > own).count();
        let ranked = |(at, (run, values)): (usize, &(String, [f64; 2]))| RankedRun {
            run: run.clone(),
            values: *values,
            ranks: [rank(&one, one[at]), rank(&other, other[at])],
        };
        let mut ranked: Vec<RankedRun> = runs.iter().enumerate().map(ranked).collect();
        ranked.sort_by(|a, b| (a.ranks, &a.run).cmp(&(b.ranks, &b.run)));
        Ok(Self {
            schema: SCHEMA,
            first,
            second,
            runs: ranked,
            kendall_tau: kendall_tau(&one, &other)?,
            tau_ap: towards,
            tau_ap_symmetric: f64::midpoint(towards, back),
            rank_biased_overlap: rank_biased_overlap(&one, &other, P)?,
            persistence: P,
        })
    }
}

/// The values, those that only rounding tells apart made one: else a rank would hang on the order in which a mean was summed.
fn without_rounding(mut values: Vec<f64>) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
    for pair in order.windows(2) {
        // What is no number is left to be refused.
        if values[pair[1]] - values[pair[0]] <= ROUNDING {
            values[pair[1]] = values[pair[0]];
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(values: &[(&str, [f64; 2])]) -> Result<Leaderboards> {
        let basis = LeaderboardBasis::new("a.qrels", "AP", 2);
        let values = values.iter().map(|(run, values)| ((*run).to_owned(), *values));
        Leaderboards::new(basis.clone(), basis, values.collect())
    }

    #[test]
    fn runs_of_one_value_share_a_rank() {
        let both =
            runs(&[("d", [0.1, 0.9]), ("b", [0.5, 0.2]), ("a", [0.5, 0.2]), ("c", [0.3, 0.2])]).unwrap();
        let ranks: Vec<_> = both.runs.iter().map(|run| (run.run.as_str(), run.ranks)).collect();
        assert_eq!(ranks, [("a", [1, 2]), ("b", [1, 2]), ("c", [3, 2]), ("d", [4, 1])]);
        assert_eq!(runs(&[("a", [0.5, 0.5]), ("b", [0.5, 0.1])]).unwrap().kendall_tau, None);
        // 11/25 as two sums of it are.
        let tied = [("a", [0.44, 0.3]), ("b", [0.440_000_000_000_000_06, 0.2]), ("c", [0.1, 0.1])];
        let exact = tied.map(|(run, [_, other])| (run, [if run == "c" { 0.1 } else { 0.44 }, other]));
        let (tied, exact) = (runs(&tied).unwrap(), runs(&exact).unwrap());
        let coefficients = |both: &Leaderboards| {
            (both.kendall_tau, both.tau_ap, both.tau_ap_symmetric, both.rank_biased_overlap)
        };
        assert_eq!((tied.runs[1].ranks, coefficients(&tied)), ([1, 2], coefficients(&exact)));
    }

    #[test]
    fn orders_without_ties_overlap_as_rankings_do() {
        for order in [["a", "b", "c", "d"], ["b", "a", "c", "d"], ["d", "c", "b", "a"], ["b", "d", "a", "c"]]
        {
            let first = ["a", "b", "c", "d"];
            let value =
                |order: &[&str; 4], run: &str| -(order.iter().position(|one| *one == run).unwrap() as f64);
            let values = first.map(|run| (run, [value(&first, run), value(&order, run)]));
            let overlap = runs(&values).unwrap().rank_biased_overlap;
            assert!(
                (overlap - crate::run::rank_biased_overlap(&first, &order, P)).abs() < 1e-12,
                "{order:?}"
            );
        }
    }

    #[test]
    fn what_is_no_leaderboard_is_an_error() {
        for (values, expected) in [
            (&[("a", [0.5, 0.5])][..], "a leaderboard takes two runs or more"),
            (&[("a", [0.5, 0.5]), ("a", [0.4, 0.4])], "the run `a` is named twice"),
            (&[("a", [0.5, 0.5]), ("b", [0.4, f64::NAN])], "NaN is no score that can be ordered"),
        ] {
            assert_eq!(runs(values).unwrap_err().to_string(), expected);
        }
    }
}
