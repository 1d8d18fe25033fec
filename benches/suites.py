#!/usr/bin/env python3
"""What a suite costs beyond its benchmarks: 20 collections x 10 configurations, as frozen runs.

    cargo build --release -p rankgate-cli
    python3 benches/suites.py target/release/rankgate [FOLDER]

Writes collections of 50 to 500 queries with ten runs of 20 documents each, carries out the benchmarks alone, then the
suite, whose nine candidates are compared with the first run (improvement, harm-at-most) and held to a limit, and prints
the median wall time of both and their difference.
"""

import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

COLLECTIONS, CONFIGURATIONS, DEPTH, ROUNDS = 20, 10, 20, 3


def write(folder):
    rng = random.Random(1)
    names = [f"c{index:02}" for index in range(COLLECTIONS)]
    for name in names:
        queries = rng.randrange(50, 501)
        (folder / f"{name}.tsv").write_text("".join(f"q{q}\twords of query {q}\n" for q in range(queries)))
        judged = {q: rng.sample(range(60), 5) for q in range(queries)}
        lines = [f"q{q} 0 d{d} {rng.randrange(1, 4)}\n" for q in judged for d in judged[q]]
        (folder / f"{name}.qrels").write_text("".join(lines))
        for index in range(CONFIGURATIONS):
            lines = []
            for q in judged:
                # Better configurations rank relevant documents higher.
                score = {d: rng.random() + (0.3 + 0.02 * index) * (d in judged[q]) for d in range(60)}
                best = sorted(score, key=score.get, reverse=True)[:DEPTH]
                lines += [f"q{q} Q0 d{d} {r} {score[d]:.6f} x\n" for r, d in enumerate(best, 1)]
            (folder / f"{name}.s{index}.run").write_text("".join(lines))
        runs = "".join(f"  s{index}: {{run: {name}.s{index}.run}}\n" for index in range(CONFIGURATIONS))
        (folder / f"{name}.yaml").write_text(
            f"version: 1\nbenchmark: {name}\ncollection: {{trec: {{queries: {name}.tsv, qrels: {name}.qrels}}}}\n"
            f"configurations:\n{runs}metrics: [nDCG@10]\n")
    candidates = ", ".join(f"s{index}" for index in range(1, CONFIGURATIONS))
    (folder / "suite.yaml").write_text(
        "version: 1\nsuite: all\nbenchmarks: [" + ", ".join(f"{name}.yaml" for name in names) + "]\n"
        "thresholds: [{metric: nDCG@10, min: 0.1}]\n"
        f"comparisons: [{{candidate: [{candidates}], baseline: s0, metrics: [nDCG@10], expect: improvement, "
        "harm-at-most: 0.05}]\n")
    return [f"{name}.yaml" for name in names]


def timed(command, folder):
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        times.append(time.perf_counter() - start)
        if done.returncode not in (0, 1):
            sys.exit(done.stderr)
    return statistics.median(times)


def main():
    rankgate = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else temporary)
        folder.mkdir(exist_ok=True)
        members = write(folder)
        alone = timed([rankgate, "run", *members], folder)
        whole = timed([rankgate, "run", "suite.yaml"], folder)
    print(f"{COLLECTIONS} collections x {CONFIGURATIONS} configurations: benchmarks alone {alone:.2f} s, with the suite "
          f"{whole:.2f} s: {whole - alone:.2f} s more")


if __name__ == "__main__":
    main()
