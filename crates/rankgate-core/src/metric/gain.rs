//! What a document of a grade is worth at a rank: gains and the logarithmic discount.

use std::sync::LazyLock;

/// How a grade becomes a gain. A document of a negative grade, or of none, gains nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Gain {
    /// The grade itself, as in Järvelin & Kekäläinen (2002) and `trec_eval`.
    #[default]
    Linear,
    /// `2^grade - 1`, as in Burges et al. (2005) and `gdeval`.
    Exp2,
}

/// Largest grade whose exponential gain, and sums of a great many of it, are far from overflowing.
const LARGEST_UNSCALED: i32 = 512;

impl Gain {
    /// How many gains there are: the size of a table indexed by `gain as usize`.
    pub(super) const COUNT: usize = 2;

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Exp2 => "exp2",
        }
    }

    /// The power of two by which gains are divided when the best grade is `best`.
    ///
    /// It is 0 for every scale people judge on. A grade in the thousands (click counts, say) would
    /// make `2^grade` infinite and nDCG infinity over infinity; dividing by a power of two is exact
    /// and cancels in the ratio.
    pub(super) fn scale(self, best: i32) -> i32 {
        match self {
            Self::Exp2 if best > LARGEST_UNSCALED => best,
            _ => 0,
        }
    }

    /// The gain of a document of this grade, divided by `2^scale`.
    pub(super) fn for_grade(self, grade: i32, scale: i32) -> f64 {
        match self {
            _ if grade <= 0 => 0.0,
            Self::Linear => f64::from(grade),
            Self::Exp2 => power_of_two(i64::from(grade) - i64::from(scale)) - power_of_two(-i64::from(scale)),
        }
    }

    /// Discounted gain of the ideal ranking cut after 0, 1, 2, ... documents. `grades` descend.
    pub(super) fn ideal(self, grades: &[i32]) -> Box<[f64]> {
        let scale = self.scale(grades.first().copied().unwrap_or(0));
        let positive = &grades[..grades.partition_point(|&grade| grade > 0)];
        let mut sum = 0.0;
        let mut sums = Vec::with_capacity(positive.len() + 1);
        sums.push(sum);
        for (&grade, rank) in positive.iter().zip(1..) {
            sum += self.for_grade(grade, scale) / discount(rank);
            sums.push(sum);
        }
        sums.into_boxed_slice()
    }
}

/// `2^exponent`, exact wherever that is a normal `f64`; 0 or infinity beyond.
pub(super) fn power_of_two(exponent: i64) -> f64 {
    2f64.powi(exponent.clamp(-2000, 2000) as i32)
}

/// `log2(rank + 1)`, the discount of Järvelin & Kekäläinen with base 2.
pub(super) fn discount(rank: usize) -> f64 {
    static TABLE: LazyLock<Box<[f64]>> = LazyLock::new(|| (0..=1000).map(log2_of_next).collect());
    TABLE.get(rank).copied().unwrap_or_else(|| log2_of_next(rank))
}

/// The float nearest to `log2(rank + 1)`, on every machine: a platform's own logarithm may be the one beside it.
///
/// Every squaring of a number from 1 to 2 gives one more digit of its logarithm (Knuth, The Art of Computer
/// Programming 1, section 1.2.2). Each is cut below its 127th binary place, which is worth less than 2^-126 in all;
/// 96 digits are as many as tell floats apart that are next to each other, but for one number in 2^43.
fn log2_of_next(rank: usize) -> f64 {
    const DIGITS: u32 = 96;
    let number = rank as u128 + 1;
    let exponent = number.ilog2();
    let (mut power, mut logarithm) = (number << (127 - exponent), u128::from(exponent));
    for _ in 0..DIGITS {
        let square = squared(power);
        let digit = square >> 127;
        // Below 2 the highest place is free.
        power = if digit == 1 { square } else { square << 1 };
        logarithm = logarithm << 1 | digit;
    }
    // The conversion rounds to the nearest float, and a power of two is exact.
    logarithm as f64 / power_of_two(DIGITS.into())
}

