"""The interface of pytrec_eval, for scripts that change one import."""

from collections.abc import Collection, Mapping

from ._errors import RankgateError
from ._evaluate import evaluate


class RelevanceEvaluator:
    """What ``pytrec_eval.RelevanceEvaluator`` is: judgments and measures, asked for the scores of runs.

    Measures are those of ``trec_eval``, each one metric: ``map``, ``ndcg_cut_10``, ``P_5``. Scores stand under the names that
    were given. As there, queries that the run does not answer are left out.

    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 1}}, {"map", "ndcg_cut_10"})
    >>> sorted(evaluator.evaluate({"q1": {"d1": 0.5}})["q1"].items())
    [('map', 1.0), ('ndcg_cut_10', 1.0)]
    """

    def __init__(self, query_relevance: Mapping[str, Mapping[str, int]], measures: Collection[str], relevance_level: int = 1):
        self._qrels = query_relevance
        self._measures = sorted(measures)
        self._level = relevance_level

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """The scores of each query that is judged and answered, by measure.

        Raises:
            RankgateError: Whatever is wrong with a run or a measure, and a measure that stands for several metrics.
        """
        found = evaluate(self._qrels, scores, self._measures, relevant_from=self._level)
        if len(found.mean) != len(self._measures):
            raise RankgateError(
                f"name each metric by itself: {', '.join(self._measures)} stand for {', '.join(found.mean)}"
            )
        typed = dict(zip(self._measures, found.mean, strict=True))
        return {
            query: {measure: values[metric] for measure, metric in typed.items()}
            for query, values in found.per_query.items()
            if query in scores
        }
