#!/usr/bin/env python3
"""Time the tests of rankgate, elinor, SciPy and ranx on the same scores, one after the other.

    python3 -m venv VENV && VENV/bin/pip install scipy ranx
    VENV/bin/python benches/peers/stats.py [--queries 7000] [--resamples 99999]

elinor is built from crates.io by the small crate beside this file. All run on one thread. Prints
seconds, p-values and how many times longer than rankgate each took.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile
import time

os.environ["NUMBA_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"

import numpy
import scipy.stats
from ranx.statistical_tests import fisher_randomization_test

HERE = pathlib.Path(__file__).resolve().parent


def scores(queries):
    """Like nDCG: many zeros and ones, a quarter ties, the rest anything."""
    random = numpy.random.default_rng(queries)
    baseline = random.beta(0.8, 0.8, queries).clip(0.02, 0.98)
    moved = (baseline + random.normal(0.003, 0.15, queries)).clip(0, 1)
    return baseline, numpy.where(random.random(queries) < 0.25, baseline, moved)


def timed(name, work):
    start = time.perf_counter()
    p = work()
    return name, time.perf_counter() - start, float(p)


def rust(baseline, candidate, resamples):
    crate = HERE / "stats" / "Cargo.toml"
    build = ["cargo", "build", "--release", "--quiet", "--manifest-path", crate]
    subprocess.run(build, check=True)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "scores"
        path.write_text("".join(f"{old!r} {new!r}\n" for old, new in zip(baseline.tolist(), candidate.tolist())))
        run = ["cargo", "run", "--release", "--quiet", "--manifest-path", crate, "--", path, str(resamples)]
        out = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        name, seconds, p = line.split("\t")
        yield name, float(seconds), float(p)


def python(baseline, candidate, resamples):
    difference = candidate - baseline
    studentised = difference - difference.mean()

    def permutation():
        return scipy.stats.permutation_test(
            (difference,),
            numpy.mean,
            permutation_type="samples",
            n_resamples=resamples,
            batch=1000,
            vectorized=True,
            rng=1,
        ).pvalue

    def bootstrap():
        # SciPy has no bootstrap test; this is its bootstrap of the t statistic on centred differences.
        def t(sample, axis):
            return sample.mean(axis) / sample.std(axis, ddof=1)

        result = scipy.stats.bootstrap(
            (studentised,), t, n_resamples=resamples, batch=1000, vectorized=True, method="percentile", rng=1
        )
        observed = abs(t(difference, 0))
        return (1 + (abs(result.bootstrap_distribution) >= observed).sum()) / (resamples + 1)

    fisher_randomization_test(baseline[:10], candidate[:10], 10)  # compiled before it is timed
    yield timed("permutation SciPy", permutation)
    yield timed("permutation ranx", lambda: fisher_randomization_test(baseline, candidate, resamples)[0])
    yield timed("bootstrap SciPy", bootstrap)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=7000)
    parser.add_argument("--resamples", type=int, default=99_999)
    options = parser.parse_args()
    baseline, candidate = scores(options.queries)
    rows = list(rust(baseline, candidate, options.resamples))
    rows += python(baseline, candidate, options.resamples)
    ours = {name.split()[0]: seconds for name, seconds, _ in rows if name.endswith("rankgate")}
    print(f"{options.queries} queries, {options.resamples} resamples, one thread")
    print(f"{'':24}{'seconds':>10}{'times':>8}{'p':>10}")
    for name, seconds, p in sorted(rows, key=lambda row: (row[0].split()[0], row[1])):
        print(f"{name:24}{seconds:10.4f}{seconds / ours[name.split()[0]]:8.1f}{p:10.5f}")


if __name__ == "__main__":
    main()
