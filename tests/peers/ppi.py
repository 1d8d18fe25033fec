"""Holds corrected values to prediction-powered inference as PyPI's ppi-python computes it: `.ci/peers ppi`.

    python tests/peers/ppi.py target/debug/rankgate

The example of a judge has two thresholds and a comparison on 162 queries, of which people judged 40. From the scores by
query that its report has, the model's f and people's y, numpy computes the weight L (the slope of y in f) and
`ppi_py.ppi_mean_pointestimate` the value with lambda = L (N - n) / N. Both have to be the report's, to 1e-9.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy
from ppi_py import ppi_mean_pointestimate

ROOT = pathlib.Path(__file__).resolve().parents[2]
METRIC = "nDCG@10"
EQUAL = 1e-9


def report(program):
    """The report of the example, carried out in a copy."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "examples"
        for part in ("judge", "data"):
            shutil.copytree(ROOT / "examples" / part, copy / part)
        command = [program, "run", "benchmarks/helpdesk.yaml", "--format", "json"]
        variables = {key: value for key, value in os.environ.items() if key not in ("CI", "GITHUB_ACTIONS")}
        done = subprocess.run(command, cwd=copy / "judge", env=variables, capture_output=True, text=True)
        return json.loads(done.stdout)


def scores(configuration):
    """By query: the model's score, and people's where they judged the query whole."""
    both = {}
    for query in configuration["outcome"]["measured"]["queries"]:
        judged = query["judged"][METRIC]
        both[query["id"]] = (judged["model"], judged.get("people"))
    return both


def estimate(pairs):
    """The weight and the value."""
    drawn = [(model, people) for model, people in pairs if people is not None]
    rest = [model for model, people in pairs if people is None]
    f, y = (numpy.array(values) for values in zip(*drawn))
    slope = ((f - f.mean()) @ (y - y.mean())) / ((f - f.mean()) @ (f - f.mean()))
    share = len(rest) / len(pairs)
    return slope, float(ppi_mean_pointestimate(y, f, numpy.array(rest), lam=slope * share)[0])


def main():
    told = report(pathlib.Path(sys.argv[1]).resolve())
    by_name = {one["name"]: scores(one) for one in told["configurations"]}
    compared = 0
    for gate in told["gates"]:
        finding = gate["finding"]
        corrected = finding.get("corrected")
        if corrected is None:
            continue
        if finding["kind"] == "comparison":
            candidate, baseline = by_name[finding["candidate"]], by_name[finding["baseline"]]
            value = finding["difference"]

            def less(one, other):
                return None if one is None or other is None else one - other

            pairs = [tuple(map(less, candidate[query], baseline[query])) for query in sorted(candidate)]
        else:
            value = finding["measured"]["value"]
            pairs = [both for _, both in sorted(by_name[gate["configuration"]].items())]
        slope, expected = estimate(pairs)
        if abs(slope - corrected["weight"]) > EQUAL or abs(expected - value) > EQUAL:
            sys.exit(f"{gate['name']}: weight {corrected['weight']}, value {value}; ppi-python {slope}, {expected}")
        print(f"{gate['name']}: weight {slope:.4f}, value {expected:.4f}, as ppi-python")
        compared += 1
    if compared != 3:
        sys.exit(f"{compared} corrected gates, not 3")


if __name__ == "__main__":
    main()
