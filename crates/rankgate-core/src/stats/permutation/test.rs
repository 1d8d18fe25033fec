//! The test itself: choosing an engine and reporting what it found.

use super::lattice::Lattice;
use super::monte_carlo::{MonteCarlo, settled, standard_error};
use super::{Tails, binomial, halves};
use crate::stats::differences::is_score;
use crate::stats::estimate::Estimate;
use crate::stats::fixed::Fixed;
use crate::stats::{Confidence, Differences, Direction, Stream};
use crate::words::keywords;
use crate::{Error, Result};

keywords! {
    /// How the probabilities of a permutation test were found.
    #[non_exhaustive]
    pub enum Engine {
        /// In closed form: all non-zero differences have one magnitude (McNemar's exact test).
        ExactBinomial = "exact-binomial",
        /// By counting every sign vector: two half lists of subset sums at a time, up to 44 units, or the one
        /// vector that reaches the sum where all differences have the same sign.
        ExactCount = "exact-count",
        /// From the distribution of the sum on the lattice that the differences lie on.
        ExactLattice = "exact-lattice",
        /// From random sign vectors.
        MonteCarlo = "monte-carlo",
    }
}

/// More than this would take hundreds of megabytes.
pub(super) const MOST_RESAMPLES: u64 = 10_000_000;

/// How a permutation test is carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct PermutationOptions {
    /// The engine to use; by default the fastest exact one that can, otherwise Monte Carlo.
    pub engine: Option<Engine>,
    /// Monte Carlo resamples, 99,999 by default. An even number gets one more: sign vectors come in
    /// mirrored pairs, and the observed one is paired with one of the resamples.
    pub resamples: u64,
    /// Monte Carlo goes on up to so many resamples, 999,999 by default, while it is open on which side of
    /// a level the exact p lies.
    pub most_resamples: u64,
    /// The one-sided levels that the p-values will be held against; 0.025 by default.
    pub levels: Vec<f64>,
    /// Where the random signs come from.
    pub stream: Stream,
}

impl Default for PermutationOptions {
    fn default() -> Self {
        Self {
            engine: None,
            resamples: 99_999,
            most_resamples: 999_999,
            levels: vec![0.025],
            stream: Stream::default(),
        }
    }
}

impl PermutationOptions {
    /// # Errors
    ///
    /// When there are so few resamples that they say nothing, or so many that memory could run out.
    pub(in crate::stats) fn check(&self) -> Result<()> {
        for resamples in [self.resamples, self.resamples.max(self.most_resamples)] {
            if !(9..=MOST_RESAMPLES).contains(&resamples) {
                return Err(Error::invalid(format!(
                    "a permutation test takes 9 to {MOST_RESAMPLES} resamples, not {resamples}"
                )));
            }
        }
        Ok(())
    }
}

/// The smallest one-sided p-value that the signs of so many units give: one of all their vectors.
fn smallest_p(units: f64) -> f64 {
    0.5_f64.powf(units)
}

/// The fewest units whose signs can show anything at a two-sided confidence.
pub fn fewest_units(confidence: Confidence) -> usize {
    let level = confidence.tail();
    // Confidence is no larger than the float below 1: some 54 steps at most.
    (1..).find(|units| smallest_p(f64::from(*units)) <= level).map_or(usize::MAX, |units: u32| units as usize)
}

/// What a permutation test found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PermutationTest {
    /// The mean difference that was tested: 0, or a margin.
    pub null: f64,
    /// The one-sided p-value against a candidate that is no better than the null says.
    pub p_greater: f64,
    /// The one-sided p-value against a candidate that is no worse than the null says.
    pub p_less: f64,
    /// How the p-values were found.
    pub engine: Engine,
    /// Random sign vectors, not counting the observed one; only with Monte Carlo.
    pub resamples: Option<u64>,
    /// Units whose difference is not the null itself: only their signs matter.
    pub nonzero: u32,
}

