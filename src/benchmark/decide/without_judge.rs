//! What takes the place of gates on a model's judgments without their feature: the spec has been refused already.

use std::sync::Arc;

use crate::analysis::{Answer, Corrected, Pair};
use crate::evaluation::Evaluation;
use crate::gate::{Comparison, Judged, Threshold};
use crate::metric::Metric;
use crate::model::{BoundsFinding, Caution, ComparisonFinding, CorrectedReport, Measured, Verdict};
use crate::{Error, ErrorKind, Result};

use super::Decisions;
use super::threshold::HeldThreshold;

fn missing<T>() -> Result<T> {
    Err(Error::of(ErrorKind::Setup, "it needs rankgate's feature `judge`"))
}

impl Decisions {
    pub(super) fn judged_threshold(
        &self,
        _: Evaluation,
        _: &Threshold,
        _: &Metric,
        _: Judged,
    ) -> Result<HeldThreshold> {
        missing()
    }

    pub(super) fn judged_pair(
        &self,
        _: &Pair,
        _: &Comparison,
        _: Option<&Metric>,
        _: Judged,
    ) -> Result<Arc<Pair>> {
        missing()
    }

    pub(super) fn corrected_pair(&self, _: &Pair, _: &Metric) -> Result<Arc<Corrected>> {
        missing()
    }

    pub(super) fn uncorrected(&self, _: &Pair, _: &Metric) -> Result<Option<String>> {
        missing()
    }

    pub(super) fn corrected_comparison(
        &self,
        _: &Comparison,
        _: &Corrected,
        _: &Answer,
        _: &ComparisonFinding,
        _: &Metric,
    ) -> Result<(bool, CorrectedReport)> {
        missing()
    }

    pub(super) fn bounded_comparison(
        &self,
        _: &Corrected,
        _: &Answer,
        _: ComparisonFinding,
        _: &Metric,
    ) -> Result<(Verdict, BoundsFinding)> {
        missing()
    }

    pub(super) fn mark_by_model(&self, _: &mut Measured) {}

    pub(super) fn raw_caution(&self, _: &Comparison, _: &Metric) -> Result<Option<Caution>> {
        Ok(None)
    }
}
