//! How likely a loss as large is by chance.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use crate::Result;
use crate::stats::{Differences, Direction, Engine, PermutationOptions, Stream, permutation_test};

/// So few queries that moved are counted at once.
const FEW: usize = 20;
/// Sign vectors of the looks of the screen.
const SCREENS: [u64; 2] = [999, 9_999];
/// Sign vectors of one look where no exact engine will do, and at most while it is open on which side of a level p lies.
const RESAMPLES: u64 = 9_999;
const MOST_RESAMPLES: u64 = 99_999;
/// Standard errors that leave a risk of less than 1 in 1,000.
pub(crate) const ERRORS: f64 = 3.5;

/// What p-values will be held against.
pub(crate) struct Levels {
    pub(crate) alarms: Vec<f64>,
    pub(crate) notices: Vec<f64>,
}

/// What tests came to. Who tells a history again and again, each time with one ranking more, gives it along, so that
/// each test is made once. A p-value depends on nothing but what it is known by here: with it there is told the same as
/// without.
#[derive(Debug, Default)]
pub struct Tests(Mutex<HashMap<[u64; 2], f64>>);

/// Tests that are remembered.
const REMEMBERED: usize = 1 << 16;

impl Tests {
    /// As [`p_of_loss`].
    pub(crate) fn p_of_loss(
        &self,
        differences: &Differences,
        levels: &Levels,
        stream: Stream,
    ) -> Result<f64> {
        let key = [0_u8, 1].map(|side| {
            let mut hash = DefaultHasher::new();
            side.hash(&mut hash);
            differences.hash_into(&mut hash);
            for levels in [&levels.alarms, &levels.notices] {
                levels.len().hash(&mut hash);
                levels.iter().for_each(|level| level.to_bits().hash(&mut hash));
            }
            stream.hash(&mut hash);
            hash.finish()
        });
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(p) = known().get(&key).copied() {
            return Ok(p);
        }
        let p = p_of_loss(differences, levels, stream)?;
        let mut known = known();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(key, p);
        Ok(p)
    }
}

/// The one-sided p-value of a loss.
///
/// Most rankings lose nothing that is worth a word, and alarms are held against ever smaller levels. So random sign
/// vectors screen first, and the whole test is made only where they leave open, or say, that a level of alarms is
/// reached. The screen never says so itself: with it there are no other alarms than without, and of those that there would
/// be it misses at most 1 in 1,000, which is the risk of the confidence sequence that it stops by. What importance
/// sampling found counts as the largest that it may be.
fn p_of_loss(differences: &Differences, levels: &Levels, stream: Stream) -> Result<f64> {
    // What is not lower is no loss, whatever its p-value.
    if differences.mean() >= 0.0 {
        return Ok(1.0);
    }
    let few = differences.wins() + differences.losses() <= FEW;
    for resamples in SCREENS.into_iter().filter(|_| !few) {
        let options = PermutationOptions {
            engine: Some(Engine::MonteCarlo),
            resamples,
            most_resamples: resamples,
            levels: Vec::new(),
            stream,
        };
        let test = permutation_test(differences, 0.0, &options)?;
        let p = test.p(Direction::Less);
        let settled = |level: &f64| test.is_settled(Direction::Less, *level);
        let last = SCREENS.last() == Some(&resamples);
        if levels.alarms.iter().all(|level| p > *level && settled(level))
            && (last || levels.notices.iter().all(settled))
        {
            return Ok(p);
        }
    }
    let options = PermutationOptions {
        resamples: RESAMPLES,
        most_resamples: MOST_RESAMPLES,
        levels: levels.alarms.clone(),
        stream,
        ..PermutationOptions::default()
    };
    let test = permutation_test(differences, 0.0, &options)?;
    Ok(test.p(Direction::Less) * (1.0 + ERRORS * test.relative_error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_screen_decides_as_the_exact_test_does_and_never_makes_an_alarm() {
        let (mut shown, mut screened) = (0, 0);
        for number in 0..300 {
            use rand::RngExt;
            let mut random = Stream::new(7).rng(number);
            let mut score = || random.random_range(-0.5..0.5) - 0.0006 * number as f64;
            let scores: Vec<f64> = (0..34).map(|_| score()).collect();
            let differences = Differences::new(&[0.0; 34], &scores).unwrap();
            let exact = permutation_test(&differences, 0.0, &PermutationOptions::default()).unwrap();
            let exact = exact.p(Direction::Less);
            let levels = Levels { alarms: vec![1e-4, 3e-3], notices: vec![0.025] };
            let p = p_of_loss(&differences, &levels, Stream::new(number)).unwrap();
            for level in &levels.alarms {
                assert_eq!(p <= *level, exact <= *level, "{number}: {p}, {exact}");
            }
            shown += usize::from(p <= 3e-3);
            screened += usize::from(p != exact && differences.mean() < 0.0);
            assert!(p == 1.0 || (p - exact).abs() < 0.1, "{number}: {p}, {exact}");
        }
        assert!(shown > 20 && screened > 60, "{shown} {screened}");
    }

    #[test]
    fn what_importance_sampling_finds_counts_as_the_largest_that_it_may_be() {
        let scores: Vec<f64> = (0..90).map(|at| f64::from(at * 37 % 41) / 70.0 - 0.42).collect();
        let scores: Vec<f64> = scores.iter().enumerate().map(|(at, x)| x + (at as f64).sin() / 1e3).collect();
        let differences = Differences::new(&[0.0; 90], &scores).unwrap();
        let options = PermutationOptions { levels: vec![1e-6], ..PermutationOptions::default() };
        let found = permutation_test(&differences, 0.0, &options).unwrap();
        assert!(found.relative_error > 0.0 && found.p_less < 1e-4, "{found:?}");
        let levels = Levels { alarms: vec![1e-6], notices: vec![0.025] };
        let p = p_of_loss(&differences, &levels, Stream::default()).unwrap();
        assert!(found.p_less < p && p < 1.3 * found.p_less, "{p} {found:?}");
    }
}
