#!/usr/bin/env python3
"""Measure what the test runner itself costs: a crate with 10 specs of 20 gates each.

    python3 benches/harness.py [--rounds 5] [--edit] [--compile [--rev A --rev B] [--turns 3]]
    python3 benches/harness.py --all > table.md

Makes a crate below target/ that depends on this one, with retrievers that answer at once, and
prints the median time of listing the 200 tests and of running them, under `cargo test`'s profile.
With `--edit`, instead, the time from an edit of a retriever to the verdict of `cargo test`: a gate on 50 queries, and
a plain `#[test]` of the same retriever and queries in a crate without rankgate, in turns.
With `--compile`, instead, what a crate pays that adds rankgate as a dev-dependency: the time of a build from nothing
(downloads apart) of its tests, in turns with one that has criterion instead, which many crates know. What is built is
what is committed, as cargo builds what comes from elsewhere: `--rev A --rev B` compares two commits. Sizes stand beside: of
what cargo has built of rankgate's own crates, of the test, and of all of `target`.
Both are also measured with rankgate as a shared library, as `rankgate init` prints it. With `--all`, one after the other: for a machine on which nothing else runs.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CRATE = ROOT / "target" / "bench-harness"

MANIFEST = """[package]
name = "bench-harness"
version = "0.0.0"
edition = "2024"

[workspace]

[dev-dependencies]
{dependency}
{test}"""
DEPENDENCY = f'rankgate = {{ path = "{ROOT}" }}\n'
# What `rankgate init` prints.
SHARED = f'rankgate = {{ package = "rankgate-dylib", path = "{ROOT}/crates/rankgate-dylib" }}\n'
CRITERION = 'criterion = "0.7"\n'
CRITERION_MAIN = """use criterion::{Criterion, criterion_group, criterion_main};

fn one(criterion: &mut Criterion) {
    criterion.bench_function("one", |bencher| bencher.iter(|| std::hint::black_box(1)));
}

criterion_group!(benches, one);
criterion_main!(benches);
"""
TEST = '\n[[test]]\nname = "retrieval"\nharness = false\n'
MAIN = """use rankgate::{Hit, retriever_fn};

fn main() -> std::process::ExitCode {
    rankgate::harness!("benchmarks")
        .retriever("mine", |_| {
            Ok(retriever_fn(|query, depth| {
                let first = query.id.len() + query.text.len();
                Ok((0..depth).map(|rank| Hit::new(format!("d{}", (first + rank) % 100), 1.0)).collect())
            }))
        })
        .run()
}
"""
QUERIES, SPECS = 50, 10

# The retriever that is edited, as a crate of users holds it; `EDIT` is another number each time.
ENGINE = """//! Documents by how many words of a query they hold.

use std::collections::BTreeMap;

pub struct Words {
    documents: BTreeMap<String, String>,
}

impl Words {
    pub fn new(documents: BTreeMap<String, String>) -> Self {
        Self { documents }
    }

    pub fn search(&self, text: &str, depth: usize) -> Vec<(String, f64)> {
        let words: Vec<&str> = text.split(' ').collect();
        let matches = |text: &str| text.split(' ').filter(|word| words.contains(word)).count() as f64;
        let mut hits: Vec<_> =
            self.documents.iter().map(|(id, text)| (id.clone(), EDIT.0 + matches(text))).collect();
        hits.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        hits.truncate(depth);
        hits
    }
}
"""
GATE = """use rankgate::{Hit, retriever_fn};

fn main() -> std::process::ExitCode {
    rankgate::harness!("edited")
        .retriever("words", |setup| {
            let documents = setup.corpus()?.documents()?.map(|one| one.map(|one| (one.id, one.text)));
            let words = bench_harness::Words::new(documents.collect::<Result<_, _>>()?);
            Ok(retriever_fn(move |query, depth| {
                Ok(words.search(&query.text, depth).into_iter().map(|(id, score)| Hit::new(id, score)).collect())
            }))
        })
        .run()
}
"""
PLAIN = """use std::collections::BTreeMap;

