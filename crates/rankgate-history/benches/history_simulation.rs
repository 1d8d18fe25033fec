//! How often histories alarm falsely, and what they see: `cargo bench -p rankgate-history --bench history_simulation [-- REPETITIONS]`.
//!
//! Draws many lines of commits (10,000; of 1,000 states or 162 queries a twentieth, with losses a tenth, of asymmetric changes under
//! other guarantees a fiftieth), tells each, and prints the tables of docs/history.md with their standard errors; `-- asymmetric
//! 3000`, `false-alarms` or `losses` prints one. `-- series REPETITIONS FILE` writes such lines, their means
//! and where `rankgate_history` alarms, for `benches/peers/history.py`. The same seeds are drawn every time.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

use std::fmt::Write;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate_core::internal::threads::within;
use rankgate_core::stats::Guarantee;
use rankgate_history::{
    AlarmRules, Commit, Golden, History, Inputs, Measurement, Move, ReferenceKind, Rules, Scores, Timeline,
};
use rayon::prelude::*;

/// Queries of a benchmark, and of a small one, which takes a third of the time.
const QUERIES: usize = 162;
const FEW: usize = 50;
const METRIC: &str = "nDCG@10";
/// Standard deviation of what a commit does to a query that it touches, and the share that it touches.
const SPREAD: f64 = 0.15;
const TOUCHED: f64 = 0.3;
/// Where a step is, among 100 commits.
const STEP: usize = 50;
/// How often golden runs are blessed, where they are.
const EVERY: usize = 10;

/// What commits do to the ranking.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Each does something else to the first ranking, neither good nor harm.
    Independent,
    /// Each helps one query in 25 by as much as it hurts others, a little each.
    FewGain,
    /// Each hurts one query in 25 by as much as it helps others.
    FewLose,
    /// Each does so to the ranking before it.
    Accumulating,
    /// Every other one is taken back.
    Reverting,
    /// The ranking is always the same.
    Constant,
    /// Independent, and from the fiftieth on all of them lose so much.
    Step(f64),
    /// The same ranking up to the fiftieth, and from there on another one that loses so much.
    CleanStep(f64),
    /// Accumulating, and the first twenty of them lose so much each.
    Small(f64),
}

#[derive(Clone, Copy, PartialEq)]
enum Bless {
    Never,
    Tenth,
    Always,
}

/// What losses are held against over the whole line; a step is held against the ranking before.
const STANDING: [ReferenceKind; 4] =
    [ReferenceKind::Golden, ReferenceKind::First, ReferenceKind::Release, ReferenceKind::Best];

struct Line {
    scores: Vec<Vec<f64>>,
    rankings: Vec<usize>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().filter(|argument| argument != "--bench").skip(1).collect();
    let repetitions: u64 = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(10_000);
    if arguments.first().is_some_and(|first| first == "series") {
        let file = arguments.last().expect("a file");
        std::fs::write(file, series(repetitions)).expect("the file can be written");
        return;
    }
    // One table, where it is named.
    let named = |name: &str| arguments.iter().all(|given| given.parse::<u64>().is_ok() || given == name);
    if named("false-alarms") {
        false_alarms(repetitions);
        println!();
    }
    if named("asymmetric") {
        asymmetric(repetitions);
        println!();
    }
    if named("losses") {
        losses(repetitions / 10);
    }
}

