//! Variants that few queries have.

use crate::health::error::chain;
use crate::health::model::{Example, Finding, Severity};
use crate::health::words::agree;

use super::Linting;

impl Linting<'_> {
    /// Variants that few queries have, or none.
    pub(super) fn scarce_variants(&self) -> Option<Finding> {
        let example = |variant: &crate::health::spec::Variant| {
            let source = variant.source.to_string();
            let note = match self.benchmark.variant(&variant.name) {
                Ok(made) if made.left_out() <= made.queries() => return None,
                Ok(made) => format!("{} of {} queries", made.queries(), made.queries() + made.left_out()),
                Err(error) => chain(&error),
            };
            Some(Example::new(&variant.name, &source, format!("{note}, line {}", variant.line)))
        };
        let scarce: Vec<Example> = self.spec().variants.iter().filter_map(example).collect();
        (!scarce.is_empty()).then(|| Finding {
            severity: Severity::Caution,
            code: "scarce-variants".into(),
            message: format!(
                "{} of {} variants {} fewer than half of the queries: results on them hold for these queries alone",
                scarce.len(),
                self.spec().variants.len(),
                agree(scarce.len(), "has", "have"),
            ),
            count: scarce.len(),
            examples: scarce.into_iter().take(Example::MOST).collect(),
            advice: "`rankgate variants` prints them; another kind, keyboard or language, or a file of your own, may fit \
                     these queries better"
                .into(),
        })
    }
}
