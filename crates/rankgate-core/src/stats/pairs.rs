//! Every pair of several configurations, adjusted for all pairs.

use super::{ComparedPair, Confidence, Differences, PermutationOptions, Stream, max_t, tukey};
use crate::Result;
use crate::words::keywords;

keywords! {
    /// How every two of several configurations are compared with each other.
    pub enum PairsTest {
        /// Randomised Tukey HSD: each query's scores are permuted among all configurations, and a difference is held
        /// against the largest between any two. One yardstick for all pairs.
        Tukey = "tukey" => "randomised Tukey HSD",
        /// Each pair's t statistic is held against the largest of all, under one random sign per query for all
        /// pairs. Each pair has its own spread.
        MaxT = "max-t" => "max-T",
    }
}

/// Resamples of Tukey's test; more where a p-value is too close to the level to tell.
const RESAMPLES: [u64; 4] = [9_999, 19_999, 39_999, 99_999];

/// Which of several configurations differ, each compared with each, with the error rate kept over all pairs.
///
/// `configurations` holds each one's scores, one per unit, in the order of the units' sorted ids. Random
/// rearrangements go on while a p-value is too close to 1 less the confidence to tell on which side it is.
///
/// # Errors
///
/// When there are fewer than two configurations, they differ in their number of units, there are none, or a score
/// is not finite or over 1e75 in magnitude.
///
/// ```
/// use rankgate::stats::{Confidence, PairsTest, Stream, compare_pairs};
///
/// let a: &[f64] = &[0.7, 0.3, 0.2, 0.6, 0.4];
/// let b: &[f64] = &[0.5, 0.1, 0.0, 0.2, 0.4];
/// let c: &[f64] = &[0.0, 0.0, 0.2, 0.1, 0.3];
/// let test = PairsTest::Tukey;
/// let pairs = compare_pairs(&[a, b, c], test, Confidence::default(), &Stream::new(1))?;
/// assert_eq!((pairs[1].pair, pairs[1].p), ((0, 2), 264.0 / 7776.0));
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn compare_pairs(
    configurations: &[&[f64]],
    test: PairsTest,
    confidence: Confidence,
    stream: &Stream,
) -> Result<Vec<ComparedPair>> {
    match test {
        PairsTest::Tukey => tukey::in_steps(configurations, &RESAMPLES, confidence.alpha(), stream),
        PairsTest::MaxT => by_max_t(configurations, confidence.alpha(), stream),
    }
}

