"""Scores of one run."""

import html
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _metrics
from ._errors import InputError
from ._inputs import Qrels, Run, as_files
from ._program import run as run_program
from ._program import run_json
from ._retriever import Query, Response


@dataclass(frozen=True, eq=False)
class Evaluation(Mapping[str, float]):
    """The scores of one run: a mapping of metrics to means, and a number if there is one metric.

    Metrics have the names that the command reports, such as ``nDCG@10`` for ``ndcg_cut_10``.

    >>> scores = evaluate({"q1": {"d1"}}, {"q1": ["d1", "d2"]}, "RR@10")
    >>> float(scores), dict(scores)
    (1.0, {'RR@10': 1.0})
    """

    mean: Mapping[str, float]
    """The mean of each metric over all judged queries."""
    interval: Mapping[str, tuple[float, float] | None]
    """The confidence interval of each mean; ``None`` where the data give none."""
    per_query: Mapping[str, Mapping[str, float]]
    """The scores of each judged query by metric, equal to the command's in every bit."""
    queries: int
    """How many queries are judged."""
    unanswered: int
    """How many of them the run does not answer; they score 0."""
    confidence: float
    """The confidence of the intervals, between 0 and 1."""
    notes: tuple[str, ...] = ()
    """What should be known beside the numbers."""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """All that ``rankgate eval --format json`` printed."""

    def __getitem__(self, metric: str) -> float:
        """The mean of a metric, by any name that it has.

        >>> evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 0.5}}, ["ndcg_cut_10"])["ndcg_cut_10"]
        1.0

        Raises:
            KeyError: It was not asked for.
        """
        name = _metrics.reported(metric, self.mean)
        if name is None:
            raise _metrics.not_there(metric, self.mean)
        return self.mean[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.mean)

    def __len__(self) -> int:
        return len(self.mean)

    def __float__(self) -> float:
        if len(self.mean) != 1:
            raise TypeError(f"a number is the mean of one metric; there are {', '.join(self.mean)}")
        return next(iter(self.mean.values()))

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``: a row for each query, a column for each metric. Needs pandas."""
        import pandas

        frame = pandas.DataFrame.from_dict({q: dict(s) for q, s in self.per_query.items()}, orient="index")
        frame.index.name = "query"
        return frame

    def __str__(self) -> str:
        width = max(map(len, self.mean), default=0)
        rows = [f"{name:{width}}  {mean:.4f}  {_interval(self.interval.get(name))}" for name, mean in self.mean.items()]
        return "\n".join([self._queries(), *rows, *(f"note: {note}" for note in self.notes)])

    def _queries(self) -> str:
        unanswered = f"; {self.unanswered} unanswered" if self.unanswered else ""
        return f"{self.queries} judged {'query' if self.queries == 1 else 'queries'}{unanswered}"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(metric)}</td><td>{mean:.4f}</td><td>{_interval(self.interval.get(metric))}</td></tr>"
            for metric, mean in self.mean.items()
        )
        notes = "".join(f"<p>note: {html.escape(note)}</p>" for note in self.notes)
        return (
            f"<table><thead><tr><th>metric</th><th>mean</th><th>{self.confidence:.0%} interval</th></tr></thead>"
            f"<tbody>{rows}</tbody></table><p>{self._queries()}</p>{notes}"
        )


def _interval(interval: tuple[float, float] | None) -> str:
    return "-" if interval is None else f"[{interval[0]:.4f}, {interval[1]:.4f}]"


def evaluate(
    qrels: Qrels,
    run: Run | Callable[[Query, int], Any],
    metrics: str | Iterable[object] | None = None,
    *,
    queries: Mapping[str, str] | None = None,
    depth: int = 100,
    confidence: float = 0.95,
    relevant_from: int = 1,
    skip_queries_without_relevant: bool = False,
    skip_unanswered: bool = False,
) -> Evaluation:
    """Scores a run, or a function that searches, against judgments.

    Means are taken over all judged queries: a query that the run does not answer scores 0.

    Args:
        qrels: Judgments, as ``{query: {document: grade}}``, a path (TREC, BEIR, JSON, Parquet), a frame with columns such as
            ``query_id``, ``doc_id``, ``relevance``, or rows as ir_measures has them. Grades are whole numbers. A set of ids,
            as in ``{query: {document, ...}}``, is a mapping with grade 1. For a function: a spec, a folder in the layout of
            BEIR, or judgments with ``queries``.
        run: A run in the same forms, with a finite score for each document; the highest is first. Equal scores are ordered by
            document, descending, as ``trec_eval`` does. In place of a mapping of documents, a query may have a list of
            (id, score), of which equal ones keep their order, or of ids, best first. Or a function of a :class:`Query` and a
            depth that returns such a list.
        metrics: One name or several, as ir_measures, trec_eval or ranx write them: ``nDCG@10``, ``ndcg_cut_10``, ``ndcg@10``.
            By default those that ``rankgate eval`` reports.
        queries: The texts of queries by id, for a function.
        depth: How many documents the function is asked for.
        confidence: The confidence of the intervals of means, between 0 and 1.
        relevant_from: The lowest grade that counts as relevant.
        skip_queries_without_relevant: Leaves out judged queries without a relevant document, instead of scoring them 0.
        skip_unanswered: Takes means over answered queries alone, as ``trec_eval`` does without ``-c``.

    What makes the scores worthless, such as a run of which nothing was judged, is a :class:`RankgateWarning` and stands among
    the notes.

    Raises:
        InputError: Whatever is wrong with an input or a name.

    >>> qrels = {"q1": {"d1": 1}, "q2": {"d3": 2}}
    >>> run = {"q1": {"d1": 0.9, "d2": 0.4}, "q2": {"d2": 0.7, "d3": 0.6}}
    >>> scores = evaluate(qrels, run, ["RR@10", "P@1"])
    >>> scores["RR@10"], scores.per_query["q2"]
    (0.75, {'RR@10': 0.5, 'P@1': 0.0})
    >>> evaluate(qrels, lambda query, depth: ["d3"], "RR@10", queries={"q1": "invoice", "q2": "password"})["RR@10"]
    0.5
    """
    names = [] if metrics is None else _metrics.as_list(metrics)
    if callable(run):
        qrels, asked = _to_ask(qrels, queries)
        answers = ((query.id, run(query, depth)) for query in asked)
        run = {id: answer.hits if isinstance(answer, Response) else answer for id, answer in answers}
    elif queries is not None:
        raise InputError("`queries` are for a function that searches, and this is a run")
    with tempfile.TemporaryDirectory(prefix="rankgate-") as folder:
        files = as_files(Path(folder), qrels, run=run)
        options = ["--confidence", repr(float(confidence)), "--relevant-from", str(int(relevant_from))]
        options += ["--skip-queries-without-relevant"] * skip_queries_without_relevant + ["--skip-unanswered"] * skip_unanswered
        found, _, notes = run_json(
            ["eval", "--per-query", "--format", "json", *options, *_metrics.arguments(names), "--", *files],
            folder=folder,
            parameters=("metric", "confidence", "relevant_from", "skip_queries_without_relevant", "skip_unanswered"),
        )
    return Evaluation(
        mean=found["mean"],
        interval={metric: interval and tuple(interval) for metric, interval in found["interval"].items()},
        per_query=found["per_query"],
        queries=found["queries"],
        unanswered=found["unanswered"],
        confidence=found["confidence"],
        notes=notes,
        raw=found,
    )


def _to_ask(collection: Qrels, queries: Mapping[str, str] | None) -> tuple[Qrels, list[Query]]:
    """The judgments and the queries of a collection."""
    if queries is not None:
        return collection, [Query(text, id=id) for id, text in queries.items()]
    if not isinstance(collection, str | os.PathLike):
        raise InputError("a function is asked for the texts of queries: pass `queries`, or the path of a collection")
    text, _, _ = run_program(["documents", "--queries", "--", os.fspath(collection)])
    lines = [json.loads(line) for line in text.splitlines()]
    asked = [Query(one["text"], id=one["_id"], metadata=one.get("metadata")) for one in lines]
    return {one["_id"]: one["judgments"] for one in lines}, asked
