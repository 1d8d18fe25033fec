#!/usr/bin/env python3
"""Writes tests/reference/diversity/: judgments by subtopic, a run, and what pyndeval makes of them.

    python3 -m venv ../venv
    ../venv/bin/pip install pyndeval==0.0.8 pyNTCIREVAL==0.0.3 ir-measures==0.4.3
    ../venv/bin/python tests/reference/make_diversity.py

The random numbers are Python's own, which keep their values from version to version. No value is computed here, but for one:
`ndeval` leaves alpha-DCG@1 and ERR-IA@1 without the division by what the best document could have, which is the number of
subtopics with a relevant document; it is divided here, and the entry says so.
"""

import importlib.metadata
import json
import pathlib
import random

import ir_measures
import pyndeval
from pyNTCIREVAL.metrics import nERR

OUT = pathlib.Path(__file__).parent / "diversity"
SEED = 20260101
CUTOFFS = (1, 2, 3, 5, 10, 20)
NAMES = {
    "alpha-nDCG": "alpha-nDCG", "alpha-DCG": "alpha-DCG", "ERR-IA": "ERR-IA", "nERR-IA": "nERR-IA", "P-IA": "P-IA",
    "strec": "StRecall", "NRBP": "NRBP", "nNRBP": "nNRBP", "MAP-IA": "AP-IA",
}


def data(rng):
    """Queries with 2 to 9 subtopics, some without a relevant document, and runs that hold judged and unjudged documents."""
    qrels, run = [], []
    for number in range(60):
        query = f"q{number:02}"
        subtopics = [f"{query}.{index}" for index in range(rng.randint(2, 9))]
        documents = [f"d{index:03}" for index in range(rng.randint(3, 40))]
        share = rng.choice([0.05, 0.2, 0.5])
        for document in documents:
            # TREC's Web tracks have a line of subtopic 0 for a document that is relevant to none.
            grades = {name: rng.choice([1, 1, 2, 3]) for name in subtopics if rng.random() < share}
            barren = {rng.choice(subtopics + ["0"]): rng.choice([0, -2])}
            qrels += [(query, name, document, grade) for name, grade in (grades or barren).items()]
        if number % 20 == 7:
            qrels = [(q, s, d, 0 if q == query else g) for q, s, d, g in qrels]
        pool = documents + [f"x{index:03}" for index in range(rng.randint(0, 30))]
        for rank, document in enumerate(rng.sample(pool, rng.randint(1, min(30, len(pool)))), 1):
            run.append((query, document, 100.0 - rank))
    return qrels, run


def subtopics_with_relevant(qrels, level):
    found = {}
    for query, subtopic, _, grade in qrels:
        if grade >= level:
            found.setdefault(query, set()).add(subtopic)
    return found


def entries(qrels, run):
    measures = [f"{name}@{k}" for name in NAMES if name not in pyndeval.NOCUTOFF_MEASURES for k in CUTOFFS]
    measures += sorted(pyndeval.NOCUTOFF_MEASURES)
    for alpha, beta, level in ((0.5, 0.5, 1), (0.25, 0.75, 1), (1.0, 0.5, 1), (0.0, 0.0, 1), (0.5, 0.5, 2)):
        evaluator = pyndeval.RelevanceEvaluator(qrels, measures, relevance_level=level, alpha=alpha, beta=beta)
        values = evaluator.evaluate(run)
        relevant = subtopics_with_relevant(qrels, level)
        for measure in measures:
            name, _, cutoff = measure.partition("@")
            parameters = []
            if name not in ("P-IA", "strec", "MAP-IA") and alpha != 0.5:
                parameters.append(f"alpha={alpha}")
            if name in ("NRBP", "nNRBP") and beta != 0.5:
                parameters.append(f"beta={beta}")
            if level != 1:
                parameters.append(f"rel={level}")
            metric = NAMES[name] + (f"({','.join(parameters)})" if parameters else "") + (f"@{cutoff}" if cutoff else "")
            divided = measure in ("alpha-DCG@1", "ERR-IA@1")
            yield {
                "metric": metric,
                "source": f"pyndeval {importlib.metadata.version('pyndeval')} {measure}"
                + (", divided by the number of subtopics" if divided else ""),
                # Without a subtopic nNRBP is not a number there.
                "values": {
                    query: 0.0 if query not in relevant else value[measure] / (len(relevant[query]) if divided else 1)
                    for query, value in sorted(values.items())
                },
            }


def nerr(qrels, run):
    """nERR of the documents' highest grades, by pyNTCIREVAL, whose probabilities are gain / (highest gain + 1)."""
    grades, ranked = {}, {}
    for query, _, document, grade in qrels:
        known = grades.setdefault(query, {})
        known[document] = max(known.get(document, grade), grade)
    for query, document, _ in run:
        ranked.setdefault(query, []).append(document)
    top = 3
    for cutoff in (1, 5, 10):
        values = {}
        for query, judged in sorted(grades.items()):
            judged = {document: max(grade, 0) for document, grade in judged.items()}
            counts = [sum(1 for grade in judged.values() if grade == level) for level in range(top + 1)]
            if sum(counts[1:]) == 0:
                values[query] = 0.0
                continue
            # 2^grade - 1 over 2^3, as ERR has it.
            metric = nERR(counts, [2**grade - 1 for grade in range(1, top + 1)], cutoff)
            values[query] = float(metric.compute([(document, judged.get(document)) for document in ranked[query]]))
        source = f"pyNTCIREVAL {importlib.metadata.version('pyNTCIREVAL')}"
        yield {"metric": f"nERR@{cutoff}", "source": source, "values": values}


def compat(qrels, run):
    """Compatibility of the documents' highest grades, by the authors' code in ir_measures; no scores tie."""
    grades = {}
    for query, _, document, grade in qrels:
        known = grades.setdefault(query, {})
        known[document] = max(known.get(document, grade), grade)
    ranked = {}
    for query, document, score in run:
        ranked.setdefault(query, {})[document] = score
    for p in (0.5, 0.95):
        measure = ir_measures.Compat(p=p)
        values = {one.query_id: one.value for one in ir_measures.iter_calc([measure], grades, ranked)}
        source = f"ir_measures {importlib.metadata.version('ir-measures')}"
        yield {"metric": f"Compat(p={p})", "source": source, "values": dict(sorted(values.items()))}


def main():
    rng = random.Random(SEED)
    qrels, run = data(rng)
    OUT.mkdir(exist_ok=True)
    (OUT / "qrels.txt").write_text("".join(f"{q} {s} {d} {g}\n" for q, s, d, g in qrels))
    (OUT / "run.txt").write_text("".join(f"{q} Q0 {d} {r} {s} run\n" for r, (q, d, s) in enumerate(run, 1)))
    lines = [json.dumps(entry, sort_keys=True) for entry in [*entries(qrels, run), *nerr(qrels, run), *compat(qrels, run)]]
    (OUT / "expected.jsonl").write_text("\n".join(lines) + "\n")
    print(len(lines), "entries")


if __name__ == "__main__":
    main()
