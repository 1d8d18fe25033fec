//! What runs are held to, as options.

use clap::Args;
use rankgate::benchmark::model::{CoverageReport, LowCoverage};
use rankgate::gate::{Expect, Expectation};
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

/// The coverage that a comparison needs.
#[derive(Args)]
pub(crate) struct CoverageOptions {
    /// Share of the judged queries that each run must answer, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = CoverageReport::NEEDED, help_heading = GATE)]
    min_coverage: f64,
}

impl CoverageOptions {
    /// The share that is needed.
    pub(crate) fn share(&self) -> Result<f64, BoxError> {
        match self.min_coverage {
            share if (0.0..=1.0).contains(&share) => Ok(share),
            other => Err(format!("--min-coverage is a share from 0 to 1, not {other}").into()),
        }
    }
}

/// An error of a comparison, with what to write if the coverage is meant to be low.
pub(crate) fn with_remedy(error: Error) -> BoxError {
    match error.downcast_ref::<LowCoverage>() {
        Some(low) => low.report().reason(|share| format!("pass `--min-coverage {share}`")).into(),
        None => error.into(),
    }
}
