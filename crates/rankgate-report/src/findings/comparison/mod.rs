//! What a comparison of scores saw.

pub(crate) mod message;

use serde::{Deserialize, Serialize};

use crate::gate::Expect;
use crate::model::{CollectionValue, Movers, Row, Warning};
use crate::stats::{Direction, Evidence, Reason};
use crate::words::keywords;

/// A candidate against a baseline on one metric. Differences are candidate minus baseline, in the
/// metric's own units; p-values are two-sided, and intervals are not adjusted for other comparisons. In JSON a number
/// that cannot be had is null; what does not apply is left out.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct ComparisonFinding {
    /// The configuration that is judged.
    pub candidate: String,
    /// What it is compared with: a configuration or `golden`.
    pub baseline: String,
    /// Canonical name.
    pub metric: String,
    /// Metadata key and value of the segment, if it is on one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<[String; 2]>,
    /// The expectation, if the spec has one; otherwise the test is whether there is a gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
    /// The claims that the data allow about the difference, where nothing is expected of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<Conclusion>,
    /// The margin; `None` where it is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// What the verdict rests on.
    pub reason: Reason,
    /// Queries that both sides have.
    pub queries: usize,
    /// Queries in which the candidate scores higher, or groups of them with `statistics.group-by`.
    pub wins: usize,
    /// Those in which both score the same.
    pub ties: usize,
    /// Those in which the candidate scores lower.
    pub losses: usize,
    /// The baseline's mean; over the collections of a suite the mean of their means.
    pub baseline_mean: f64,
    /// The candidate's mean.
    pub candidate_mean: f64,
    /// The mean difference.
    pub difference: f64,
    /// The interval of the difference.
    pub interval: Option<[f64; 2]>,
    /// p-value of the deciding test against no difference.
    pub p_deciding: f64,
    /// Twice the smaller of two one-sided p-values, each of the claims' and adjusted among the family's claims of its
    /// direction; held against 1 less the confidence. It is not `p_deciding` adjusted.
    pub p_adjusted: f64,
    /// How the deciding test was computed, in words.
    pub test: String,
    /// The claims that the verdict rests on.
    pub claims: Vec<ClaimReport>,
    /// The smallest difference that so many queries show with power .8, by the t formula; none without spread.
    pub minimum_detectable_effect: Option<f64>,
    /// Other numbers, for readers who check them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Row>,
    /// What else a reader should know before believing the verdict.
    pub warnings: Vec<Warning>,
    /// The queries and documents that moved.
    pub movers: Movers,
    /// Each collection of a suite by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<CollectionValue>,
}

impl ComparisonFinding {
    /// The p-value of the decision: against the margin, where one decides, else against no difference.
    pub fn p(&self) -> f64 {
        if self.is_corrected() {
            return self.p_adjusted;
        }
        // A margin must hold on all of its sides, and is broken on any.
        let refuted = self.reason == Reason::Refuted;
        let deciding =
            self.claims.iter().filter(|claim| claim.hoped != refuted).map(|claim| claim.p_adjusted);
        let worst = if refuted { deciding.reduce(f64::min) } else { deciding.reduce(f64::max) };
        worst.unwrap_or(self.p_adjusted)
    }

    /// The paired queries, or groups of them.
    pub fn units(&self) -> usize {
        self.wins + self.ties + self.losses
    }

    /// Whether groups of queries are compared.
    pub fn is_grouped(&self) -> bool {
        self.units() != self.queries
    }

    /// The question about the scores: the expectation, or where there is none, whether there is a gain.
    pub fn expectation_or_gain(&self) -> Expect {
        self.expect.unwrap_or(Expect::Improvement)
    }

    /// Whether the opposite of the expectation is shown; for `no-regression`, a drop of any size.
    pub fn is_refuted(&self) -> bool {
        self.claims.iter().any(|claim| claim.is_shown_against())
    }

    /// The claims that the verdict rests on: those that refute the expectation where any does, else those
    /// that would show it.
    pub fn deciding(&self) -> Vec<&ClaimReport> {
        let of = |keep: &dyn Fn(&ClaimReport) -> bool| -> Vec<&ClaimReport> {
            self.claims.iter().filter(|claim| keep(claim)).collect()
        };
        let against = of(&ClaimReport::is_shown_against);
        if !against.is_empty() {
            return against;
        }
        if self.conclusion == Some(Conclusion::NotSignificant) {
            return of(&|_| true);
        }
        let open = |claim: &ClaimReport| matches!(claim.evidence, Evidence::Disputed | Evidence::Undecided);
        let claims = of(&|claim| claim.hoped || open(claim));
        if claims.is_empty() { of(&|_| true) } else { claims }
    }

    /// What the verdict rests on, in words that fit those of the reverse comparison: what these queries show, one that is
    /// not among them may undo.
    #[doc(hidden)]
    pub fn reason_words(&self) -> String {
        let is_undone = |claim: &ClaimReport| {
            claim.evidence == Evidence::Disputed && claim.p_second.is_some_and(|second| claim.p < second)
        };
        if self.reason != Reason::TestsDisagree || !self.claims.iter().any(is_undone) {
            return self.reason.to_string();
        }
        let [one, many] = if self.is_grouped() { ["group", "groups"] } else { ["query", "queries"] };
        format!("these {many} agree; a {one} that you lack could undo it")
    }

    /// Whether its p-value is larger for other gates of its family: margins are not adjusted, as all of their claims must hold.
    pub fn is_adjusted(&self) -> bool {
        self.is_corrected() && self.claims.iter().any(|claim| claim.p_adjusted > claim.alone())
    }

    fn is_corrected(&self) -> bool {
        matches!(self.expectation_or_gain(), Expect::NoRegression | Expect::Improvement)
    }
}

keywords! {
    /// A claim that the data allow about a difference.
    pub enum Conclusion {
        /// The candidate is better: a significant gain.
        Better = "better",
        /// The candidate is worse: a drop is shown.
        Worse = "worse",
        /// The candidate's value is higher, of a metric of which more is not better, or not known to be.
        Higher = "higher",
        /// The candidate's value is lower, of such a metric.
        Lower = "lower",
        /// Neither is shown, which does not show that they are equal.
        NotSignificant = "not-significant" => "not significant",
        /// Both rank the same documents in the same order on every query.
        Identical = "identical",
    }
}

/// A claim of one direction and its evidence. P-values are two-sided, as everywhere: twice
/// the one-sided one, at most 1.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct ClaimReport {
    /// The side of `null` that is claimed for the difference.
    pub direction: Direction,
    /// The difference compared with: 0 or a margin.
    pub null: f64,
    /// Whether the expectation hopes for it; else it is one that refutes the expectation.
    pub hoped: bool,
    /// p-value of the deciding test.
    pub p: f64,
    /// The p-value that decides; adjusted for the family, where claims are adjusted.
    pub p_adjusted: f64,
    /// Whether `p_adjusted` is at most 1 less the confidence.
    pub reached: bool,
    /// p-value of the unseen query, if the claim counts one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_second: Option<f64>,
    /// Whether the unseen query decides alone; else the larger of the two does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_unseen_query: bool,
    /// What these come to.
    pub evidence: Evidence,
}

impl ClaimReport {
    /// The p-value that decides without other gates.
    fn alone(&self) -> f64 {
        match self.p_second {
            Some(second) if self.by_unseen_query => second,
            Some(second) => self.p.max(second),
            None => self.p,
        }
    }

    fn is_shown_against(&self) -> bool {
        !self.hoped && self.evidence == Evidence::Significant
    }
}