impl PermutationTest {
    /// The one-sided p-value of a direction.
    pub fn p(&self, direction: Direction) -> f64 {
        match direction {
            Direction::Greater => self.p_greater,
            Direction::Less => self.p_less,
        }
    }

    /// Twice the smaller one-sided p-value, at most 1.
    pub fn p_two_sided(&self) -> f64 {
        (2.0 * self.p_greater.min(self.p_less)).min(1.0)
    }

    /// The smallest one-sided p-value that so many units could give: when it is above a level, no data
    /// reaches that level.
    pub fn smallest_p(&self) -> f64 {
        smallest_p(f64::from(self.nonzero))
    }

    /// The standard error that simulation leaves in the two-sided p-value; 0 for exact engines.
    pub fn monte_carlo_error(&self) -> f64 {
        let error = |resamples| 2.0 * standard_error(self.p_two_sided() / 2.0, resamples + 1);
        self.resamples.map_or(0.0, error)
    }

    /// The p-value of a direction, and where the exact one may lie: the levels at which it is not settled.
    pub(in crate::stats) fn estimate(&self, direction: Direction) -> Estimate {
        let p = self.p(direction);
        match self.resamples {
            None => Estimate::exact(p),
            Some(_) => Estimate::simulated(p, |level| self.is_settled(direction, level)),
        }
    }

    /// Whether it is certain on which side of a one-sided level the exact p-value lies, but for a risk of
    /// 1 in 1,000; always so for exact engines.
    pub fn is_settled(&self, direction: Direction, level: f64) -> bool {
        self.resamples.is_none_or(|resamples| {
            let vectors = resamples + 1;
            settled((self.p(direction) * vectors as f64).round() as u64, vectors, level)
        })
    }
}

/// Tests by random sign flips whether the mean difference is `null`.
///
/// Under the null hypothesis each unit's difference from `null` is as likely to have the other sign. The
/// p-values are the shares of sign vectors whose sum is at least as large, or as small, as the observed
/// one; ties count exactly. Simulated ones count the observed vector: `(b + 1) / (B + 1)`.
///
/// # Errors
///
/// When the null is not finite or over 1e75 in magnitude, resamples are not from 9 to 10,000,000, or an engine was asked for that these differences
/// do not admit.
///
/// # Source
///
/// Fisher, "The Design of Experiments", 1935; Smucker, Allan and Carterette, "A Comparison of Statistical
/// Significance Tests for Information Retrieval Evaluation", 2007; Phipson and Smyth, "Permutation P-values
/// Should Never Be Zero", 2010.
///
/// ```
/// use rankgate::stats::{Differences, Engine, PermutationOptions, permutation_test};
///
/// let differences = Differences::new(&[0.0, 0.0, 0.3], &[0.1, 0.2, 0.0])?;
/// let test = permutation_test(&differences, 0.0, &PermutationOptions::default())?;
/// assert_eq!(test.p_greater, 0.625); // .1 + .2 - .3 ties with 0; on floats it would not
/// assert_eq!(test.engine, Engine::ExactCount);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn permutation_test(
    differences: &Differences,
    null: f64,
    options: &PermutationOptions,
) -> Result<PermutationTest> {
    test_with_draws(differences, null, options, &mut None)
}

/// As [`permutation_test`], reading Monte Carlo answers from draws that may be there already, and leaving
/// there what was drawn.
pub(in crate::stats) fn test_with_draws<'a>(
    differences: &'a Differences,
    null: f64,
    options: &'a PermutationOptions,
    draws: &mut Option<MonteCarlo<'a>>,
) -> Result<PermutationTest> {
    options.check()?;
    if !is_score(null) {
        return Err(Error::invalid(format!("a difference of {null} cannot be tested")));
    }
    let shifted = differences.shifted(null);
    let fixed = differences.shifted_fixed(null);
    let exact = match options.engine {
        None => choose(&fixed, &shifted),
        Some(Engine::MonteCarlo) => None,
        Some(engine) => Some(force(engine, &fixed, &shifted)?),
    };
    let found = match exact {
        Some(found) => found,
        None => simulate(differences, null, options, draws),
    };
    Ok(PermutationTest { null, nonzero: fixed.nonzero(), ..found })
}

