"""Names of metrics, as they are typed and as they are reported."""

import functools
import json
import tempfile
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from ._errors import InputError
from ._program import run_json


def as_list(metrics: str | Iterable[object]) -> list[str]:
    """One name or several; whatever stands for a metric elsewhere stands for its text.

    Raises:
        InputError: No name at all.
    """
    names = [metrics] if isinstance(metrics, str) else [str(metric) for metric in metrics]
    if not any(name.strip(" ,") for name in names):
        raise InputError("metrics: no metric is named; leave `metrics` out for the usual ones")
    return names


def arguments(metrics: Sequence[str]) -> list[str]:
    return [word for metric in metrics for word in ("--metric", metric)]


def reported(typed: str, among: Collection[str]) -> str | None:
    """The name among the reported ones of what may be typed otherwise; none where it is none of them, or several."""
    if typed in among:
        return typed
    try:
        names = stands_for(typed)
    except InputError:
        return None
    return names[0] if len(names) == 1 and names[0] in among else None


@functools.lru_cache(maxsize=1024)
def stands_for(typed: str) -> tuple[str, ...]:
    """The metrics that a name stands for, as they are reported; a group stands for several.

    The command knows that, and nobody else: it is asked to score one document.

    Raises:
        InputError: No such metric.
    """
    with tempfile.TemporaryDirectory(prefix="rankgate-") as folder:
        files = [Path(folder, name) for name in ("qrels", "run")]
        for file in files:
            # A grade that is relevant to every metric.
            file.write_text(json.dumps({"q": {"d": 4}}), encoding="utf-8")
        found, _, _ = run_json(["eval", "--format", "json", "--metric", typed, "--", *map(str, files)], folder=folder)
    return tuple(found["mean"])


def not_there(metric: str, among: Iterable[str]) -> KeyError:
    return KeyError(f"no metric {metric!r} was asked for; there are {', '.join(among)}")
