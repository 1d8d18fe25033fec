//! The floor of a configuration: results that score below it are cut before anything is scored.

use std::sync::Arc;

use crate::error::Quoted;
use crate::evaluation::{Evaluation, Floor};
use crate::run::Run;
use crate::spec::Configuration;
use crate::{Error, Result};

/// Rankings as a floor leaves them, and of each pass what it cut.
pub(super) struct Floored {
    runs: Vec<Run>,
    floors: Vec<Floor>,
}

impl Floored {
    /// Rankings of which nobody knows any more what a floor cut, where there is one.
    pub(super) fn blessed(configuration: &Configuration, runs: Vec<Run>) -> Self {
        let floor = if configuration.floor.is_some() { Floor::Unknown } else { Floor::None };
        Self { floors: vec![floor; runs.len()], runs }
    }

    /// Cuts what scores below the floor of the configuration. A result that scores as much as the floor stays.
    ///
    /// # Errors
    /// Results without scores: `unscored` is the first query with such, as far as answers say it. In a file made scores are known
    /// by their numbers alone.
    pub(super) fn cut(configuration: &Configuration, runs: Vec<Run>, unscored: Option<&str>) -> Result<Self> {
        if configuration.floor.is_none() {
            return Ok(Self { floors: Vec::new(), runs });
        }
        if let Some(query) = unscored {
            return Err(Error::invalid(format!(
                "the floor of {} needs results with scores, and those of query {} say their order alone",
                Quoted(&configuration.name),
                Quoted(query)
            )));
        }
        if !runs.iter().all(Run::has_scores) {
            return Err(Error::invalid(format!(
                "the floor of {} needs results with scores, and these say their order alone",
                Quoted(&configuration.name)
            )));
        }
        let floors = runs.iter().map(|run| Floor::Cut(Arc::new(run.clone()))).collect();
        let runs = runs.into_iter().map(|run| above_floor(configuration, run)).collect();
        Ok(Self { runs, floors })
    }

    /// The rankings that are left, judged by `judge`.
    pub(super) fn judge(self, judge: impl FnOnce(Vec<Run>) -> Result<Evaluation>) -> Result<Evaluation> {
        Ok(judge(self.runs)?.with_floors(&self.floors))
    }
}

/// One run as the floor of its configuration leaves it.
pub(super) fn above_floor(configuration: &Configuration, mut run: Run) -> Run {
    if let Some(floor) = configuration.floor {
        run.cut_below(floor);
    }
    run
}
