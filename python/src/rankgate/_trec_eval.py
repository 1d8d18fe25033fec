"""The interface of pytrec_eval, for scripts that change one import."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from . import _metrics
from ._errors import InputError
from ._evaluate import evaluate
from ._inputs import as_text

_CUTOFFS: tuple[str, ...] = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_LEVELS = tuple(f"{level / 10:.2f}" for level in range(11))
#: Measures that are several, with what stands behind their names by default.
_PARAMETERS = dict.fromkeys(("P", "recall", "relative_P", "map_cut", "ndcg_cut"), _CUTOFFS)
_PARAMETERS |= {"success": ("1", "5", "10"), "iprec_at_recall": _LEVELS}
_PARAMETRIZED = re.compile(rf"({'|'.join(_PARAMETERS)})(?:[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*))?")
_COUNTS = ("num_ret", "num_rel", "num_rel_ret")
_SETS = (*_COUNTS, "set_P", "set_recall", "set_F")
_OFFICIAL = (*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")

#: Measures of ``trec_eval`` that are computed here.
supported_measures = frozenset({*_PARAMETERS, *_SETS, *_OFFICIAL, "ndcg", "infAP"})
#: Names for several of them.
supported_nicknames = {"official": {*_OFFICIAL}, "set": {*_SETS}, "all_trec": {*supported_measures}}

Number = TypeVar("Number", int, float)
# The lowest value of which `trec_eval` takes the logarithm.
_LEAST = 0.00001


class RelevanceEvaluator:
    """What ``pytrec_eval.RelevanceEvaluator`` is: judgments and measures, asked for the scores of runs.

    Measures are those of ``trec_eval``, such as ``map``, ``ndcg_cut.1,3,5`` and ``P``, and all other names of metrics. As in
    pytrec_eval, scores have the names that ``trec_eval`` prints, and queries that the run does not answer are left out.

    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 1}}, {"map", "ndcg_cut.1,10"})
    >>> sorted(evaluator.evaluate({"q1": {"d1": 0.5}})["q1"].items())
    [('map', 1.0), ('ndcg_cut_1', 1.0), ('ndcg_cut_10', 1.0)]
    """

    def __init__(self, query_relevance: Mapping[str, Mapping[str, int]], measures: Iterable[str], relevance_level: int = 1):
        self._qrels = query_relevance
        expanded = (one for measure in measures for one in supported_nicknames.get(measure, (measure,)))
        self._names = _printed(expanded)
        self._level = relevance_level

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """The scores of each query that is judged and answered, by measure; queries are called as in ``scores``.

        Raises:
            InputError: Whatever is wrong with a run or a measure.
        """
        if not scores:
            return {}
        found = evaluate(self._qrels, scores, self._names, relevant_from=self._level)
        metrics = {name: _metrics.stands_for(name) for name in self._names}
        for name, several in metrics.items():
            if len(several) != 1:
                raise InputError(f"name each metric by itself: {name} stands for {', '.join(several)}")
        # Ids are texts to the command, and stay here what they were.
        queries = {as_text(query, "run"): query for query in scores}
        return {
            queries[query]: {name: _logarithm(name, values[metric]) for name, (metric,) in metrics.items()}
            for query, values in found.per_query.items()
            if query in queries
        }


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """The value of all queries, from those of each: the sum of ``num_...``, the geometric mean of ``gm_...``, else the mean.

    >>> compute_aggregated_measure("map", [0.25, 0.75]), compute_aggregated_measure("num_ret", [3, 4])
    (0.5, 7.0)
    """
    if measure.startswith("num_"):
        return float(math.fsum(values))
    mean = math.fsum(values) / len(values)
    return math.exp(mean) if measure.startswith("gm_") else mean


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Reads the lines of a run in TREC's format.

    >>> parse_run(["q1 Q0 d1 1 12.5 mine"])
    {'q1': {'d1': 12.5}}

    Raises:
        InputError: A line that is none, or a document that a query has twice.
    """
    return _parsed(f_run, "QUERY Q0 DOCUMENT RANK SCORE NAME", 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Reads the lines of judgments in TREC's format.

    >>> parse_qrel(["q1 0 d1 2"])
    {'q1': {'d1': 2}}

    Raises:
        InputError: A line that is none, or a document that a query has twice.
    """
    return _parsed(f_qrel, "QUERY 0 DOCUMENT GRADE", 3, int)


def _parsed(
    lines: Iterable[str], form: str, at: int, number: Callable[[str], Number]
) -> dict[str, dict[str, Number]]:
    found: dict[str, dict[str, Number]] = {}
    for place, line in enumerate(lines, 1):
        fields = line.split()
        try:
            if len(fields) != len(form.split()):
                raise ValueError
            value = number(fields[at])
        except ValueError:
            raise InputError(f"line {place}: expected `{form}`, found {line.strip()!r}") from None
        documents = found.setdefault(fields[0], {})
        if fields[2] in documents:
            raise InputError(f"line {place}: query {fields[0]!r} has the document {fields[2]!r} twice")
        documents[fields[2]] = value
    return found


def _printed(measures: Iterable[str]) -> list[str]:
    """The names under which ``trec_eval`` prints measures. It prints its own numbers only if none are typed."""
    typed: dict[str, set[str]] = {}
    names: set[str] = set()
    for measure in measures:
        if found := _PARAMETRIZED.fullmatch(measure):
            group, numbers = found.groups()
            typed.setdefault(group, set()).update(numbers.split(",") if numbers else ())
        else:
            names.add(measure)
    for group, given in typed.items():
        is_level = group == "iprec_at_recall"
        names.update(f"{group}_{float(one):.2f}" if is_level else f"{group}_{one}" for one in given or _PARAMETERS[group])
    return sorted(names)


def _logarithm(measure: str, score: float) -> float:
    """The score of one query, of which `trec_eval` takes the logarithm for geometric means."""
    return math.log(max(score, _LEAST)) if measure.startswith("gm_") else score
