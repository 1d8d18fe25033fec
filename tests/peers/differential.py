#!/usr/bin/env python3
"""Random judgments and runs through `rankgate eval` and `rankgate compare`, and through other people's tools.

    cargo build --release -p rankgate-cli
    python3 -m venv ../venv
    ../venv/bin/pip install pytrec-eval-terrier==0.5.11 ir-measures==0.4.3 ranx==0.3.21 scipy==1.17.1 statsmodels==0.15.0
    ../venv/bin/python tests/peers/differential.py target/release/rankgate

Every query's value is compared to 1e-9. Where a peer is known to compute something else, that is computed here
as well and has to be what the peer gives: the table counts such values, and says why below it. Any other
difference is printed with its query, and ends the script with 1. perl is needed as well (for gdeval).
"""

import argparse
import collections
import itertools
import json
import math
import os
import pathlib
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import warnings
from fractions import Fraction

import ir_measures
import numpy as np
import pytrec_eval
import ranx
import ranx.statistical_tests
import scipy.integrate
import scipy.optimize
import scipy.stats
from statsmodels.stats.multitest import multipletests

TOLERANCE = 1e-9

# ---------------------------------------------------------------------------------------------
# The inputs

GRADES = [
    {0: 5, 1: 3},
    {0: 4, 1: 3, 2: 2, 3: 1},
    {-2: 1, -1: 2, 0: 4, 1: 3, 2: 2, 4: 1},
    {1: 3, 2: 1},
    {0: 4, -1: 1},
    {-1: 1},
]
WEIGHTS = [4, 6, 6, 3, 1, 1]
# All are exact in single precision, which pytrec_eval (trec_eval 9) reads; tied scores are what is tried here.
SCORES = [
    lambda rng: rng.randrange(-4000, 4000) / 64,
    lambda rng: rng.choice([0.5, 1.0, 1.5, 2.25]),
    lambda rng: 7.0,
    lambda rng: rng.choice([-1.5, -0.0, 0.0, 2.0**40, -(2.0**-20)]),
]


def document(rng, number):
    """Ids whose order as bytes is neither that of numbers nor of letters alone."""
    return rng.choice(["d", "D", "doc-", "é", "Z#", "~"]) + str(number)


def weighed(rng, weights):
    return rng.choices(list(weights), list(weights.values()))[0]


def query_of(rng):
    """A query's judgments and two answers to it; the second often is much like the first."""
    grades = GRADES[rng.choices(range(len(GRADES)), WEIGHTS)[0]]
    pool = [document(rng, number) for number in range(rng.choice([1, 4, 12, 40, 120]))]
    judged = {doc: weighed(rng, grades) for doc in rng.sample(pool, rng.randint(1, len(pool)))}
    score = rng.choice(SCORES)
    answers = []
    for _ in range(2):
        length = 0 if rng.random() < 0.08 else rng.randint(1, len(pool))
        answers.append({doc: score(rng) for doc in rng.sample(pool, length)})
    if rng.random() < 0.3:
        answers[1] = dict(answers[0])
    return judged, answers


def made(rng, queries):
    qrels, runs = {}, [{}, {}]
    for number in range(queries):
        query = str(number + 1)  # gdeval wants numbers
        qrels[query], answers = query_of(rng)
        for run, answer in zip(runs, answers):
            if answer:
                run[query] = answer
    for run in runs:
        run.setdefault("1", {next(iter(qrels["1"])): 1.0})
    # Nobody judged this one.
    runs[0]["unjudged"] = {"d1": 1.0}
    return qrels, runs


def write(folder, qrels, runs, rng):
    paths = [folder / "qrels", folder / "a.run", folder / "b.run"]
    lines = [[f"{query} 0 {doc} {grade}\n" for query in qrels for doc, grade in qrels[query].items()]]
    for run in runs:
        lines.append([f"{query} Q0 {doc} 0 {score!r} t\n" for query in run for doc, score in run[query].items()])
    for path, text in zip(paths, lines):
        rng.shuffle(text)
        path.write_text("".join(text), encoding="utf-8")
    return paths


