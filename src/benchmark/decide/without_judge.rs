//! What takes the place of gates on a model's judgments without their feature: the spec has been refused already.

use std::sync::Arc;

use crate::analysis::{Answer, Corrected, Pair};
use crate::evaluation::Evaluation;
use crate::gate::{Comparison, Judged, Threshold};
use crate::metric::Metric;
use crate::model::{BoundsFinding, Caution, ComparisonFinding, CorrectedReport, Measured, Verdict};
use crate::{Error, ErrorKind, Result};

use super::Decisions;
use crate::gates::threshold::decide::HeldThreshold;

fn missing<T>() -> Result<T> {
    Err(Error::with_kind(ErrorKind::Setup, "it needs rankgate's feature `judge`"))
}

impl Decisions {
    pub(crate) fn judged_threshold(
        &self,
        _: Evaluation,
        _: &Threshold,
        _: &Metric,
        _: Judged,
    ) -> Result<HeldThreshold> {
        missing()
    }

    pub(crate) fn judged_pair(
        &self,
        _: &Pair,
        _: &Comparison,
        _: Option<&Metric>,
        _: Judged,
    ) -> Result<Arc<Pair>> {
        missing()
    }

    pub(crate) fn corrected_pair(&self, _: &Pair, _: &Metric) -> Result<Arc<Corrected>> {
        missing()
    }

    pub(crate) fn uncorrected(&self, _: &Pair, _: &Metric) -> Result<Option<String>> {
        missing()
    }

    pub(crate) fn corrected_comparison(
        &self,
        _: &Comparison,
        _: &Corrected,
        _: &Answer,
        _: &ComparisonFinding,
        _: &Metric,
    ) -> Result<(bool, CorrectedReport)> {
        missing()
    }

    pub(crate) fn bounded_comparison(
        &self,
        _: &Corrected,
        _: &Answer,
        _: ComparisonFinding,
        _: &Metric,
    ) -> Result<(Verdict, BoundsFinding)> {
        missing()
    }

    pub(crate) fn mark_by_model(&self, _: &mut Measured) {}

    pub(crate) fn raw_caution(&self, _: &Comparison, _: &Metric) -> Result<Option<Caution>> {
        Ok(None)
    }
}
