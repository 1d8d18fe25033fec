//! The paired permutation test (random sign flips; Fisher's randomisation test), and the interval that
//! is its inverse.

mod binomial;
mod characteristic;
mod convolution;
mod halves;
mod lattice;
mod monte_carlo;
mod subsets;
mod test;

pub use self::test::{Direction, Engine, PermutationOptions, PermutationTest, permutation_test};
pub(super) use self::{monte_carlo::MonteCarlo, test::test_with_draws};

/// The probabilities of a sum at least as large, and at least as small, as the observed one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Tails {
    greater: f64,
    less: f64,
}
