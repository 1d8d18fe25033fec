#!/usr/bin/env python3
"""Writes tests/reference/metrics/: judgments and a run, and what other people's tools make of them.

    python3 -m venv ../venv
    ../venv/bin/pip install pytrec-eval-terrier==0.5.11 ir-measures==0.4.3 cwl-eval==1.0.12 \
        pyNTCIREVAL==0.0.3 scikit-learn==1.9.1
    ../venv/bin/python tests/reference/make_metrics.py

Perl is needed as well (gdeval). The random numbers are Python's own, which keep their values from
version to version. No value is computed here: where a tool has no measure of the kind, it is given a
run that is cut, or judgments that are mapped, such that a measure it does have comes to the same; each
entry says so.

trec_eval means version 9 here, as pytrec_eval contains it. Version 10 computes the measures used in
the same way but for iprec_at_recall, whose rounding changed, and reads scores in double precision.
"""

import importlib.metadata
import json
import math
import pathlib
import random
import struct

import ir_measures
import pytrec_eval
from ir_measures import ERR, RBP, Judged, nDCG
from pyNTCIREVAL import metrics as ntcir
from sklearn.metrics import dcg_score

OUT = pathlib.Path(__file__).parent / "metrics"
SEED = 20260101
CUTOFFS = (1, 3, 5, 10, 20, 100)


def version(package):
    return f"{package} {importlib.metadata.version(package)}"


PYTREC = version("pytrec_eval-terrier")
IR_MEASURES = version("ir_measures")
NTCIR = version("pyNTCIREVAL")
SKLEARN = version("scikit-learn")
CWL = version("cwl-eval")

# ---------------------------------------------------------------------------------------------
# The data


def judge(rng, documents, weights):
    """A grade for each document, drawn by the weights of the grades."""
    grades = list(weights)
    return {doc: rng.choices(grades, list(weights.values()))[0] for doc in documents}


GRADED = {-2: 1, -1: 4, 0: 30, 1: 12, 2: 6, 3: 3, 4: 2}
POSITIVE = {1: 5, 2: 3, 3: 1}
SCORES = {
    "distinct": lambda rng: rng.uniform(0, 30),
    "few": lambda rng: rng.choice([0.5, 1.0, 1.5, 2.25, 1e-3]),
    "one": lambda rng: 7.0,
    "signed": lambda rng: rng.choice([-1.5, -0.0, 0.0, 3e9, -2e-9, 12345678.125, 12345678.0]),
}

#   name, queries, documents in the pool, judged, retrieved, grades, scores
CASES = [
    ("plain", 8, 60, 25, 40, GRADED, "distinct"),
    ("ties", 6, 60, 30, 40, GRADED, "few"),
    ("all tied", 2, 30, 20, 25, GRADED, "one"),
    ("odd scores", 2, 40, 25, 30, GRADED, "signed"),
    ("negative grades", 4, 50, 35, 40, {-1: 10, -2: 2, 0: 6, 1: 4, 3: 1}, "distinct"),
    ("one document", 3, 10, 8, 1, GRADED, "distinct"),
    ("few documents", 4, 20, 15, 4, GRADED, "few"),
    ("many relevant", 2, 150, 130, 120, {-1: 1, 0: 4, 1: 5, 2: 3}, "distinct"),
    ("positives only", 4, 40, 12, 30, POSITIVE, "distinct"),
    ("few judged", 4, 90, 4, 60, POSITIVE, "few"),
    ("none relevant", 2, 30, 12, 20, {0: 5, -1: 1}, "distinct"),
    ("not even judged", 1, 30, 6, 20, {-1: 1}, "distinct"),
    ("nothing judged retrieved", 2, 0, 8, 12, {0: 1, 1: 2}, "distinct"),
    ("unanswered", 2, 20, 10, 0, {0: 1, 1: 1, 2: 1}, "distinct"),
    ("not judged at all", 2, 20, 0, 10, {}, "distinct"),
]


def document_id(rng, number):
    """Ids whose order as bytes is neither that of numbers nor of letters alone."""
    return rng.choice(["d", "D", "doc-", "é", "Z#"]) + str(number)


def make_data():
    rng = random.Random(SEED)
    qrels, run, about = {}, {}, {}
    for name, queries, pool, judged, retrieved, grades, scores in CASES:
        for _ in range(queries):
            query = f"q{len(about) + 1}"
            about[query] = name
            documents = [document_id(rng, number) for number in range(max(pool, judged + retrieved))]
            # With a pool of 0 what is judged and what is retrieved have nothing in common.
            in_qrels = rng.sample(documents[:pool], judged) if pool else documents[:judged]
            in_run = rng.sample(documents[:pool], retrieved) if pool else documents[judged:][:retrieved]
            if judged:
                qrels[query] = judge(rng, in_qrels, grades)
            if retrieved:
                run[query] = {doc: SCORES[scores](rng) for doc in in_run}
    return qrels, run, about