/// Lines on which nothing is lost.
fn false_alarms(repetitions: u64) {
    println!(
        "| rankings | blessed | states | queries | lines | any false alarm | stated | golden | the first | the last release | the best so far | false steps, of rankings | notices a line, expected |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (states, queries, lines) in
        [(100, FEW, repetitions), (100, QUERIES, repetitions / 20), (1_000, FEW, repetitions / 20)]
    {
        for (kind, name) in [
            (Kind::Independent, "independent"),
            (Kind::Accumulating, "accumulating"),
            (Kind::Reverting, "reverting"),
        ] {
            for (bless, blessed) in [(Bless::Never, "never"), (Bless::Tenth, "every tenth")] {
                let seen = all(lines, |seed| Observation::new((kind, bless), (states, queries), seed));
                let kinds = STANDING.map(|kind| share(&seen, |one| one.against[kind as usize].is_some()));
                let [notices, expected, stated] = [
                    |one: &Observation| one.notices,
                    |one: &Observation| one.expected,
                    |one: &Observation| one.stated,
                ]
                .map(|of| seen.iter().map(of).sum::<f64>() / lines as f64);
                println!(
                    "| {name} | {blessed} | {states} | {queries} | {lines} | {} | {stated:.4} | {} | {} | {notices:.1}, {expected:.1} |",
                    share(&seen, Observation::any),
                    kinds.join(" | "),
                    steps(&seen)
                );
            }
        }
    }
}

/// Lines on which nothing is lost, of changes that are much to few queries and little to many; and what they would say
/// without the unseen query.
fn asymmetric(lines: u64) {
    let few = lines.div_ceil(50);
    println!(
        "| each of 40 rankings, {lines} lines | queries | any false alarm | `guarantee: bounded`, {few} lines | `guarantee: none` | false steps, of rankings |"
    );
    println!("|---|---|---|---|---|---|");
    for (kind, name) in [
        (Kind::FewGain, "helps one query in 25 much, and hurts many a little"),
        (Kind::FewLose, "hurts one query in 25 much, and helps many a little"),
    ] {
        for queries in [FEW, 100, 200, 400] {
            let under = |guarantee, lines| {
                let rules = Rules { guarantee, ..Rules::default() };
                all(lines, |seed| {
                    Observation::read(&tell(&Line::new(kind, (40, queries), seed), Bless::Never, &rules))
                })
            };
            let typical = under(Guarantee::Typical, lines);
            let others = [Guarantee::Bounded, Guarantee::None]
                .map(|guarantee| share(&under(guarantee, few), Observation::any));
            println!(
                "| {name} | {queries} | {} | {} | {} |",
                share(&typical, Observation::any),
                others.join(" | "),
                steps(&typical)
            );
        }
    }
}

/// Lines on which something is lost, on so many queries as a benchmark has.
fn losses(lines: u64) {
    for queries in [60, 100, QUERIES, 400] {
        losses_on(queries, if queries > QUERIES { lines / 2 } else { lines });
        println!();
    }
}

/// The same on so many.
fn losses_on(queries: usize, lines: u64) {
    println!(
        "| what happens, {lines} lines on {queries} queries | blessed | seen | golden | the first | the last release | the best so far | the ranking before | commits until it is seen: median, 90% | its commit: suspect, largest step |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (kind, bless, name, from) in [
        (Kind::CleanStep(0.02), Bless::Never, "a step of -.02 after 50 commits of one ranking", STEP),
        (Kind::CleanStep(0.04), Bless::Never, "a step of -.04 after 50 commits of one ranking", STEP),
        (Kind::Step(0.02), Bless::Never, "a step of -.02 among ever new rankings", STEP),
        (Kind::Step(0.04), Bless::Never, "a step of -.04 among ever new rankings", STEP),
        (Kind::Step(0.06), Bless::Never, "a step of -.06 among ever new rankings", STEP),
        (Kind::Small(0.006), Bless::Never, "twenty losses of -.006", 1),
        (Kind::Small(0.006), Bless::Always, "twenty losses of -.006", 1),
    ] {
        let seen = all(lines, |seed| Observation::new((kind, bless), (states(kind), queries), seed));
        let of = |one: &Observation, kind: ReferenceKind| one.against[kind as usize].filter(|at| *at >= from);
        let first = |one: &Observation| ReferenceKind::ALL.iter().filter_map(|kind| of(one, *kind)).min();
        let kinds = ReferenceKind::ALL.map(|kind| share(&seen, |one| of(one, kind).is_some()));
        let mut delays: Vec<usize> = seen.iter().filter_map(first).map(|at| at - from).collect();
        delays.sort_unstable();
        let quantile =
            |tenths: usize| delays.get(delays.len() * tenths / 10).map_or("-".to_owned(), usize::to_string);
        println!(
            "| {name} | {} | {} | {} | {}, {} | {} |",
            if bless == Bless::Always { "each" } else { "never" },
            share(&seen, |one| first(one).is_some()),
            kinds.join(" | "),
            quantile(5),
            quantile(9),
            if matches!(kind, Kind::Small(_)) { "-".to_owned() } else { commits_named(&seen, &first) }
        );
    }
}

/// Of the lines whose step is seen and on which nothing alarmed before it: how often the step's commit is the suspect, and
/// how often it is the largest step.
fn commits_named(seen: &[Observation], first: impl Fn(&Observation) -> Option<usize>) -> String {
    let alarms: Vec<[usize; 2]> = seen
        .iter()
        .filter(|one| first(one).is_some())
        .filter_map(|one| one.named)
        .filter(|one| one[0] >= STEP)
        .collect();
    if alarms.is_empty() {
        return "-".to_owned();
    }
    let named = |which: usize| {
        let count = alarms.iter().filter(|alarm| alarm[which] == STEP).count() as f64;
        let (all, share) = (alarms.len() as f64, count / alarms.len() as f64);
        format!("{share:.4} ± {:.4}", (share * (1.0 - share) / all).sqrt())
    };
    format!("{}, {}", named(0), named(1))
}

/// The share of rankings that were held against the one before and alarmed falsely.
fn steps<'a>(seen: impl IntoIterator<Item = &'a Observation>) -> String {
    let (alarms, rankings) =
        seen.into_iter().fold((0, 0), |(alarms, all), one| (alarms + one.steps, all + one.rankings));
    let (share, all) = (alarms as f64 / rankings as f64, rankings as f64);
    format!("{share:.5} ± {:.5}", (share * (1.0 - share) / all).sqrt())
}

