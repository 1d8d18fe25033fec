#!/usr/bin/env python3
"""Comparisons of suites by `rankgate run`, and by listing all sign vectors.

    cargo build -p rankgate-cli
    ../venv/bin/pip install numpy==2.4.1
    ../venv/bin/python tests/peers/suites.py target/debug/rankgate

The p-values of the mean over small collections are those of all sign vectors, to 1e-9. Any difference ends the script with 1.
"""

import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np


def suite(folder, sizes, rng):
    """Collections with one relevant document a query, at random ranks on both sides; returns the differences of RR@10."""
    differences = []
    for side in ("old", "new"):
        (folder / side).mkdir()
    for index, size in enumerate(sizes):
        queries, runs, own = [], {"old": [], "new": []}, []
        shift = rng.choice([0, 0, 1])
        for q in range(size):
            queries.append(f"      - {{id: q{q:04}, text: x, relevant: [d]}}\n")
            ranks = {"old": rng.randrange(1, 5) + shift, "new": rng.randrange(1, 5)}
            for side, rank in ranks.items():
                found = [f"x{r}" for r in range(1, rank)] + ["d"]
                runs[side] += [f"q{q:04} Q0 {d} {r} {10 - r} t\n" for r, d in enumerate(found, 1)]
            own.append(1 / ranks["new"] - 1 / ranks["old"])
        for side, lines in runs.items():
            (folder / side / f"c{index}.run").write_text("".join(lines))
        (folder / f"c{index}.yaml").write_text(
            f"version: 1\nbenchmark: c{index}\ncollection:\n  inline:\n    queries:\n{''.join(queries)}"
            f"configurations: {{old: {{run: old/c{index}.run}}, new: {{run: new/c{index}.run}}}}\nmetrics: [RR@10]\n")
        differences.append(np.array(own))
    files = ", ".join(f"c{index}.yaml" for index in range(len(sizes)))
    (folder / "all.yaml").write_text(
        f"version: 1\nsuite: all\nbenchmarks: [{files}]\n"
        "comparisons: [{candidate: new, baseline: old, metric: RR@10, expect: no-regression, level: advisory}]\n")
    return differences


def compared(rankgate, folder):
    command = [rankgate, "run", "all.yaml", "--format", "json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    return next(gate["finding"] for report in reports for gate in report["gates"])


def signs(differences):
    """One-sided p-values of the mean of means over all sign vectors."""
    scaled = np.concatenate([d / (len(differences) * len(d)) for d in differences])
    sums = [np.dot(scaled, flips) for flips in itertools.product((1, -1), repeat=len(scaled))]
    observed = scaled.sum()
    return np.mean([s >= observed - 1e-12 for s in sums]), np.mean([s <= observed + 1e-12 for s in sums])


def main():
    rankgate, rng, wrong = str(pathlib.Path(sys.argv[1]).resolve()), random.Random(1), 0

    def check(what, found, expected, within):
        nonlocal wrong
        if abs(found - expected) > within:
            wrong += 1
            print(f"{what}: {found}, and {expected} by the peer")

    for _ in range(20):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            differences = suite(folder, [rng.randrange(2, 7) for _ in range(3)], rng)
            whole = compared(rankgate, folder)
            greater, less = signs(differences)
            check("difference", whole["difference"], np.mean([d.mean() for d in differences]), 1e-12)
            for claim in whole["claims"]:
                one_sided = {"greater": greater, "less": less}[claim["direction"]]
                check(f"p {claim['direction']}", claim["p"], min(1.0, 2 * one_sided), 1e-9)
    print(f"20 suites, {wrong} differences")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
