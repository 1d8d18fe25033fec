//! The sign test in closed form: all non-zero differences have the same magnitude.

use statrs::distribution::{Binomial, DiscreteCDF};

use super::Tails;
use crate::stats::fixed::Fixed;

/// Exact tails when every unit either ties or moves by one same amount, as for Success@k, where this
/// is McNemar's exact test; nothing otherwise.
pub(super) fn tails(fixed: &Fixed) -> Option<Tails> {
    let mut moved = fixed.units.iter().filter(|&&unit| unit != 0).map(|unit| unit.abs());
    let Some(first) = moved.next() else {
        return Some(Tails { greater: 1.0, less: 1.0 });
    };
    // Equal differences may be rounded to neighbouring integers.
    let (low, high) = moved.fold((first, first), |(low, high), unit| (low.min(unit), high.max(unit)));
    if high - low > 1 {
        return None;
    }
    let wins = fixed.units.iter().filter(|&&unit| unit > 0).count() as u32;
    let moved = fixed.nonzero();
    Some(Tails { greater: at_least(wins, moved), less: at_least(moved - wins, moved) })
}

/// The chance of at least so many heads among `tosses` fair coins; 0 of more heads than tosses.
#[expect(clippy::expect_used, reason = "one half is a probability")]
fn at_least(heads: u32, tosses: u32) -> f64 {
    if heads == 0 {
        return 1.0;
    }
    let Some(most_tails) = tosses.checked_sub(heads) else { return 0.0 };
    if tosses < u64::BITS {
        let mut ways: u128 = 1;
        let mut total = 0;
        for tails in 0..=most_tails {
            total += ways;
            ways = ways * u128::from(tosses - tails) / u128::from(tails + 1);
        }
        return total as f64 / 2f64.powi(tosses as i32);
    }
    let distribution = Binomial::new(0.5, tosses.into()).expect("a valid probability");
    distribution.sf(u64::from(heads) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn success(wins: usize, losses: usize, ties: usize) -> Fixed {
        let mut values = vec![1.0; wins];
        values.extend(vec![-1.0; losses]);
        values.extend(vec![0.0; ties]);
        Fixed::new(&values, 1.0)
    }

    #[test]
    fn mcnemar_by_hand() {
        // binomial coefficients summed by hand (SciPy binomtest agrees)
        for (wins, losses, ties, greater, less) in [
            (12, 3, 40, 576.0 / 32768.0, 32647.0 / 32768.0),
            (0, 0, 7, 1.0, 1.0),
            (3, 0, 0, 0.125, 1.0),
            (0, 2, 1, 1.0, 0.25),
            (1, 1, 0, 0.75, 0.75),
        ] {
            let tails = tails(&success(wins, losses, ties)).unwrap();
            assert!(
                (tails.greater - greater).abs() < 1e-14 && (tails.less - less).abs() < 1e-14,
                "{tails:?}"
            );
        }
    }

    #[test]
    fn many_tosses_are_scipys() {
        // SciPy stats.binom.sf(heads - 1, tosses, 0.5)
        for (heads, tosses, expected) in [
            (33, 63, 0.40065324625203314),
            (40, 64, 0.029970594783499616),
            (560, 1000, 8.252493527522643e-05),
            (3600, 7000, 0.008688392954921147),
        ] {
            let p = at_least(heads, tosses);
            assert!((p / expected - 1.0).abs() < 1e-10, "{heads} {tosses}: {p}");
        }
    }

    #[test]
    fn more_heads_than_tosses_never_happen() {
        for (heads, tosses) in [(1, 0), (6, 5), (64, 63), (65, 64), (5_000, 4_999), (u32::MAX, 1)] {
            assert_eq!(at_least(heads, tosses), 0.0, "{heads} of {tosses}");
        }
        assert_eq!(at_least(0, 0), 1.0);
    }

    #[test]
    fn different_magnitudes_need_another_engine() {
        assert!(tails(&Fixed::new(&[0.1, 0.2], 1.0)).is_none());
        // both 0.1, one with rounding noise
        assert!(tails(&Fixed::new(&[0.7 - 0.6, -0.1], 1.0)).is_some());
    }
}
