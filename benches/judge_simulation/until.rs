//! People judge query after query, and stop when the verdict is there.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rankgate::stats::{Confidence, CorrectedMean, Interval};
use rayon::prelude::*;

use super::{Judge, TRUTH, score};

/// Queries that the model judged.
const QUERIES: [usize; 2] = [162, 400];
/// Looks begin at so many judged queries, and come after each batch of so many more, up to this many.
const FIRST: usize = 30;
const BATCH: usize = 10;
const LAST: usize = 400;
/// How far below the true mean the threshold is.
const APART: [f64; 3] = [0.05, 0.1, 0.15];
/// The share of samples in which a fixed plan is to decide.
const POWER: f64 = 0.8;
/// What is kept of the level for how far the mean of these queries may be from that of all others, where bets are only about
/// these.
const OTHERS: f64 = 0.2;

pub(super) fn print(judges: &[(&str, Judge)], repetitions: u64) {
    println!(
        "| judge | queries | false pass | false fail | fixed limits at each look: false pass | false fail | at .05: decided | \
         median labels | fixed plan | at .10: decided | median labels | fixed plan | at .15: decided | median labels | \
         fixed plan | width at 40, at 80 | of bets |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for (name, judge) in judges {
        for queries in QUERIES {
            let paths: Vec<Path> =
                (0..repetitions).into_par_iter().map(|seed| Path::new(*judge, queries, seed)).collect();
            println!("| {name} | {queries} | {} |", shown(&paths));
        }
    }
}

/// The limits at each look.
struct Path {
    /// Those that hold at every look, then those of a fixed sample.
    looks: Vec<[Interval; 2]>,
    /// How wide bets leave it at 40 and at 80.
    bets: [f64; 2],
}

fn looks(queries: usize) -> impl Iterator<Item = usize> {
    (FIRST..=queries.min(LAST)).step_by(BATCH)
}

impl Path {
    fn new(judge: Judge, queries: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let people: Vec<f64> = (0..queries).map(|_| score(&mut random)).collect();
        let model: Vec<f64> = people.iter().map(|said| judge(*said, false, &mut random)).collect();
        let units: Vec<usize> = (0..queries).collect();
        let at = |drawn: usize| {
            let sample: Vec<Option<f64>> =
                people.iter().enumerate().map(|(at, said)| (at < drawn).then_some(*said)).collect();
            let one = CorrectedMean::within(&model, &sample, &units, &(0.0..=1.0)).expect("finite scores");
            let everything = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
            [one.at_every_look(), one].map(|one| one.interval(Confidence::default()).unwrap_or(everything))
        };
        let bets = [40, 80].map(|drawn| bets(&model, &people[..drawn]));
        Self { looks: looks(queries).map(at).collect(), bets }
    }

    /// The look at which a threshold is decided, and whether it is passed.
    fn decided(&self, which: usize, limit: f64) -> Option<(usize, bool)> {
        let verdict = |(look, limits): (usize, &[Interval; 2])| {
            let Interval { low, high } = limits[which];
            (low > limit || high < limit).then_some((FIRST + look * BATCH, low > limit))
        };
        self.looks.iter().enumerate().find_map(verdict)
    }
}