/// Few enough units that counting takes less than a millisecond.
const QUICK: u32 = 28;

fn choose(fixed: &Fixed, shifted: &[f64]) -> Option<PermutationTest> {
    if let Some(tails) = binomial::tails(fixed) {
        return Some(exact(Engine::ExactBinomial, tails));
    }
    if let Some(tails) = of_one_sign(fixed) {
        return Some(exact(Engine::ExactCount, tails));
    }
    let units = fixed.nonzero();
    if units > QUICK
        && let Some(tails) = Lattice::recover(shifted).and_then(|lattice| lattice.tails())
    {
        return Some(exact(Engine::ExactLattice, tails));
    }
    (units <= halves::MOST_UNITS).then(|| exact(Engine::ExactCount, halves::tails(fixed)))
}

/// Where all differences have one sign, only the observed vector reaches their sum, or with it those that
/// flip what is too small to count.
fn of_one_sign(fixed: &Fixed) -> Option<Tails> {
    let (low, high) = fixed.units.iter().fold((0, 0), |(low, high), &unit| (unit.min(low), unit.max(high)));
    if low < 0 && high > 0 {
        return None;
    }
    let counting = fixed.units.iter().filter(|unit| 2 * unit.abs() > fixed.tolerance()).count();
    let all = 0.5f64.powi(counting.min(1_000) as i32);
    let (greater, less) = if low < 0 { (1.0, all) } else { (all, 1.0) };
    Some(Tails { greater, less })
}

fn force(engine: Engine, fixed: &Fixed, shifted: &[f64]) -> Result<PermutationTest> {
    let found = match engine {
        Engine::ExactBinomial => binomial::tails(fixed).map(|tails| exact(engine, tails)),
        Engine::ExactCount => {
            (fixed.nonzero() <= halves::MOST_UNITS).then(|| exact(engine, halves::tails(fixed)))
        }
        Engine::ExactLattice => {
            Lattice::recover(shifted).and_then(|lattice| lattice.tails()).map(|tails| exact(engine, tails))
        }
        Engine::MonteCarlo => None,
    };
    found.ok_or_else(|| Error::invalid(format!("these differences do not admit the {engine} engine")))
}

fn exact(engine: Engine, tails: Tails) -> PermutationTest {
    PermutationTest {
        null: 0.0,
        p_greater: tails.greater.clamp(0.0, 1.0),
        p_less: tails.less.clamp(0.0, 1.0),
        engine,
        resamples: None,
        nonzero: 0,
    }
}

fn simulate<'a>(
    differences: &'a Differences,
    null: f64,
    options: &'a PermutationOptions,
    draws: &mut Option<MonteCarlo<'a>>,
) -> PermutationTest {
    let drawn = MonteCarlo::or_draw(draws, differences, options);
    loop {
        let counts = drawn.counts(null);
        let vectors = counts.vectors as f64;
        let found = PermutationTest {
            null,
            p_greater: counts.greater as f64 / vectors,
            p_less: counts.less as f64 / vectors,
            engine: Engine::MonteCarlo,
            resamples: Some(drawn.resamples()),
            nonzero: 0,
        };
        let settled = |level: &f64| {
            found.is_settled(Direction::Greater, *level) && found.is_settled(Direction::Less, *level)
        };
        if options.levels.iter().all(settled) {
            return found;
        }
        if drawn.resamples() >= options.most_resamples {
            return found;
        }
        let more = drawn.resamples() + 1 + options.resamples;
        drawn.extend(more.min(options.most_resamples));
    }
}
