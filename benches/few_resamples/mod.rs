//! Settings that simulations can afford.

use rankgate::stats::{ComparisonSettings, PermutationOptions};

/// So many permutations and bootstrap resamples, and no more where a p-value is near its level: one of so few is as
/// valid as one of more.
pub(crate) fn settings(resamples: u64) -> ComparisonSettings {
    ComparisonSettings {
        bootstrap_resamples: resamples,
        permutation: PermutationOptions {
            resamples,
            most_resamples: resamples,
            ..PermutationOptions::default()
        },
        ..ComparisonSettings::default()
    }
}