fn shown(paths: &[Path]) -> String {
    let share = |count: usize| {
        let share = count as f64 / paths.len() as f64;
        format!("{share:.3} ± {:.3}", (share * (1.0 - share) / paths.len() as f64).sqrt())
    };
    let falsely = |which: usize, passed: bool| {
        share(
            paths.iter().filter(|path| path.decided(which, TRUTH).is_some_and(|one| one.1 == passed)).count(),
        )
    };
    let mut cells = vec![falsely(0, true), falsely(0, false), falsely(1, true), falsely(1, false)];
    for apart in APART {
        let limit = TRUTH - apart;
        let mut labels: Vec<usize> =
            paths.iter().map(|path| path.decided(0, limit).map_or(usize::MAX, |one| one.0)).collect();
        labels.sort_unstable();
        let median = match labels[labels.len() / 2] {
            usize::MAX => "-".to_owned(),
            labels => labels.to_string(),
        };
        let passes = |look: usize| {
            let passed = paths.iter().filter(|path| path.looks[look][1].low > limit).count();
            passed as f64 >= POWER * paths.len() as f64
        };
        let fixed = (0..paths[0].looks.len()).find(|look| passes(*look));
        let fixed = fixed.map_or_else(|| "-".to_owned(), |look| (FIRST + look * BATCH).to_string());
        cells.extend([share(labels.iter().filter(|labels| **labels < usize::MAX).count()), median, fixed]);
    }
    let average = |of: &dyn Fn(&Path) -> f64| paths.iter().map(of).sum::<f64>() / paths.len() as f64;
    let width = |drawn: usize| {
        average(&|path| {
            let Interval { low, high } = path.looks[(drawn - FIRST) / BATCH][0];
            high.min(1.0) - low.max(0.0)
        })
    };
    cells.push(format!("{:.3}, {:.3}", width(40), width(80)));
    cells.push(format!("{:.3}, {:.3}", average(&|path| path.bets[0]), average(&|path| path.bets[1])));
    cells.join(" | ")
}

/// How wide bets leave the mean (Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", 2024, without
/// replacement): of a mixture over how much of the most that may be bet is, on people's scores less what the model says more of
/// them than of those that are left. They are about these queries; Student's limits of their mean are added.
fn bets(model: &[f64], people: &[f64]) -> f64 {
    let tail = Confidence::default().tail() * (1.0 - OTHERS);
    let side = |sign: f64| {
        let holds = |mean: f64| capital(model, people, mean, sign) < 1.0 / tail;
        let (mut inside, mut outside) = if sign > 0.0 { (1.0, 0.0) } else { (0.0, 1.0) };
        for _ in 0..16 {
            let middle = f64::midpoint(inside, outside);
            if holds(middle) { inside = middle } else { outside = middle }
        }
        outside
    };
    let others = people.iter().sum::<f64>() / people.len() as f64;
    let square = people.iter().map(|said| (said - others).powi(2)).sum::<f64>() / (people.len() - 1) as f64;
    // The normal quantile of half of OTHERS of .05.
    side(-1.0) - side(1.0) + 2.0 * 2.576 * (square / model.len() as f64).sqrt()
}

/// What bets that the mean is above (or below) this one have come to.
fn capital(model: &[f64], people: &[f64], mean: f64, sign: f64) -> f64 {
    const SHARES: [f64; 8] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75];
    let queries = model.len();
    let (mut left, mut total) = (model.iter().sum::<f64>(), mean * queries as f64);
    let mut capital = [1.0; 8];
    let (mut products, mut squares, mut sums) = (0.0, 0.0, [0.0; 2]);
    for (at, said) in people.iter().enumerate() {
        let count = (queries - at) as f64;
        let (expected, average) = (total / count, left / count);
        // The slope of people's scores in the model's so far, as if five more units had the slope 1.
        let seen = at.max(1) as f64;
        let [f, y] = sums.map(|sum| sum / seen);
        let slope =
            ((products - seen * f * y + 5.0 * 0.08) / (squares - seen * f * f + 5.0 * 0.08)).clamp(0.0, 1.0);
        let [low, high] =
            model[at..].iter().fold([1.0_f64, 0.0_f64], |[low, high], one| [low.min(*one), high.max(*one)]);
        let one = said - slope * (model[at] - average);
        let worst = match sign > 0.0 {
            true => expected + slope * (high - average),
            false => 1.0 - slope * (low - average) - expected,
        };
        if worst <= 0.0 {
            return f64::INFINITY;
        }
        for (capital, share) in capital.iter_mut().zip(SHARES) {
            *capital *= 1.0 + share * sign * (one - expected) / worst;
        }
        left -= model[at];
        total -= said;
        products += model[at] * said;
        squares += model[at] * model[at];
        sums = [sums[0] + model[at], sums[1] + said];
    }
    capital.iter().sum::<f64>() / 8.0
}
