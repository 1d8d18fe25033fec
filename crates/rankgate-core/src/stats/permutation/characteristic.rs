//! The distribution of a randomly signed sum on a lattice, from its characteristic function.
//!
//! The characteristic function of a sum of randomly signed magnitudes `m` is the product of their
//! cosines. It is next to nothing at nearly every frequency, so finding the few that matter is most of the
//! work: whole intervals of frequencies are passed over when a bound of the product shows that none of
//! them can.

use std::f64::consts::PI;

use super::lattice::Upper;
use crate::threads;

/// A probability below this is only known to be below it: the absolute error is about 1e-11.
pub(super) const RESOLUTION: f64 = 1e-9;

/// Logarithms of bounds are kept in units of 2^-20, rounded up: integers add up faster than floats.
const LN_UNIT: f64 = (1u64 << 20) as f64;

/// Products below e^-28 are left out: over 2^25 frequencies they add up to less than 1e-11.
const LN_NEGLIGIBLE: i64 = -(28 << 20);

/// The window holds the sum but for this many standard deviations on either side, beyond which
/// Hoeffding's inequality leaves 1e-12.
const REACH: f64 = 7.5;

/// Half a turn is cut into 2^10 cells to look up bounds of the cosine.
const CELL_BITS: u32 = 10;
const CELLS: u64 = 1 << CELL_BITS;

/// A bound over an arc longer than this is too coarse to be worth the look-up.
const WIDEST_ARC: u64 = 224;

/// The frequencies are searched in so many parts side by side; their sums are added up in order, so that
/// threads change nothing.
const PARTS: usize = 64;

/// The search gives up where a part takes more looked-up bounds than this, which is some milliseconds.
const BUDGET: u64 = 4_000_000;

/// It is not begun on a longer window: the cosines of too many frequencies are too many to pass over, and the
/// products left out would add up.
const MOST_BITS: u32 = 26;

/// A magnitude and how many units have it.
struct Step {
    magnitude: u64,
    count: i64,
}

/// The chances of the sum of randomly signed magnitudes, which are in ascending order, being `reach`
/// and being more; nothing when the search takes too long.
pub(super) fn upper(magnitudes: &[u64], reach: u64) -> Option<Upper> {
    let total: u64 = magnitudes.iter().sum();
    let squares: f64 = magnitudes.iter().map(|&magnitude| (magnitude as f64).powi(2)).sum();
    let window = (REACH * squares.sqrt()).min(total as f64);
    let bits = (window as u64 + 1).next_power_of_two().ilog2().max(CELL_BITS);
    // Signed sums all have the parity of the total; the window is -length .. length, in steps of 2.
    let length = 1u64 << bits;
    if reach >= length {
        return Some(Upper { point: 0.0, beyond: 0.0 });
    }
    if bits > MOST_BITS {
        return None;
    }
    let points_beyond = (length - 1 - reach) / 2;
    let inversion = Inversion { steps: count(magnitudes), bits, bounds: bounds() };
    let (point, beyond) = inversion.integrate(reach, points_beyond)?;
    Some(Upper { point: point.max(0.0), beyond: beyond.max(0.0) })
}

fn count(magnitudes: &[u64]) -> Vec<Step> {
    let equal = magnitudes.chunk_by(|a, b| a == b);
    equal.map(|equal| Step { magnitude: equal[0], count: equal.len() as i64 }).collect()
}

/// Entry `d`: the logarithm of the largest cosine at `d` cells or more from its peak.
fn bounds() -> Vec<i64> {
    let bound = |cell: u64| (PI * cell as f64 / CELLS as f64).cos().abs().ln().max(-64.0);
    (0..=CELLS / 2).map(|cell| (bound(cell) * LN_UNIT).ceil() as i64).collect()
}

struct Inversion {
    steps: Vec<Step>,
    bits: u32,
    bounds: Vec<i64>,
}

