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

    /// Drop forgiven, loss acceptable, gain required or difference acceptable, as --expect says, in the metric's units
    #[arg(long, allow_negative_numbers = true, requires = "expect", help_heading = GATE)]
    margin: Option<f64>,
}

impl Expected {
    /// What is expected, if anything is.
    pub(crate) fn expectation(&self) -> Result<Option<Expectation>, BoxError> {
        let Some(expect) = self.expect else { return Ok(None) };
        let needed = || {
            self.margin.ok_or_else(|| format!("--expect {expect} needs --margin, for example --margin 0.02"))
        };
        let margin = self.margin.unwrap_or(0.0);
        Ok(Some(match expect {
            Expect::NoRegression => OfScores::NoRegression { margin }.into(),
            Expect::Improvement => OfScores::Improvement { margin }.into(),
            Expect::NonInferiority => OfScores::NonInferiority { margin: needed()? }.into(),
            Expect::Equivalence => OfScores::Equivalence { margin: needed()? }.into(),
            Expect::Identical if self.margin.is_some() => {
                return Err("--expect identical takes no --margin".into());
            }
            Expect::Identical => Expectation::Identical,
            Expect::Overlap => return Err("--expect overlap is for specs".into()),
        }))
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
