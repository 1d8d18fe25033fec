#!/usr/bin/env python3
"""Whether gates, `eval`, `compare` and BM25 take longer than in an earlier commit, in the processor's seconds.

    pip install pyarrow
    python3 benches/revisions.py --rev 8f596c98 [--rev REV...] [NAME=PROGRAM...] [--debug] [--rounds 5] [--below FOLDER]

Builds the command of each commit in a clone below FOLDER (by default target/revisions), with a target of its own and the
profile `release`, or with `--debug` as `cargo test` builds its dependencies; a PROGRAM is taken as it is. All of them run in
turns on the same files: nine gates on 7,000 queries, `eval` and `compare` of two runs with 100 documents a query, `eval` of
the same as Parquet (written by pyarrow), and BM25 built in, 500 queries on 40,000 documents of 120 words. Medians of user
and system time of whole processes, and their ratios to the first.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile

import pyarrow.csv
import pyarrow.parquet

import gates

ROOT = pathlib.Path(__file__).resolve().parents[1]
QUERIES = 7_000
COMMANDS = {
    "nine gates": ["run", "spec.yaml"],
    "`eval` of a run": ["eval", "qrels.txt", "new.run"],
    "`compare` of two": ["compare", "qrels.txt", "old.run", "new.run"],
    "`eval` of Parquet": ["eval", "qrels.parquet", "new.parquet"],
    "BM25 built in": ["run", "bm25.yaml"],
}
BM25 = """version: 1
benchmark: bm25
collection: {beir: documents}
configurations:
  mine: {builtin: bm25}
thresholds:
  - {metric: nDCG@10, min: 0.1}
"""


def write_parquet(folder):
    """The judgments and a run, in the columns that say themselves what they are."""
    for name, source, columns in (
        ("qrels", "qrels.txt", ["query_id", "iteration", "doc_id", "relevance"]),
        ("new", "new.run", ["query_id", "q0", "doc_id", "rank", "score", "tag"]),
    ):
        table = pyarrow.csv.read_csv(
            folder / source,
            read_options=pyarrow.csv.ReadOptions(column_names=columns),
            parse_options=pyarrow.csv.ParseOptions(delimiter=" "),
        )
        kept = [column for column in columns if column not in ("iteration", "q0", "rank", "tag")]
        pyarrow.parquet.write_table(table.select(kept), folder / f"{name}.parquet", compression="zstd")


def write_documents(folder, documents=40_000, queries=500, words=20_000):
    """Documents and queries whose words are the more frequent the lower their rank, queries with words of one, and a spec."""
    rng = random.Random(2)
    vocabulary, weights = [f"w{rank}" for rank in range(words)], [1 / (rank + 5) for rank in range(words)]
    data = folder / "documents"
    (data / "qrels").mkdir(parents=True)
    texts = [rng.choices(vocabulary, weights, k=120) for _ in range(documents)]
    sources = rng.sample(range(documents), queries)
    files = {
        "corpus.jsonl": [json.dumps({"_id": f"d{at}", "text": " ".join(text)}) for at, text in enumerate(texts)],
        "queries.jsonl": [json.dumps({"_id": f"q{at}", "text": " ".join(rng.sample(texts[at], 8))}) for at in sources],
        "qrels/test.tsv": ["query-id\tcorpus-id\tscore", *(f"q{at}\td{at}\t1" for at in sources)],
    }
    for name, lines in files.items():
        (data / name).write_text("\n".join(lines) + "\n")
    (folder / "bm25.yaml").write_text(BM25)


def build(revision, below, debug):
    """The program of a commit."""
    commit = subprocess.run(["git", "rev-parse", revision], cwd=ROOT, check=True, capture_output=True, text=True)
    folder = below / commit.stdout.strip()[:12]
    if not folder.is_dir():
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
        subprocess.run(["git", "checkout", "--quiet", commit.stdout.strip()], cwd=folder, check=True)
    environment = {**os.environ, "CARGO_TARGET_DIR": str(folder / "target")}
    profile = [] if debug else ["--release"]
    subprocess.run(["cargo", "build", "-p", "rankgate-cli", *profile], cwd=folder, check=True, env=environment)
    return folder / "target" / ("debug" if debug else "release") / "rankgate"


def seconds(program, command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, *command], cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(f"{program} {' '.join(command)}\n{done.stdout}{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("programs", nargs="*", metavar="NAME=PROGRAM")
    arguments.add_argument("--rev", action="append", default=[], help="a commit; may be given several times")
    arguments.add_argument("--debug", action="store_true", help="without optimization")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--queries", type=int, default=QUERIES)
    arguments.add_argument("--below", type=pathlib.Path, default=ROOT / "target" / "revisions")
    options = arguments.parse_args()
    programs = {revision: build(revision, options.below, options.debug) for revision in options.rev}
    for named in options.programs:
        name, _, program = named.partition("=")
        programs[name] = pathlib.Path(program).resolve()
    if not programs:
        arguments.error("name a commit or a program")
    times = {(name, what): [] for name in programs for what in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        gates.write(pathlib.Path(folder), options.queries)
        write_parquet(pathlib.Path(folder))
        write_documents(pathlib.Path(folder))
        for _ in range(options.rounds):
            for what, command in COMMANDS.items():
                for name, program in programs.items():
                    times[name, what].append(seconds(str(program), command, folder))
    first = next(iter(programs))
    print(f"{options.queries} queries, medians of {options.rounds} rounds, seconds of the processor\n")
    print("| | " + " | ".join(COMMANDS) + " |\n|---|" + "---:|" * len(COMMANDS))
    for name in programs:
        middle = {what: statistics.median(times[name, what]) for what in COMMANDS}
        ratio = {what: middle[what] / statistics.median(times[first, what]) for what in COMMANDS}
        print(f"| {name} | " + " | ".join(f"{middle[what]:.2f} ({ratio[what]:.2f})" for what in COMMANDS) + " |")


if __name__ == "__main__":
    main()
