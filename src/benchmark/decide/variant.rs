//! The report on the variant of a configuration.

use crate::analysis::variant_changes;
use crate::collection::VariantQueries;
use crate::model::VariantReport;
use crate::spec::Configuration;

use super::Decisions;

impl Decisions {
    /// The variant of the configuration; how its values differ as far as all was measured by now.
    pub(super) fn variant_report(&self, configuration: &Configuration) -> Option<VariantReport> {
        let (cache, of) = (&self.cache, configuration.variant.as_ref()?);
        let variant = cache.spec.variants.iter().find(|one| one.name == of.variant)?;
        let measured = cache.measured_so_far(configuration).and_then(Result::ok);
        let queries = measured.as_ref().and_then(|_| cache.variant(&of.variant).ok());
        let original = cache.spec.configuration(&of.configuration);
        let original = original.and_then(|one| cache.measured_so_far(one)?.ok());
        let changes = measured.and_then(|variant| {
            let original = original.as_ref().map(|one| &one.evaluation);
            variant_changes(&variant.evaluation, original, &cache.spec.metrics).ok()
        });
        Some(VariantReport {
            of: of.configuration.clone(),
            name: of.variant.clone(),
            source: variant.source.to_string(),
            asked: queries.map_or(0, |queries| queries.iter_queries().count()),
            queries: queries.map_or(0, VariantQueries::queries),
            left_out: queries.map_or(0, VariantQueries::left_out),
            changes: changes.unwrap_or_default(),
        })
    }
}
