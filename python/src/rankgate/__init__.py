"""Retrieval quality gates: scores, paired significance tests, and what moved.

>>> import rankgate
>>> qrels = {"q1": {"d1": 1}, "q2": {"d3": 2}}
>>> run = {"q1": {"d1": 0.9, "d2": 0.4}, "q2": {"d2": 0.7, "d3": 0.6}}
>>> rankgate.evaluate(qrels, run, ["RR@10"]).mean
{'RR@10': 0.75}
"""

from ._compare import Comparison, Difference, compare
from ._errors import InputError, ProgramError, RankgateError, RankgateWarning
from ._evaluate import Evaluation, evaluate
from ._program import find_rankgate_bin
from ._retriever import Document, Hit, Query, Response, Setup, retriever
from ._trec_eval import RelevanceEvaluator, compute_aggregated_measure, parse_qrel, parse_run, supported_measures

__all__ = [
    "Comparison",
    "Difference",
    "Document",
    "Evaluation",
    "Hit",
    "InputError",
    "ProgramError",
    "Query",
    "RankgateError",
    "RankgateWarning",
    "RelevanceEvaluator",
    "Response",
    "Setup",
    "compare",
    "compute_aggregated_measure",
    "evaluate",
    "find_rankgate_bin",
    "parse_qrel",
    "parse_run",
    "retriever",
    "supported_measures",
]