/// As many as a line of the kind has.
fn states(kind: Kind) -> usize {
    if matches!(kind, Kind::Small(_)) { 21 } else { 100 }
}

/// Lines side by side, each on one thread.
fn all<T: Send>(lines: u64, of: impl Fn(u64) -> T + Sync) -> Vec<T> {
    (0..lines).into_par_iter().map(|seed| within(1, || of(seed))).collect()
}

fn share(seen: &[Observation], is: impl Fn(&Observation) -> bool) -> String {
    let (count, all) = (seen.iter().filter(|one| is(one)).count() as f64, seen.len() as f64);
    let share = count / all;
    format!("{share:.4} ± {:.4}", (share * (1.0 - share) / all).sqrt())
}

/// What was told of a line.
struct Observation {
    /// The first commit at which there was an alarm, by kind of reference.
    against: [Option<usize>; 5],
    /// The commit that the first alarm suspects, and that of its largest step.
    named: Option<[usize; 2]>,
    notices: f64,
    expected: f64,
    /// At most so large is the chance of any false alarm, however many references there were.
    stated: f64,
    /// Alarms against the ranking before, and the rankings that were held against one.
    steps: usize,
    rankings: usize,
}

impl Observation {
    fn new((kind, bless): (Kind, Bless), size: (usize, usize), seed: u64) -> Self {
        Self::read(&tell(&Line::new(kind, size, seed), bless, &Rules::default()))
    }

    fn read(told: &Timeline) -> Self {
        let mut against = [None; 5];
        for alarm in told.alarms.iter().rev() {
            let at = alarm.opened.commit.parse().ok();
            alarm.against.iter().for_each(|held| against[held.reference as usize] = at);
        }
        let named = told.alarms.first().and_then(|alarm| {
            let suspect = alarm.suspects.last()?;
            let likelier = alarm.earlier_step().map_or(suspect, |step| &step.commit);
            Some([suspect.commit.parse().ok()?, likelier.commit.parse().ok()?])
        });
        Self {
            against,
            named,
            notices: told.notices.len() as f64,
            expected: told.notices_by_chance,
            stated: told.alpha,
            steps: told
                .alarms
                .iter()
                .flat_map(|alarm| &alarm.against)
                .filter(|held| held.reference == ReferenceKind::Before)
                .count(),
            rankings: told.commits.iter().filter(|entry| entry.moved != Move::Same).count() - 1,
        }
    }

    fn any(&self) -> bool {
        STANDING.iter().any(|kind| self.against[*kind as usize].is_some())
    }
}

impl Line {
    fn new(kind: Kind, (states, queries): (usize, usize), seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let first = vec![0.5; queries];
        let mut line = Self { scores: vec![first.clone()], rankings: vec![0] };
        let mut stepped: Option<Vec<f64>> = None;
        for number in 1..states {
            let last = line.scores[number - 1].clone();
            let (scores, ranking) = match kind {
                Kind::Independent => (change(&first, 0.0, &mut random), number),
                Kind::FewGain => (skewed(&first, 1.0, &mut random), number),
                Kind::FewLose => (skewed(&first, -1.0, &mut random), number),
                Kind::Accumulating => (change(&last, 0.0, &mut random), number),
                Kind::Reverting if number % 2 == 0 => (first.clone(), 0),
                Kind::Reverting => (change(&first, 0.0, &mut random), number),
                Kind::Constant => (first.clone(), 0),
                Kind::Step(loss) => {
                    (change(&first, if number < STEP { 0.0 } else { loss }, &mut random), number)
                }
                Kind::CleanStep(_) if number < STEP => (first.clone(), 0),
                Kind::CleanStep(loss) => {
                    let scores = stepped.get_or_insert_with(|| change(&first, loss, &mut random));
                    (scores.clone(), STEP)
                }
                Kind::Small(loss) => (change(&last, loss, &mut random), number),
            };
            line.scores.push(scores);
            line.rankings.push(ranking);
        }
        line
    }
}

