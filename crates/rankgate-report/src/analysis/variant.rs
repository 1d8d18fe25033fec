//! What a variant does to the metrics.

use crate::Result;
use crate::collection::Query;
use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::model::VariantChange;

/// Each metric under a variant, and of the same queries as they are.
pub fn variant_changes(
    variant: &Evaluation,
    original: Option<&Evaluation>,
    metrics: &[Metric],
) -> Result<Vec<VariantChange>> {
    let has_variant =
        |query: &Query| variant.queries().binary_search_by(|one| one.id.as_str().cmp(&query.id)).is_ok();
    let same = original.and_then(|original| original.keeping(has_variant));
    let findable = metrics.iter().filter(|metric| variant.findable(metric).is_ok());
    findable
        .map(|metric| {
            let original = same.as_ref().map(|same| same.value(metric)).transpose()?;
            Ok(VariantChange { metric: metric.to_string(), value: variant.value(metric)?, original })
        })
        .collect()
}
