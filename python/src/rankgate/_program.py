"""The program `rankgate`: where it is, and how it is run."""

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ._errors import RankgateError


def find_rankgate_bin() -> str:
    """The path of the program.

    The variable ``RANKGATE`` names it; else it is where the wheel put it, among the scripts of this environment, of the
    user, or beside a folder of ``pip install --target``. ``PATH`` is not searched: another version might lie there.

    Raises:
        RankgateError: No program is there.
    """
    named = os.environ.get("RANKGATE")
    if named:
        if Path(named).is_file():
            return named
        raise RankgateError(f"the variable RANKGATE names {named}, and no such file is there")
    tried = []
    for folder in _folders():
        program = Path(folder, "rankgate" + (sysconfig.get_config_var("EXE") or ""))
        if program.is_file():
            return str(program)
        tried.append(str(program))
    raise RankgateError(
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
    arguments: Sequence[str], passes: Sequence[int] = (0,), folder: str = ""
) -> tuple[Any, int, tuple[str, ...]]:
    """Runs the program, which prints JSON: what it printed, its exit status, and the notes beside it.

    Files in ``folder`` are named without it: whoever reads of them has not made them.
    """
    text, status, stderr = run(arguments, passes, folder)
    notes = tuple(_unprefixed(line) for line in stderr.splitlines() if line)
    try:
        return json.loads(text), status, notes
    except ValueError as error:
        raise RankgateError(f"the program printed what is no JSON: {error}; is it another version?") from None


def run(arguments: Sequence[str], passes: Sequence[int] = (0,), folder: str = "") -> tuple[str, int, str]:
    """Runs the program: what it printed, its exit status, and what it printed to standard error."""
    program = find_rankgate_bin()
    # Nothing of a CI system's own forms in what is read here.
    environment = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}
    try:
        ended = subprocess.run(
            [program, "--no-color", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=environment,
        )
    except OSError as error:
        raise RankgateError(f"cannot start {program}: {error}") from error
    stderr = ended.stderr.replace(folder + os.sep, "") if folder else ended.stderr
    if ended.returncode not in passes:
        raise RankgateError(error_text(stderr) or f"{program} ended with status {ended.returncode}")
    return ended.stdout, ended.returncode, stderr


def error_text(stderr: str) -> str:
    """What went wrong, of all that was written to standard error."""
    lines = [line for line in stderr.splitlines() if not line.startswith(("note: ", "warning: "))]
    return "\n".join(_unprefixed(line) for line in lines).strip()


def _unprefixed(line: str) -> str:
    for prefix in ("error: ", "note: ", "warning: "):
        line = line.removeprefix(prefix)
    return line
