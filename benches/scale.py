#!/usr/bin/env python3
"""Time and memory of `rankgate eval` by the number of rows, text and Parquet, beside what else scores the same files.

    python3 -m venv VENV && VENV/bin/pip install duckdb polars pyarrow pytrec_eval-terrier
    cargo build --release -p rankgate-cli
    VENV/bin/python benches/scale.py target/release/rankgate [--rows 1e6 1e7 1e8] [--rounds 3] [--folder DIR]
        [--datafusion PROGRAM] [--price 0.05]

Queries have 1,000 results each and 20 judgments. The files are the same each time; 10^8 rows take 7 GB of disk and some
minutes. Each command is a whole process, in turns; medians of wall and of CPU seconds, and the largest peak of memory. The
last lines are the slopes between the smallest and the largest size, in ns a row, and what 10^9 and 10^10 rows take by them:
extrapolations, and what their core-hours cost at `--price` each. Means of nDCG@10 have to agree. What is not installed is
left out, and so is what holds all rows where there are more than it has room for.
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
# More rows than these are not asked of programs that hold them all.
HELD = {"pytrec_eval": 10**6, "rankgate, text, shuffled": 10**7, "Polars, Parquet": 10**7}
# Ties by document, descending, as text; a query counts whether it is answered or not; the ideal is of all that was judged.
SQL = """
WITH run AS (SELECT * FROM {run}), qrels AS (SELECT * FROM {qrels}),
top AS (SELECT query, document, row_number() OVER (PARTITION BY query ORDER BY score DESC, document DESC) AS place FROM run
    QUALIFY place <= 10),
best AS (SELECT query, grade, row_number() OVER (PARTITION BY query ORDER BY grade DESC) AS place FROM qrels QUALIFY place <= 10),
ideal AS (SELECT query, sum(greatest(grade, 0) / log2(place + 1)) AS gain FROM best GROUP BY query),
found AS (SELECT query, sum(greatest(grade, 0) / log2(place + 1)) AS gain FROM top JOIN qrels USING (query, document) GROUP BY query)
SELECT avg(CASE WHEN ideal.gain > 0 THEN coalesce(found.gain, 0) / ideal.gain ELSE 0 END) FROM ideal LEFT JOIN found USING (query)
"""
RUN = """read_csv('{}', delim=' ', header=false, columns={{'query': 'VARCHAR', 'q0': 'VARCHAR', 'document': 'VARCHAR',
    'rank': 'INTEGER', 'score': 'DOUBLE', 'tag': 'VARCHAR'}})"""
QRELS = """read_csv('{}', delim=' ', header=false, columns={{'query': 'VARCHAR', 'i': 'VARCHAR', 'document': 'VARCHAR',
    'grade': 'INTEGER'}})"""


def peer_duckdb(run, qrels):
    import duckdb

    tables = [f"'{path}'" if path.endswith(".parquet") else text.format(path) for path, text in ((run, RUN), (qrels, QRELS))]
    return duckdb.sql(SQL.format(run=tables[0], qrels=tables[1])).fetchall()[0][0]


def peer_polars(run, qrels):
    """The same by expressions, streamed."""
    import polars as pl

    gain = lambda grade, place: pl.col(grade).clip(0) / (pl.col(place) + 1).log(2)
    top = (
        pl.scan_parquet(run)
        .group_by("query")
        .agg(pl.struct("score", "document").top_k(10).sort(descending=True).struct.field("document"))
        .with_columns(place=pl.int_ranges(1, pl.col("document").list.len() + 1))
        .explode("document", "place")
    )
    judged = pl.scan_parquet(qrels)
    ideal = (
        judged.group_by("query")
        .agg(pl.col("grade").top_k(10).sort(descending=True))
        .with_columns(place=pl.int_ranges(1, pl.col("grade").list.len() + 1))
        .explode("grade", "place")
        .group_by("query")
        .agg(ideal=gain("grade", "place").sum())
    )
    found = top.join(judged, on=["query", "document"]).group_by("query").agg(found=gain("grade", "place").sum())
    each = ideal.join(found, on="query", how="left").with_columns(pl.col("found").fill_null(0))
    score = pl.when(pl.col("ideal") > 0).then(pl.col("found") / pl.col("ideal")).otherwise(0.0)
    return each.select(score.mean()).collect(engine="streaming").item()


def peer_pytrec_eval(run, qrels):
    import pytrec_eval

    with open(run) as lines, open(qrels) as judged:
        qrels, run = pytrec_eval.parse_qrel(judged), pytrec_eval.parse_run(lines)
    scores = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(run)
    return sum(one["ndcg_cut_10"] for one in scores.values()) / len(qrels)


PEERS = {"duckdb": peer_duckdb, "polars": peer_polars, "pytrec_eval": peer_pytrec_eval}


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


def converted(folder, rows):
    """The same rows as Parquet, in the order of the text and in none, in one file and in many; and the text in none. By a
    process of its own, for a program's peak of memory is not below that of whoever starts it."""
    subprocess.run([sys.executable, __file__, "-", "--convert", folder, str(rows)], check=True)
    return paths(folder, rows)


def paths(folder, rows):
    names = {"sorted": "sorted.parquet", "shuffled": "shuffled.parquet", "qrels": "qrels.parquet", "parts": "parts", "text": "shuffled.run"}
    return {what: folder / f"{rows}.{name}" for what, name in names.items()}


