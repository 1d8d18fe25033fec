//! A configuration against its twin, and against one that does 30% more work, on a machine that is busy.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use rankgate::benchmark::Registry;
use rankgate::benchmark::model::{Finding, LatencyFinding};
use rankgate::retriever::retriever_fn;
use rankgate::standalone::Standalone;
use rankgate::stats::LatencyReason;
use rankgate::{Hit, Query};

use super::shown;

const QUERIES: usize = 40;
/// Work for the fastest query; the slowest takes five times as much.
const WORK: Duration = Duration::from_micros(80);
/// What the slower one does in place of 100.
const SLOWER: u64 = 130;

/// Quantiles and limits, all on the same times.
const GATES: [(&str, f64); 3] = [("p50", 1.1), ("p50", 1.25), ("p95", 1.25)];

/// Does something for a while: so many rounds.
fn spin(rounds: u64) -> u64 {
    (0..rounds).fold(1, |state: u64, round| {
        std::hint::black_box(state.wrapping_mul(6_364_136_223_846_793_005) ^ round)
    })
}

/// Prints the table.
pub(super) fn print(repetitions: usize) {
    let rounds = calibrated();
    let busy = Arc::new(AtomicBool::new(true));
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let stress: Vec<_> =
        (0..processors).map(|number| work_and_rest(number as u64, Arc::clone(&busy))).collect();
    let load = || {
        fs::read_to_string("/proc/loadavg")
            .map_or("unknown".to_owned(), |text| text.chars().take(14).collect())
    };
    println!(
        "{repetitions} repetitions of 12 blocks of {QUERIES} queries, beside {processors} threads that work and rest in turns; load \
         before {}",
        load()
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("simulation.yaml");
    fs::write(&path, spec()).expect("a file");
    let mut registry = Registry::new();
    for (name, percent) in [("baseline", 100), ("twin", 100), ("slower", SLOWER)] {
        let retriever = move |query: &Query, _| {
            let share: u64 = query.text.parse()?;
            std::hint::black_box(spin(rounds * share * percent / 10_000));
            Ok(vec![Hit::new("d", 1.0)])
        };
        registry.retrievers.register(name, move |_| Ok(retriever_fn(retriever))).expect("a new name");
    }
    let standalone = Standalone::new().registry(registry);
    let mut seen: Vec<Vec<LatencyFinding>> = Vec::with_capacity(repetitions);
    for _ in 0..repetitions {
        let report =
            standalone.open(&path).expect("a sound spec").run_where(|gate| gate.name.contains("latency"));
        let finding = |gate: &rankgate::benchmark::model::GateReport| match &gate.finding {
            Finding::Latency(finding) => Some((**finding).clone()),
            _ => None,
        };
        seen.push(report.gates.iter().filter_map(finding).collect());
    }
    busy.store(false, Ordering::Relaxed);
    stress.into_iter().for_each(|thread| thread.join().expect("it ends"));
    println!("load after {}\n", load());

    println!(
        "| candidate | gate | passed | failed | inconclusive | of it for noise |\n|---|---|---|---|---|---|"
    );
    for (which, candidate) in ["its twin", "30% slower"].into_iter().enumerate() {
        for (index, (quantile, limit)) in GATES.into_iter().enumerate() {
            let of = |is: &[LatencyReason]| {
                let count =
                    seen.iter().filter(|one| is.contains(&one[which * GATES.len() + index].reason)).count();
                shown(count, repetitions)
            };
            println!(
                "| {candidate} | {quantile}, ratio up to {limit} | {} | {} | {} | {} |",
                of(&[LatencyReason::Within]),
                of(&[LatencyReason::Beyond]),
                of(&[LatencyReason::NotShown, LatencyReason::Noise]),
                of(&[LatencyReason::Noise]),
            );
        }
        // A ceiling as teams set it: what the baseline took when somebody looked, and a quarter more.
        type Measure = fn(&LatencyFinding, usize) -> f64;
        let quantiles: [(&str, Measure); 2] = [
            ("p50", |finding, side| finding.sides[side].p50.expect("480 times")),
            ("p95", |finding, side| finding.sides[side].p95.expect("480 times")),
        ];
        for (quantile, of) in quantiles {
            let looked: Vec<f64> = seen.iter().map(|one| of(&one[which * GATES.len()], 1) * 1.25).collect();
            let times: Vec<f64> = seen.iter().map(|one| of(&one[which * GATES.len()], 0)).collect();
            // Of every run as the one at which it was set, held against every other.
            let failed = looked
                .iter()
                .map(|ceiling| times.iter().filter(|time| *time > ceiling).count())
                .sum::<usize>();
            let failed = failed as f64 / (looked.len() * times.len()) as f64;
            println!("| {candidate} | {quantile}, fixed ceiling | {:.3} | {failed:.3} | 0 | |", 1.0 - failed);
        }
    }
    let spread = |which: usize, side: usize| {
        let mut medians: Vec<f64> =
            seen.iter().map(|one| one[which].sides[side].p50.expect("480 times")).collect();
        medians.sort_by(f64::total_cmp);
        format!("{:.3} to {:.3} ms", medians[0], medians[medians.len() - 1])
    };
    println!("\np50 of the baseline over all repetitions: {}; of its twin: {}", spread(0, 1), spread(0, 0));
    let mut least: Vec<f64> = seen.iter().filter_map(|one| one[0].noise?.least).collect();
    least.sort_by(f64::total_cmp);
    if let (Some(first), Some(last)) = (least.first(), least.last()) {
        println!(
            "the machine could not see less than {:.1}% to {:.1}% at p50, {:.1}% in the middle",
            first * 100.0,
            last * 100.0,
            least[least.len() / 2] * 100.0
        );
    }
}

/// Rounds that take about as long as they should.
fn calibrated() -> u64 {
    const ROUNDS: u64 = 1_000_000;
    let fastest = (0..20).map(|_| {
        let start = Instant::now();
        std::hint::black_box(spin(ROUNDS));
        start.elapsed()
    });
    let fastest = fastest.min().unwrap_or(Duration::from_millis(1));
    (ROUNDS as f64 * WORK.as_secs_f64() / fastest.as_secs_f64()) as u64
}

/// A thread that works for up to 100 ms and rests for up to 50, over and over.
fn work_and_rest(number: u64, busy: Arc<AtomicBool>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        use rand_chacha::rand_core::{Rng, SeedableRng};
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(number);
        while busy.load(Ordering::Relaxed) {
            let until = Instant::now() + Duration::from_millis(random.next_u64() % 100);
            while Instant::now() < until {
                std::hint::black_box(spin(10_000));
            }
            thread::sleep(Duration::from_millis(random.next_u64() % 50));
        }
    })
}

fn spec() -> String {
    let mut text = "version: 1\nbenchmark: simulation\nconfigurations:\n".to_owned();
    for name in ["baseline", "twin", "slower"] {
        text += &format!("  {name}: {{retriever: {name}}}\n");
    }
    text += "collection:\n  inline:\n    queries:\n";
    for query in 0..QUERIES {
        // Most queries are fast, and some take up to five times as long.
        let share = 100 + 400 * query.pow(3) / QUERIES.pow(3);
        text += &format!("      - {{id: q{query}, text: \"{share}\", relevant: [d]}}\n");
    }
    text += "latency:\n";
    for candidate in ["twin", "slower"] {
        for (quantile, ratio) in GATES {
            text += &format!(
                "  - {{quantile: {quantile}, max-ratio: {ratio}, candidate: {candidate}, baseline: baseline, name: \"{ratio}\"}}\n"
            );
        }
    }
    text
}
