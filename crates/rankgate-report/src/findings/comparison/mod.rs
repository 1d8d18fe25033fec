//! What a comparison of scores saw.

pub(crate) mod message;

use crate::gate::{Expect, IntervalMethod, Unjudged, Verdict};
use crate::json::record;
use crate::metric::Polarity;
use crate::model::{IntervalOrigin, Movers, Warning};
use crate::stats::{Basis, Correction, DecidingTest, Direction, Engine, Evidence, Reason};
use crate::words::keywords;

use super::Kind;

record! {
    /// A candidate against a baseline on one metric. Differences are candidate minus baseline, in the
    /// metric's own units; intervals are two-sided and not adjusted for other comparisons. In JSON a number that cannot
    /// be had is null; what does not apply is left out.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ComparisonFinding {
        /// The configuration that is judged.
        pub candidate: String,
        /// What it is compared with: a configuration, `golden` or `golden@v1.2`.
        pub baseline: String,
        /// Canonical name.
        pub metric: String,
        /// Metadata key and value of the segment, if it is on one.
        pub segment?: Option<[String; 2]>,
        /// The expectation, if the spec has one; otherwise the test is whether there is a gain.
        pub expect?: Option<Expect>,
        /// The claims that the data allow about the difference, where nothing is expected of it.
        pub conclusion?: Option<Conclusion>,
        /// The margin; `None` where it is 0.
        pub limit?: Option<f64>,
        /// What the verdict rests on.
        pub reason: Reason,
        /// Queries that both sides have.
        pub queries: usize,
        /// Queries that only one side has: left out of the comparison.
        pub unpaired: usize,
        /// Queries that the baseline answered and the candidate did not.
        pub unanswered: usize = default,
        /// The paired units: queries, or groups of them with `statistics.group-by`.
        pub units: usize,
        /// Units in which the candidate scores higher.
        pub wins: usize,
        /// Units in which both score the same.
        pub ties: usize,
        /// Units in which the candidate scores lower.
        pub losses: usize,
        /// The baseline's mean.
        pub baseline_mean: f64,
        /// The candidate's mean.
        pub candidate_mean: f64,
        /// The mean difference.
        pub difference: f64,
        /// The mean difference over its standard deviation (d_z).
        pub effect_dz: Option<f64>,
        /// The interval of the difference that the spec asks for.
        pub interval: Option<[f64; 2]>,
        /// How it was made, or why there is none.
        pub interval_kind: IntervalOrigin<IntervalMethod>,
        /// The t interval of the difference.
        pub t_interval: Option<[f64; 2]>,
        /// Two-sided p-value of the permutation test against no difference.
        pub p_two_sided: f64,
        /// One-sided: that the candidate is better.
        pub p_greater: f64,
        /// One-sided: that the candidate is worse.
        pub p_less: f64,
        /// Two-sided p-value of the deciding test against no difference.
        pub p_deciding: f64,
        /// Twice the smaller of two one-sided p-values, each of the claims' and adjusted among the family's claims of its
        /// direction; held against 1 less the confidence. It is not `p_deciding` adjusted.
        pub p_adjusted: f64,
        /// Where a margin decides, the p-value of that: of the claims that the verdict rests on the largest.
        pub p_margin?: Option<f64>,
        /// How far a simulated p-value may be off (its standard error); `None` when it is exact.
        pub p_error: Option<f64>,
        /// How the permutation p-values were computed.
        pub engine: Engine,
        /// Resamples of a simulated p-value; `None` when it is exact.
        pub permutation_resamples?: Option<u64>,
        /// The claims that the verdict rests on.
        pub claims: Vec<ClaimReport>,
        /// Which test decides; where differences have no spread, the permutation test in place of the bootstrap.
        pub test: DecidingTest,
        /// How p-values are adjusted.
        pub correction: Correction,
        /// How many gates they are adjusted for.
        pub family: usize,
        /// What random numbers are derived from.
        pub seed: u64,
        /// The bootstrap.
        pub bootstrap: BootstrapReport,
        /// The smallest difference that so many units show with power .8, by the t formula; none without spread.
        pub minimum_detectable_effect: Option<f64>,
        /// `Judged@k` of both sides at the metric's cutoff: how much of what they return was judged. None of a column of scores.
        pub judged?: Option<JudgedReport>,
        /// The same comparison on judged documents only, where a side has others down to the cutoff.
        pub judged_only?: Option<JudgedOnly>,
        /// How everything else here treats them.
        pub unjudged_as?: Unjudged,
        /// Largest difference between two repeats of one side, where a side ran several times: a
        /// difference within it may be the retriever's own noise.
        pub spread?: Option<f64>,
        /// How alike the rankings are. None of a column of scores.
        pub likeness?: Option<Likeness>,
        /// What else a reader should know before believing the verdict.
        pub warnings: Vec<Warning>,
        /// The queries and documents that moved.
        pub movers: Movers,
    }
}

