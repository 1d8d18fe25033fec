"""Specs under pytest: each gate is a test of its own.

Files `*.rankgate.yaml` are collected, and all specs below the folders of ``--rankgate``. The retrievers that they name are those
of this process that :func:`rankgate.retriever` registered.
"""

import contextlib
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from ._errors import RankgateError, RankgateWarning
from ._gates import Gate, Outcomes, Plan, Spec, annotations, blessing, inert, read_spec, retriever_says, summaries
from ._retriever import registered

_ENDINGS = (".rankgate.yaml", ".rankgate.yml")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rankgate", "retrieval quality gates")
    group.addoption(
        "--rankgate",
        action="append",
        default=[],
        metavar="PATH",
        help="a spec, or a folder in which every .yaml file is one; may be repeated",
    )
    group.addoption(
        "--rankgate-bless",
        action="store_true",
        help="accept what retrievers answer now: write golden runs and snapshots, then decide the gates",
    )
    group.addoption(
        "--rankgate-bless-force",
        action="store_true",
        help="bless configurations as well whose blocking thresholds fail",
    )
    group.addoption(
        "--rankgate-bless-accept-loss",
        action="store_true",
        help="bless, and accept what is lost by it: `rankgate history` raises no alarm",
    )
    group.addoption(
        "--rankgate-output", metavar="DIR", help="the folder for report files [default: target/rankgate]"
    )


def pytest_configure(config: pytest.Config) -> None:
    paths = [Path(path).absolute() for path in config.getoption("rankgate")]
    for path in paths:
        if not path.exists():
            raise pytest.UsageError(f"--rankgate: {path} is not there")
    config.stash[_PATHS] = paths
    config.addinivalue_line("markers", "rankgate: a gate of a rankgate spec")
    config.addinivalue_line("markers", "rankgate_advisory: a gate that warns and does not fail")
    # What an ini file names is not run where somebody asks for other tests by their paths.
    named_here = any(argument.startswith("--rankgate") for argument in config.invocation_params.args)
    if named_here or config.args_source != pytest.Config.ArgsSource.ARGS:
        folders = [Path(argument.split("::")[0]).absolute() for argument in config.args]
        config.args += [str(path) for path in paths if not any(path.is_relative_to(folder) for folder in folders)]


_PATHS = pytest.StashKey[list[Path]]()
_OUTCOMES = pytest.StashKey[Outcomes]()
_WARNED = pytest.StashKey[set[str]]()
_TOLD = pytest.StashKey[set[str]]()
_FOLDER = pytest.StashKey["tempfile.TemporaryDirectory[str]"]()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "SpecFile | None":
    name = file_path.name.lower()
    named = name.endswith((".yaml", ".yml")) and any(
        file_path.is_relative_to(path) for path in parent.config.stash[_PATHS]
    )
    if named or name.endswith(_ENDINGS):
        spec_file: SpecFile = SpecFile.from_parent(parent, path=file_path)
        return spec_file
    return None


class SpecFile(pytest.File):
    """A spec; its gates are tests, by the names that they have everywhere."""

    def collect(self) -> Iterator["GateItem | GateGroup"]:
        spec = read_spec(self.path)
        if not spec.gates:
            message = f"{spec.name} has no gate: nothing of it is tested"
            _warn(message, self.path, 1)
        yield from _below(self, spec, [(gate.name.split("::"), gate) for gate in spec.gates])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, RankgateError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class GateGroup(pytest.Collector):
    """Gates whose names begin alike, so that each node can be named on the command line."""

    def __init__(self, spec: Spec, gates: list[tuple[list[str], Gate]], **rest: Any):
        super().__init__(**rest)
        self._spec, self._gates = spec, gates

    def collect(self) -> Iterator["GateItem | GateGroup"]:
        yield from _below(self, self._spec, self._gates)