/// The scores of a commit: what it does to some queries of those before.
fn change(scores: &[f64], loss: f64, random: &mut ChaCha8Rng) -> Vec<f64> {
    let mut unit = || (f64::from(random.next_u32()) + 0.5) / (f64::from(u32::MAX) + 1.0);
    let one = |score: &f64| match unit() < TOUCHED {
        true => {
            let gauss = (-2.0 * unit().ln()).sqrt() * (std::f64::consts::TAU * unit()).cos();
            score - loss / TOUCHED + SPREAD * gauss
        }
        false => *score,
    };
    scores.iter().map(one).collect()
}

/// The scores of a commit that moves one query in 25 to an end of the range, and four in ten others a little the other way.
fn skewed(scores: &[f64], towards: f64, random: &mut ChaCha8Rng) -> Vec<f64> {
    let one = |score: &f64| match random.next_u32() % 100 {
        0..4 => score + 0.5 * towards,
        4..44 => score - 0.05 * towards,
        _ => *score,
    };
    scores.iter().map(one).collect()
}

fn tell(line: &Line, bless: Bless, rules: &Rules) -> Timeline {
    let ids: Vec<String> = (0..line.scores[0].len()).map(|query| format!("{query:03}")).collect();
    let scores = |values: &Vec<f64>| {
        let by_metric = [(METRIC.to_owned(), values.clone())].into();
        Arc::new(Scores { queries: ids.clone(), groups: None, by_metric })
    };
    let scores: Vec<Arc<Scores>> = line.scores.iter().map(scores).collect();
    let measurement = |number: usize| Measurement {
        commit: number.to_string(),
        ranking: line.rankings[number].to_string(),
        scores: Arc::clone(&scores[number]),
        golden: (number == 0).then(|| Golden { ranking: "0".to_owned(), scores: Arc::clone(&scores[0]) }),
        blessed: match bless {
            Bless::Never => false,
            Bless::Tenth => number.is_multiple_of(EVERY),
            Bless::Always => true,
        },
        accepted: false,
        inputs: Inputs::default(),
        judged: String::new(),
        gated: vec![METRIC.to_owned()],
        alarms: AlarmRules::default(),
        varies: false,
    };
    let commit = |number: usize| Commit {
        id: number.to_string(),
        // The first is a release.
        releases: if number == 0 { vec!["v1".to_owned()] } else { Vec::new() },
        ..Commit::default()
    };
    let history = History {
        line: (0..line.scores.len()).map(commit).collect(),
        measurements: (0..line.scores.len()).map(measurement).collect(),
        ..History::default()
    };
    history.tell(rules).expect("the line can be told")
}

/// The same lines for other programs: what they see of a ranking is its mean.
fn series(repetitions: u64) -> String {
    let mut text = String::from("kind,line,first,means\n");
    for (kind, name) in [
        (Kind::Constant, "constant"),
        (Kind::Independent, "independent"),
        (Kind::Accumulating, "accumulating"),
        (Kind::CleanStep(0.04), "clean step"),
        (Kind::Step(0.04), "step"),
        (Kind::Small(0.006), "small"),
    ] {
        let lines = all(repetitions, |seed| {
            let line = Line::new(kind, (states(kind), QUERIES), seed);
            let told = tell(&line, Bless::Never, &Rules::default());
            let first = told.alarms.first().map_or("-", |alarm| alarm.opened.commit.as_str());
            let mean = |scores: &Vec<f64>| format!("{}", scores.iter().sum::<f64>() / QUERIES as f64);
            let means: Vec<String> = line.scores.iter().map(mean).collect();
            format!("{name},{seed},{first},{}\n", means.join(" "))
        });
        for line in lines {
            write!(text, "{line}").expect("a String takes any text");
        }
    }
    text
}
