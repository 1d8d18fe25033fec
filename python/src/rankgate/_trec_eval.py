"""The interface of pytrec_eval, for scripts that change one import."""

from collections.abc import Collection, Mapping

from . import _metrics
from ._errors import RankgateError
from ._evaluate import evaluate
from ._inputs import as_text


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
        """The scores of each query that is judged and answered, by measure; queries are called as in ``scores``.

        Raises:
            RankgateError: Whatever is wrong with a run or a measure, and a measure that stands for several metrics.
        """
        found = evaluate(self._qrels, scores, self._measures, relevant_from=self._level)
        names = {measure: _metrics.stands_for(measure) for measure in self._measures}
        several = {measure: metrics for measure, metrics in names.items() if len(metrics) != 1}
        if several:
            told = "; ".join(f"{measure} stands for {', '.join(metrics)}" for measure, metrics in several.items())
            raise RankgateError(f"name each metric by itself: {told}")
        # Ids are texts to the command, and stay here what they were.
        queries = {as_text(query, "run"): query for query in scores}
        return {
            queries[query]: {measure: values[metrics[0]] for measure, metrics in names.items()}
            for query, values in found.per_query.items()
            if query in queries
        }