fn by_max_t(configurations: &[&[f64]], level: f64, stream: &Stream) -> Result<Vec<ComparedPair>> {
    let later = |first| (first + 1..configurations.len()).map(move |second| (first, second));
    let pairs: Vec<(usize, usize)> = (0..configurations.len()).flat_map(later).collect();
    let differences = pairs
        .iter()
        .map(|&(first, second)| Differences::new(configurations[first], configurations[second]))
        .collect::<Result<Vec<_>>>()?;
    let options = PermutationOptions { levels: vec![level], stream: *stream, ..Default::default() };
    let family = max_t(&differences.iter().collect::<Vec<_>>(), None, &options)?;
    let of_pair = |((pair, differences), p): (((usize, usize), &Differences), f64)| ComparedPair {
        pair,
        difference: differences.mean(),
        p,
        resamples: family.resamples,
    };
    Ok(pairs.into_iter().zip(&differences).zip(family.step_down).map(of_pair).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::tukey_hsd;

    /// Three configurations on four queries, in tenths.
    const SCORES: [[i32; 4]; 3] = [[9, 8, 7, 9], [4, 5, 7, 3], [5, 3, 6, 4]];

    fn compared(test: PairsTest) -> Vec<ComparedPair> {
        let scores = SCORES.map(|scores| scores.map(|score| f64::from(score) / 10.0));
        let scores: Vec<&[f64]> = scores.iter().map(<[f64; 4]>::as_slice).collect();
        compare_pairs(&scores, test, Confidence::default(), &Stream::new(1)).unwrap()
    }

    #[test]
    fn tukey_is_counted_over_all_arrangements() {
        // every order of every query's three scores: 6^4
        const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let range = |arrangement: usize| {
            let mut sums = [0; 3];
            for query in 0..4 {
                let order = ORDERS[arrangement / 6_usize.pow(query as u32) % 6];
                for (sum, place) in sums.iter_mut().zip(order) {
                    *sum += SCORES[place][query];
                }
            }
            sums.iter().max().unwrap() - sums.iter().min().unwrap()
        };
        let observed = |(first, second): (usize, usize)| {
            (SCORES[first].iter().sum::<i32>() - SCORES[second].iter().sum::<i32>()).abs()
        };
        for pair in compared(PairsTest::Tukey) {
            let reached = (0..1296).filter(|&arrangement| range(arrangement) >= observed(pair.pair)).count();
            assert_eq!((pair.p, pair.resamples), (reached as f64 / 1296.0, None), "{:?}", pair.pair);
        }
    }

    #[test]
    fn max_t_is_counted_over_all_signs_of_the_queries() {
        // sums over their roots of squares, compared without roots or division: a / sqrt(b) >= c / sqrt(d)
        let pairs = [(0, 1), (0, 2), (1, 2)];
        let sums = |signs: usize| {
            pairs.map(|(first, second): (usize, usize)| {
                let of_query = |query: usize| {
                    let sign = if signs >> query & 1 == 1 { -1 } else { 1 };
                    sign * (SCORES[second][query] - SCORES[first][query])
                };
                (0..4).map(of_query).sum::<i32>()
            })
        };
        let squares = pairs.map(|(first, second)| {
            (0..4).map(|query| (SCORES[second][query] - SCORES[first][query]).pow(2)).sum::<i32>()
        });
        let observed = sums(0);
        let reaches = |signs: usize, one: usize, of: usize| {
            sums(signs)[one].pow(2) * squares[of] >= observed[of].pow(2) * squares[one]
        };
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| (observed[b].pow(2) * squares[a]).cmp(&(observed[a].pow(2) * squares[b])));
        let mut largest: f64 = 0.0;
        let compared = compared(PairsTest::MaxT);
        for (place, &of) in order.iter().enumerate() {
            let rest = &order[place..];
            let reached = (0..16).filter(|&signs| rest.iter().any(|&one| reaches(signs, one, of))).count();
            largest = largest.max(reached as f64 / 16.0);
            assert_eq!((compared[of].pair, compared[of].p), (pairs[of], largest));
        }
    }

    #[test]
    fn resamples_go_on_where_a_p_value_is_close_to_the_level() {
        // 40 queries on which two of three are alike; the third's lead over them grows until p passes .05
        let wave = |query: usize, step: usize| f64::from((query * step % 17) as u32) / 17.0;
        let scores = |lead: f64| {
            let of =
                |step: usize, more: f64| (0..40).map(|query| wave(query, step) + more).collect::<Vec<f64>>();
            [of(5, 0.0), of(7, 0.0), of(3, lead)]
        };
        let compare = |lead: f64| {
            let scores = scores(lead);
            let scores: Vec<&[f64]> = scores.iter().map(Vec::as_slice).collect();
            let stream = Stream::new(3);
            let compared = compare_pairs(&scores, PairsTest::Tukey, Confidence::default(), &stream).unwrap();
            let resamples = compared[0].resamples.unwrap();
            assert_eq!(tukey_hsd(&scores, resamples, &stream).unwrap(), compared);
            (resamples, compared)
        };
        let leads: Vec<(u64, Vec<ComparedPair>)> =
            (0..20).map(|step| compare(f64::from(step) / 50.0)).collect();
        assert!(leads.iter().any(|(resamples, _)| *resamples == 9_999));
        assert!(leads.iter().any(|(resamples, _)| *resamples > 9_999));
        for (resamples, compared) in leads {
            let settled = compared.iter().all(|pair| pair.is_settled(0.05));
            assert!(settled || resamples == 99_999, "{compared:?}");
        }
    }
}
