#!/usr/bin/env python3
"""Time and memory of `rankgate eval` by the number of rows, beside `wc -l` and DuckDB's SQL on the same files.

    python3 -m venv VENV && VENV/bin/pip install duckdb
    cargo build --release --features cli
    VENV/bin/python benches/scale.py target/release/rankgate [--rows 1e6 1e7] [--rounds 3] [--folder DIR]

Queries have 1,000 results each and 20 judgments. Each command is a whole process, in turns; medians of wall and of
CPU seconds. The last lines are the slopes between the smallest and the largest size, in ns a row, and what 10^9 rows
take by them: an extrapolation. Means of nDCG@10 have to agree.
"""

import argparse
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

DEPTH, JUDGED = 1_000, 20
# Ties by document, descending, as text; a query counts whether it is answered or not; the ideal is of all that was judged.
SQL = """
WITH run AS (SELECT * FROM read_csv('{run}', delim=' ', header=false, columns={{'query': 'VARCHAR', 'q0': 'VARCHAR',
    'document': 'VARCHAR', 'rank': 'INTEGER', 'score': 'DOUBLE', 'tag': 'VARCHAR'}})),
qrels AS (SELECT * FROM read_csv('{qrels}', delim=' ', header=false, columns={{'query': 'VARCHAR', 'i': 'VARCHAR',
    'document': 'VARCHAR', 'grade': 'INTEGER'}})),
top AS (SELECT query, document, row_number() OVER (PARTITION BY query ORDER BY score DESC, document DESC) AS place FROM run
    QUALIFY place <= 10),
best AS (SELECT query, grade, row_number() OVER (PARTITION BY query ORDER BY grade DESC) AS place FROM qrels QUALIFY place <= 10),
ideal AS (SELECT query, sum(greatest(grade, 0) / log2(place + 1)) AS gain FROM best GROUP BY query),
found AS (SELECT query, sum(greatest(grade, 0) / log2(place + 1)) AS gain FROM top JOIN qrels USING (query, document) GROUP BY query)
SELECT avg(CASE WHEN ideal.gain > 0 THEN coalesce(found.gain, 0) / ideal.gain ELSE 0 END) FROM ideal LEFT JOIN found USING (query)
"""


def duckdb(run, qrels):
    import duckdb

    print(duckdb.sql(SQL.format(run=run, qrels=qrels)).fetchall()[0][0])


def written(folder, rows):
    """Seeded files; every query has the same scores and its own documents among ten million."""
    draw = random.Random(1)
    run, qrels = folder / f"{rows}.run", folder / f"{rows}.qrels"
    scores = sorted((round(draw.uniform(1, 60), 6) for _ in range(DEPTH)), reverse=True)
    tails = [f" {rank} {score:.6f} s\n" for rank, score in enumerate(scores, 1)]
    documents = [str(draw.randrange(10_000_000)) for _ in range(4 * DEPTH)]
    documents = list(dict.fromkeys(documents))
    with open(run, "w") as lines, open(qrels, "w") as judged:
        for query in range(1_000_000, 1_000_000 + rows // DEPTH):
            first = draw.randrange(len(documents) - DEPTH)
            here = documents[first : first + DEPTH]
            head = f"{query} Q0 "
            lines.write("".join([head + document + tail for document, tail in zip(here, tails)]))
            for document in draw.sample(here[:200], JUDGED):
                judged.write(f"{query} 0 {document} {draw.randrange(3)}\n")
    return run, qrels


def measured(command):
    """Wall and CPU seconds, peak resident memory in MB, standard output."""
    start = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("rankgate", type=pathlib.Path)
    arguments.add_argument("--rows", type=float, nargs="+", default=[1e6, 1e7])
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--folder", type=pathlib.Path)
    arguments.add_argument("--peer", nargs=2)
    arguments = arguments.parse_args()
    if arguments.peer:
        return duckdb(*arguments.peer)
    has_duckdb = subprocess.run([sys.executable, "-c", "import duckdb"], capture_output=True).returncode == 0
    slopes = {}
    print("| rows | | seconds | CPU seconds | ns of CPU a row | against `wc -l` | peak memory | nDCG@10 |\n|---:|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for rows in map(int, arguments.rows):
            run, qrels = written(pathlib.Path(folder), rows)
            commands = {
                "wc -l": ["wc", "-l", run],
                "rankgate eval": [arguments.rankgate, "-q", "eval", qrels, run, "-m", "nDCG@10", "--format", "trec_eval"],
            }
            if has_duckdb:
                commands["DuckDB"] = [sys.executable, __file__, arguments.rankgate, "--peer", run, qrels]
            rounds = {name: [] for name in commands}
            for _ in range(arguments.rounds):
                for name, command in commands.items():
                    rounds[name].append(measured(command))
            lines = statistics.median(cpu for _, cpu, _, _ in rounds["wc -l"])
            for name, all in rounds.items():
                wall, cpu = (statistics.median(one[at] for one in all) for at in (0, 1))
                memory = max(one[2] for one in all)
                said = f"{float(all[0][3].split()[-1]):.4f}" if name != "wc -l" else ""
                slopes.setdefault(name, []).append((rows, cpu))
                print(f"| {rows:,} | `{name}` | {wall:.2f} | {cpu:.2f} | {cpu / rows * 1e9:.0f} | {cpu / lines:.1f} | {memory:,.0f} MB | {said} |")
            run.unlink()
    for name, points in slopes.items():
        if len(points) > 1:
            (few, begun), (many, ended) = points[0], points[-1]
            slope = (ended - begun) / (many - few)
            print(f"{name}: {slope * 1e9:.0f} ns of CPU a row; 10^9 rows by that {slope * 1e9 + begun - slope * few:,.0f} CPU seconds")


if __name__ == "__main__":
    main()
