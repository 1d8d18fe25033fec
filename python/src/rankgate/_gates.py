"""The gates of specs: their names, and, once for all processes of a test run, what came of them."""

import json
import os
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._errors import RankgateError
from ._lock import Lock
from ._program import error_text, find_rankgate_bin, run
from ._retriever import Registered
from ._serve import Server


@dataclass(frozen=True)
class Gate:
    """One gate, as the spec has it."""

    name: str
    line: int
    advisory: bool
    ignored: str | None


@dataclass(frozen=True)
class Spec:
    """A spec, and what is in it."""

    path: Path
    name: str
    retrievers: tuple[str, ...]
    gates: tuple[Gate, ...]


def read_spec(path: Path) -> Spec:
    """Reads a spec; nobody is asked.

    Raises:
        RankgateError: Everything that is wrong with it, each with its place in the file.
    """
    text, _, stderr = run(["run", "--list", "--format", "json", "--", str(path)], passes=(0, 2))
    # A suite opens its benchmarks as well.
    for line in map(json.loads, text.splitlines()):
        if "error" not in line and os.path.samefile(line["spec"], path):
            gates = (Gate(one["name"], one["line"], one["advisory"], one["ignored"]) for one in line["gates"])
            return Spec(path, line["name"], tuple(line["retrievers"]), tuple(gates))
    raise RankgateError(error_text(stderr))


@dataclass(frozen=True)
class Plan:
    """What a test run asks for: the same in each of its processes."""

    specs: tuple[Path, ...]
    gates: frozenset[str]
    """The names of the gates that are selected."""
    every: bool
    """Whether these are all gates of the specs."""
    output: str | None
    bless: bool
    include_ignored: bool