def write_data(qrels, run):
    rng = random.Random(SEED + 1)
    with open(OUT / "qrels.txt", "w", encoding="utf-8") as file:
        for query, grades in qrels.items():
            for doc, grade in grades.items():
                file.write(f"{query} 0 {doc} {grade}\n")
    lines = [f"{query} Q0 {doc} 0 {score!r} made\n" for query in run for doc, score in run[query].items()]
    rng.shuffle(lines)
    with open(OUT / "run.txt", "w", encoding="utf-8") as file:
        file.writelines(lines)


# ---------------------------------------------------------------------------------------------
# What tools are given


def ranked(results):
    """By descending score, ties by descending id as bytes: trec_eval's order."""
    return sorted(results, key=lambda doc: (results[doc], doc.encode()), reverse=True)


def cut(run, k):
    return {query: {doc: results[doc] for doc in ranked(results)[:k]} for query, results in run.items()}


def cut_and_filled(run, k):
    """Exactly k documents: unjudged ones below where too few were retrieved."""
    filled = cut(run, k)
    for results in filled.values():
        lowest = min(results.values())
        for number in range(k - len(results)):
            results[f"fill-{number}"] = lowest - 1 - number
    return filled


def by_rank(run):
    """Scores such that no two are tied, for tools that break ties in another way."""
    return {query: {doc: float(-rank) for rank, doc in enumerate(ranked(results))} for query, results in run.items()}


def in_single_precision(results):
    return {doc: struct.unpack("f", struct.pack("f", score))[0] for doc, score in results.items()}


def told_apart(run):
    """Scores replaced by ranks where version 9, which keeps them as 32-bit floats, sees other ties."""
    ranks = by_rank(run)
    same = {query: ranked(in_single_precision(results)) == ranked(results) for query, results in run.items()}
    return {query: results if same[query] else ranks[query] for query, results in run.items()}


def mapped(qrels, function):
    """Other grades; negative ones stay."""
    return {
        query: {doc: grade if grade < 0 else function(grade) for doc, grade in grades.items()}
        for query, grades in qrels.items()
    }


# ---------------------------------------------------------------------------------------------
# The tools


def trec_eval(qrels, run, measure, level=1):
    """One measure for each query; `measure` as it is asked for, the answer has its own spelling."""
    # A query with nothing but negative grades makes trec_eval read what it never wrote. One more
    # document, not relevant and not retrieved, helps it and changes nothing.
    qrels = {q: grades if max(grades.values()) >= 0 else grades | {"none": 0} for q, grades in qrels.items()}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {measure}, relevance_level=level)
    answers = evaluator.evaluate(run)
    values = {}
    for query, answer in answers.items():
        (values[query],) = answer.values()
    return values


