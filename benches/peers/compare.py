#!/usr/bin/env python3
"""Time `rankgate compare` of two runs against `rankgate eval` of both, as whole processes in turns.

    cargo build --release -p rankgate-cli
    cargo bench --bench synthetic -- target/synthetic --queries 7000 --depth 1000
    python3 benches/peers/compare.py target/synthetic [--rounds 5]

Prints the median CPU seconds (user and system) of the rounds, how many times those of `wc -l` and of
`rankgate eval` of both runs each took, and the peak of its resident memory. The last row is a spec with a
depth of 100 that compares the same two files.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = """version: 1
benchmark: two-runs
collection: {{trec: {{queries: {queries}, qrels: {folder}/qrels}}}}
configurations: {{a: {{run: {folder}/a.run}}, b: {{run: {folder}/b.run}}}}
depth: 100
metrics: [nDCG@10, R@100]
comparisons: [{{candidate: b, baseline: a, metrics: [nDCG@10, R@100], expect: no-regression}}]
"""


def measured(command):
    """CPU seconds and peak resident memory in MB; a gate that fails is a result, too."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{command} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def spec(folder, scratch):
    """The spec's path; its queries are those of the judgments."""
    with open(folder / "qrels") as qrels:
        ids = dict.fromkeys(line.split(maxsplit=1)[0] for line in qrels)
    queries = scratch / "queries.tsv"
    queries.write_text("".join(f"{query}\ttext of {query}\n" for query in ids))
    path = scratch / "two-runs.yaml"
    path.write_text(SPEC.format(queries=queries, folder=folder))
    return path


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=lambda text: pathlib.Path(text).resolve())
    arguments.add_argument("--rounds", type=int, default=5)
    arguments = arguments.parse_args()
    folder = arguments.folder
    rankgate = os.environ.get("RANKGATE", ROOT / "target" / "release" / "rankgate")
    qrels, a, b = (folder / name for name in ("qrels", "a.run", "b.run"))
    with tempfile.TemporaryDirectory() as scratch:
        commands = {
            "wc -l a.run b.run": ["wc", "-l", a, b],
            "rankgate eval qrels a.run": [rankgate, "eval", qrels, a],
            "rankgate eval qrels a.run b.run": [rankgate, "eval", qrels, a, b],
            "rankgate compare qrels a.run b.run": [rankgate, "compare", qrels, a, b],
            "rankgate run, depth 100": [rankgate, "run", spec(folder, pathlib.Path(scratch))],
        }
        rounds = {name: [] for name in commands}
        for _ in range(arguments.rounds):
            for name, command in commands.items():
                rounds[name].append(measured(command))
    seconds = {name: statistics.median(cpu for cpu, _ in all) for name, all in rounds.items()}
    lines, both = seconds["wc -l a.run b.run"], seconds["rankgate eval qrels a.run b.run"]
    print("| | CPU seconds | against `wc -l` | against `eval` of both | peak memory |\n|---|---:|---:|---:|---:|")
    for name, cpu in seconds.items():
        peak = max(memory for _, memory in rounds[name])
        print(f"| `{name}` | {cpu:.2f} | {cpu / lines:.1f} | {cpu / both:.2f} | {peak:,.0f} MB |")


if __name__ == "__main__":
    main()
