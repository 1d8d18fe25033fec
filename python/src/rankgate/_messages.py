"""What the program writes to standard error beside its results, each message an object on a line."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

#: The option of the program that makes it write so.
FORMAT = ("--message-format", "json")


@dataclass(frozen=True)
class Message:
    """One message."""

    kind: str
    """``error``, ``warning``, ``note``, ``progress``, ``report`` or ``annotation``; empty where the line is not the program's own."""
    text: str
    spec: str | None = None
    """The file of the spec that it is about."""
    benchmark: str | None = None
    page: str | None = None
    """Where the report of the benchmark lies."""


def read_message(line: str) -> Message:
    """Reads a line. One that is no message was written by what the program runs, or is about its own options.

    >>> read_message('{"kind": "note", "text": "2 queries are left out"}').kind
    'note'
    >>> read_message("error: unexpected argument")
    Message(kind='', text='unexpected argument', spec=None, benchmark=None, page=None)
    """
    try:
        found = json.loads(line)
        text = found["text"].removeprefix("note: ")
        return Message(found["kind"], text, found.get("spec"), found.get("benchmark"), found.get("page"))
    except (ValueError, TypeError, LookupError):
        return Message("", line.rstrip("\n").removeprefix("error: "))


def read_messages(stderr: str) -> list[Message]:
    """Reads all of what the program wrote."""
    return [read_message(line) for line in stderr.splitlines()]


def errors_of(messages: Iterable[Message]) -> list[Message]:
    """What went wrong; where the program itself says nothing of it, what was written in its place.

    >>> [one.text for one in errors_of([Message("", "of a child"), Message("error", "no spec")])]
    ['no spec']
    """
    messages = [one for one in messages if one.kind in ("error", "") and one.text.strip()]
    return [one for one in messages if one.kind] or messages


def error_text(messages: Iterable[Message]) -> str:
    """The same as a text."""
    return "\n".join(one.text for one in errors_of(messages)).strip()
