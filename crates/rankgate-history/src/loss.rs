//! How likely a loss as large is by chance.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::stats::{Differences, Direction, Engine, PermutationOptions, Stream, permutation_test};
use crate::{Error, Result};

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
pub struct Tests(Mutex<PValues>);

#[derive(Debug, Default)]
struct PValues {
    by_key: HashMap<Key, f64>,
    /// Those since the last [`Tests::news`].
    new: Vec<(Key, f64)>,
    /// Whether others were dropped since then.
    dropped: bool,
}

/// A hash of all that a test depends on, this version included.
type Key = [u64; 2];

/// Tests that are remembered.
const REMEMBERED: usize = 1 << 16;

/// p-values as bytes, to be kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TestNews {
    /// What [`Tests::remember`] takes; empty where nothing is new.
    pub bytes: Vec<u8>,
    /// Whether nothing that was kept before is of use any more.
    pub replaces: bool,
}

impl Tests {
    /// Adds p-values that were kept, of this version or of another one, whose are not taken for this one's.
    ///
    /// # Errors
    /// Bytes that are no p-values.
    pub fn remember(&self, bytes: &[u8]) -> Result<()> {
        let (rows, rest) = bytes.as_chunks::<{ 3 * 8 }>();
        let read = |row: &[u8; 24]| {
            let (words, _) = row.as_chunks::<8>();
            let p = f64::from_le_bytes(words[2]);
            (0.0..=1.0 + ERRORS).contains(&p).then(|| ([0, 1].map(|at| u64::from_le_bytes(words[at])), p))
        };
        let rows = rows.iter().map(read).collect::<Option<Vec<_>>>().filter(|_| rest.is_empty());
        let rows = rows.ok_or_else(|| Error::invalid("the p-values that were kept are damaged"))?;
        self.lock().by_key.extend(rows);
        Ok(())
    }

    /// What is new since the last time.
    pub fn news(&self) -> TestNews {
        let mut all = self.lock();
        let new = std::mem::take(&mut all.new);
        let row = |([first, second], p): ([u64; 2], f64)| {
            [first.to_le_bytes(), second.to_le_bytes(), p.to_le_bytes()].concat()
        };
        TestNews {
            bytes: new.into_iter().flat_map(row).collect(),
            replaces: std::mem::take(&mut all.dropped),
        }
    }

    /// As [`p_of_loss`].
    pub(crate) fn p_of_loss(
        &self,
        differences: &Differences,
        levels: &Levels,
        stream: Stream,
    ) -> Result<f64> {
        let key = [0_u8, 1].map(|side| {
            let mut hash = DefaultHasher::new();
            (side, env!("CARGO_PKG_VERSION")).hash(&mut hash);
            differences.hash_into(&mut hash);
            for levels in [&levels.alarms, &levels.notices] {
                levels.len().hash(&mut hash);
                levels.iter().for_each(|level| level.to_bits().hash(&mut hash));
            }
            stream.hash(&mut hash);
            hash.finish()
        });
        if let Some(p) = self.lock().by_key.get(&key).copied() {
            return Ok(p);
        }
        let p = p_of_loss(differences, levels, stream)?;
        let mut all = self.lock();
        if all.by_key.len() >= REMEMBERED {
            *all = PValues { dropped: true, ..PValues::default() };
        }
        all.by_key.insert(key, p);
        all.new.push((key, p));
        Ok(p)
    }

    fn lock(&self) -> MutexGuard<'_, PValues> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn p_values_are_kept_as_bytes_and_taken_back() {
        let levels = Levels { alarms: vec![1e-4], notices: vec![0.025] };
        let differences = |shift: f64| {
            let scores: Vec<f64> = (0..30).map(|at| f64::from(at).sin() / 9.0 - shift).collect();
            Differences::new(&[0.0; 30], &scores).unwrap()
        };
        let tests = Tests::default();
        let p =
            |tests: &Tests, shift| tests.p_of_loss(&differences(shift), &levels, Stream::default()).unwrap();
        let (small, large) = (p(&tests, 0.02), p(&tests, 0.05));
        let news = tests.news();
        assert_eq!((news.bytes.len(), news.replaces), (48, false));
        assert_eq!(tests.news(), TestNews::default());
        assert_eq!(p(&tests, 0.02), small);
        assert_eq!(tests.news(), TestNews::default());

        // What was remembered is taken and not made again: a mark in it comes back.
        let mut marked = news.bytes.clone();
        marked[16..24].copy_from_slice(&0.75_f64.to_le_bytes());
        let again = Tests::default();
        again.remember(&marked).unwrap();
        assert_eq!([p(&again, 0.02), p(&again, 0.05)], [0.75, large]);
        assert_eq!(again.news(), TestNews::default());

        marked[16..24].copy_from_slice(&f64::NAN.to_le_bytes());
        for damaged in [&marked[..], &news.bytes[..47]] {
            let error = Tests::default().remember(damaged).unwrap_err();
            assert_eq!(error.to_string(), "the p-values that were kept are damaged");
        }
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
