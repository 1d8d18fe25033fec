"""Judgments and runs, in whatever form a Python program has them, as files that the command reads."""

import json
import operator
import os
import warnings
from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

from ._errors import InputError, RankgateWarning
from ._hits import Refused, a, read_hits


@runtime_checkable
class Frame(Protocol):
    """A table with named columns: of pandas, Polars, PyArrow, DuckDB, ..."""

    @property
    def columns(self) -> Any: ...

    def __getitem__(self, name: str, /) -> Any: ...


#: Judgments: a grade for each query and document, or the ids that are relevant to each query.
Qrels: TypeAlias = str | os.PathLike[str] | Mapping[str, Mapping[str, int] | Set[str]] | Frame | Iterable[Any]
#: A run: a score for each query and document, or a list of ids or of (id, score) for each query.
Run: TypeAlias = str | os.PathLike[str] | Mapping[str, Mapping[str, float] | Iterable[Any]] | Frame | Iterable[Any]

# The names that the command takes without being told.
_QUERY = ("query", "qid", "query_id", "query-id", "q_id", "queryid")
_DOCUMENT = ("document", "docid", "doc_id", "docno", "document_id", "doc", "did", "corpus-id", "corpus_id")
_SCORE = ("score",)
_GRADE = ("grade", "rel", "relevance", "label")
# What may stand in place of a score where the command reads the frame.
_RANK = ("rank",)
_NO_JUDGMENTS = "qrels: there are no judgments"


def as_files(folder: Path, qrels: Qrels, **runs: Run) -> list[str]:
    """The files of judgments and runs.

    Raises:
        InputError: What is wrong with one of them; if they fit in each other's place, the text says so.
    """
    try:
        return [as_file(qrels, folder, "qrels"), *(as_file(run, folder, name) for name, run in runs.items())]
    except InputError as error:
        first = next(iter(runs.values()))
        if not (_fits(qrels, folder, "run") and _fits(first, folder, "qrels")):
            raise
        raise InputError(f"{error}. Did you swap the arguments? The order is ({', '.join(['qrels', *runs])})") from None


def _fits(what: Qrels | Run, folder: Path, name: str) -> bool:
    try:
        return not isinstance(what, str | os.PathLike) and bool(as_file(what, folder, name))
    except InputError:
        return False


def as_file(what: Qrels | Run, folder: Path, name: str) -> str:
    """The path of a file that holds it, in ``folder`` where it is no file yet."""
    is_run = name != "qrels"
    if isinstance(what, str | os.PathLike):
        path = os.fspath(what)
        # The command would take the one for an option that has no value, and the other for a long name.
        if not path:
            raise InputError(f"{name}: the path is empty")
        if "\n" in path:
            raise InputError(f"{name}: a text is the path of a file, and this one has several lines: {path[:60]!r}")
        return path
    # Qrels and Run of ranx.
    if type(what).__module__.split(".")[0] == "ranx":
        what = cast(Any, what).to_dict()
    if isinstance(what, Mapping):
        return _json_file(_numbers(what, name, is_run), folder, name)
    # A frame of Polars that is not computed yet; even its columns are not known.
    if type(what).__name__ == "LazyFrame" and hasattr(what, "collect"):
        what = cast(Any, what).collect()
    if hasattr(what, "columns"):
        return _frame_file(what, folder, name, is_run)
    if type(what).__name__ == "Series":
        columns = "query, document and " + ("score" if is_run else "relevance")
        raise InputError(f"{name}: a Series is one column: pass the frame with columns of {columns}")
    if hasattr(what, "__arrow_c_stream__"):
        return _frame_file(_table(what, name), folder, name, is_run)
    if isinstance(what, Iterable):
        return _json_file(_rows(_fields(what, name, is_run), name, is_run), folder, name)
    raise InputError(f"{name}: expected a mapping, a path, a frame or rows, found {type(what).__name__}")