def ranked(answer):
    """trec_eval's order: score descending, ties by id descending (bytes)."""
    return sorted(answer, key=lambda doc: (answer[doc], doc.encode()), reverse=True)


def untied(run):
    """The same order without ties, for tools that break them in another way."""
    return {query: {doc: float(-rank) for rank, doc in enumerate(ranked(answer))} for query, answer in run.items()}


# ---------------------------------------------------------------------------------------------
# What is compared


class Tally:
    def __init__(self):
        self.rows = collections.defaultdict(collections.Counter)
        self.why = collections.Counter()
        self.unexplained = []
        self.crashes = []

    def check(self, peer, what, ours, theirs, where, tolerance=TOLERANCE, peculiar=None):
        """`peculiar`: what the peer is known to give instead, and why."""
        row = self.rows[(peer, what)]
        row["values"] += 1
        if same(ours, theirs, tolerance):
            row["same"] += 1
        elif peculiar and same(peculiar[0], theirs, tolerance):
            row["explained"] += 1
            self.why[f"{peer}: {peculiar[1]}"] += 1
        else:
            row["unexplained"] += 1
            self.unexplained.append(f"{peer}, {what}, {where}: rankgate {ours!r}, {peer} {theirs!r}")

    def print(self):
        print(f"{'peer':<14} {'what':<28} {'values':>9} {'same':>9} {'explained':>9} {'unexplained':>11}")
        for (peer, what), row in sorted(self.rows.items()):
            print(f"{peer:<14} {what:<28} {row['values']:>9} {row['same']:>9} {row['explained']:>9} {row['unexplained']:>11}")
        total = sum(self.rows.values(), collections.Counter())
        print(f"{'':<14} {'':<28} {total['values']:>9} {total['same']:>9} {total['explained']:>9} {total['unexplained']:>11}")
        for why, count in sorted(self.why.items()):
            print(f"explained {count:>6}  {why}")
        for line in self.crashes:
            print(f"crashed, left out: {line}")
        for line in self.unexplained[:40]:
            print(f"UNEXPLAINED {line}")


def same(ours, theirs, tolerance):
    if theirs is None or ours is None:
        return theirs is ours
    if math.isnan(theirs):
        return math.isnan(ours)
    return abs(ours - theirs) <= tolerance * max(1.0, abs(theirs))


class NothingToFind(Exception):
    """No query has a relevant document, or nothing returned was judged: refused, and no number to compare."""


