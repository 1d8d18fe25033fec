//! What takes the place of values that people corrected without the feature `judge`: there is none.

use crate::Result;
use crate::stats::{CorrectedMean, Differences};

pub(crate) enum Corrected {}

pub(crate) const READINGS: [(); 3] = [(); 3];

impl Corrected {
    pub(crate) fn is_open(&self) -> bool {
        match *self {}
    }

    pub(super) fn mean(&self) -> Result<CorrectedMean> {
        match *self {}
    }

    pub(super) fn means(&self) -> Result<Vec<f64>> {
        match *self {}
    }

    pub(super) fn read_otherwise(&self) -> Result<[Option<CorrectedMean>; 3]> {
        match *self {}
    }

    pub(super) fn of_people(&self, _: f64) -> Result<Differences> {
        match *self {}
    }
}
