"""The gates of specs: their names, and, once for all processes of a test run, what came of them."""

import contextvars
import functools
import json
import os
import queue
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ._errors import RankgateError
from ._lock import Lock
from ._messages import FORMAT, Message, error_text, errors_of, read_message
from ._program import find_rankgate_bin, run
from ._retriever import Registered
from ._serve import Server


@dataclass(frozen=True)
class Gate:
    """One gate, as the spec has it."""

    name: str
    line: int
    advisory: bool


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
    text, _, messages = run(["run", "--list", "--format", "json", "--", str(path)], passes=(0, 2))
    # A suite opens its benchmarks as well.
    for line in map(json.loads, text.splitlines()):
        if "error" not in line and os.path.samefile(line["spec"], path):
            gates = (Gate(one["name"], one["line"], one["advisory"]) for one in line["gates"])
            return Spec(path, line["name"], tuple(line["retrievers"]), tuple(gates))
    raise RankgateError(error_text(messages))


@dataclass(frozen=True)
class Plan:
    """What a test run asks for: the same in each of its processes."""

    specs: tuple[Spec, ...]
    gates: frozenset[str]
    """The names of the gates that are selected."""
    every: bool
    """Whether these are all gates of the specs."""
    output: str | None
    blessing: tuple[str, ...] | None = None
    """The options of the command that blesses; None where nothing is blessed."""


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
        self._slow: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._pages: dict[str, str] = {}

    def of(self, spec: Spec, tell: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
        """The report of a spec; waits for it, and tells of work in this process that takes long.

        Raises:
            RankgateError: The spec was not carried out; why.
        """
        while True:
            done = self._read("done")
            report = self._read(f"spec-{_file_name(spec.name)}")
            if report is not None:
                return report
            if done is not None:
                error = "\n".join(text for path, text in done["errors"] if path in (None, str(spec.path)))
                raise RankgateError(error or f"{spec.name} was not carried out")
            if self._thread is None and self._lock.take():
                # Another process may have ended between the two looks.
                if self._read("done") is None:
                    # With what this thread has set in context variables.
                    carry_out = functools.partial(contextvars.copy_context().run, self._carry_out)
                    self._thread = threading.Thread(target=carry_out, name="rankgate-run", daemon=True)
                    self._thread.start()
                else:
                    self._lock.release()
            while not self._slow.empty():
                tell(self._slow.get())
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
        blessed, errors, annotations = "", [Message("error", "it was ended before")], list[str]()
        server = Server(self._retrievers, [name for spec in self._plan.specs for name in spec.retrievers])
        try:
            blessed, errors, specs = "", [], [str(spec.path) for spec in self._plan.specs]
            # What messages advise is typed to pytest.
            selection = ["--accept-with", "pytest --rankgate-bless", *self._selection(), *server.arguments()]
            if self._plan.blessing is not None:
                blessed, messages = self._run(["bless", *self._plan.blessing, *selection, "--", *specs], server, None)
                if self._status == 2:
                    errors = [self._with_tracebacks(one, server) for one in errors_of(messages)]
                    # What is refused of one spec keeps no other from its verdicts.
                    refused = {one.spec for one in errors}
                    specs = [] if None in refused else [spec for spec in specs if spec not in refused]
            if specs:
                output = ["--output", self._plan.output] if self._plan.output else []
                arguments = ["run", "--format", "json", *output, *selection, "--", *specs]
                _, messages = self._run(arguments, server, server)
                annotations = [one.text for one in messages if one.kind == "annotation"]
                errors += errors_of(messages)
        except Exception as raised:
            errors = [Message("error", str(raised))]
        finally:
            server.close()
            found: dict[str, Any] = {
                "blessed": blessed,
                "errors": [(one.spec, one.text) for one in errors],
                "annotations": annotations,
                "pages": self._pages,
            }
            self._write("done", found)
            self._lock.release()

    def _with_tracebacks(self, error: Message, server: Server) -> Message:
        """What went wrong, with what the retrievers of its spec raised; those of all, where it is of none."""
        names = {spec.name for spec in self._plan.specs if error.spec in (None, str(spec.path))}
        raised = [retriever_says(name, lines) for (where, name), lines in server.tracebacks.items() if where in names]
        return replace(error, text=error.text + "".join(raised))

    def _selection(self) -> list[str]:
        # Names may be parts of others': then more is measured than is asked for.
        return [] if self._plan.every else [word for name in sorted(self._plan.gates) for word in ("--filter", name)]

    _status = 0

    def _run(self, arguments: Sequence[str], server: Server, keep: Server | None) -> tuple[str, list[Message]]:
        """Runs the command; each report is kept as soon as it is there, with what went wrong in this process."""
        if self._stopped:
            raise RankgateError("it was ended before")
        environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
        self._program = subprocess.Popen(
            [find_rankgate_bin(), "--no-color", *FORMAT, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            env=environment | server.environment(),
        )
        assert self._program.stdout is not None and self._program.stderr is not None
        messages: list[Message] = []
        listener = threading.Thread(target=self._listen, args=(self._program.stderr, messages), daemon=True)
        listener.start()
        text = ""
        for line in self._program.stdout:
            # Of several specs each report is a line.
            if keep is not None and line.startswith("{") and line.endswith("}\n"):
                self._keep(json.loads(line), keep)
            else:
                text += line
        self._status = self._program.wait()
        listener.join()
        if keep is not None and text.strip():
            self._keep(json.loads(text), keep)
        return text, messages

    def _listen(self, stderr: Iterable[str], messages: list[Message]) -> None:
        """Reads what the program says beside its reports: how far it is, and where they lie."""
        for line in stderr:
            message = read_message(line)
            messages.append(message)
            if message.kind == "progress":
                self._slow.put(message.text)
            if message.benchmark is not None and message.page is not None:
                self._pages[message.benchmark] = message.page

    def _keep(self, report: dict[str, Any], server: Server) -> None:
        name = report["benchmark"]
        # A suite has no retrievers of its own: those of its benchmarks answer.
        measured = [one["benchmark"] for one in (report.get("suite") or {}).get("collections", ())] or [name]
        tracebacks: dict[str, list[str]] = {}
        for benchmark in measured:
            for (where, configuration), lines in list(server.tracebacks.items()):
                if where == benchmark:
                    tracebacks.setdefault(configuration, []).extend(lines)
        gates = {
            gate["name"]: {**{key: gate.get(key) for key in _OF_A_GATE}, "warnings": _texts(gate)}
            for gate in report["gates"]
        }
        scores = [one for one in map(_first_score, report.get("configurations", ())) if one is not None]
        found = {
            "spec": name,
            "gates": gates,
            "tracebacks": tracebacks,
            "warnings": _texts(report),
            "scores": scores,
        }
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


def summaries(folder: Path) -> list[str]:
    """A line for each spec that was measured: the scores of its configurations on its first metric, and its report."""
    done = _read(folder / "done.json") or {}
    specs = [_read(path) or {} for path in folder.glob("spec-*.json")]
    return sorted(_summary(spec, done.get("pages", {}).get(spec["spec"])) for spec in specs)


def _summary(spec: dict[str, Any], page: str | None) -> str:
    scores = spec["scores"]
    named = [f"{one['configuration']} {one['score']:.4f}{one['golden']}" for one in scores[:_CONFIGURATIONS]]
    named += [f"{len(scores) - _CONFIGURATIONS} more"] if len(scores) > _CONFIGURATIONS else []
    parts = [f"{scores[0]['metric']} of {', '.join(named)}"] if scores else []
    return f"{spec['spec']}: {'; '.join([*parts, page or 'no report'])}"


def _first_score(configuration: dict[str, Any]) -> dict[str, Any] | None:
    """A configuration's mean on the first metric, and how far it is from what was blessed."""
    outcome = configuration["outcome"]
    # What ended in an error has none.
    metrics = outcome.get("measured", {}).get("metrics") if isinstance(outcome, dict) else None
    if not metrics:
        return None
    first = metrics[0]
    golden = ""
    if first.get("golden") is not None:
        change = first["value"] - first["golden"]
        golden = f" ({change:+.4f} from golden)" if abs(change) >= 0.00005 else " (as golden)"
    return {"configuration": configuration["name"], "metric": first["metric"], "score": first["value"], "golden": golden}


def retriever_says(name: str, tracebacks: Sequence[str]) -> str:
    """What went wrong in a retriever, to be put below a message; the first of it, for others are like it."""
    return f"\n\nRetriever of `{name}`. {tracebacks[0]}" if tracebacks else ""


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


_OF_A_GATE = ("configuration", "advisory", "verdict", "message", "short_message")
# Configurations that the summary names.
_CONFIGURATIONS = 4
# Nothing is blessed by chance.
_FOREIGN = ("RANKGATE_BLESS", "RANKGATE_BLESS_ACCEPT_LOSS")


def _texts(warned: dict[str, Any]) -> list[str]:
    """What the warnings of a report or a gate say."""
    return [warning["text"] for warning in warned.get("warnings", ())]


def _file_name(name: str) -> str:
    """A file's name that is another for each name."""
    return name.encode().hex()
