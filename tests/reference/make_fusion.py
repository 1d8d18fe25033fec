#!/usr/bin/env python3
"""Writes crates/rankgate-cli/src/fusion/ranx.jsonl: runs, and what ranx makes of them.

    python3 -m venv ../venv
    ../venv/bin/pip install ranx==0.3.21
    ../venv/bin/python tests/reference/make_fusion.py

With --check it compares what is written with what ranx says now, and prints the cases in which rankgate differs from ranx on
purpose, with both values. The random numbers are Python's own, which keep their values from version to version. No value is computed
here.
"""

import importlib.metadata
import json
import pathlib
import random
import sys

import ranx
from ranx.normalization.common import create_empty_results_dict

OUT = pathlib.Path(__file__).parents[2] / "crates/rankgate-cli/src/fusion/ranx.jsonl"
SEED = 20260101
WEIGHTS = [0.5, 0.3, 0.2]
NORMS = {"min-max": "min-max", "zmuv": "z-score", "rank": "rank"}
BY_SCORE = {
    "sum": ("comb-sum", {}), "mnz": ("comb-mnz", {}), "wsum": ("weighted", {"weights": WEIGHTS}),
    "wmnz": ("comb-mnz", {"weights": WEIGHTS}),
}
BY_RANK = [
    ("rrf", "rrf", {"k": 60}), ("rrf", "rrf", {"k": 1}), ("bordafuse", "borda", {}), ("w_bordafuse", "borda", {"weights": WEIGHTS}),
]


def data(rng):
    """Runs of words, cosines, logarithms of probabilities and distances; documents are missing, and one ranking is empty."""
    draws = [
        lambda: rng.uniform(0.5, 30), lambda: rng.uniform(0.05, 0.95), lambda: rng.uniform(-40, -0.01), lambda: rng.uniform(0.1, 2),
    ]
    runs = [{} for _ in draws]
    for number in range(7):
        pool = [f"d{index:02}" for index in range(9)]
        for run, draw in zip(runs, draws):
            hits = {document: draw() for document in rng.sample(pool, rng.randint(2, 7))}
            run[f"q{number}"] = dict(sorted(hits.items(), key=lambda hit: -hit[1]))
    runs[1]["q6"] = {}
    return runs


def to_ranx(run):
    """Its own constructor cannot hold a query without documents."""
    made = ranx.Run({query: hits for query, hits in run.items() if hits})
    for query in [query for query, hits in run.items() if not hits]:
        made.run[query] = create_empty_results_dict()
    made.sort()
    return made


def fused(runs, norm, method, parameters):
    result = ranx.fuse([to_ranx(run) for run in runs], norm=norm, method=method, params=parameters).to_dict()
    return {query: dict(sorted(hits.items())) for query, hits in sorted(result.items())}


def entries(runs):
    for theirs, method, parameters in BY_RANK:
        yield {"method": method, "runs": [0, 1, 2], **parameters, "scores": fused(runs[:3], None, theirs, parameters)}
    for norm, name in NORMS.items():
        for theirs, (method, parameters) in BY_SCORE.items():
            scores = fused(runs[:3], norm, theirs, parameters)
            yield {"method": method, "norm": name, "runs": [0, 1, 2], **parameters, "scores": scores}


def differences():
    """What ranx says where rankgate says something else, with the reason."""
    two = [{"q": {"a": 3.0}}, {"q": {"b": 9.0, "c": 8.0}}]
    yield "one document in a ranking, min-max", fused(two, "min-max", "sum", {})
    near = [{"q": {"a": 3e-10, "b": 1e-10}}, {"q": {"b": 9.0, "c": 8.0}}]
    yield "scores within 1e-9, min-max", fused(near, "min-max", "sum", {})


def main():
    runs = data(random.Random(SEED))
    text = json.dumps({"ranx": importlib.metadata.version("ranx"), "runs": runs}, separators=(",", ":"))
    lines = [text] + [json.dumps(entry, separators=(",", ":")) for entry in entries(runs)]
    written = "\n".join(lines) + "\n"
    if "--check" not in sys.argv:
        OUT.write_text(written)
        return
    for name, theirs in differences():
        print(f"{name}: {theirs}")
    if OUT.read_text() != written:
        sys.exit(f"{OUT} is not what ranx says now")
    print(f"{len(lines) - 1} settings as ranx has them")


main()