impl ComparisonFinding {
    /// The p-value of the decision: against the margin, where one decides, else against no difference.
    #[must_use]
    pub fn p(&self) -> f64 {
        self.p_margin.unwrap_or(self.p_adjusted)
    }

    /// The question about the scores: the expectation, or where there is none, whether there is a gain.
    #[must_use]
    pub fn expectation_or_gain(&self) -> Expect {
        self.expect.unwrap_or(Expect::Improvement)
    }

    /// Whether the opposite of the expectation is shown; for `no-regression`, a drop of any size.
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        self.claims.iter().any(|claim| claim.is_shown_against())
    }

    /// The claims that the verdict rests on: those that refute the expectation where any does, else those
    /// that would show it.
    #[must_use]
    pub fn deciding(&self) -> Vec<&ClaimReport> {
        let of = |keep: &dyn Fn(&ClaimReport) -> bool| -> Vec<&ClaimReport> {
            self.claims.iter().filter(|claim| keep(claim)).collect()
        };
        let against = of(&ClaimReport::is_shown_against);
        if !against.is_empty() {
            return against;
        }
        if self.conclusion == Some(Conclusion::NotShown) {
            return of(&|_| true);
        }
        let open = |claim: &ClaimReport| {
            matches!(claim.evidence, Evidence::Disputed | Evidence::Undecided | Evidence::FewBuilds)
        };
        let claims = of(&|claim| claim.hoped || open(claim));
        if claims.is_empty() { of(&|_| true) } else { claims }
    }

    /// What the verdict rests on, in words that fit those of the reverse comparison: what these queries show, one that is
    /// not among them may undo.
    #[doc(hidden)]
    #[must_use]
    pub fn reason_words(&self) -> String {
        let is_undone = |claim: &ClaimReport| {
            claim.evidence == Evidence::Disputed && claim.p_second.is_some_and(|second| claim.p < second)
        };
        if self.reason != Reason::TestsDisagree || !self.claims.iter().any(is_undone) {
            return self.reason.to_string();
        }
        let [one, many] = if self.units == self.queries { ["query", "queries"] } else { ["group", "groups"] };
        format!("these {many} agree; a {one} that you lack could undo it")
    }

    /// Whether p-values are adjusted for other gates: margins are not, as all of their claims must hold.
    #[must_use]
    pub fn is_adjusted(&self) -> bool {
        self.family > 1
            && self.correction != Correction::None
            && matches!(self.expectation_or_gain(), Expect::NoRegression | Expect::Improvement)
    }
}

keywords! {
    /// A claim that the data allow about a difference.
    pub enum Conclusion {
        /// The candidate is better: a gain is shown.
        Better = "better",
        /// The candidate is worse: a drop is shown.
        Worse = "worse",
        /// The candidate's value is higher, of a metric of which more is not better, or not known to be.
        Higher = "higher",
        /// The candidate's value is lower, of such a metric.
        Lower = "lower",
        /// Neither is shown, which does not show that they are equal.
        NotShown = "not-shown" => "not shown",
        /// Both rank the same documents in the same order on every query.
        Identical = "identical",
    }
}