def _table(stream: Any, name: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise InputError(f"{name}: {type(stream).__name__} is read with PyArrow, which is not installed") from None
    return pyarrow.table(stream)


def _json_file(values: Mapping[str, Any], folder: Path, name: str) -> str:
    if name == "qrels" and not any(values.values()):
        raise InputError(_NO_JUDGMENTS)
    path = folder / name
    path.write_text(json.dumps(values), encoding="utf-8")
    return str(path)


def _numbers(of: Mapping[Any, Any], name: str, is_run: bool) -> dict[str, dict[str, float]]:
    result: dict[str, dict[str, float]] = {}
    rising: list[Any] = []
    for query, answer in of.items():
        documents, rises = _by_document(answer, f"{name}: query {query!r}", is_run)
        rising += [query] * rises
        numbers = {as_text(id, name): _number(value, name, query, id, is_run) for id, value in documents.items()}
        if len(numbers) < len(documents):
            raise InputError(f"{name}: query {query!r}: two documents have one id, once it is text")
        key = as_text(query, name)
        if key in result:
            raise InputError(f"{name}: two queries have the id {key!r}, once it is text")
        result[key] = numbers
    if rising:
        warnings.warn(
            f"{name}: scores rise along the list in {len(rising)} of {len(of)} answers, first in that to {rising[0]!r}: documents "
            "are ranked by score, highest first. Return no scores if the order of the list counts",
            RankgateWarning,
            stacklevel=5,
        )
    return result


def _by_document(answer: Any, where: str, is_run: bool) -> tuple[Mapping[Any, Any], bool]:
    """A number for each document, and whether they rise along a list: without scores those of programs that give none, without
    grades 1."""
    if isinstance(answer, Mapping):
        return answer, False
    if not is_run:
        if isinstance(answer, Set):
            return dict.fromkeys(answer, 1), False
        raise InputError(f"{where}: expected a mapping of grades, or a set of relevant ids, found {a(answer)}")
    try:
        hits = read_hits(answer, "a ranking is a list of (id, score) or of ids")
    except Refused as error:
        raise InputError(f"{where}: {error}") from None
    if len({isinstance(hit, str) for hit in hits}) == 2:
        raise InputError(f"{where}: some hits have a score, and others have none")
    scores: dict[str, float] = {}
    for rank, hit in enumerate(hits, 1):
        id, score = (hit, 1 / rank) if isinstance(hit, str) else hit
        if id in scores:
            raise InputError(f"{where} has the document {id!r} twice")
        scores[id] = score
    listed = list(scores.values())
    rises = any(after > before for before, after in zip(listed, listed[1:]))
    if len(set(scores.values())) < len(scores):
        # A list has an order for equal scores, which a file of scores has not.
        ranked = sorted(scores, key=scores.__getitem__, reverse=True)
        return {id: 1 / rank for rank, id in enumerate(ranked, 1)}, rises
    return scores, rises


def as_text(id: Any, name: str) -> str:
    """An id as the command has it.

    Raises:
        InputError: It is neither a text nor a whole number.
    """
    if isinstance(id, str):
        return id
    try:
        return str(operator.index(id))
    except TypeError:
        raise InputError(f"{name}: an id is a text or a whole number, found {id!r}") from None


def _number(value: Any, name: str, query: Any, document: Any, is_run: bool) -> float:
    try:
        number = float(value)
        if number != number or number in (float("inf"), float("-inf")):
            raise ValueError
        if not is_run:
            if number != int(number):
                raise ValueError
            return int(number)
    except (TypeError, ValueError):
        kind = "a finite number" if is_run else "a whole number"
        raise InputError(
            f"{name}: query {query!r}, document {document!r}: expected {kind}, found {value!r}"
        ) from None
    return number


def _rows(rows: Iterable[tuple[Any, Any, Any]], name: str, is_run: bool) -> dict[str, dict[str, float]]:
    result: dict[str, dict[str, float]] = {}
    for query, document, value in rows:
        documents = result.setdefault(as_text(query, name), {})
        id = as_text(document, name)
        if id in documents:
            raise InputError(f"{name}: query {query!r} has the document {id!r} twice")
        documents[id] = _number(value, name, query, document, is_run)
    return result


def _fields(rows: Iterable[Any], name: str, is_run: bool) -> Iterable[tuple[Any, Any, Any]]:
    """The fields of rows as ir_measures has them, or of plain tuples."""
    value = "score" if is_run else "relevance"
    for row in rows:
        if all(hasattr(row, field) for field in ("query_id", "doc_id", value)):
            yield row.query_id, row.doc_id, getattr(row, value)
        elif isinstance(row, tuple | list) and len(row) == 3:
            yield row[0], row[1], row[2]
        else:
            raise InputError(f"{name}: expected rows of query, document and {value}, found {row!r}")


def _frame_file(frame: Any, folder: Path, name: str, is_run: bool) -> str:
    names = frame.column_names if hasattr(frame, "column_names") else frame.columns
    columns = [str(column) for column in names]
    value = _SCORE if is_run else _GRADE
    for wanted in (_QUERY, _DOCUMENT, value + _RANK if is_run else value):
        if not any(column.lower() in wanted for column in columns):
            raise InputError(
                f"{name}: no column is called {', '.join(wanted[:-1])} or {wanted[-1]}; "
                f"there are {', '.join(columns) or 'none'}: rename the one that is meant"
            )
    if not is_run and hasattr(frame, "__len__") and len(frame) == 0:
        raise InputError(_NO_JUDGMENTS)
    path = str(folder / (name + ".parquet"))
    if _writes_parquet(frame, path):
        return path
    picked = [_pick(columns, names, name) for names in (_QUERY, _DOCUMENT, value)]
    rows = zip(*(frame[column] for column in picked), strict=True)
    return _json_file(_rows(rows, name, is_run), folder, name)


def _writes_parquet(frame: Any, path: str) -> bool:
    """Writes a frame as Parquet, as it is: by Polars itself, else through Arrow where PyArrow is there."""
    if type(frame).__module__.split(".")[0] == "polars":
        frame.write_parquet(path)
        return True
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return False
    if type(frame).__module__.split(".")[0] == "pandas":
        table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    else:
        table = pyarrow.table(frame)
    pyarrow.parquet.write_table(table, path)
    return True


def _pick(columns: list[str], names: tuple[str, ...], name: str) -> str:
    found = [column for column in columns if column.lower() in names]
    if len(found) == 1:
        return found[0]
    raise InputError(
        f"{name}: expected one column of {', '.join(names)}, found {', '.join(found) or 'none'} among {', '.join(columns)}"
    )
