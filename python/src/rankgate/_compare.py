"""Two runs: is one better, and how sure is that?"""

import difflib
import html
import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from . import _metrics
from ._errors import InputError
from ._inputs import Qrels, Run, as_files
from ._program import EXPECTED, in_python, run_json

Expect = Literal["no-regression", "non-inferiority", "improvement", "equivalence", "identical"]


@dataclass(frozen=True)
class Difference:
    """How a candidate differs from its baseline on one metric."""

    metric: str
    """The metric, by the name that the command reports."""
    baseline_mean: float
    """The mean of the baseline, in the metric's own units."""
    candidate_mean: float
    """The mean of the candidate."""
    difference: float
    """The candidate's mean minus the baseline's."""
    interval: tuple[float, float] | None
    """The confidence interval of the difference, not adjusted for several metrics; ``None`` where there is none."""
    p_value: float
    """The two-sided p-value, from 0 to 1, adjusted for the number of metrics."""
    conclusion: str
    """What is shown: ``better``, ``worse``, ``not_significant`` or ``identical``; ``higher`` or ``lower`` where more is not better."""
    wins: int
    """Queries on which the candidate scores higher."""
    ties: int
    """Queries on which both score the same."""
    losses: int
    """Queries on which the candidate scores lower."""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """All that ``rankgate compare --format json`` printed of it."""


