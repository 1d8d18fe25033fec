"""Retrievers of this process: what `retriever: NAME` of a spec means under pytest."""

import difflib
import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from ._errors import InputError
from ._messages import FORMAT, error_text, read_messages
from ._program import find_rankgate_bin


class Query(str):
    """A query: its text, with what else the collection says of it.

    >>> query = Query("reset password", id="q7", metadata={"lang": "en"})
    >>> query.upper(), query.id, query.metadata["lang"]
    ('RESET PASSWORD', 'q7', 'en')
    """

    id: str
    """The query's id."""
    metadata: Mapping[str, Any]
    """Everything else that the collection says of it."""

    def __new__(cls, text: str, *, id: str, metadata: Mapping[str, Any] | None = None) -> "Query":
        query = super().__new__(cls, text)
        query.id = id
        query.metadata = dict(metadata or {})
        return query

    @property
    def text(self) -> str:
        """The text alone."""
        return str(self)


@dataclass(frozen=True)
class Document:
    """A document of the collection."""

    id: str
    text: str
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Everything else that the collection says of it."""


#: A document's id, alone or with its score, which is a finite number.
Hit: TypeAlias = str | int | tuple[str | int, float]
#: Documents: ranked by score, equal ones as they stand; without scores, best first. None at all is an answer, too.
Hits: TypeAlias = Iterable[Hit]


@dataclass(frozen=True)
class Response:
    """Hits with what came before or after them, where the retriever is a whole pipeline (docs/rag.md).

    >>> Response(["d2", "d1"], scores={"tokens": 812}).answer is None
    True
    """

    hits: Hits = ()
    answer: str | Mapping[str, Any] | None = None
    """The answer's text, or a mapping of ``text``, ``contexts``, ``citations``, ``declined``."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """Numbers about the answer, such as its ``tokens`` or its ``cost``: columns that gates read (docs/scores.md)."""


F = TypeVar("F", bound="Callable[[Setup], Any]")


class Params(Mapping[str, Any]):
    """The ``params:`` of a configuration; it is known which of them were read."""

    def __init__(self, values: Mapping[str, Any]):
        self._values = dict(values)
        self._unread = set(self._values)

    def __getitem__(self, name: str) -> Any:
        self._unread.discard(name)
        if name not in self._values:
            raise KeyError(self._absent(name))
        return self._values[name]

    def _absent(self, name: str) -> str:
        near = difflib.get_close_matches(name, self._values, n=1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        return f"the spec sets no parameter {name!r} for this configuration{meant}"

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)

    def unread(self) -> list[str]:
        """The parameters that nobody read, sorted."""
        return sorted(self._unread)


@dataclass(frozen=True)
class Setup:
    """What a retriever is built from."""

    benchmark: str
    """The benchmark's name."""
    configuration: str
    """The configuration's name."""
    params: Params
    """The ``params:`` of the configuration. One that the function does not read is an error: it may be misspelt."""
    depth: int
    """How many documents each query will be asked for, at least 1."""
    spec: Path
    """The spec's file."""

    @property
    def folder(self) -> Path:
        """The folder of the spec, which relative paths among the parameters are meant against."""
        return self.spec.parent

    def documents(self) -> Iterator[Document]:
        """The documents of the collection, whatever form it has, read while they are iterated.

        Raises:
            InputError: A collection without documents, or one that cannot be read.
        """
        with subprocess.Popen(
            [find_rankgate_bin(), "--no-color", *FORMAT, "documents", str(self.spec)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        ) as program:
            assert program.stdout is not None and program.stderr is not None
            try:
                for line in program.stdout:
                    one = json.loads(line)
                    yield Document(one["_id"], one["text"], one.get("title"), one.get("metadata", {}))
                stderr = program.stderr.read()
                if program.wait() != 0:
                    raise InputError(error_text(read_messages(stderr)))
            finally:
                # Whoever reads only the first documents does not want the rest.
                program.kill()


@dataclass(frozen=True)
class Registered:
    """A retriever that is known by its name."""

    factory: Callable[[Setup], Any]
    batch: int | None


_by_name: dict[str, Registered] = {}


def retriever(name: str, *, batch: int | None = None) -> Callable[[F], F]:
    """Registers what builds a retriever, under the name that specs give it.

    Put it into ``conftest.py`` or a module that pytest imports. The function is called once for each configuration that is
    measured, and once more where the spec says ``deterministic``. It may be async, and so may be what it returns; what is
    not runs on one thread for each configuration, in which no event loop is.

    Args:
        name: The name in ``retriever: NAME`` of a spec.
        batch: From 1 to 4096: what is returned then takes a list of so many queries at most, and gives one answer for each.

    >>> @retriever("mine")
    ... def build(setup):
    ...     titles = {"d1": "reset a password"}
    ...     return lambda query, depth: [(id, 1.0) for id, title in titles.items() if query in title][:depth]

    Raises:
        InputError: A name that is taken, or a ``batch`` out of range.
        TypeError: There is no name, as in ``@rankgate.retriever`` without parentheses.
    """
    if not isinstance(name, str):
        called = getattr(name, "__name__", "mine")
        raise TypeError(f'a retriever needs a name, the one in `retriever: NAME` of a spec: @rankgate.retriever("{called}")')
    if batch is not None and not 1 <= batch <= 4096:
        raise InputError(f"retriever {name!r}: `batch` is from 1 to 4096, found {batch}")

    def register(factory: F) -> F:
        known = _by_name.get(name)
        if known is not None and not _is_same(known.factory, factory):
            raise InputError(f"two retrievers are registered as {name!r}")
        _by_name[name] = Registered(factory, batch)
        return factory

    return register


def _is_same(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Whether it is the same function, whose module may have been imported again."""
    names = ("__module__", "__qualname__")
    return all(getattr(one, name, None) == getattr(other, name, None) for name in names)


def registered() -> Mapping[str, Registered]:
    """All retrievers by their names."""
    return _by_name


def missing(name: str) -> str:
    """What is wrong with a name that is not registered, and how to fix it."""
    known = sorted(_by_name)
    near = difflib.get_close_matches(name, known, n=1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    there = f"Registered are {', '.join(map(repr, known))}" if known else "None is registered at all"
    return f"no retriever is registered as {name!r}{meant or '.'} {there}. Put @rankgate.retriever(\"{name}\") into conftest.py"