class Outcomes:
    """What came of each spec, found out once, by whichever process needs it first.

    The results lie in a folder that all processes of a test run know: a file for each spec, written as soon as it is measured,
    and `done` at the end, with all that was said beside them.
    """

    def __init__(self, plan: Plan, folder: Path, retrievers: Mapping[str, Registered]):
        self._plan, self._folder, self._retrievers = plan, folder, retrievers
        self._lock = Lock(folder / "lock")
        self._thread: threading.Thread | None = None
        self._program: subprocess.Popen[str] | None = None
        self._stopped = False

    def of(self, spec: str) -> dict[str, Any]:
        """The report of a spec, by its name; waits for it.

        Raises:
            RankgateError: The spec was not carried out; why.
        """
        while True:
            done = self._read("done")
            report = self._read(f"spec-{_file_name(spec)}")
            if report is not None:
                return report
            if done is not None:
                raise RankgateError(done["error"] or f"{spec} was not carried out")
            if self._thread is None and self._lock.take():
                # Another process may have ended between the two looks.
                if self._read("done") is None:
                    self._thread = threading.Thread(target=self._carry_out, name="rankgate-run", daemon=True)
                    self._thread.start()
                else:
                    self._lock.release()
            time.sleep(0.01)

    def end(self, now: bool) -> None:
        """Waits for what this process measures, or ends it now."""
        if now:
            self._stopped = True
            if self._program is not None:
                self._program.terminate()
        if self._thread is not None:
            self._thread.join(10 if now else None)

    def _carry_out(self) -> None:
        blessed, error, annotations = "", "it was ended before", list[str]()
        server = Server(self._retrievers)
        try:
            blessed, error = "", ""
            if self._plan.bless:
                arguments = ["bless", *self._selection(), *server.arguments(), "--", *map(str, self._plan.specs)]
                blessed, stderr = self._run(arguments, server, None)
                error = error_text(stderr) if self._status == 2 else ""
            if not error:
                output = ["--output", self._plan.output] if self._plan.output else []
                arguments = ["run", "--format", "json", "--accept-with", "pytest --rankgate-bless", *output]
                arguments += [*self._selection(), *server.arguments(), "--", *map(str, self._plan.specs)]
                _, stderr = self._run(arguments, server, server)
                lines = stderr.splitlines()
                annotations = [line for line in lines if line.startswith(_ANNOTATIONS)]
                error = error_text("\n".join(line for line in lines if not line.startswith(_ANNOTATIONS)))
        except Exception as raised:
            error = str(raised)
        finally:
            server.close()
            self._write("done", {"blessed": blessed, "error": error, "annotations": annotations})
            self._lock.release()

    def _selection(self) -> list[str]:
        # Names may be parts of others': then more is measured than is asked for.
        filters = [] if self._plan.every else [word for name in sorted(self._plan.gates) for word in ("--filter", name)]
        return filters + ["--include-ignored"] * self._plan.include_ignored

    _status = 0

    def _run(self, arguments: Sequence[str], server: Server, keep: Server | None) -> tuple[str, str]:
        """Runs the command; each report is kept as soon as it is there, with what went wrong in this process."""
        if self._stopped:
            raise RankgateError("it was ended before")
        environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stderr:
            self._program = subprocess.Popen(
                [find_rankgate_bin(), "--no-color", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                encoding="utf-8",
                env=environment | server.environment(),
            )
            assert self._program.stdout is not None
            text = ""
            for line in self._program.stdout:
                # Of several specs each report is a line.
                if keep is not None and line.startswith("{") and line.endswith("}\n"):
                    self._keep(json.loads(line), keep)
                else:
                    text += line
            self._status = self._program.wait()
            if keep is not None and text.strip():
                self._keep(json.loads(text), keep)
            stderr.seek(0)
            return text, stderr.read()

    def _keep(self, report: dict[str, Any], server: Server) -> None:
        name = report["benchmark"]
        # A suite has no retrievers of its own: those of its benchmarks answer.
        measured = [one["benchmark"] for one in (report.get("suite") or {}).get("collections", ())] or [name]
        tracebacks: dict[str, list[str]] = {}
        for benchmark in measured:
            for (where, configuration), lines in list(server.tracebacks.items()):
                if where == benchmark:
                    tracebacks.setdefault(configuration, []).extend(lines)
        gates = {gate["name"]: {key: gate.get(key) for key in _OF_A_GATE} for gate in report["gates"]}
        found = {"gates": gates, "tracebacks": tracebacks, "warnings": report.get("warnings", [])}
        self._write(f"spec-{_file_name(name)}", found)

    def _read(self, name: str) -> dict[str, Any] | None:
        return _read(self._folder / f"{name}.json")

    def _write(self, name: str, value: dict[str, Any]) -> None:
        part = self._folder / f"{name}.part"
        part.write_text(json.dumps(value), encoding="utf-8")
        part.replace(self._folder / f"{name}.json")


def blessing(folder: Path) -> str:
    """What blessing printed, as Markdown; empty where nothing was blessed."""
    done = _read(folder / "done.json")
    return str(done["blessed"]) if done is not None else ""


def annotations(folder: Path) -> list[str]:
    """The commands to the runner of GitHub Actions that annotate lines of specs; none elsewhere."""
    done = _read(folder / "done.json")
    return [str(line) for line in done["annotations"]] if done is not None else []


def inert(text: str) -> str:
    """The text, in which GitHub's runner finds no command: it may quote documents, queries and errors of retrievers."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return text
    return re.sub(r"(?m)^(\s*)::", r"\1: :", text).replace("##[", "# #[")


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return found


_OF_A_GATE = ("configuration", "advisory", "verdict", "message", "short_message", "cautions")
# Nothing is blessed by chance.
_FOREIGN = ("RANKGATE_BLESS", "RANKGATE_BLESS_TAG")
# How lines begin on standard error that GitHub's runner is to read.
_ANNOTATIONS = ("::error ", "::warning ")


def _file_name(name: str) -> str:
    """A file's name that is another for each name."""
    return name.encode().hex()