def _below(
    parent: pytest.Collector, spec: Spec, gates: list[tuple[list[str], Gate]]
) -> Iterator["GateItem | GateGroup"]:
    groups: dict[str, list[tuple[list[str], Gate]]] = {}
    for (first, *rest), gate in gates:
        groups.setdefault(first, []).append((rest, gate))
    for name, members in groups.items():
        for rest, gate in members:
            if not rest:
                yield GateItem.from_parent(parent, name=name, spec=spec, gate=gate)
        deeper = [(rest, gate) for rest, gate in members if rest]
        if deeper:
            yield GateGroup.from_parent(parent, name=name, spec=spec, gates=deeper)


class GateItem(pytest.Item):
    """One gate."""

    def __init__(self, spec: Spec, gate: Gate, **rest: Any):
        super().__init__(**rest)
        self.spec, self.gate = spec, gate
        self.add_marker("rankgate")
        if gate.advisory:
            self.add_marker("rankgate_advisory")

    def setup(self) -> None:
        # What keeps a gate from being decided is an error, and no failure.
        outcomes = _outcomes(self.session)
        try:
            report = outcomes.of(self.spec, _teller(self.config))
        except RankgateError as error:
            _fail(self._once(str(error)))
        self._found = report["gates"].get(self.gate.name)
        if self._found is None:
            _fail(f"{self.gate.name} was not decided")
        # An advisory gate fails nothing where a blocking one says whether anything was measured.
        said = self.session.config.stash.setdefault(_WARNED, set())
        is_said = self.spec.name in said
        said.add(self.spec.name)
        for warning in report["warnings"] if not is_said else []:
            self._warn(f"{self.spec.name}: {warning}")
        beside = any(not gate["advisory"] for gate in report["gates"].values())
        if self._found["verdict"] == "error" and not (self.gate.advisory and beside):
            tracebacks = self._tracebacks(report["tracebacks"]) if self._is_told_here() else ""
            _fail(self._message() + tracebacks)

    def runtest(self) -> None:
        verdict, message = self._found["verdict"], self._message()
        if verdict in ("failed", "inconclusive"):
            _fail(message)
        if verdict in ("advisory", "error"):
            self._warn(message)
        # A failure says them itself.
        for warning in self._found["warnings"] if verdict == "passed" else []:
            self._warn(f"{self.gate.name} passed, but: {warning}")

    def _is_told_here(self) -> bool:
        """Whether no message of another gate says it already. Where the first failure ends the run, nobody reads two."""
        return not self._found["short_message"] or bool(self.config.getvalue("maxfail"))

    def _message(self) -> str:
        message: str = self._found["message" if self._is_told_here() else "short_message"]
        return message.rstrip()

    def _once(self, message: str) -> str:
        """The message, or its first line where another gate has shown it already."""
        told = self.config.stash.setdefault(_TOLD, set())
        if message in told and not self.config.getvalue("maxfail") and "\n" in message:
            return message.split("\n", 1)[0] + "\n(the rest stands at the first gate)"
        told.add(message)
        return message

    def _warn(self, message: str) -> None:
        _warn(inert(message), self.path, self.gate.line)

    _found: Any = None

    def _tracebacks(self, known: dict[str, list[str]]) -> str:
        """What went wrong in this gate's retrievers."""
        own = {name: lines for name, lines in known.items() if name in self.gate.name.split("::")[1].split("-vs-")}
        return "".join(retriever_says(name, lines) for name, lines in (own or known).items())

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.gate.line - 1, self.gate.name


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]") -> Iterator[None]:
    """Shows what a gate says, in place of where in this file it was raised."""
    outcome: Any = yield
    if isinstance(item, GateItem) and call.excinfo is not None:
        error = call.excinfo.value
        if isinstance(error, pytest.fail.Exception | RankgateWarning):
            shown: Any = call.excinfo.getrepr(style="value", chain=False)
            # Where `CI` is set, pytest's summary repeats this, whole.
            if shown.reprcrash is not None:
                shown.reprcrash.message = str(error).split("\n", 1)[0]
            outcome.get_result().longrepr = shown


def _fail(message: str) -> NoReturn:
    pytest.fail(inert(message), pytrace=False)