#[test]
fn the_search_is_good_enough() {
    let documents: BTreeMap<String, String> =
        (0..QUERIES).map(|at| (format!("d{at}"), format!("word{at} other{}", at % 7))).collect();
    let words = bench_harness::Words::new(documents);
    let rank = |at: usize| {
        let hits = words.search(&format!("word{at} anything"), 10);
        hits.iter().position(|(id, _)| *id == format!("d{at}")).map_or(0.0, |rank| 1.0 / (rank + 1) as f64)
    };
    let mean = (0..QUERIES).map(rank).sum::<f64>() / QUERIES as f64;
    assert!(mean >= 0.9, "reciprocal rank {mean}");
}
"""


def spec(number):
    queries = "\n".join(
        f"      - {{id: q{query}, text: {'word ' * (query % 9 + 1)}, relevant: {{d{(query * 7 + number) % 40}: 1, d{query + 45}: 2}}, kind: k{query % 4}}}"
        for query in range(QUERIES)
    )
    thresholds = "\n".join(f"  - {{metric: nDCG@{k}, min: 0}}" for k in range(1, 8))
    segments = "\n".join(f"  - {{metric: R@10, min: 0, segment: {{kind: k{kind}}}}}" for kind in range(2))
    return f"""version: 1
benchmark: b{number}
collection:
  inline:
    queries:
{queries}
configurations:
  one: {{retriever: mine}}
  two: {{retriever: mine}}
metrics: [nDCG@10, R@10, AP]
depth: 100
thresholds:
{thresholds}
{segments}
comparisons:
  - {{candidate: two, baseline: one, metrics: [nDCG@10, R@10]}}
