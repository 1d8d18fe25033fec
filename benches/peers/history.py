#!/usr/bin/env python3
"""Ask rankgate's histories, Apache Otava and a window of Student's t the same about the same series.

    python3 -m venv VENV && VENV/bin/pip install apache-otava scipy
    VENV/bin/python benches/peers/history.py [--lines 1000] [--series FILE]

The series are those of `cargo bench -p rankgate-history --bench history_simulation -- series`: 100 commits (21 of the twenty small losses),
162 queries. Otava and the window see the means, as trackers do; rankgate sees the queries. Prints the share of series in
which each says that something happened, and of a step how often it says so of the right place: by the fifth commit
from the step on, and not before.
"""

import argparse
import pathlib
import subprocess
import tempfile

import scipy.stats
from otava.series import AnalysisOptions, Metric, Series

HERE = pathlib.Path(__file__).resolve().parent
STEP = 50
WINDOW = 20
LEVEL = 0.975


def otava(means, p):
    """The first change point of Otava (e-divisive, Student's t), with its default window."""
    options = AnalysisOptions()
    options.max_pvalue, options.min_magnitude = p, 0.0
    times = list(range(len(means)))
    series = Series("series", None, times, {"mean": Metric(1, 1.0)}, {"mean": list(means)}, {})
    points = series.analyze(options).change_points["mean"]
    return min((point.index for point in points), default=None)


def window(means):
    """The first mean below the limit of those before it."""
    for at in range(2, len(means)):
        past = means[max(0, at - WINDOW):at]
        count = len(past)
        mean = sum(past) / count
        spread = (sum((value - mean) ** 2 for value in past) / (count - 1)) ** 0.5
        # Without any spread there is no limit, as bencher has it.
        limit = scipy.stats.t.ppf(LEVEL, count - 1) * spread * (1 + 1 / count) ** 0.5
        if spread > 0 and means[at] < mean - limit:
            return at
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--series", type=pathlib.Path, help="series that were written before")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = arguments.series
        if file is None:
            file = pathlib.Path(folder) / "series.csv"
            command = ["cargo", "bench", "--quiet", "--package", "rankgate-history", "--bench", "history_simulation", "--"]
            command += ["series", str(arguments.lines), str(file)]
            subprocess.run(command, cwd=HERE.parent.parent, check=True)
        rows = [row.split(",") for row in file.read_text().splitlines()[1:]]
    tools = {
        "rankgate": lambda first, means: None if first == "-" else int(first),
        "Otava, p = .01": lambda first, means: otava(means, 0.01),
        "Otava, p = .001": lambda first, means: otava(means, 0.001),
        f"t over {WINDOW} commits, {LEVEL}": lambda first, means: window(means),
    }
    print("| series | " + " | ".join(tools) + " |")
    print("|---" * (1 + len(tools)) + "|")
    for kind in dict.fromkeys(row[0] for row in rows):
        of_kind = [(row[2], [float(mean) for mean in row[3].split()]) for row in rows if row[0] == kind]
        cells = []
        # Shares of so many series have this standard error at most.
        error = 0.5 / len(of_kind) ** 0.5
        for tool in tools.values():
            found = [tool(first, means) for first, means in of_kind]
            seen = sum(at is not None for at in found) / len(found)
            cell = f"{seen:.3f}"
            if "step" in kind:
                right = sum(at is not None and STEP <= at < STEP + 5 for at in found) / len(found)
                cell += f", {right:.3f} in place"
            cells.append(cell)
        print(f"| {kind}, {len(of_kind)} series (± {error:.3f} at most) | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