def _warn(message: str, path: Path, line: int) -> None:
    """Warns at a line of a spec. `-W error` fails no gate that passed, unless the filter names this warning."""
    warning = RankgateWarning(message)
    try:
        warnings.warn_explicit(warning, None, str(path), line)
    except RankgateWarning:
        if any(action == "error" and kind is RankgateWarning for action, _, kind, *_ in warnings.filters):
            raise
        with warnings.catch_warnings():
            warnings.simplefilter("always", RankgateWarning)
            warnings.warn_explicit(warning, None, str(path), line)


def _teller(config: pytest.Config) -> Callable[[str], None]:
    """Shows a line while tests run; nobody does with `-q`, nor in a process of pytest-xdist, which has no terminal."""
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    capture: Any = config.pluginmanager.get_plugin("capturemanager")
    if reporter is None or config.getoption("verbose") < 0:
        return lambda line: None

    def tell(line: str) -> None:
        with capture.global_and_fixture_disabled() if capture is not None else contextlib.nullcontext():
            reporter.write_line(inert(line))
            reporter.flush()

    return tell


def _outcomes(session: pytest.Session) -> Outcomes:
    """What came of the specs of this test run, shared by the processes of pytest-xdist."""
    config = session.config
    found = config.stash.get(_OUTCOMES, None)
    if found is not None:
        return found
    items = [item for item in session.items if isinstance(item, GateItem)]
    specs = {item.spec.path: item.spec for item in items}
    names = frozenset(item.gate.name for item in items)
    every = frozenset(gate.name for spec in specs.values() for gate in spec.gates)
    plan = Plan(
        specs=tuple(specs.values()),
        gates=names,
        every=names == every,
        output=config.getoption("rankgate_output"),
        blessing=_blessing_options(config),
    )
    outcomes = Outcomes(plan, _shared_folder(config), registered())
    config.stash[_OUTCOMES] = outcomes
    return outcomes


def _blessing_options(config: pytest.Config) -> tuple[str, ...] | None:
    """What `rankgate bless` is told; each option blesses by itself."""
    options = ["--force"] * config.getoption("rankgate_bless_force")
    options += ["--accept-loss"] * config.getoption("rankgate_bless_accept_loss")
    return tuple(options) if options or config.getoption("rankgate_bless") else None


def _shared_folder(config: pytest.Config) -> Path:
    """A folder that the processes of this test run know, and nobody else."""
    given = getattr(config, "workerinput", {}).get("rankgate_folder")
    if given is not None:
        return Path(given)
    folder = config.stash.get(_FOLDER, None)
    if folder is None:
        folder = config.stash[_FOLDER] = tempfile.TemporaryDirectory(prefix="rankgate-pytest-")
    return Path(folder.name)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells a process of pytest-xdist where the results of all lie."""
    node.workerinput["rankgate_folder"] = str(_shared_folder(node.config))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    outcomes = session.config.stash.get(_OUTCOMES, None)
    if outcomes is not None:
        # Another process may still wait for what is measured here.
        early = session.shouldfail or session.shouldstop or exitstatus == pytest.ExitCode.INTERRUPTED
        outcomes.end(now=bool(early))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if config.stash.get(_FOLDER, None) is None:
        return
    folder = Path(config.stash[_FOLDER].name)
    blessed = blessing(folder)
    if blessed.strip():
        terminalreporter.write_sep("=", "rankgate: golden files")
        terminalreporter.write_line(inert(blessed.rstrip()))
    # What passes prints nothing else.
    lines = summaries(folder) if config.getoption("verbose") >= 0 else []
    if lines:
        terminalreporter.write_sep("=", "rankgate")
    for line in lines:
        terminalreporter.write_line(inert(line))
    asked = os.environ.get("RANKGATE_BLESS", "0") not in ("", "0")
    if asked and _blessing_options(config) is None:
        terminalreporter.write_line(
            "RANKGATE_BLESS is for `cargo test`: nothing was blessed here; `pytest --rankgate-bless` does",
            yellow=True,
        )
    # At the end, where nothing of pytest stands on the same line.
    for line in annotations(folder):
        terminalreporter.write_line(line)


def pytest_unconfigure(config: pytest.Config) -> None:
    folder = config.stash.get(_FOLDER, None)
    if folder is not None:
        folder.cleanup()
