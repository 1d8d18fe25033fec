"""The program `rankgate`: where it is, and how it is run."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ._errors import InputError, ProgramError, RankgateWarning
from ._messages import FORMAT, Message, error_text, read_messages


def find_rankgate_bin() -> str:
    """The path of the program.

    The variable ``RANKGATE`` names it; else it is where the wheel put it, among the scripts of this environment, of the
    user, or beside a folder of ``pip install --target``. ``PATH`` is not searched: another version might lie there.

    Raises:
        ProgramError: No program is there.
    """
    named = os.environ.get("RANKGATE")
    if named:
        if Path(named).is_file():
            return named
        raise ProgramError(f"the variable RANKGATE names {named}, and no such file is there")
    tried = []
    for folder in _folders():
        program = Path(folder, "rankgate" + (sysconfig.get_config_var("EXE") or ""))
        if program.is_file():
            return str(program)
        tried.append(str(program))
    raise ProgramError(
        "the program rankgate is not there; a wheel of this package has it, or the variable RANKGATE names one. "
        f"Looked for {', '.join(tried)}"
    )


def _folders() -> Iterator[str]:
    seen = set()
    user = sysconfig.get_preferred_scheme("user")
    target = Path(__file__).parent.parent / ("Scripts" if sys.platform == "win32" else "bin")
    for folder in (
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", vars={"base": sys.base_prefix}),
        str(target),
        sysconfig.get_path("scripts", scheme=user),
    ):
        if folder not in seen:
            seen.add(folder)
            yield folder


def run_json(
    arguments: Sequence[str], passes: Sequence[int] = (0,), folder: str = "", parameters: Sequence[str] = ()
) -> tuple[Any, int, tuple[str, ...]]:
    """Runs the program, which prints JSON: what it printed, its exit status, and the notes beside it.

    Files in ``folder`` are named without it: whoever reads of them has not made them. Options that are among the
    ``parameters`` of the function that calls are named as those. What the program warns of is a `RankgateWarning`, too.
    """
    text, status, messages = run(arguments, passes, folder, parameters)
    notes = tuple(in_python(one.text, parameters) for one in messages)
    for one, note in zip(messages, notes, strict=True):
        if one.kind == "warning":
            # At the line that calls `evaluate` or `compare`.
            warnings.warn(RankgateWarning(note), stacklevel=_depth_outside())
    try:
        return json.loads(text), status, notes
    except ValueError as error:
        raise ProgramError(f"the program printed what is no JSON: {error}; is it another version?") from None


def _depth_outside() -> int:
    """How far away, for whoever calls this, the code is that called this package."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, depth = frame.f_back, depth + 1
    return depth


def run(
    arguments: Sequence[str], passes: Sequence[int] = (0,), folder: str = "", parameters: Sequence[str] = ()
) -> tuple[str, int, list[Message]]:
    """Runs the program: what it printed, its exit status, and its messages."""
    program = find_rankgate_bin()
    # Nothing of a CI system's own forms in what is read here.
    environment = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}
    try:
        ended = subprocess.run(
            [program, "--no-color", *FORMAT, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=environment,
        )
    except OSError as error:
        raise ProgramError(f"cannot start {program}: {error}") from error
    messages = read_messages(ended.stderr)
    if folder:
        messages = [replace(one, text=one.text.replace(folder + os.sep, "")) for one in messages]
    if ended.returncode not in passes:
        text = in_python(error_text(messages), parameters)
        kind = InputError if ended.returncode == 2 else ProgramError
        raise kind(text or f"{program} ended with status {ended.returncode}")
    return ended.stdout, ended.returncode, messages


def in_python(text: str, parameters: Sequence[str]) -> str:
    """The text, in which options of the command that are parameters here have their names.

    >>> in_python("--min-coverage 0.5 accepts that; --margin goes with --expect equivalence", ["min_coverage", "margin", "expect"])
    "min_coverage=0.5 accepts that; `margin` goes with expect='equivalence'"
    """
    if not parameters:
        return text
    names = "|".join(name.replace("_", "-") for name in parameters)
    option = re.compile(rf"(?<![\w-])--({names})(?:[ =](-?\d+(?:\.\d+)?(?:e-?\d+)?|{'|'.join(EXPECTED)}))?(?![\w-])")

    def parameter(found: re.Match[str]) -> str:
        name, value = found[1].replace("-", "_"), found[2]
        if value is None:
            return name if found.string[: found.start()].endswith("`") else f"`{name}`"
        return f"{name}={value!r}" if value in EXPECTED else f"{name}={value}"

    # What is a command of its own is typed as it stands there.
    lines = text.split("\n")
    return "\n".join(line if re.search(r"\brankgate [a-z]+ ", line) else option.sub(parameter, line) for line in lines)


#: What a candidate may be held to.
EXPECTED = ("no-regression", "non-inferiority", "improvement", "equivalence", "identical")
