#!/usr/bin/env python3
"""How many queries show what tests of planning ask for, found by drawing samples and weighing each at random.

    python3 -m venv ../venv
    ../venv/bin/pip install numpy==2.4.6 scipy==1.17.1
    ../venv/bin/python tests/peers/planning.py

Nothing of rankgate is called: the rule is that of docs/statistics-methods.md, by Monte Carlo. Expected values in
`crates/rankgate-cli/src/offline`
are these numbers, within a twentieth.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

SAMPLES, WEIGHINGS, LEVEL, POWER = 3_000, 4_000, 0.025, 0.8
random = np.random.default_rng(1)


def unseen_p(samples, loss, null):
    """Of each sample how often its mean and one more query that loses so much is at most the null."""
    weights = random.exponential(size=(samples.shape[1] + 1, WEIGHINGS))
    unseen = np.full((len(samples), 1), -loss)
    return (np.hstack([samples, unseen]) - null) @ weights <= 0


def power(values, shares, queries, loss, null, signs):
    samples = random.choice(values, p=shares, size=(SAMPLES, queries))
    parts = np.array_split(samples, 6)
    shown = np.concatenate([unseen_p(part, loss, null).mean(axis=1) for part in parts]) <= LEVEL
    if signs:
        # All differences that are not 0 have one size: the permutation test is a sign test.
        gained, moved = (samples > 0).sum(axis=1), (samples != 0).sum(axis=1)
        shown &= binom.sf(gained - 1, moved, 0.5) <= LEVEL
    return shown.mean()


def needed(name, values, shares, loss, null, signs, numbers):
    powers = [power(values, shares, number, loss(number), null, signs) for number in numbers]
    slope, start = np.polyfit(np.sqrt(numbers), powers, 1)
    print(f"{name}: {((POWER - start) / slope) ** 2:.1f}")


def loss(scores, low=0.0, width=1.0):
    """What an unseen query loses beside so many scores like these: at least half the range."""
    above = np.asarray(scores, float) - low
    return lambda queries: max((queries * (above**2).mean() + width**2) / (queries * above.mean() + width), width / 2)


needed("gains of 1/2, 1/2, -1/2 and 0 of RR 1/2, 1/2, 1, 1", [0.5, -0.5, 0], [0.5, 0.25, 0.25],
       loss([0.5, 0.5, 1, 1]), 0.0, True, [90, 98, 106, 114, 122])
needed("two runs of P@2", [0.5, -0.5, 0], [0.4, 0.2, 0.4], loss([0, 0, 0.5, 0.5, 1]), 0.0, True,
       [115, 122, 129, 136, 143])

# The example of `plan`: from -1/4 to 1/4, scores from the least to 1, tilted to a mean of 0, held against a margin.
values = np.array([(at * 7 % 11 - 5) / 20 for at in range(40)])
tilt = brentq(lambda tilt: (np.exp(tilt * values) * values).sum(), -5, 5)
shares = np.exp(tilt * values)
needed("a margin of .05", values, shares / shares.sum(), loss(np.zeros(40), -0.25, 1.25), -0.05, False,
       [85, 90, 95, 100, 105])