record! {
    /// A claim of one direction and its evidence. P-values are two-sided, as everywhere: twice
    /// the one-sided one, at most 1.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ClaimReport {
        /// The side of `null` that is claimed for the difference.
        pub direction: Direction,
        /// The difference compared with: 0 or a margin.
        pub null: f64,
        /// Whether the expectation hopes for it; else it is one that refutes the expectation.
        pub hoped: bool,
        /// p-value of the deciding test.
        pub p: f64,
        /// The p-value that decides, as `basis` says; adjusted for the family, where claims are adjusted.
        pub p_adjusted: f64,
        /// The level that it is held against: 1 less the confidence.
        pub level: f64,
        /// Whether `p_adjusted` is at most the level.
        pub reached: bool,
        /// p-value of the unseen query, if the claim counts one.
        pub p_second?: Option<f64>,
        /// Which of the two decides, or that the larger does.
        pub basis: Basis,
        /// p-value of the builds, where a side was built several times; `p_adjusted` is made from the largest.
        pub p_builds?: Option<f64>,
        /// What these come to.
        pub evidence: Evidence,
    }
}

impl ClaimReport {
    fn is_shown_against(&self) -> bool {
        !self.hoped && self.evidence == Evidence::Shown
    }
}

record! {
    /// What the bootstrap says.
    #[derive(Clone, Debug, PartialEq)]
    pub struct BootstrapReport {
        /// Resamples.
        pub resamples: u64,
        /// Limits of its interval.
        pub interval: Option<[f64; 2]>,
        /// How it was made, or why there is none.
        pub kind: IntervalOrigin<IntervalMethod>,
        /// Two-sided p-value of the studentised bootstrap, twice the smaller one-sided one; `None` where
        /// differences have no spread.
        pub p_value: Option<f64>,
        /// The share of resamples in which the candidate scores higher: a description, not a p-value.
        pub win_share: f64,
    }
}

record! {
    /// How much of what both sides return was judged.
    #[derive(Clone, Debug, PartialEq)]
    pub struct JudgedReport {
        /// The cutoff.
        pub cutoff: usize,
        /// The baseline's `Judged@cutoff`.
        pub baseline: f64,
        /// The candidate's.
        pub candidate: f64,
    }
}

record! {
    /// A comparison repeated with unjudged documents removed from both rankings: what stood below them moves
    /// up, from as far down as the spec's `depth` reaches.
    #[derive(Clone, Debug, PartialEq)]
    pub struct JudgedOnly {
        /// The mean difference then.
        pub difference: f64,
        /// The verdict then.
        pub verdict: Verdict,
    }
}

record! {
    /// How alike two sets of rankings are, independent of judgments.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Likeness {
        /// The cutoff of the overlap.
        pub cutoff: usize,
        /// Mean share of documents that both sides have inside the cutoff; like `rbo` a mean over all repeats
        /// of both sides, where there are several.
        pub overlap: f64,
        /// Mean rank-biased overlap (extrapolated, p = 0.9).
        pub rbo: f64,
        /// Queries with the same documents in the same order, to the full depth and in all repeats.
        pub identical: usize,
        /// Queries compared.
        pub queries: usize,
    }
}

impl Kind for ComparisonFinding {
    fn movers(&self) -> Option<&Movers> {
        Some(&self.movers)
    }

    // A comparison takes more for better, unless it only asks whether something changed.
    fn says_better(&self) -> Option<(&str, Polarity)> {
        let says = match self.expect {
            Some(Expect::Equivalence | Expect::Identical | Expect::Overlap) => Polarity::Unknown,
            Some(Expect::NoRegression | Expect::Improvement | Expect::NonInferiority) | None => {
                Polarity::MoreIsBetter
            }
        };
        Some((&self.metric, says))
    }

    fn comparison(&self) -> Option<&ComparisonFinding> {
        Some(self)
    }
}