@dataclass(frozen=True)
class Comparison:
    """What came of comparing two runs."""

    differences: tuple[Difference, ...]
    """One for each metric, in the order in which they were asked for."""
    passed: bool | None
    """Whether what was expected holds of every metric; ``None`` where nothing was expected."""
    message: str
    """What a failed gate says: the numbers, why it is decided so, and which queries moved."""
    confidence: float
    """The confidence of the intervals, between 0 and 1."""
    warnings: tuple[str, ...] = ()
    """What should be known before the verdicts are believed, such as a large drop that so few queries cannot show."""
    notes: tuple[str, ...] = ()
    """What should be known beside the numbers."""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """All that ``rankgate compare --format json`` printed."""

    def __getitem__(self, metric: str) -> Difference:
        """The difference on a metric, by any name that it has.

        Raises:
            KeyError: It was not asked for.
        """
        by_name = {one.metric: one for one in self.differences}
        name = _metrics.reported(metric, by_name)
        if name is None:
            raise _metrics.not_there(metric, by_name)
        return by_name[name]

    def assert_passed(self) -> None:
        """Raises an ``AssertionError`` with the message unless what was expected holds.

        Raises:
            InputError: Nothing was expected.
        """
        __tracebackhide__ = True
        if self.passed is None:
            raise InputError('nothing was expected: pass `expect`, as in expect="no-regression"')
        if not self.passed:
            raise AssertionError(str(self))

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``: a row for each metric. Needs pandas."""
        import pandas

        return pandas.DataFrame(
            [
                {
                    "metric": one.metric,
                    "baseline": one.baseline_mean,
                    "candidate": one.candidate_mean,
                    "difference": one.difference,
                    "low": one.interval[0] if one.interval else None,
                    "high": one.interval[1] if one.interval else None,
                    "p_value": one.p_value,
                    "conclusion": one.conclusion,
                    "wins": one.wins,
                    "ties": one.ties,
                    "losses": one.losses,
                }
                for one in self.differences
            ]
        ).set_index("metric")

    def __str__(self) -> str:
        # Whatever no message of a metric says already.
        said = " ".join(self.message.split())
        warnings = [f"warning: {one}" for one in self.warnings if " ".join(one.split()) not in said]
        return "\n".join([self.message, *warnings, *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        def cells(one: Difference) -> str:
            interval = f"[{one.interval[0]:.4f}, {one.interval[1]:.4f}]" if one.interval else "-"
            values = (
                html.escape(one.metric),
                f"{one.baseline_mean:.4f}",
                f"{one.candidate_mean:.4f}",
                f"{one.difference:+.4f}",
                interval,
                f"{one.p_value:.4g}",
                html.escape(one.conclusion),
            )
            return "".join(f"<td>{value}</td>" for value in values)

        heads = ("metric", "baseline", "candidate", "difference", f"{self.confidence:.0%} interval", "p", "conclusion")
        head = "".join(f"<th>{name}</th>" for name in heads)
        rows = "".join(f"<tr>{cells(one)}</tr>" for one in self.differences)
        verdict = {None: "", True: "<p>passed</p>", False: "<p><strong>failed</strong></p>"}[self.passed]
        known = [f"warning: {one}" for one in self.warnings] + [f"note: {one}" for one in self.notes]
        below = "".join(f"<p>{html.escape(one)}</p>" for one in known)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{verdict}{below}"


def compare(
    qrels: Qrels,
    baseline: Run,
    candidate: Run,
    metrics: str | Iterable[object] | None = None,
    *,
    expect: Expect | None = None,
    margin: float | None = None,
    min_coverage: float | None = None,
    confidence: float = 0.95,
    relevant_from: int = 1,
    seed: int = 1,
) -> Comparison:
    """Says whether a run differs from another, and how sure that is.

    Queries are paired; all judged queries count, and one that a run does not answer scores 0. p-values are those of
    exact or resampled permutation tests, adjusted for the number of metrics; a gain or a kept
    margin counts an unseen query as well, and a gain has the larger p-value of both. The same inputs and ``seed`` give the same bits.

    Args:
        qrels: Judgments, as :func:`evaluate` takes them.
        baseline: The run that is compared with, as :func:`evaluate` takes runs.
        candidate: The run that is compared.
        metrics: One name or several; ``nDCG@10`` by default.
        expect: What the candidate is held to: ``no-regression``, ``non-inferiority``, ``improvement``, ``equivalence`` or
            ``identical``.
        margin: In the metric's own units: the drop that ``no-regression`` forgives, the gain that ``improvement`` requires, the
            loss that ``non-inferiority`` and the difference that ``equivalence`` accept.
        min_coverage: The share of judged queries, from 0 to 1, that both runs must answer. Less is an error. 0.9 by default.
        confidence: The confidence of the intervals, between 0 and 1; with it the level of the tests.
        relevant_from: The lowest grade that counts as relevant.
        seed: What random numbers are derived from.

    Raises:
        InputError: Whatever is wrong with an input or a name, and a coverage that is too low.

    >>> qrels = {f"q{n}": {"good": 1} for n in range(12)}
    >>> old = {f"q{n}": {"good": 1.0} | {f"bad{i}": 2.0 for i in range(1 + n % 3)} for n in range(12)}
    >>> new = {f"q{n}": {"good": 2.0, "bad": 1.0} for n in range(12)}
    >>> result = compare(qrels, old, new, ["RR@10"], expect="improvement")
    >>> result.passed, round(result["RR@10"].difference, 2), result["RR@10"].conclusion
    (True, 0.64, 'better')
    """
    names = _metrics.as_list("nDCG@10" if metrics is None else metrics)
    if expect is not None and expect not in EXPECTED:
        near = difflib.get_close_matches(str(expect).lower().replace("_", "-"), EXPECTED, n=1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(f"expect={expect!r} is none of {', '.join(EXPECTED)}{meant}")
    if expect in ("non-inferiority", "equivalence") and margin is None:
        raise InputError(f"expect={expect!r} needs `margin`: the largest difference to put up with, as in margin=0.02")
    with tempfile.TemporaryDirectory(prefix="rankgate-") as folder:
        place = Path(folder)
        report = place / "report.json"
        files = as_files(place, qrels, baseline=baseline, candidate=candidate)
        options = ["--confidence", repr(float(confidence)), "--relevant-from", str(int(relevant_from))]
        options += ["--seed", str(int(seed)), "--report", str(report)]
        options += ["--expect", expect] if expect is not None else []
        shares = (("--margin", margin), ("--min-coverage", min_coverage))
        for name, value in shares:
            options += [name, repr(float(value))] if value is not None else []
        found, status, notes = run_json(
            ["compare", "--format", "json", *options, *_metrics.arguments(names), "--", *files],
            passes=(0, 1),
            folder=folder,
            parameters=_PARAMETERS,
        )
        gates = json.loads(report.read_text(encoding="utf-8"))["gates"]
    differences = tuple(
        Difference(
            metric=one["metric"],
            baseline_mean=one["baseline_mean"],
            candidate_mean=one["candidate_mean"],
            difference=one["difference"],
            interval=one["interval"] and tuple(one["interval"]),
            p_value=one["p_adjusted"],
            conclusion=_CONCLUSIONS.get(one["conclusion"], one["conclusion"]),
            wins=one["wins"],
            ties=one["ties"],
            losses=one["losses"],
            raw=one,
        )
        for one in found["comparisons"]
    )
    warnings = (warning["text"] for gate in gates for warning in gate.get("warnings", ()))
    return Comparison(
        differences=differences,
        passed=None if expect is None else status == 0,
        message="\n\n".join(in_python(gate["message"].rstrip(), _PARAMETERS) for gate in gates),
        confidence=confidence,
        warnings=tuple(in_python(one, _PARAMETERS) for one in dict.fromkeys(warnings)),
        notes=notes,
        raw=found,
    )


_CONCLUSIONS = {"not-significant": "not_significant"}
# What the options of the command are called here, in what it says.
_PARAMETERS = (
    *("metric", "expect", "margin", "min_coverage"),
    *("confidence", "relevant_from", "seed"),
)
