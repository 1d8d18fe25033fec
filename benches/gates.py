#!/usr/bin/env python3
"""What nine gates cost in a build without optimization, as `cargo test` builds its dependencies.

    cargo build -p rankgate-cli
    python3 benches/gates.py target/debug/rankgate

Writes a collection of 225 queries, a third of whose retrieved documents nobody judged, with two frozen runs of 100
documents a query; three thresholds each and three comparisons are decided. Prints the median processor time of five runs.
"""

import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile

QUERIES, DEPTH, ROUNDS = 225, 100, 5

SPEC = """version: 1
benchmark: gates
collection: {trec: {queries: queries.tsv, qrels: qrels.txt}}
configurations:
  old: {run: old.run}
  new: {run: new.run}
metrics: [nDCG@10, RR@10, R@100]
thresholds:
  - {metric: nDCG@10, min: 0.1}
  - {metric: RR@10, min: 0.1}
  - {metric: R@100, min: 0.1}
comparisons:
  - {candidate: new, baseline: old, metrics: [nDCG@10, RR@10, R@100], expect: no-regression}
"""


def write(folder, count=QUERIES):
    rng = random.Random(1)
    queries, judged, runs = [], [], {"old": [], "new": []}
    for query in range(count):
        queries.append(f"q{query}\twords of query {query}\n")
        grades = {document: rng.choice([0, 0, 0, 1, 2]) for document in rng.sample(range(300), 200)}
        grades[rng.randrange(300)] = 2
        judged += [f"q{query} 0 d{document} {grade}\n" for document, grade in grades.items()]
        base = [rng.random() + 0.3 * grades.get(document, 0) for document in range(300)]
        for name, noise in (("old", 0.4), ("new", 0.35)):
            score = [value + noise * rng.random() for value in base]
            best = sorted(range(300), key=lambda document: -score[document])[:DEPTH]
            runs[name] += [f"q{query} Q0 d{document} {rank} {score[document]:.6f} x\n"
                           for rank, document in enumerate(best, 1)]
    (folder / "queries.tsv").write_text("".join(queries))
    (folder / "qrels.txt").write_text("".join(judged))
    for name, lines in runs.items():
        (folder / f"{name}.run").write_text("".join(lines))
    (folder / "spec.yaml").write_text(SPEC)


def main():
    rankgate = str(pathlib.Path(sys.argv[1]).resolve())
    times = []
    with tempfile.TemporaryDirectory() as folder:
        write(pathlib.Path(folder))
        for _ in range(ROUNDS):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([rankgate, "run", "spec.yaml"], cwd=folder, capture_output=True, text=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode not in (0, 1):
                sys.exit(done.stdout + done.stderr)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    print(f"nine gates on {QUERIES} queries: {statistics.median(times):.2f} s of processor time")


if __name__ == "__main__":
    main()
