"""Names of metrics, as they are typed and as they are reported."""

from collections.abc import Iterable, Sequence


def as_list(metrics: str | Iterable[object]) -> list[str]:
    """One name or several; whatever stands for a metric elsewhere stands for its text."""
    return [metrics] if isinstance(metrics, str) else [str(metric) for metric in metrics]


def arguments(metrics: Sequence[str]) -> list[str]:
    return [word for metric in metrics for word in ("--metric", metric)]


def aliases(typed: Sequence[str], reported: Sequence[str]) -> dict[str, str]:
    """The reported name by the typed one, where each typed name stands for one metric."""
    return dict(zip(typed, reported, strict=True)) if len(typed) == len(reported) else {}