impl Inversion {
    /// The chance of `reach`, and of the next `points_beyond` lattice points above it together; nothing when
    /// the search takes too long.
    fn integrate(&self, reach: u64, points_beyond: u64) -> Option<(f64, f64)> {
        let length = 1u64 << self.bits;
        let part = length / 2 / PARTS as u64;
        let parts =
            threads::map(PARTS, |index| self.integrate_part(index as u64 * part, part, reach, points_beyond));
        // The middle frequency is the one without a mirror image, and in no part.
        let (mut point, mut beyond) = self.term(length / 2, reach, points_beyond);
        for part in parts {
            let (part_point, part_beyond) = part?;
            point += part_point;
            beyond += part_beyond;
        }
        Some((point / length as f64, beyond / length as f64))
    }

    /// The part of the integral over `count` frequencies from `first` on, and their mirror images.
    fn integrate_part(&self, first: u64, count: u64, reach: u64, points_beyond: u64) -> Option<(f64, f64)> {
        let (mut point, mut beyond) = (0.0, 0.0);
        let mut budget = BUDGET;
        let mut intervals = vec![(first, count)];
        while let Some((first, count)) = intervals.pop() {
            let (negligible, looked_up) = self.negligible(first, count);
            budget = budget.checked_sub(looked_up)?;
            if negligible {
                continue;
            }
            if count > 1 {
                intervals.push((first + count / 2, count / 2));
                intervals.push((first, count / 2));
                continue;
            }
            // Frequency 0 is its own mirror image.
            let weight = if first == 0 { 1.0 } else { 2.0 };
            let (term_point, term_beyond) = self.term(first, reach, points_beyond);
            point += weight * term_point;
            beyond += weight * term_beyond;
        }
        Some((point, beyond))
    }

    /// One frequency's term of both sums.
    fn term(&self, frequency: u64, reach: u64, points_beyond: u64) -> (f64, f64) {
        if frequency == 0 {
            return (1.0, points_beyond as f64);
        }
        let product = self.product(frequency);
        // Dirichlet's kernel: the sum of the cosines of all points beyond.
        let middle = self.cos(frequency.wrapping_mul(reach + points_beyond + 1));
        let kernel = self.sin(frequency.wrapping_mul(points_beyond)) / self.sin(frequency);
        (product * self.cos(frequency.wrapping_mul(reach)), product * middle * kernel)
    }

    /// Whether the product of cosines is negligible at all of `count` frequencies from `first` on, and
    /// how many bounds were looked up to tell.
    fn negligible(&self, first: u64, count: u64) -> (bool, u64) {
        let mask = (1 << self.bits) - 1;
        let shift = self.bits - CELL_BITS;
        let (centre, half) = (first + count / 2, count / 2);
        let mut bound: i64 = 0;
        for (looked_up, step) in (1..).zip(&self.steps) {
            let arc = if half == 0 { 0 } else { (step.magnitude.saturating_mul(half) >> shift) + 1 };
            if arc > WIDEST_ARC {
                return (false, looked_up);
            }
            let cell = (step.magnitude.wrapping_mul(centre) & mask) >> shift;
            let from_peak = cell.min(CELLS - 1 - cell).saturating_sub(arc);
            bound += step.count * self.bounds[from_peak as usize];
            if bound < LN_NEGLIGIBLE {
                return (true, looked_up);
            }
        }
        (false, self.steps.len() as u64)
    }

    fn product(&self, frequency: u64) -> f64 {
        let mut product = 1.0;
        for step in &self.steps {
            product *= self.cos(step.magnitude.wrapping_mul(frequency)).powi(step.count as i32);
        }
        product
    }

    /// The cosine of so many `length`-ths of half a turn, which are first taken off whole turns exactly.
    fn cos(&self, phase: u64) -> f64 {
        self.angle(phase).cos()
    }

    fn sin(&self, phase: u64) -> f64 {
        self.angle(phase).sin()
    }

    fn angle(&self, phase: u64) -> f64 {
        let turn = 1u64 << (self.bits + 1);
        PI * (phase & (turn - 1)) as f64 / (turn / 2) as f64
    }
}
