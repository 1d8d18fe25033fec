#!/usr/bin/env python3
"""Writes tests/reference/exposure.json: rankings, groups of documents, and their attention-weighted rank fairness (AWRF).

    python3 -m venv ../venv
    ../venv/bin/pip install scipy==1.17.1
    ../venv/bin/python tests/reference/make_exposure.py

The track's own code is no package. `awrf` says here what `AWRFMetric.qr_awrf`, `discount` and `agg_alignments` say there
(github.com/fair-trec/trec2022-fair-public, wptrec/metrics/awrf.py, common.py and dimension.py) for one dimension without a
background distribution, such as `alpha`, whose target is the mean of the relevant pages (Task1Alignment.py). SciPy's
`jensenshannon` is what it calls. The discounts are of 32 bits there and of 64 here, which moves no value by more than 1e-6: this
is checked as well.
"""

import json
import pathlib
import random

import numpy as np
from scipy.spatial.distance import jensenshannon

OUT = pathlib.Path(__file__).parent / "exposure.json"
SEED = 20260102


def discount(n, width):
    ranks = np.maximum(np.arange(1, n + 1, dtype=width), 2)
    return np.reciprocal(np.log2(ranks))


def awrf(ranking, relevant, alignments, width="f8"):
    weights = discount(len(ranking), width)
    seen = (np.array([alignments[page] for page in ranking]) * weights[:, None]).sum(axis=0) / weights.sum()
    target = np.array([alignments[page] for page in relevant]).mean(axis=0)
    distance = jensenshannon(seen, target)
    return 1 - distance * distance


def case(rng, number):
    groups = [f"g{index}" for index in range(rng.randint(1, 6))]
    pages = [f"d{index:02}" for index in range(rng.randint(2, 40))]
    # One group, or several in equal parts.
    of_page = {page: rng.sample(groups, rng.choice([1, 1, 1, min(2, len(groups))])) for page in pages}
    ranking = rng.sample(pages, rng.randint(1, len(pages)))
    relevant = sorted(rng.sample(pages, rng.randint(1, len(pages))))
    if number % 25 == 0:
        # Nothing in common.
        for page in pages:
            of_page[page] = ["g0"] if page in relevant else ["g1"]
        ranking = [page for page in ranking if page not in relevant] or ranking
        groups = ["g0", "g1"]
    cutoff = rng.choice([1, 2, 3, 5, 10, 20])
    alignments = {page: [(group in own) / len(own) for group in groups] for page, own in of_page.items()}
    value = awrf(ranking[:cutoff], relevant, alignments)
    assert abs(value - awrf(ranking[:cutoff], relevant, alignments, "f4")) < 1e-6
    # A distance of 0 is the root of rounding.
    value = 1.0 if np.isnan(value) else float(value)
    own = {page: groups[0] if len(groups) == 1 else groups for page, groups in of_page.items()}
    return {"k": cutoff, "groups": own, "ranking": ranking, "relevant": relevant, "value": value}


def main():
    rng = random.Random(SEED)
    cases = [case(rng, number) for number in range(200)]
    OUT.write_text("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n")


if __name__ == "__main__":
    main()
