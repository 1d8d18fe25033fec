//! The paired permutation test (random sign flips; Fisher's randomisation test), and the interval that
//! is its inverse.

mod binomial;
mod convolution;
mod dual;
mod halves;
mod lattice;
mod monte_carlo;
mod subsets;
mod test;

pub use self::dual::dual_interval;
pub(super) use self::dual::{interval_with_draws, reconcile};
pub(super) use self::monte_carlo::unlikely;
pub use self::test::fewest_units;
pub(super) use self::test::test_with_draws;
pub use self::test::{Engine, PermutationOptions, PermutationTest, permutation_test};

/// The probabilities of a sum at least as large, and at least as small, as the observed one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Tails {
    greater: f64,
    less: f64,
}
