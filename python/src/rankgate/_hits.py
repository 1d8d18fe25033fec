"""Rankings as Python programs return them: lists of ids, or of (id, score)."""

import math
from collections.abc import Iterable, Mapping, MappingView, Set
from typing import Any


class Refused(Exception):
    """What was returned is no answer; ``found`` is what it was."""

    def __init__(self, text: str, found: Any = None):
        super().__init__(text)
        self.found = found


def read_hits(answer: Any, expected: str) -> list[Any]:
    """The hits of an answer, best first: an id, or a list of an id and a score. ``expected`` begins the text of an error.

    Raises:
        Refused: It is no ranking.
    """
    hits: list[Any] = []
    found = in_order(answer, expected)
    # As FAISS and bm25s answer; two hits of two values each look the same.
    apart = isinstance(answer, tuple) and len(found) == 2 and all(isinstance(one, tuple | list) for one in found)
    for hit in found:
        if _is_array(hit) or apart and len(hit) != 2:
            zipped = "zip(ids[0], scores[0])" if _is_nested(hit) else "zip(ids, scores)"
            kind = "an array" if _is_array(hit) else a(hit)
            apart_from = "where a library returns ids and scores apart"
            raise Refused(f"a hit is (id, score), found {kind}; {apart_from}: `list({zipped})`", hit)
        if isinstance(hit, str) or hasattr(hit, "__index__"):
            hits.append(_id(hit, hit))
            continue
        if not isinstance(hit, tuple | list):
            raise Refused(f"a hit is (id, score) or an id, found {a(hit)}", hit)
        if len(hit) != 2:
            raise Refused(f"a hit is (id, score), found {a(hit)} of {len(hit)}", hit)
        id = _id(hit[0], hit)
        try:
            score = float(hit[1])
        except (TypeError, ValueError):
            raise Refused(f"a hit is (id, score), and its score is {a(hit[1])}, which is no number", hit) from None
        if not math.isfinite(score):
            raise Refused(f"a score is {score}, and scores are finite numbers", hit)
        hits.append([id, score])
    return hits


def in_order(answer: Any, expected: str) -> list[Any]:
    """The parts of an answer whose order means something."""
    if isinstance(answer, Set | Mapping | MappingView):
        raise Refused(f"{expected}, best first, found {a(answer)}: its order is no ranking", answer)
    if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
        raise Refused(f"{expected}, found {a(answer)}", answer)
    return list(answer)


def a(value: Any) -> str:
    """The kind of a value: the text is the same for each query that goes wrong alike."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"


def _is_array(value: Any) -> bool:
    """Whether it is an array of numpy or torch, and no single value of one."""
    return getattr(value, "ndim", 0) > 0


def _is_nested(value: Any) -> bool:
    """Whether it has a row for each query, as where many are asked at once."""
    if isinstance(value, tuple | list):
        return any(isinstance(one, tuple | list) or _is_array(one) for one in value)
    return getattr(value, "ndim", 1) > 1


def _id(id: Any, hit: Any) -> str:
    if isinstance(id, str):
        return id
    if _is_array(id) or not hasattr(id, "__index__"):
        raise Refused(f"a hit is (id, score), and its id is {a(id)}, which is neither text nor a whole number", hit)
    return str(id.__index__())
