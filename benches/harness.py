#!/usr/bin/env python3
"""Measure what the test runner itself costs: a crate with 10 specs of 20 gates each.

    python3 benches/harness.py [--rounds 5] [--compile]

Makes a crate below target/ that depends on this one, with retrievers that answer at once, and
prints the median time of listing the 200 tests and of running them, under `cargo test`'s profile.
With `--compile` also what a crate pays that adds rankgate as a dev-dependency: the time of a build from nothing
(downloads apart) of its tests, with and without rankgate, and of a build after its test was touched.
"""

import argparse
import os
import pathlib
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


def cargo(*arguments, target=None):
    environment = dict(os.environ, CARGO_TARGET_DIR=str(target or CRATE / "target"))
    return subprocess.run(["cargo", *arguments], cwd=CRATE, env=environment, check=True, capture_output=True, text=True)


def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def write(with_rankgate=True):
    dependency, test = (DEPENDENCY, TEST) if with_rankgate else ("", "")
    (CRATE / "Cargo.toml").write_text(MANIFEST.format(dependency=dependency, test=test))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--compile", action="store_true")
    arguments = arguments.parse_args()
    shutil.rmtree(CRATE, ignore_errors=True)
    for folder in ("src", "tests", "benchmarks"):
        (CRATE / folder).mkdir(parents=True)
    (CRATE / "src" / "lib.rs").write_text("")
    (CRATE / "tests" / "retrieval.rs").write_text(MAIN)
    for number in range(SPECS):
        (CRATE / "benchmarks" / f"b{number}.yaml").write_text(spec(number))

    if arguments.compile:
        for name, with_rankgate in (("without rankgate", False), ("with rankgate", True)):
            write(with_rankgate)
            (CRATE / "tests" / "retrieval.rs").write_text(MAIN if with_rankgate else "")
            cargo("fetch")
            fresh = CRATE / "fresh"
            seconds = timed(lambda: cargo("test", "--no-run", target=fresh))
            print(f"cold build of the tests, {name}: {seconds:.1f} s")
            (CRATE / "tests" / "retrieval.rs").write_text((MAIN if with_rankgate else "") + "// touched\n")
            print(f"  after the test was touched: {timed(lambda: cargo('test', '--no-run', target=fresh)):.1f} s")
            shutil.rmtree(fresh)
    write()
    out = cargo("test", "--no-run", "--test", "retrieval").stderr
    test = CRATE / out.rpartition("(")[2].partition(")")[0]

    def run(*options):
        return subprocess.run([test, *options], cwd=CRATE, check=True, capture_output=True, text=True).stdout

    listed = run("--list").count(": test")
    for name, options in (("list", ["--list"]), ("run", [])):
        median = statistics.median(timed(lambda: run(*options)) for _ in range(arguments.rounds))
        print(f"{name} {listed} gates over {SPECS} specs: {1000 * median:.0f} ms")
    shutil.rmtree(CRATE)


if __name__ == "__main__":
    main()
