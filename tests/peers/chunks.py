#!/usr/bin/env python3
"""Evidence metrics of rankgate, by sets of characters, and as Chroma's `chunking_evaluation` defines them, on one example.

    cargo build -p rankgate-cli --all-features
    python3 tests/peers/chunks.py target/debug/rankgate

`chunking_evaluation` is on no registry. Its definition is written down here anew, after `BaseEvaluation` of its repository
(`_full_precision_score`, `_scores_from_dataset_and_retrievals`). What rankgate says is compared with sets of characters, to
1e-12; any difference ends the script with 1. The table shows where the two definitions part.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/chunks"
K = 3


def lines(name):
    return [json.loads(line) for line in (EXAMPLE / "data" / name).read_text().splitlines()]


def evidence():
    pages = {page["_id"]: page["text"] for page in lines("pages.jsonl")}
    spans = {}
    for span in lines("evidence.jsonl"):
        start = pages[span["document"]].index(span["quote"])
        spans.setdefault(span["query"], []).append((span["document"], start, start + len(span["quote"])))
    return spans


def rankings(path):
    """Passages by query, in the order of the file."""
    found = {}
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            query, _, passage, rank = line.split()[:4]
            document, start, end = re.fullmatch(r"(.+)#char=(\d+),(\d+)", passage).groups()
            found.setdefault(query, []).append((int(rank), document, int(start), int(end)))
    return {query: [passage[1:] for passage in sorted(ranked)] for query, ranked in found.items()}


def characters(parts):
    return {(document, at) for document, start, end in parts for at in range(start, end)}


def by_sets(spans, passages):
    wanted, found = characters(spans), characters(passages[:K])
    both = len(wanted & found)
    return both / len(wanted), both / len(found) if found else 0.0, both / len(wanted | found)


def touches(a, b):
    """Ranges that meet share a range of no characters, which counts."""
    return a[0] == b[0] and max(a[1], b[1]) <= min(a[2], b[2])


def as_chroma(spans, passages, chunks, k=None):
    """Recall, precision and IoU; k is the number of the chunker's chunks that hold evidence, or touch it."""
    if k is None:
        k = sum(any(touches(chunk, span) for span in spans) for chunk in chunks)
    first = passages[:k]
    both = len(characters(spans) & characters(first))
    wanted = sum(end - start for _, start, end in spans)
    # The lengths of all chunks: what two of them share counts twice.
    retrieved = sum(end - start for _, start, end in first)
    unused = len(characters(spans) - characters(first))
    return both / wanted, both / retrieved if retrieved else 0.0, both / (retrieved + unused), k


def main():
    spans, wrong = evidence(), 0
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.argv[1], "--quiet", "run", EXAMPLE / "benchmarks/chunkers.yaml", "--output", folder]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        folder = pathlib.Path(folder) / "chunkers"
        report = json.loads((folder / "report.json").read_text())
        print(f"| chunker | | recall | precision | IoU |\n|---|---|---|---|---|")
        for one in report["configurations"]:
            name = one["name"]
            found = rankings(folder / f"{name}.run")
            chunks = [(chunk["document"], chunk["start"], chunk["end"]) for chunk in lines(f"{name}.jsonl")]
            mean = lambda rows: [sum(column) / len(spans) for column in zip(*rows)]
            ours = mean(by_sets(spans[query], found.get(query, [])) for query in spans)
            said = {row["metric"]: row["value"] for row in one["outcome"]["measured"]["metrics"]}
            for metric, value in zip(("Recall", "Precision", "IoU"), ours):
                difference = abs(said[f"Evidence{metric}@{K}"] - value)
                if difference > 1e-12:
                    wrong = 1
                    print(f"{name}: Evidence{metric}@{K} is {said[f'Evidence{metric}@{K}']}, and by sets {value}")
            fixed = mean(as_chroma(spans[query], found.get(query, []), chunks, K) for query in spans)
            least = mean(as_chroma(spans[query], found.get(query, []), chunks) for query in spans)
            for title, row in (
                (f"`@{K}`", ours),
                (f"Chroma, {K} chunks", fixed),
                (f"Chroma, as many as hold evidence ({least[3]:.2f})", least),
            ):
                print(f"| {name} | {title} | " + " | ".join(f"{value:.4f}" for value in row[:3]) + " |")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