def from_ir_measures(qrels, run, measure):
    judgments = [ir_measures.Qrel(q, d, g) for q, grades in qrels.items() for d, g in grades.items()]
    results = [ir_measures.ScoredDoc(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    return {value.query_id: value.value for value in measure.iter_calc(judgments, results)}


def from_gdeval(qrels, run, measure):
    """gdeval takes numbers for query ids."""
    values = from_ir_measures({q[1:]: x for q, x in qrels.items()}, {q[1:]: x for q, x in run.items()}, measure)
    return {f"q{query}": value for query, value in values.items()}


def from_ntcir(qrels, run, make, k=None, level=lambda grade: grade):
    """`level` of a grade; unjudged documents and negative grades have none."""
    values = {}
    for query, results in run.items():
        grades = qrels.get(query, {})
        labelled = [(doc, grades.get(doc)) for doc in ranked(results)]
        labelled = [(doc, level(grade) if grade is not None and grade >= 0 else None) for doc, grade in labelled]
        metric = make([0] * 5)
        metric.cutoff = k
        values[query] = float(metric.compute(labelled))
    return values


def from_sklearn(qrels, run, k, gain):
    values = {}
    for query, results in run.items():
        grades = [max(0, qrels.get(query, {}).get(doc, 0)) for doc in ranked(results)]
        gains = [gain(grade) for grade in grades] + [0, 0]  # it wants more than one document
        scores = [-rank for rank in range(len(gains))]
        values[query] = float(dcg_score([gains], [scores], k=k, ignore_ties=True))
    return values


# ---------------------------------------------------------------------------------------------
# What is expected


def make_expected(qrels, run):
    queries = list(qrels)
    entries, differing = [], []

    def expect(metric, values, tool, measure, how=None, **tolerance):
        # As trec_eval -c has it, a query that was not answered scores 0.
        row = [values.get(query, 0.0) for query in queries]
        assert all(math.isfinite(value) for value in row), metric
        entries.append(
            {"metric": metric, "tool": tool, "measure": measure}
            | ({"how": how} if how else {})
            | (tolerance or {"relative": 1e-12})
            | {"values": row}
        )

    def differs(metric, values, tool, measure, why):
        differing.append(
            {"metric": metric, "tool": tool, "measure": measure, "why": why}
            | {"values": {query: values[query] for query in queries if query in values}}
        )

    as_read, run = run, told_apart(run)

    def trec(metric, measure, qrels=qrels, run=run, level=1, how=None):
        values = trec_eval(qrels, run, measure, level)
        shown = measure + (f" -l {level}" if level > 1 else "")
        expect(metric, values, PYTREC, shown, how)
        return values

    for k in CUTOFFS:
        trec(f"P@{k}", f"P.{k}")
        trec(f"R@{k}", f"recall.{k}")
        trec(f"Success@{k}", f"success.{k}")
        trec(f"AP@{k}", f"map_cut.{k}")
        trec(f"nDCG@{k}", f"ndcg_cut.{k}")
        trec(f"R_cap@{k}", f"relative_P.{k}")
        trec(f"RR@{k}", "recip_rank", run=cut(run, k), how=f"run cut at {k}")
    for metric, measure in [
        ("RR", "recip_rank"),
        ("AP", "map"),
        ("nDCG", "ndcg"),
        ("Rprec", "Rprec"),
        ("Bpref", "bpref"),
        ("infAP", "infAP"),
        ("SetP", "set_P"),
        ("SetR", "set_recall"),
        ("SetF", "set_F"),
        ("NumRet", "num_ret"),
        ("NumRelRet", "num_rel_ret"),
    ]:
        values = trec(metric, measure)
        single = trec_eval(qrels, as_read, measure)
        other = {query: value for query, value in single.items() if value != values[query]}
        if other:
            differs(metric, other, PYTREC, measure, "trec_eval 9 keeps scores as 32-bit floats, version 10 as 64-bit")
    for k in (3, 10):
        filled = cut_and_filled(run, k)
        how = f"run cut at {k}, and filled up to {k} with unjudged documents"
        trec(f"F1@{k}", "set_F", run=filled, how=how)
        trec(f"F(beta=2)@{k}", "set_F.4", run=filled, how=how + "; its parameter is beta squared")
    trec("SetF(beta=0.5)", "set_F.0.25", how="its parameter is beta squared")

    # A run that finds every judged document, so that none is unanswered: R does not depend on the run.
    everything = {query: {doc: 1.0 for doc in grades} for query, grades in qrels.items()}
    relevant = trec("NumRel", "num_rel", run=everything, how="run of all judged documents")
    relevant = {query: round(value) for query, value in relevant.items()}

    for metric, measure in [
        ("P(rel=2)@10", "P.10"),
        ("R(rel=2)@10", "recall.10"),
        ("RR(rel=2)", "recip_rank"),
        ("AP(rel=2)", "map"),
        ("Rprec(rel=2)", "Rprec"),
        ("Bpref(rel=2)", "bpref"),
        ("infAP(rel=2)", "infAP"),
        ("Success(rel=3)@5", "success.5"),
    ]:
        level = 3 if "3" in metric else 2
        values = trec(metric, measure, level=level)
        binary = trec_eval(mapped(qrels, lambda grade: int(grade >= level)), run, measure)
        assert values == binary, metric  # two ways of asking for the same
    trec("NumRel(rel=2)", "num_rel", mapped(qrels, lambda grade: int(grade >= 2)), everything,
         how="grades mapped to grade >= 2; run of all judged documents")

    # Version 9 cuts at floor(x R + 0.9): asked for (c - 0.4) / R it cuts at c, here round(x R).
    for x in (0.0, 0.1, 0.25, 0.5, 0.75, 1.0):
        values, ours = {}, {}
        for query, results in run.items():
            if not relevant.get(query):
                continue
            c = math.floor(x * relevant[query] + 0.5)
            asked = max(0.0, (c - 0.4) / relevant[query])
            values |= trec_eval({query: qrels[query]}, {query: results}, f"iprec_at_recall.{asked:.6f}")
            ours |= trec_eval({query: qrels[query]}, {query: results}, f"iprec_at_recall.{x:.2f}")
        expect(f"IPrec@{x:g}", values, PYTREC, "iprec_at_recall",
               "asked for the recall at which version 9 cuts where version 10 does")
        other = {query: value for query, value in ours.items() if value != values[query]}
        if other:
            differs(f"IPrec@{x:g}", other, PYTREC, f"iprec_at_recall.{x:.2f}",
                    "trec_eval 9 cuts at floor(x R + 0.9), version 10 at x R rounded to the nearest integer")

    # Gains by mapped grades.
    for k in (5, 10):
        trec(f"nDCG(gain=exp2)@{k}", f"ndcg_cut.{k}", mapped(qrels, lambda grade: 2**grade - 1),
             how="grades mapped to 2^grade - 1")
        trec(f"nDCG(rel=2)@{k}", f"ndcg_cut.{k}", mapped(qrels, lambda grade: grade if grade >= 2 else 0),
             how="grades below 2 mapped to 0")
    trec("nDCG(gain=exp2)", "ndcg", mapped(qrels, lambda grade: 2**grade - 1), how="grades mapped to 2^grade - 1")
    expect("nDCG(gain=exp2)@20", from_gdeval(qrels, run, nDCG(dcg="exp-log2") @ 20), f"{IR_MEASURES}, gdeval",
           "nDCG(dcg='exp-log2')@20", "printed to 5 decimals", absolute=5.1e-6)
    for k in (3, 10, 100):
        expect(f"DCG@{k}", from_sklearn(qrels, run, k, lambda grade: grade), SKLEARN, f"dcg_score(k={k})")
    expect("DCG(gain=exp2)@10", from_sklearn(qrels, run, 10, lambda grade: 2**grade - 1), SKLEARN,
           "dcg_score(k=10)", "gains 2^grade - 1")

    # The largest grade of the collection is 4, which is also what gdeval takes it to be.
    assert max(grade for grades in qrels.values() for grade in grades.values()) == 4
    for k in (3, 10, 20):
        expect(f"ERR@{k}", from_ntcir(qrels, run, lambda n: ntcir.ERR(n, [1, 3, 7, 15]), k), NTCIR,
               f"ERR@{k:04}", "grade levels worth 1, 3, 7, 15")
        expect(f"ERR@{k}", from_gdeval(qrels, run, ERR @ k), f"{IR_MEASURES}, gdeval", f"ERR@{k}",
               "printed to 5 decimals", absolute=5.1e-6)
    expect("ERR(max=5)@10", from_ntcir(qrels, run, lambda n: ntcir.ERR(n, [1, 3, 7, 15, 31]), 10), NTCIR,
           "ERR@0010", "grade levels worth 1, 3, 7, 15, 31")

    def rbp(p, rel, k=None, qrels=qrels):
        return from_ntcir(qrels, run, lambda n: ntcir.RBP(n, [1], p), k, lambda grade: int(grade >= rel))

    for p in (0.5, 0.8, 0.95):
        expect(f"RBP(p={p})", rbp(p, 1), NTCIR, "RBP", "grades mapped to grade >= 1")
        expect(f"RBP(p={p})", from_ir_measures(qrels, by_rank(run), RBP(p=p, rel=1)), f"{IR_MEASURES}, {CWL}",
               f"RBP(p={p}, rel=1)", "scores replaced by ranks: it leaves ties in the order of the file")
    expect("RBP(p=0.8)@10", rbp(0.8, 1, 10), NTCIR, "RBP@0010", "grades mapped to grade >= 1")
    expect("RBP(p=0.8,rel=2)@10", rbp(0.8, 2, 10), NTCIR, "RBP@0010", "grades mapped to grade >= 2")

    for k in CUTOFFS:
        expect(f"Judged@{k}", from_ir_measures(qrels, by_rank(run), Judged @ k), IR_MEASURES, f"Judged@{k}",
               "scores replaced by ranks: it breaks ties by ascending id")
    return queries, entries, differing


def lines(rows):
    """JSON with one row a line, so that differences can be read."""
    return ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)


def main():
    OUT.mkdir(exist_ok=True)
    qrels, run, about = make_data()
    write_data(qrels, run)
    queries, entries, differing = make_expected(qrels, run)
    text = (
        "{"
        f'"made_by": "tests/reference/make_metrics.py", "seed": {SEED},\n'
        f'"cases": {json.dumps(about)},\n'
        f'"queries": {json.dumps(queries)},\n'
        f'"expected": [\n  {lines(entries)}\n],\n'
        f'"differing": [\n  {lines(differing)}\n]'
        "}\n"
    )
    json.loads(text)
    (OUT / "expected.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
