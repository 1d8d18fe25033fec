//! Whether a run was read in the order that its file means.

use rankgate_core::run::Run;

use crate::offline::analysis;

/// What should be known of the order in which a run was read: scores that rise with the ranks of its file, and documents that
/// tie at an infinite score.
///
/// ```
/// let lines: String = (1..=6).map(|rank| format!("q1 Q0 d{rank} {rank} {} t\n", 1.25 * f64::from(rank))).collect();
/// let distances = rankgate_core::run::RunReader::new().parse("dense.run", lines.as_bytes())?;
/// let cautions = rankgate_cli::offline::order_cautions(&distances);
/// assert!(cautions[0].starts_with("scores rise with the ranks in 1 of 1 queries"));
/// # Ok::<(), rankgate_core::Error>(())
/// ```
#[must_use]
pub fn order_cautions(run: &Run) -> Vec<String> {
    analysis::order_cautions(run.rising()).collect()
}
