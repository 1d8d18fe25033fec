#!/usr/bin/env python3
"""Time and memory of `rankgate eval` by the size of the run: is it linear, and how far?

    cargo build --release -p rankgate-cli
    python3 benches/peers/scaling.py [--rounds 5]

Generates each size below target/synthetic, one after the other, and prints the median seconds of whole
processes, nanoseconds a line, and the peak of resident memory against the size of the file.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess

from eval import ROOT, measured

SIZES = [(queries, depth) for depth in (100, 1000) for queries in (10, 100, 1000, 7000)] + [(100_000, 100)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=5)
    arguments = arguments.parse_args()
    rankgate = os.environ.get("RANKGATE", ROOT / "target" / "release" / "rankgate")
    print("| queries | results each | file | seconds | ns a line | peak memory |\n|---:|---:|---:|---:|---:|---:|")
    for queries, depth in SIZES:
        folder = ROOT / "target" / "synthetic" / f"{queries}x{depth}"
        size = ["--queries", queries, "--depth", depth, "--runs", 1, "--judged", 20]
        generate = ["cargo", "bench", "--quiet", "--bench", "synthetic", "--", folder, *size]
        subprocess.run([str(part) for part in generate], cwd=ROOT, check=True, capture_output=True)
        run = pathlib.Path(folder) / "a.run"
        command = [rankgate, "--quiet", "eval", folder / "qrels", run]
        rounds = [measured(command) for _ in range(arguments.rounds)]
        seconds = statistics.median(seconds for seconds, _, _ in rounds)
        memory = max(memory for _, memory, _ in rounds)
        line = 1e9 * seconds / (queries * depth)
        megabytes = run.stat().st_size / 1e6
        print(f"| {queries:,} | {depth:,} | {megabytes:,.1f} MB | {seconds:.3f} | {line:,.0f} | {memory:,.0f} MB |")
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