"""


def cargo(*arguments, target=None, folder=CRATE):
    environment = dict(os.environ, CARGO_TARGET_DIR=str(target or folder / "target"))
    return subprocess.run(["cargo", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True)


def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def write(dependency=DEPENDENCY, test=TEST):
    (CRATE / "Cargo.toml").write_text(MANIFEST.format(dependency=dependency, test=test))


def megabytes(files):
    """Of all files, each counted once: cargo links some of them to a second name."""
    found = [file.stat() for file in files if file.is_file()]
    return sum({entry.st_ino: entry.st_size for entry in found}.values()) / 1e6


def edit_to_verdict(rounds):
    """Prints seconds, and those of the processor, from an edit of the retriever to the verdict."""
    documents = ", ".join(f"d{at}: word{at} other{at % 7}" for at in range(QUERIES))
    queries = ", ".join(f"{{id: q{at}, text: word{at} anything, relevant: [d{at}]}}" for at in range(QUERIES))
    spec = (
        f"version: 1\nbenchmark: words\ncollection: {{inline: {{documents: {{{documents}}}, queries: [{queries}]}}}}\n"
        "configurations: {words: {retriever: words}}\nmetrics: [RR@10]\nthresholds: [{metric: RR@10, min: 0.9}]\n"
    )
    kinds = {
        "plain #[test]": (CRATE / "plain", "", "", PLAIN.replace("QUERIES", str(QUERIES))),
        "a gate": (CRATE / "gate", DEPENDENCY, TEST, GATE),
        "a gate, rankgate shared": (CRATE / "shared", SHARED, TEST, GATE),
    }
    for folder, dependency, test, main in kinds.values():
        for inner in ("src", "tests", "edited"):
            (folder / inner).mkdir(parents=True)
        (folder / "Cargo.toml").write_text(MANIFEST.format(dependency=dependency, test=test))
        (folder / "tests" / "retrieval.rs").write_text(main)
        (folder / "edited" / "words.yaml").write_text(spec)
    taken = {name: [] for name in kinds}
    # The first round builds what no edit changes.
    for turn in range(rounds + 1):
        for name, (folder, *_) in kinds.items():
            (folder / "src" / "lib.rs").write_text(ENGINE.replace("EDIT", str(turn)))
            before = os.times()
            seconds = timed(lambda: cargo("test", "--test", "retrieval", folder=folder))
            after = os.times()
            busy = after.children_user + after.children_system - before.children_user - before.children_system
            taken[name].append((seconds, busy))
    print("from an edit to the verdict | seconds | of the processor | against a plain test, by the processor")
    print("|".join(["---"] * 4))
    plain = statistics.median(busy for _, busy in taken["plain #[test]"][1:])
    for name, rows in taken.items():
        seconds, busy = (statistics.median(column) for column in zip(*rows[1:]))
        print(f"{name} | {seconds:.2f} | {busy:.2f} | {busy / plain:.2f}")


def compile_cold(revisions, turns):
    """Prints seconds from nothing, medians of so many turns, against criterion's; the crates and rankgate's own part."""
    builds = {"criterion": (CRITERION, TEST, CRITERION_MAIN)}
    for revision in revisions:
        commit = subprocess.run(["git", "rev-parse", revision], cwd=ROOT, check=True, capture_output=True, text=True)
        source = f'git = "file://{ROOT}", rev = "{commit.stdout.strip()}"'
        builds[f"rankgate {revision}"] = (f"rankgate = {{ {source} }}\n", TEST, MAIN)
        shared = f'rankgate = {{ package = "rankgate-dylib", {source} }}\n'
        builds[f"rankgate {revision}, shared"] = (shared, TEST, MAIN)
    taken = {name: [] for name in builds}
    for _ in range(turns):
        for name, (dependency, test, main) in builds.items():
            write(dependency, test)
            (CRATE / "tests" / "retrieval.rs").write_text(main)
            cargo("fetch")
            fresh = CRATE / "fresh"
            before = os.times()
            seconds = timed(lambda: cargo("test", "--no-run", "--timings", target=fresh))
            after = os.times()
            cpu = after.children_user + after.children_system - before.children_user - before.children_system
            page = next((fresh / "cargo-timings").glob("cargo-timing-2*.html"), fresh / "cargo-timings" / "cargo-timing.html")
            units = json.loads(re.search(r"const UNIT_DATA = (\[.*?\]);", page.read_text(), re.S)[1])
            # From the first of its crates to the last: they overlap.
            spans = [(unit["start"], unit["start"] + unit["duration"]) for unit in units if unit["name"].startswith("rankgate")]
            own = max(end for _, end in spans) - min(start for start, _ in spans) if spans else 0.0
            crates = len({(unit["name"], unit["version"]) for unit in units}) - 1
            built = fresh / "debug" / "deps"
            test = next(file for file in built.glob("retrieval-*") if not file.suffix)
            sizes = [megabytes(built.glob("librankgate*.rlib")), megabytes([test]), megabytes(fresh.rglob("*"))]
            taken[name].append((seconds, cpu, own, crates, *sizes))
            shutil.rmtree(fresh)
    yardstick = statistics.median(seconds for seconds, *_ in taken["criterion"])
    print("build from nothing | seconds | against criterion | CPU seconds | rankgate itself | crates | MB of rankgate | of the test | of all")
    print("|".join(["---"] * 9))
    for name, rows in taken.items():
        seconds, cpu, own, crates, *sizes = (statistics.median(column) for column in zip(*rows))
        sizes = " | ".join(f"{size:.0f}" for size in sizes)
        print(f"{name} | {seconds:.1f} | {seconds / yardstick:.2f} | {cpu:.0f} | {own:.1f} | {crates:.0f} | {sizes}", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--edit", action="store_true")
    arguments.add_argument("--compile", action="store_true")
    arguments.add_argument("--all", action="store_true", help="--edit, --compile, and what the runner costs")
    arguments.add_argument("--rev", action="append", help="with --compile: a commit; may be given several times")
    arguments.add_argument("--turns", type=int, default=3, help="with --compile: how often each is built")
    arguments = arguments.parse_args()
    if arguments.edit or arguments.all:
        fresh_crate()
        edit_to_verdict(arguments.rounds)
    if arguments.compile or arguments.all:
        fresh_crate()
        compile_cold(arguments.rev or ["HEAD"], arguments.turns)
    if arguments.all or not (arguments.edit or arguments.compile):
        fresh_crate()
        runner(arguments.rounds)
    shutil.rmtree(CRATE)


def fresh_crate():
    shutil.rmtree(CRATE, ignore_errors=True)
    for folder in ("src", "tests", "benchmarks"):
        (CRATE / folder).mkdir(parents=True)
    (CRATE / "src" / "lib.rs").write_text("")
    (CRATE / "tests" / "retrieval.rs").write_text(MAIN)
    for number in range(SPECS):
        (CRATE / "benchmarks" / f"b{number}.yaml").write_text(spec(number))


def runner(rounds):
    """Prints milliseconds of listing and of running all gates."""
    write()
    out = cargo("test", "--no-run", "--test", "retrieval").stderr
    test = CRATE / out.rpartition("(")[2].partition(")")[0]

    def run(*options):
        return subprocess.run([test, *options], cwd=CRATE, check=True, capture_output=True, text=True).stdout

    listed = run("--list").count(": test")
    for name, options in (("list", ["--list"]), ("run", [])):
        median = statistics.median(timed(lambda: run(*options)) for _ in range(rounds))
        print(f"{name} {listed} gates over {SPECS} specs: {1000 * median:.0f} ms")


if __name__ == "__main__":
    main()
