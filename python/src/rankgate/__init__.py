"""Retrieval quality gates: scores, paired significance tests, and what moved.

>>> import rankgate
>>> qrels = {"q1": {"d1": 1}, "q2": {"d3": 2}}
>>> run = {"q1": {"d1": 0.9, "d2": 0.4}, "q2": {"d2": 0.7, "d3": 0.6}}
>>> rankgate.evaluate(qrels, run, ["RR@10"]).mean
{'RR@10': 0.75}
"""

from ._compare import Comparison, Difference, compare
from ._errors import RankgateError, RankgateWarning
from ._evaluate import Evaluation, evaluate
from ._program import find_rankgate_bin
from ._retriever import Document, Hit, Query, Reply, Setup, retriever
from ._trec_eval import RelevanceEvaluator

__all__ = [
    "Comparison",
    "Difference",
    "Document",
    "Evaluation",
    "Hit",
    "Query",
    "RankgateError",
    "RankgateWarning",
    "RelevanceEvaluator",
    "Reply",
    "Setup",
    "compare",
    "evaluate",
    "find_rankgate_bin",
    "retriever",
]