def convert(folder, rows):
    import duckdb

    run, qrels = folder / f"{rows}.run", folder / f"{rows}.qrels"
    sort, shuffled, judged, parts, text = paths(folder, rows).values()
    duckdb.sql(f"SET temp_directory = '{folder}'")
    duckdb.sql("SET memory_limit = '6GB'")
    duckdb.sql(f"COPY (SELECT query, document, grade FROM {QRELS.format(qrels)}) TO '{judged}'")
    duckdb.sql(f"COPY (SELECT query, document, score FROM {RUN.format(run)}) TO '{sort}'")
    duckdb.sql(f"COPY (FROM '{sort}' ORDER BY hash(query || ' ' || document)) TO '{shuffled}'")
    size = shuffled.stat().st_size // 64
    duckdb.sql(f"COPY (FROM '{shuffled}') TO '{parts}' (FORMAT parquet, FILE_SIZE_BYTES {size}, ROW_GROUP_SIZE 16384)")
    if rows <= HELD["rankgate, text, shuffled"]:
        columns = "query, 'Q0', document, 0, score, 's'"
        duckdb.sql(f"COPY (SELECT {columns} FROM '{shuffled}') TO '{text}' (FORMAT csv, DELIMITER ' ', HEADER false)")


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


def has(module):
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0


def commands_of(arguments, rows, run, qrels, tables):
    evaluate = lambda *paths: [arguments.rankgate, "-q", "eval", *paths, "-m", "nDCG@10", "--format", "trec_eval"]
    peer = lambda name, *paths: [sys.executable, __file__, arguments.rankgate, "--peer", name, *paths]
    commands = {"wc -l": ["wc", "-l", run], "rankgate, text": evaluate(qrels, run)}
    if tables:
        judged = tables["qrels"]
        commands |= {
            "rankgate, text, shuffled": evaluate(qrels, tables["text"]),
            "rankgate, Parquet": evaluate(judged, tables["sorted"]),
            "rankgate, Parquet, shuffled": evaluate(judged, tables["shuffled"]),
            "rankgate, Parquet, shuffled, many files": evaluate(judged, tables["parts"]),
        }
        if arguments.datafusion:
            evaluate_there = [arguments.datafusion, "eval", judged, tables["shuffled"], "-m", "nDCG@10"]
            commands["rankgate-datafusion, Parquet, shuffled"] = [*evaluate_there, "--format", "trec_eval"]
        commands["DuckDB, text"] = peer("duckdb", run, qrels)
        commands["DuckDB, Parquet"] = peer("duckdb", tables["sorted"], judged)
        commands["DuckDB, Parquet, shuffled"] = peer("duckdb", tables["shuffled"], judged)
        if has("polars"):
            commands["Polars, Parquet"] = peer("polars", tables["sorted"], judged)
            commands["Polars, Parquet, shuffled"] = peer("polars", tables["shuffled"], judged)
    if has("pytrec_eval"):
        commands["pytrec_eval"] = peer("pytrec_eval", run, qrels)
    fits = lambda name: all(rows <= most for known, most in HELD.items() if name.startswith(known))
    return {name: command for name, command in commands.items() if fits(name)}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("rankgate", type=pathlib.Path)
    arguments.add_argument("--rows", type=float, nargs="+", default=[1e6, 1e7])
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--folder", type=pathlib.Path)
    arguments.add_argument("--datafusion", type=pathlib.Path, help="the program rankgate-datafusion")
    arguments.add_argument("--price", type=float, default=0.05, help="what a core costs for an hour")
    arguments.add_argument("--peer", nargs=3, help=argparse.SUPPRESS)
    arguments.add_argument("--convert", nargs=2, help=argparse.SUPPRESS)
    arguments = arguments.parse_args()
    if arguments.convert:
        return convert(pathlib.Path(arguments.convert[0]), int(arguments.convert[1]))
    if arguments.peer:
        name, run, qrels = arguments.peer
        return print(PEERS[name](run, qrels))
    slopes = {}
    print("| rows | | seconds | CPU seconds | ns of CPU a row | against text | peak memory | nDCG@10 |\n|---:|---|---:|---:|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for rows in map(int, arguments.rows):
            run, qrels = written(pathlib.Path(folder), rows)
            tables = converted(pathlib.Path(folder), rows) if has("duckdb") else {}
            commands = commands_of(arguments, rows, run, qrels, tables)
            rounds = {name: [] for name in commands}
            for _ in range(arguments.rounds):
                for name, command in commands.items():
                    rounds[name].append(measured(command))
            text = statistics.median(cpu for _, cpu, _, _ in rounds["rankgate, text"])
            means = set()
            for name, all in rounds.items():
                wall, cpu = (statistics.median(one[at] for one in all) for at in (0, 1))
                memory = max(one[2] for one in all)
                said = f"{float(all[0][3].split()[-1]):.4f}" if name != "wc -l" else ""
                means.add(said)
                slopes.setdefault(name, []).append((rows, cpu))
                print(f"| {rows:,} | `{name}` | {wall:.2f} | {cpu:.2f} | {cpu / rows * 1e9:.0f} | {cpu / text:.1f} | {memory:,.0f} MB | {said} |")
            if len(means - {""}) != 1:
                raise SystemExit(f"the means are not the same: {means}")
            print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", file=sys.stderr, flush=True)
            subprocess.run(["rm", "-rf", run, *map(str, tables.values())], check=True)
    for name, points in slopes.items():
        if len(points) > 1:
            (few, begun), (many, ended) = points[0], points[-1]
            slope = (ended - begun) / (many - few)
            hours = slope * 1e9 / 3600
            print(
                f"{name}: {slope * 1e9:.0f} ns of CPU a row from {few:,} to {many:,} rows; by that 10^9 rows take "
                f"{hours * 3600:,.0f} CPU seconds ({hours:.3f} core-hours, {hours * arguments.price:.4f} at {arguments.price} each), "
                f"10^10 rows {hours * 36000:,.0f}"
            )


if __name__ == "__main__":
    main()