/// The upper half of a square.
fn squared(number: u128) -> u128 {
    let (high, low) = (number >> 64, number & u128::from(u64::MAX));
    // Twice the middle may not fit: it and what is below it are halved.
    high * high + ((high * low + ((low * low) >> 65)) >> 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_follow_the_grade() {
        // grade, linear, exponential; by hand
        for (grade, linear, exponential) in [(-2, 0.0, 0.0), (0, 0.0, 0.0), (1, 1.0, 1.0), (3, 3.0, 7.0)] {
            assert_eq!(Gain::Linear.for_grade(grade, 0), linear);
            assert_eq!(Gain::Exp2.for_grade(grade, 0), exponential);
        }
    }

    #[test]
    fn the_discount_is_one_at_the_first_rank_and_continues_beyond_the_table() {
        assert_eq!(discount(1), 1.0);
        assert_eq!(discount(3), 2.0);
        assert_eq!(discount(1023), 10.0);
        assert_eq!(discount(65_535), 16.0);
    }

    #[test]
    fn the_logarithm_is_the_nearest_float_on_every_machine() {
        // Python's decimal with 80 digits, `float(Decimal(n).ln() / Decimal(2).ln())`. The logarithm of glibc 2.36 is
        // the float beside it at 1621, 3242, 57803 and at four others below 100,000.
        for (number, nearest) in [
            (3, 1.584_962_500_721_156),
            (1_001, 9.967_226_258_835_993),
            (1_621, 10.662_668_375_517_54),
            (3_242, 11.662_668_375_517_54),
            (57_803, 15.818_856_750_697_652),
            (1_000_003, 19.931_572_897_402_805),
        ] {
            assert_eq!(log2_of_next(number - 1), nearest, "{number}");
        }
        for exponent in 0..usize::BITS {
            assert_eq!(log2_of_next((1 << exponent) - 1), f64::from(exponent));
        }
    }

    #[test]
    fn a_square_is_that_of_long_multiplication() {
        for number in [0, 1, u128::MAX, 1 << 127, u128::MAX >> 1, 0x8000_0000_0000_0001_ffff_ffff_ffff_ffff] {
            let digits: Vec<u128> = (0..4).map(|at| number >> (32 * at) & 0xffff_ffff).collect();
            let mut places = [0_u128; 9];
            for (i, a) in digits.iter().enumerate() {
                for (j, b) in digits.iter().enumerate() {
                    places[i + j] += (a * b) & 0xffff_ffff;
                    places[i + j + 1] += (a * b) >> 32;
                }
            }
            for at in 0..8 {
                places[at + 1] += places[at] >> 32;
                places[at] &= 0xffff_ffff;
            }
            let upper = (4..8).rev().fold(0, |upper, at| upper << 32 | places[at]);
            assert_eq!(squared(number), upper, "{number:#x}");
        }
    }

    #[test]
    fn grades_beyond_any_scale_stay_finite() {
        assert_eq!([4, 512, 513].map(|best| Gain::Exp2.scale(best)), [0, 0, 513]);
        let scale = Gain::Exp2.scale(5000);
        assert_eq!(Gain::Exp2.for_grade(5000, scale), 1.0);
        assert_eq!(Gain::Exp2.for_grade(4999, scale), 0.5);
        assert!(Gain::Exp2.ideal(&[i32::MAX, 5000, 1]).iter().all(|sum| sum.is_finite()));
    }

    #[test]
    fn the_ideal_ignores_what_gains_nothing() {
        // 3 + 1/log2(3), by hand
        assert_eq!(*Gain::Linear.ideal(&[3, 1, 0, -1]), [0.0, 3.0, 3.0 + 1.0 / 3f64.log2()]);
    }
}