def rankgate(*arguments):
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode == 2 and any(said in done.stderr for said in ("has nothing to find", "was judged")):
        raise NothingToFind(done.stderr)
    if done.returncode != 0:
        sys.exit(f"rankgate {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


# ---------------------------------------------------------------------------------------------
# Metrics

PYTREC = {
    "AP": "map", "nDCG": "ndcg", "RR": "recip_rank", "Rprec": "Rprec", "Bpref": "bpref", "infAP": "infAP",
    "SetP": "set_P", "SetR": "set_recall", "SetF": "set_F",
    "NumRet": "num_ret", "NumRel": "num_rel", "NumRelRet": "num_rel_ret",
}
for k in (1, 3, 5, 10, 20, 100):
    PYTREC |= {f"P@{k}": f"P_{k}", f"R@{k}": f"recall_{k}", f"AP@{k}": f"map_cut_{k}", f"nDCG@{k}": f"ndcg_cut_{k}",
               f"Success@{k}": f"success_{k}"}
for tenth in range(11):
    PYTREC[f"IPrec@{tenth / 10:g}"] = f"iprec_at_recall_{tenth / 10:.2f}"

PYTREC_ASKED = {measure for measure in PYTREC.values() if not measure[-1].isdigit()} | {"iprec_at_recall"}
PYTREC_ASKED |= {f"{family}.1,3,5,10,20,100" for family in ("P", "recall", "map_cut", "ndcg_cut", "success")}

RANX = {"AP": "map", "RR": "mrr", "Rprec": "r-precision", "Bpref": "bpref", "nDCG": "ndcg", "DCG": "dcg",
        "SetP": "precision", "SetR": "recall", "SetF": "f1", "nDCG(gain=exp2)": "ndcg_burges", "RBP(p=0.95)": "rbp.95", "RBP": "rbp.80"}
for k in (1, 5, 10, 100):
    RANX |= {f"P@{k}": f"precision@{k}", f"R@{k}": f"recall@{k}", f"F1@{k}": f"f1@{k}", f"AP@{k}": f"map@{k}",
             f"RR@{k}": f"mrr@{k}", f"Success@{k}": f"hit_rate@{k}", f"nDCG@{k}": f"ndcg@{k}", f"DCG@{k}": f"dcg@{k}",
             f"nDCG(gain=exp2)@{k}": f"ndcg_burges@{k}"}

IR_MEASURES = {f"Judged@{k}": f"Judged@{k}" for k in (1, 5, 10, 100)}
IR_MEASURES |= {f"RR@{k}": f"RR@{k}" for k in (1, 5, 10, 100)}
# gdeval takes the highest grade to be 4 and prints five decimals.
GDEVAL = {f"ERR(max=4)@{k}": f"ERR@{k}" for k in (5, 20)} | {f"nDCG(gain=exp2)@{k}": f"nDCG(dcg='exp-log2')@{k}" for k in (5, 20)}


def iprec_of_version_9(grades, judged, level, recall):
    """trec_eval 9 cuts at (long) (recall * R + 0.9), version 10 at lround(recall * R)."""
    relevant = sum(grade >= level for grade in judged.values())
    needed = int(recall * relevant + 0.9)
    hits, precisions = 0, []
    for rank, grade in enumerate(grades, 1):
        hits += grade is not None and grade >= level
        precisions.append((hits, hits / rank))
    return max((precision for hits, precision in precisions if hits >= needed), default=0.0) if relevant else 0.0


def bpref_of_ranx(grades, judged, level):
    """Negative grades count as judged non-relevant, and no guard against dividing by 0."""
    relevant = sum(grade >= level for grade in judged.values())
    rest = len(judged) - relevant
    above, total = 0, 0.0
    for grade in grades:
        if grade is None:
            continue
        if grade < level:
            above += 1
        elif min(relevant, rest) == 0:
            return math.nan
        else:
            total += 1 - min(above, relevant) / min(relevant, rest)
    return total / relevant if relevant else math.nan


def rbp_of_ranx(grades, level, p):
    return (1 - p) * sum(grade * p**at for at, grade in enumerate(grades) if grade is not None and grade >= level)


def gains_of(grades, level, exponential):
    gains = [grade if grade is not None and grade >= level and grade > 0 else 0 for grade in grades]
    return [2**gain - 1 for gain in gains] if exponential else gains


def dcg(gains):
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def dcg_of_ranx(name, grades, judged, level):
    """Grades below rel_lvl gain nothing, where other tools' nDCG does not know a level."""
    exponential, normal = "exp2" in name, name.startswith("n")
    k = int(name.split("@")[1]) if "@" in name else None
    found = dcg(gains_of(grades, level, exponential)[:k])
    if not normal:
        return found
    ideal = dcg(sorted(gains_of(judged.values(), level, exponential), reverse=True)[:k])
    return found / ideal if ideal else 0.0


def by_pytrec_eval(qrels, run, level):
    """What pytrec_eval says, asked in a process of its own; None where that dies of a segmentation fault."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, PYTREC_ASKED, relevance_level=level)
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(evaluator.evaluate(run), pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    died = os.waitpid(child, 0)[1] != 0
    return None if died else pickle.loads(said)


def check_metrics(tally, qrels, run, paths, level, where):
    names = list(dict.fromkeys([*PYTREC, *RANX, *IR_MEASURES, *GDEVAL]))
    ours = rankgate("eval", paths[0], paths[1], "--format", "json", "--per-query", "--relevant-from", level,
                    "-m", ",".join(names))
    scores = ours["per_query"]
    # Canonical names come back.
    canonical = dict(zip(names, ours["mean"], strict=True))
    assert set(scores) == set(qrels), where
    grades = {query: [qrels[query].get(doc) for doc in ranked(run.get(query, {}))] for query in qrels}
    for name in names:
        if not name.startswith("Num"):
            mean = math.fsum(scores[query][canonical[name]] for query in qrels) / len(qrels)
            tally.check("fsum", "means", ours["mean"][canonical[name]], mean, f"{where}, {name}")

    # Peers leave out what a run does not answer; here it counts, as 0.
    unanswered = [query for query in qrels if query not in run]
    for query in unanswered:
        for name in names:
            if name != "NumRel":
                tally.check("definition", "unanswered queries score 0", scores[query][canonical[name]], 0.0, f"{where}, {query}, {name}")
    assert ours["unanswered"] == len(unanswered), where

    theirs = by_pytrec_eval(qrels, {query: answer for query, answer in run.items() if query in qrels}, level)
    if theirs is None:
        tally.crashes.append(f"pytrec_eval, {where}")
        theirs = {}
    for name, measure in PYTREC.items():
        for query, values in theirs.items():
            peculiar = None
            if name.startswith("IPrec"):
                recall = float(name.split("@")[1])
                peculiar = (iprec_of_version_9(grades[query], qrels[query], level, recall),
                            "trec_eval 9 rounds recall times R up at .1 where version 10 rounds to the nearest")
            tally.check("pytrec_eval", name, scores[query][canonical[name]], values[measure], f"{where}, {query}", peculiar=peculiar)

    ordered = untied({query: answer for query, answer in run.items() if query in qrels})
    judged_runs = ranx.Run({query: ordered[query] for query in ordered})
    answered = ranx.Qrels({query: qrels[query] for query in ordered})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        at_level = {name: f"{measure}-l{level}" if level > 1 else measure for name, measure in RANX.items()}
        ranx.evaluate(answered, judged_runs, [measure for name, measure in at_level.items() if name != "Bpref"], return_mean=False)
        # A query without a relevant document makes bpref 0 for whatever its thread would have come to next.
        some = [query for query in ordered if any(grade >= level for grade in qrels[query].values())]
        others = ranx.Run({query: ordered[query] for query in some})
        ranx.evaluate(ranx.Qrels({query: qrels[query] for query in some}), others, [at_level["Bpref"]], return_mean=False)
    for name, key in at_level.items():
        theirs = (others if name == "Bpref" else judged_runs).scores[key]
        for query, value in theirs.items():
            value = float(value)
            peculiar = None
            judged = qrels[query]
            if name == "Bpref":
                peculiar = (bpref_of_ranx(grades[query], judged, level),
                            "bpref divides by 0 without judged non-relevant or relevant documents (NaN), and counts negative grades as non-relevant")
            elif name.startswith("RBP"):
                p = 0.95 if "0.95" in name else 0.8
                peculiar = (rbp_of_ranx(grades[query], level, p), "RBP multiplies by the grade, contrary to its own documentation")
            elif "DCG" in name:
                peculiar = (dcg_of_ranx(name, grades[query], judged, level), "(n)DCG gives nothing for grades below the relevance level")
            tally.check("ranx", name, scores[query][canonical[name]], value, f"{where}, {query}", peculiar=peculiar)

    for table, provider, tolerance, peer in [(IR_MEASURES, ir_measures, TOLERANCE, "ir_measures"), (GDEVAL, ir_measures.gdeval, 5.1e-6, "gdeval")]:
        if peer == "gdeval" and level > 1:
            continue
        rel = f"(rel={level})" if level > 1 else ""
        parsed = {}
        for name, theirs in table.items():
            text = theirs.replace("RR@", f"RR{rel}@") if theirs.startswith("RR@") else theirs
            parsed[ir_measures.parse_measure(text)] = name
        for metric in provider.iter_calc(list(parsed), qrels, ordered):
            name, query = parsed[metric.measure], metric.query_id
            if query not in qrels:
                continue
            tally.check(peer, name, scores[query][canonical[name]], metric.value, f"{where}, {query}", tolerance, None)


# ---------------------------------------------------------------------------------------------
# Comparisons

COMPARED = ["Success@1", "P@10", "RR@10", "R@10", "nDCG@10", "AP"]


def exact(differences):
    """One-sided p-values by counting in whole numbers; None where there are too many."""
    fractions = [Fraction(d).limit_denominator(100_000) for d in differences]
    lattice = all(abs(float(f) - d) < 1e-12 for f, d in zip(fractions, differences))
    scale = math.lcm(*(f.denominator for f in fractions)) if lattice else 0
    values = [int(f * scale) for f in fractions] if lattice else [round(d * 2**50) for d in differences]
    slack = 0 if lattice else len(values) * 8
    nonzero = [abs(v) for v in values if v]
    observed = sum(values)
    if lattice and sum(nonzero) <= 400_000 and len(nonzero) <= 400:
        reach = sum(nonzero)
        chances = np.zeros(2 * reach + 1)
        chances[reach] = 1.0
        for value in nonzero:
            chances = 0.5 * (np.roll(chances, value) + np.roll(chances, -value))
        return float(chances[reach + observed :].sum()), float(chances[: reach + observed + 1].sum())
    if len(nonzero) > 20:
        return None
    sums = np.zeros(1, dtype=np.int64)
    for value in nonzero:
        sums = np.concatenate([sums + value, sums - value])
    return float(np.mean(sums >= observed - slack)), float(np.mean(sums <= observed + slack))


def unseen_p(before, after):
    """One-sided p-value of a gain that one more query leaves, at its typical loss and at least half of the range: a sum of
    weighed exponential variables is at most 0 (Gil-Pelaez's inversion, by SciPy's quad)."""
    loss = max(float((np.sum(before**2) + 1) / (np.sum(before) + 1)), 0.5)
    weights = np.append(after - before, -loss)
    weights = weights[np.abs(weights) > 1e-14]
    if len(weights) == 0 or np.all(weights < 0):
        return 1.0
    if np.all(weights > 0):
        return 0.0
    weights = weights / np.max(np.abs(weights))

    def part(t):
        phase = np.sum(np.arctan(t * weights))
        return math.sin(phase) * math.exp(-0.5 * np.sum(np.log1p((t * weights) ** 2))) / t

    above = 0.5 + scipy.integrate.quad(part, 0, np.inf, limit=2000)[0] / math.pi
    return 1.0 - above


def check_comparison(tally, paths, where, correction, rng):
    options = ["--format", "json", "-m", ",".join(COMPARED)]
    compared = rankgate("compare", *paths, *options, "--correction", correction, "--top", 0)["comparisons"]
    back = rankgate("compare", paths[0], paths[2], paths[1], *options, "--correction", correction, "--top", 0)["comparisons"]
    scores = [rankgate("eval", paths[0], path, "--per-query", *options)["per_query"] for path in paths[1:]]
    greater, less = [], []
    for ours, swapped in zip(compared, back):
        name = ours["metric"]
        here = f"{where}, {name}"
        before, after = (np.array([run[query][name] for query in sorted(run)]) for run in scores)
        d = after - before
        n = len(d)
        # Twice the one-sided p-values, at most 1.
        doubled = {claim["direction"]: claim["p"] for claim in ours["claims"]}
        least = min(doubled.values())
        greater.append(doubled["greater"] / 2)
        less.append(doubled["less"] / 2)
        monte_carlo = "Monte Carlo" in ours["test"]
        tolerance = 1e-9 if not monte_carlo else 12 * max(math.sqrt(least * (1 - least / 2) / 2 / 99_999), 1e-5)

        # A gain counts an unseen query as well; the larger p-value decides.
        tally.check("definition", "p_deciding is no less than the permutation test's", max(ours["p_deciding"], least), ours["p_deciding"], here, 0)
        if doubled["less"] <= doubled["greater"]:
            tally.check("definition", "p_deciding of a drop", ours["p_deciding"], least, here, 0)
        else:
            second = unseen_p(before, after)
            p = min(1.0, max(doubled["greater"], 2 * second), doubled["less"])
            tally.check("scipy", "unseen query", ours["p_deciding"], p, here, 1e-6)
        tally.check("numpy", "mean difference", ours["difference"], float(np.mean(d)), here)
        counts = [int((np.abs(d) < 1e-13).sum()), int((d > 1e-13).sum()), int((d < -1e-13).sum())]
        for key, count in zip(("ties", "wins", "losses"), counts):
            tally.check("numpy", "wins, ties, losses", ours[key], count, here)

        # The same seen from the other side.
        for key, other, sign in [("difference", "difference", -1), ("wins", "losses", 1), ("ties", "ties", 1)]:
            tally.check("itself, swapped", key, ours[key], sign * swapped[other], here, 1e-12)
        for claim in swapped["claims"]:
            other = {"greater": "less", "less": "greater"}[claim["direction"]]
            tally.check("itself, swapped", other, doubled[other], claim["p"], here, 2 * tolerance if monte_carlo else 1e-12)

        expected = exact(d)
        if expected:
            p_greater, p_less = expected
            for key, p in [("greater", p_greater), ("less", p_less)]:
                tally.check("counting", key, doubled[key], min(1.0, 2 * p), here, 2 * tolerance)
        nonzero = d[np.abs(d) > 1e-13]
        if name == "Success@1" and len(nonzero):
            wins = int((nonzero > 0).sum())
            for side in ("greater", "less"):
                p = scipy.stats.binomtest(wins, len(nonzero), alternative=side).pvalue
                tally.check("scipy", "binomtest on Success@1", doubled[side], min(1.0, 2 * p), here)
        if n <= 11 and expected and len(nonzero):
            for side in ("greater", "less"):
                p = scipy.stats.permutation_test(
                    (after, before), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples",
                    vectorized=True, n_resamples=np.inf, alternative=side).pvalue
                # Where it differs from counting, sums that are equal were not taken to be.
                own = {"greater": p_greater, "less": p_less}[side]
                exactly = same(doubled[side], min(1.0, 2 * own), tolerance)
                tally.check("scipy", "permutation_test", doubled[side], min(1.0, 2 * float(p)), here, 2 * tolerance,
                            (float(p), "permutation_test loses ties between sums to rounding; counting in whole numbers gives rankgate's p") if exactly else None)
        if name == "nDCG@10" and n >= 12 and len(nonzero) == n and rng.random() < 0.3:
            resamples = 20_000
            p, _ = ranx.statistical_tests.fisher_randomization_test(before, after, n_permutations=resamples, random_seed=1)
            noise = 6 * math.sqrt(max(p * (1 - p), 1 / resamples) / resamples)
            tally.check("ranx", "fisher_randomization_test", least, float(p), here, noise + tolerance)

    method = {"holm": "holm", "hochberg": "simes-hochberg", "benjamini-hochberg": "fdr_bh", "none": None}[correction]
    adjusted = [multipletests(ps, method=method)[1] if method else ps for ps in (greater, less)]
    for at, ours in enumerate(compared):
        # The second test can only make the p-value of a gain larger.
        p = min(1.0, 2 * min(adjusted[0][at], adjusted[1][at]))
        mine = ours["p_adjusted"] if adjusted[1][at] <= adjusted[0][at] else min(ours["p_adjusted"], p)
        tally.check("statsmodels" if method else "definition", f"p_adjusted, {correction}", mine, p, f"{where}, {ours['metric']}")


def unseen_query(sums, sizes, level=0.025):
    """The mean per query whose tail is the level, one more group as large as the largest at 0 being weighed at random beside these.

    The tail is the probability that a sum of exponential variables is at most 0, by Gil-Pelaez's inversion (1951).
    """

    def tail(mean):
        weights = np.append(sums - mean * sizes, -mean * sizes.max())
        weights = weights[weights != 0] / np.abs(weights).max()
        if not (weights > 0).any():
            return 1.0
        integrand = lambda t: (np.prod(1 / (1 - 1j * t * weights)) / t).imag
        return 0.5 - scipy.integrate.quad(integrand, 0, np.inf, limit=500, epsabs=1e-12, epsrel=1e-10)[0] / np.pi

    highest = (sums / sizes).max()
    if highest == 0:
        return 0.0
    return scipy.optimize.brentq(lambda mean: tail(mean) - level, 1e-9 * highest, highest, xtol=1e-11)


def check_clusters(tally, paths, folder, where, rng):
    """Intervals of grouped queries, and their number."""
    runs = [rankgate("eval", paths[0], path, "--per-query", "--format", "json", "-m", ",".join(COMPARED)) for path in paths[1:]]
    queries = sorted(runs[0]["per_query"])
    groups = np.array([rng.randrange(max(2, len(queries) // 3)) for _ in queries])
    count = len(set(groups))
    if not 1 < count < len(queries):
        return
    topics = folder / "queries.jsonl"
    topics.write_text("".join(json.dumps({"_id": q, "text": "a", "metadata": {"user": int(g)}}) + "\n" for q, g in zip(queries, groups)))
    options = ["--queries", topics, "--group-by", "user", "--format", "json", "-m", ",".join(COMPARED)]

    scored = rankgate("eval", *paths[:2], *options)
    tally.check("definition", "groups", scored["groups"], count, where, 0)
    for name, limits in scored["interval"].items():
        values = np.array([runs[0]["per_query"][query][name] for query in queries])
        # What one more group as large as the largest leaves possible, at either end of the metric's range.
        members = [groups == group for group in set(groups)]
        sums, sizes = np.array([values[of].sum() for of in members]), np.array([of.sum() for of in members])
        low, high = unseen_query(sums, sizes), 1.0 - unseen_query(sizes - sums, sizes)
        for mine, limit in zip(limits, (low, high)):
            tally.check("definition", "interval of groups", mine, float(limit), f"{where}, {name}", 1e-6)
    for ours in rankgate("compare", *paths, *options, "--top", 0)["comparisons"]:
        tally.check("definition", "groups", ours["wins"] + ours["ties"] + ours["losses"], count, where, 0)


# ---------------------------------------------------------------------------------------------


def carry_out(arguments, folder, tally, done):
    for number in range(arguments.rounds):
        rng = random.Random(f"metrics {arguments.seed} {number}")
        qrels, runs = made(rng, 50)
        level = rng.choice([1, 1, 1, 2])
        paths = write(folder, qrels, runs, rng)
        check_metrics(tally, qrels, runs[0], paths, level, f"round {number}, from {level}")
        done["queries"] += len(qrels)
        print(f"round {number}", file=sys.stderr)
    for number in range(arguments.comparisons):
        rng = random.Random(f"comparisons {arguments.seed} {number}")
        n = rng.choice([*range(2, 12), *range(2, 12), 16, 24, 40, 60, 120, 300])
        qrels, runs = made(rng, n)
        paths = write(folder, qrels, runs, rng)
        correction = rng.choice(["holm", "hochberg", "benjamini-hochberg", "none"])
        try:
            check_comparison(tally, paths, f"comparison {number}, {n} queries", correction, rng)
            check_clusters(tally, paths, folder, f"comparison {number}, {n} queries in groups", rng)
            done["pairs"] += 1
        except NothingToFind as why:
            top = max(grade for judged in qrels.values() for grade in judged.values())
            # Small draws may hold no relevant document, which is what such a refusal has to be about.
            if top > 0 and "was judged" not in str(why):
                sys.exit(f"comparison {number}: {why}")
            done["refused"] += 1


def main():
    global BINARY
    parser = argparse.ArgumentParser()
    parser.add_argument("rankgate", help="the binary")
    parser.add_argument("--rounds", type=int, default=100, help="files of 50 queries for metrics")
    parser.add_argument("--comparisons", type=int, default=200, help="pairs of runs to compare, on 6 metrics each")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    BINARY = arguments.rankgate
    # A shell has what it starts in the background ignore interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    tally = Tally()
    done = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        try:
            carry_out(arguments, pathlib.Path(folder), tally, done)
        except KeyboardInterrupt:
            print("stopped early")
    print(f"{done['queries']} queries scored, {done['pairs']} pairs of runs compared on {len(COMPARED)} metrics; {done['refused']} pairs of which nothing can be compared were refused")
    tally.print()
    return 1 if tally.unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
