//! What runs are held to, as options.

use std::num::NonZeroUsize;

use clap::Args;
use rankgate::benchmark::model::{EvidenceRemedies, EvidenceShortage};
use rankgate::gate::{Evidence, Expect, Expectation};
use rankgate::stats::Expectation as OfScores;
use rankgate::{BoxError, Error};

use crate::words::words;

/// What may be expected of runs.
const EXPECTED: [Expect; 5] = [
    Expect::NoRegression,
    Expect::NonInferiority,
    Expect::Improvement,
    Expect::Equivalence,
    Expect::Identical,
];
const GATE: &str = "Gate";

#[derive(Args)]
pub(crate) struct Expected {
    /// What every candidate is held to
    #[arg(long, value_parser = words::<Expect>(EXPECTED.map(Expect::as_str)), help_heading = GATE)]
    expect: Option<Expect>,

    /// Largest difference that is put up with, in the metric's own units (non-inferiority, equivalence)
    #[arg(long, allow_negative_numbers = true, help_heading = GATE)]
    margin: Option<f64>,

    /// Largest drop that is put up with though it is shown (no-regression)
    #[arg(long, allow_negative_numbers = true, help_heading = GATE)]
    tolerance: Option<f64>,

    /// Smallest gain worth having (improvement)
    #[arg(long, allow_negative_numbers = true, help_heading = GATE)]
    min_gain: Option<f64>,
}

impl Expected {
    /// What is expected, if anything is.
    pub(crate) fn expectation(&self) -> Result<Option<Expectation>, BoxError> {
        let said = |name: &str| format!("--expect {name}");
        let margin = |what: &str| {
            self.margin.ok_or_else(|| {
                format!("--expect {what} needs --margin: the largest difference to put up with, as in --margin 0.02")
            })
        };
        let (expectation, used): (Option<Expectation>, &str) = match self.expect {
            None => (None, ""),
            Some(Expect::NoRegression) => {
                let tolerance = self.tolerance.unwrap_or(0.0);
                (Some(OfScores::NoRegression { tolerance }.into()), "tolerance")
            }
            Some(Expect::NonInferiority) => {
                (Some(OfScores::NonInferiority { margin: margin("non-inferiority")? }.into()), "margin")
            }
            Some(Expect::Improvement) => {
                let min_gain = self.min_gain.unwrap_or(0.0);
                (Some(OfScores::Improvement { min_gain }.into()), "min-gain")
            }
            Some(Expect::Equivalence) => {
                (Some(OfScores::Equivalence { margin: margin("equivalence")? }.into()), "margin")
            }
            Some(Expect::Identical) => (Some(Expectation::Identical), ""),
            Some(Expect::Overlap) => return Err("--expect overlap is for specs".into()),
        };
        let given = [("margin", self.margin), ("tolerance", self.tolerance), ("min-gain", self.min_gain)];
        if let Some((name, _)) = given.iter().find(|(name, value)| value.is_some() && *name != used) {
            let with = match *name {
                "margin" => "--expect non-inferiority or equivalence",
                "tolerance" => "--expect no-regression",
                _ => "--expect improvement",
            };
            let without = expectation.map_or("no --expect".to_owned(), |one| said(one.kind().as_str()));
            return Err(format!("--{name} goes with {with}, and there is {without}").into());
        }
        Ok(expectation)
    }
}

/// How much of what a comparison rests on has to be there.
#[derive(Args)]
pub(crate) struct EvidenceOptions {
    /// Smallest share of the judged queries that each run must answer, from 0 to 1 [default: 0.9]
    #[arg(long, value_name = "SHARE", help_heading = GATE)]
    evidence: Option<f64>,

    /// How many judged queries there should be [default: those in QRELS]
    #[arg(long, value_name = "N", help_heading = GATE)]
    judged_queries: Option<usize>,

    /// How many results of a query are enough if a run is meant to end before the metric's cutoff
    #[arg(long, value_name = "N", help_heading = GATE)]
    list_depth: Option<NonZeroUsize>,
}

impl EvidenceOptions {
    /// What is asked for.
    pub(crate) fn evidence(&self) -> Result<Evidence, BoxError> {
        let mut evidence = Evidence::default();
        if let Some(share) = self.evidence {
            if !(0.0..=1.0).contains(&share) {
                return Err(format!("--evidence is a share from 0 to 1, not {share}").into());
            }
            evidence = evidence.at_least(share);
        }
        if let Some(depth) = self.list_depth {
            evidence = evidence.depth(depth.get());
        }
        Ok(self.judged_queries.map_or(evidence, |queries| evidence.queries(queries)))
    }
}

/// What to write on the command line so that less is enough.
const OF_RUNS: EvidenceRemedies = EvidenceRemedies {
    share: |share| format!("`--evidence {share}`"),
    queries: |queries| format!("say that so many are meant: `--judged-queries {queries}`"),
    split: |queries| format!("say so: `--judged-queries {queries}`"),
    depth: |depth| format!("`--list-depth {depth}`"),
    unjudgeable: "`--skip-unjudgeable` leaves out queries that are meant to have none",
};

/// An error of a comparison, with what to write where too little of what it rests on is there.
pub(crate) fn with_remedies(error: Error) -> BoxError {
    match error.downcast_ref::<EvidenceShortage>() {
        Some(shortage) => shortage.report().reason(&OF_RUNS).into(),
        None => error.into(),
    }
}
