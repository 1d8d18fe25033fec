#!/usr/bin/env python3
"""Time and memory of `rankgate eval` where judgments are many: held, and put together with the run by query.

    python3 -m venv VENV && VENV/bin/pip install duckdb
    cargo build --release -p rankgate-cli
    VENV/bin/python benches/judgments.py target/release/rankgate [--queries 2e6] [--rounds 3] [--folder DIR]

Queries have 20 results and 10 judgments each, in Parquet: a log of searches rather than a test collection. Each command is a
whole process, in turns; medians of wall and of CPU seconds, and the largest peak of memory. What is printed has to be the same.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

RESULTS, JUDGED = 20, 10
HELD, MEMORY = "8G", ["512M", "128M"]


def written(folder, queries):
    """Judgments and a run in the order of queries, and the same run in none."""
    import duckdb

    duckdb.sql(f"SET temp_directory = '{folder}'")
    duckdb.sql("SET memory_limit = '6GB'")
    judged, run, shuffled = (folder / name for name in ("judged.parquet", "run.parquet", "shuffled.parquet"))
    ids = "'q' || q AS query, 'doc' || (q * 7 + d * {}) % 5000000 AS document"
    rows = f"FROM (SELECT unnest(range({queries})) AS q), (SELECT unnest(range({{}})) AS d)"
    grade, score = "(hash(q, d) % 4)::INTEGER AS grade", "(hash(d, q) % 1000003)::DOUBLE / 7 AS score"
    duckdb.sql(f"COPY (SELECT {ids.format(3)}, {grade} {rows.format(JUDGED)} ORDER BY q, d) TO '{judged}'")
    duckdb.sql(f"COPY (SELECT {ids.format(2)}, {score} {rows.format(RESULTS)} ORDER BY q, d) TO '{run}'")
    duckdb.sql(f"COPY (FROM '{run}' ORDER BY hash(query || ' ' || document)) TO '{shuffled}'")


def measured(command):
    """Wall and CPU seconds, peak resident memory in MB, standard output."""
    start = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("rankgate", type=pathlib.Path)
    arguments.add_argument("--queries", type=float, default=2e6)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--folder", type=pathlib.Path)
    arguments.add_argument("--write", type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = arguments.parse_args()
    if arguments.write:
        written(arguments.write, int(arguments.queries))
        return
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        folder = pathlib.Path(folder)
        # By a process of its own: a program's peak of memory is not below that of whoever starts it.
        script = [sys.executable, __file__, "-", "--queries", str(arguments.queries), "--write", folder]
        subprocess.run(script, check=True)
        runs = {"in order": folder / "run.parquet", "in no order": folder / "shuffled.parquet"}
        rounds = {(order, memory): [] for order in runs for memory in [HELD, *MEMORY]}
        for _ in range(arguments.rounds):
            for (order, memory), all in rounds.items():
                judged = folder / "judged.parquet"
                command = [arguments.rankgate, "-q", "eval", judged, runs[order], "-m", "nDCG@10", "--memory", memory]
                all.append(measured([*command, "--format", "trec_eval"]))
        if len({all[0][3].split()[-1] for all in rounds.values()}) != 1:
            raise SystemExit("the means are not the same")
        print("| rows of the run | `--memory` | judgments | seconds | CPU seconds | peak memory |\n|---|---|---|---:|---:|---:|")
        for (order, memory), all in rounds.items():
            wall, cpu = (statistics.median(one[at] for one in all) for at in (0, 1))
            kept = "held" if memory == HELD else "in pieces"
            print(f"| {order} | {memory} | {kept} | {wall:.1f} | {cpu:.1f} | {max(one[2] for one in all):,.0f} MB |")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
