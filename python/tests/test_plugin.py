"""Specs under pytest, each in a test run of its own."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import rankgate
from rankgate._program import find_rankgate_bin

SPEC = """version: 1
benchmark: toy
collection:
  inline:
    documents: {d1: alpha, d2: beta}
    queries: [{id: q1, text: alpha, relevant: [d1]}, {id: q2, text: beta, relevant: [d2]}, {id: q3, text: beta, relevant: [d2]}]
configurations:
  mine: {retriever: mine, params: {first: best}}
metrics: [RR@2]
thresholds:
  - {metric: RR@2, min: 0.75}
  - {metric: R@2, min: 0.75}
"""
CONFTEST = """
import rankgate
@rankgate.retriever("mine")
def build(setup):
    open("built", "a").write("1")
    documents = {document.text: document.id for document in setup.documents()}
    best = setup.params["first"] == "best"
    return lambda query, depth: [(documents[query], 2.0)] if best else [("d1", 1.0)]
"""


@pytest.fixture(autouse=True)
def _on_no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blessing, annotations and pytest's summary depend on these, and these tests run on CI too."""
    for name in ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def place(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makefile(".rankgate.yaml", toy=SPEC)
    pytester.makeconftest(CONFTEST)
    return pytester


@pytest.mark.parametrize("options", [[], ["-n", "2"]])
def test_each_gate_is_a_test_and_the_model_is_built_once(place: pytest.Pytester, options: list[str]) -> None:
    if options:
        pytest.importorskip("xdist")
    ran = place.runpytest_subprocess("-v", "--junitxml=junit.xml", *options)
    ran.assert_outcomes(passed=2)
    assert (place.path / "built").read_text() == "1"
    assert "toy.rankgate.yaml.toy.mine" in (place.path / "junit.xml").read_text()


def test_a_node_and_words_of_names_select(place: pytest.Pytester) -> None:
    place.runpytest_subprocess("toy.rankgate.yaml::toy::mine::RR@2").assert_outcomes(passed=1)
    place.runpytest_subprocess("-k", "mine and not RR").assert_outcomes(passed=1, deselected=1)
    place.runpytest_subprocess("-m", "not rankgate").assert_outcomes(deselected=2)


def test_a_failure_is_the_message_alone(place: pytest.Pytester) -> None:
    place.makefile(".rankgate.yaml", toy=SPEC.replace("best", "worst"))
    ran = place.runpytest_subprocess("-x")
    ran.assert_outcomes(failed=1)
    text = ran.stdout.str()
    assert "toy: mine is below its threshold on" in text and "pytest_plugin.py" not in text


def test_what_a_retriever_raises_is_an_error_with_its_traceback(place: pytest.Pytester) -> None:
    place.makeconftest(CONFTEST.replace("if best", "if 1 // 0"))
    ran = place.runpytest_subprocess("-k", "RR")
    ran.assert_outcomes(errors=1)
    ran.stdout.fnmatch_lines(["*ERROR: query*ZeroDivisionError*", "Traceback*", "*conftest.py*", "ZeroDivisionError*"])
    place.makeconftest(CONFTEST.replace('setup.params["first"] == "best"', "True"))
    ran = place.runpytest_subprocess()
    ran.assert_outcomes(errors=2)
    # What the bridge is started with and how it ends is nobody's concern.
    lines = " ".join(ran.stdout.str().split())
    assert "ERROR: could not be set up: the build of `mine` did not read the parameters `first`: read them in" in lines
    assert "_bridge.py" not in lines and "hello" not in lines
    place.makeconftest(CONFTEST.replace('params["first"]', 'params["frist"]'))
    told = " ".join(place.runpytest_subprocess("-k", "RR").stdout.str().split())
    assert "KeyError: \"the spec sets no parameter 'frist' for this configuration; did you mean 'first'?\"" in told
    place.makeconftest("")
    told = " ".join(place.runpytest_subprocess().stdout.str().split())
    assert "no retriever is registered as 'mine'. None is registered at all. Put @rankgate.retriever(\"mine\") into conftest.py" in told


def test_a_gate_of_a_suite_has_the_tracebacks_of_its_benchmarks(place: pytest.Pytester) -> None:
    suite = """version: 1
suite: both
benchmarks: [toy.rankgate.yaml, other.rankgate.yaml]
thresholds:
  - {metric: RR@2, min: 0.75, for: [mine]}
"""
    place.makefile(".rankgate.yaml", other=SPEC.replace("benchmark: toy", "benchmark: other"), both=suite)
    place.runpytest_subprocess("both.rankgate.yaml").assert_outcomes(passed=1)
    place.makeconftest(CONFTEST.replace("if best", "if 1 // 0"))
    ran = place.runpytest_subprocess("both.rankgate.yaml")
    ran.assert_outcomes(errors=1)
    ran.stdout.fnmatch_lines(["*ERROR: toy: query*ZeroDivisionError*", "Traceback*", "*conftest.py*", "ZeroDivisionError*"])


def test_retrievers_may_be_async_and_take_batches(place: pytest.Pytester) -> None:
    place.makeconftest(
        CONFTEST.replace('("mine")', '("mine", batch=2)').replace("\ndef build", "\nasync def build").replace(
            '    return lambda query, depth: [(documents[query], 2.0)] if best else [("d1", 1.0)]',
            "    async def answer(queries, depth):\n"
            "        assert 1 <= len(queries) <= 2\n"
            "        return [[documents[query]] for query in queries]\n"
            "    assert best\n"
            "    return answer",
        )
    )
    place.runpytest_subprocess().assert_outcomes(passed=2)


def test_an_advisory_gate_warns(place: pytest.Pytester) -> None:
    advisory = SPEC.replace("best", "worst").replace("min: 0.75}\n", "min: 0.75, level: advisory}\n")
    place.makefile(".rankgate.yaml", toy=advisory)
    ran = place.runpytest_subprocess()
    # One more says that every gate is advisory.
    ran.assert_outcomes(passed=2, warnings=3)


def test_warnings_of_what_passes_are_shown(place: pytest.Pytester) -> None:
    # Of three queries a comparison shows nothing, whatever is lost, and a limit of 0 is none.
    (place.path / "before.run").write_text("".join(f"q{n} Q0 {id} 1 1.0 x\n" for n, id in [(1, "d1"), (2, "d2"), (3, "d2")]))
    second = '("d2" if documents[query] == "d1" else "d1", 2.0), (documents[query], 1.0)'
    lost = CONFTEST.replace("(documents[query], 2.0)", second)
    place.makeconftest(lost)
    comparison = "comparisons: [{candidate: mine, baseline: before, metrics: [RR@2]}]\n"
    spec = SPEC.split("thresholds:")[0].replace("configurations:", "configurations:\n  before: {run: before.run}")
    place.makefile(".rankgate.yaml", toy=spec + comparison + "thresholds: [{metric: RR@2, min: 0, for: mine}]\n")
    ran = place.runpytest_subprocess("-v")
    ran.assert_outcomes(passed=2)
    ran.stdout.fnmatch_lines(["*RankgateWarning*toy::mine-vs-before::RR@2 passed, but: *may be real*"])
    ran.stdout.fnmatch_lines(["*RankgateWarning*it can never fail*"])


def test_warnings_that_are_errors_fail_nothing_unless_they_are_named(place: pytest.Pytester) -> None:
    place.makefile(".rankgate.yaml", toy=SPEC.replace("min: 0.75}\n", "min: 0}\n"))
    # Its file stays open, which Python warns of.
    place.makeconftest(CONFTEST.replace('open("built", "a").write("1")', ""))
    for options, counts in [
        (["-W", "error"], {"passed": 2, "warnings": 2}),
        (["-W", "error", "-W", "ignore::rankgate.RankgateWarning"], {"passed": 2, "warnings": 0}),
        (["-W", "error::rankgate.pytest_plugin.RankgateWarning"], {"passed": 1, "errors": 1}),
    ]:
        ran = place.runpytest_subprocess(*options)
        ran.assert_outcomes(**counts)
        assert ("it can never fail" in ran.stdout.str()) == (counts.get("warnings") != 0)


@pytest.mark.parametrize("options", [[], ["-n2"]])
def test_what_passed_has_a_line(place: pytest.Pytester, options: list[str]) -> None:
    place.runpytest_subprocess("--rankgate-bless")
    line = "toy: RR@2 of mine 1.0000{}; target/rankgate/toy/report.html"
    place.runpytest_subprocess(*options).stdout.fnmatch_lines(["*= rankgate =*", line.format(" (as golden)")])
    half = '(documents[query], 2.0)] if query == "alpha" else [("d1", 3.0), (documents[query], 2.0)'
    place.makeconftest(CONFTEST.replace("(documents[query], 2.0)", half))
    ran = place.runpytest_subprocess("--rankgate-output", "out", *options)
    ran.stdout.fnmatch_lines(["toy: RR@2 of mine 0.6667 (-0.3333 from golden); out/toy/report.html"])
    assert "report.html" not in place.runpytest_subprocess("-q", "-k", "R@2 and not RR", *options).stdout.str()


def test_work_that_takes_long_is_told_while_it_goes_on(place: pytest.Pytester) -> None:
    place.makeconftest(CONFTEST.replace("    documents =", "    import time; time.sleep(2.4)\n    documents ="))
    ran = place.runpytest_subprocess("-v")
    ran.assert_outcomes(passed=2)
    ran.stdout.fnmatch_lines(["*building mine: 2 s so far, 5 min at most", "*passed*"])


def test_a_spec_without_a_gate_warns(place: pytest.Pytester) -> None:
    place.makefile(".rankgate.yaml", toy=SPEC.split("thresholds:")[0])
    place.makepyfile("def test_one(): pass")
    ran = place.runpytest_subprocess()
    ran.assert_outcomes(passed=1)
    ran.stdout.fnmatch_lines(["*RankgateWarning: toy has no gate: nothing of it is tested*"])


def test_an_answer_that_is_none_is_named_and_shown(place: pytest.Pytester) -> None:
    place.makeconftest(CONFTEST.replace("[(documents[query], 2.0)]", "{(documents[query], 2.0)}"))
    ran = place.runpytest_subprocess()
    ran.assert_outcomes(errors=2)
    text = "a retriever returns a list of (id, score), best first, found a set: its order is no ranking"
    assert text in " ".join(ran.stdout.str().split())
    # The same of every query, so that it is told once; what it was stands below.
    ran.stdout.fnmatch_lines([f"{text}: {{('d1', 2.0)}}"])


WHAT_IS_RAISED = {
    "skip": ('pytest.skip("no gpu")', "Skipped: no gpu; a retriever cannot skip its gates: `pytest --deselect` does"),
    "unittest": ('raise unittest.SkipTest("no gpu")', "SkipTest: no gpu; a retriever cannot skip its gates"),
    "import": ('pytest.importorskip("not_there")', "Skipped: could not import 'not_there'"),
    "fail": ('pytest.fail("bad")', "Failed: bad"),
    "exit": ("sys.exit(3)", "SystemExit: 3"),
    "stop": ("raise StopIteration", "StopIteration"),
    "base": ("raise BaseException(5)", "BaseException: 5"),
    "cancel": ("raise asyncio.CancelledError", "CancelledError"),
}
IMPORTS = "import asyncio, contextvars, sys, threading, time, unittest\nimport pytest\n"


@pytest.mark.parametrize("where", ["factory", "query", "batch", "async", "async factory", "generator"])
def test_whatever_is_raised_is_an_error_and_nothing_hangs(pytester: pytest.Pytester, where: str) -> None:
    in_factory, is_async = "factory" in where, "async" in where
    # A generator and a coroutine make an error of their own out of StopIteration.
    kinds = {kind: told for kind, told in WHAT_IS_RAISED.items() if kind != "stop" or where in ("factory", "query", "batch")}
    names = ", ".join(f"{kind}: {{retriever: {kind}, timeout: 20s}}" for kind in kinds)
    pytester.makefile(".rankgate.yaml", toy=SPEC.split("configurations:")[0] + f"""configurations: {{{names}}}
thresholds:
  - {{metric: RR@2, min: 0}}
""")
    conftest = [IMPORTS + "import rankgate"]
    for kind, (code, _) in kinds.items():
        conftest.append(f"""
@rankgate.retriever({kind!r}{", batch=2" if where == "batch" else ""})
{"async " if is_async else ""}def build_{kind}(setup):
    {code if in_factory else "pass"}
    {"async " if is_async else ""}def search(query, depth):
        {code}
        {"yield 1" if where == "generator" else ""}
    return search
""")
    pytester.makeconftest("\n".join(conftest))
    ran = pytester.runpytest_subprocess("--tb=short", timeout=60)
    ran.assert_outcomes(errors=len(kinds))
    said = " ".join(ran.stdout.str().split())
    assert "INTERNALERROR" not in said
    assert said.count("conftest.py") >= len(kinds)
    for _, told in kinds.values():
        assert told in said, (told, ran.stdout.str())


def test_an_interrupt_ends_the_test_run(place: pytest.Pytester) -> None:
    place.makeconftest(CONFTEST.replace("return lambda", "raise KeyboardInterrupt\n    return lambda"))
    ran = place.runpytest_subprocess(timeout=60)
    assert ran.ret == pytest.ExitCode.INTERRUPTED
    ran.stdout.fnmatch_lines(["*KeyboardInterrupt*"])


def test_what_ends_the_loop_ends_the_conversation(place: pytest.Pytester) -> None:
    place.makeconftest(IMPORTS + CONFTEST.replace(
        "    return lambda",
        "    async def leave(): sys.exit(7)\n"
        "    async def answer(query, depth):\n"
        "        task = asyncio.create_task(leave())\n"
        "        await asyncio.sleep(60)\n"
        "    return answer\n"
        "    return lambda",
    ))
    ran = place.runpytest_subprocess(timeout=60)
    ran.assert_outcomes(errors=2)
    ran.stdout.fnmatch_lines(["*ERROR: query `q1`: the program says: `SystemExit: 7`*"])
    ran.stdout.fnmatch_lines(["*Traceback*", "*conftest.py*in leave", "*", "SystemExit: 7"], consecutive=True)
    place.makeconftest(IMPORTS + CONFTEST.replace("\ndef build", "\nasync def build").replace(
        "    best =",
        "    async def leave(): sys.exit(7)\n"
        "    task = asyncio.create_task(leave())\n"
        "    await asyncio.sleep(60)\n"
        "    best =",
    ))
    ran = place.runpytest_subprocess(timeout=60)
    ran.assert_outcomes(errors=2)
    ran.stdout.fnmatch_lines(["*ERROR: could not be set up: SystemExit: 7"])


def test_plain_functions_have_one_thread_without_a_loop(place: pytest.Pytester) -> None:
    place.makeconftest(IMPORTS + """
import rankgate
import sqlite3
said = contextvars.ContextVar("said", default="nothing")
said.set("at import")
async def nothing(): return said.get()

@rankgate.retriever("mine")
def build(setup):
    assert setup.params["first"]
    assert said.get() == "at import"
    said.set("in the factory")
    assert asyncio.run(nothing()) == "in the factory"
    # It is for the thread that made it.
    database = sqlite3.connect(":memory:")
    database.execute("create table pages (id, text)")
    database.executemany("insert into pages values (?, ?)", [(page.id, page.text) for page in setup.documents()])
    def search(query, depth):
        assert asyncio.run(nothing()) == "in the factory"
        for id, in database.execute("select id from pages where text = ?", [query]):
            yield id
    return search
""")
    place.runpytest_subprocess().assert_outcomes(passed=2)


def test_async_functions_have_the_loop(place: pytest.Pytester) -> None:
    place.makeconftest(IMPORTS + """
import functools, rankgate
class Searches:
    def __init__(self, documents): self.documents, self.loop, self.open = documents, asyncio.get_running_loop(), 0
    async def __call__(self, query, depth):
        assert asyncio.get_running_loop() is self.loop
        return [self.documents[query]]

async def build(setup, extra):
    await asyncio.sleep(0)
    return setup.params["first"] and Searches({page.text: page.id for page in setup.documents()})
rankgate.retriever("mine")(functools.partial(build, extra=1))
""")
    place.runpytest_subprocess().assert_outcomes(passed=2)
    place.makeconftest(CONFTEST.replace("return lambda", "import asyncio\n    asyncio.get_running_loop()\n    return lambda"))
    ran = place.runpytest_subprocess()
    assert "run on a thread without a loop: make this one `async def`" in " ".join(ran.stdout.str().split())


def test_a_name_that_nobody_registered_is_named_with_those_there_are(place: pytest.Pytester) -> None:
    place.makeconftest(CONFTEST.replace('retriever("mine")', 'retriever("mime")'))
    ran = place.runpytest_subprocess()
    told = " ".join(ran.stdout.str().split())
    # Once at each gate: there is no traceback of it.
    assert told.count("no retriever is registered as 'mine'; did you mean 'mime'? Registered are 'mime'. Put @rankgate") == 2


def test_a_name_that_nobody_registered_is_no_error_of_other_gates(place: pytest.Pytester) -> None:
    (place.path / "before.run").write_text("".join(f"q{n} Q0 {id} 1 1.0 x\n" for n, id in [(1, "d1"), (2, "d2"), (3, "d2")]))
    place.makefile(".rankgate.yaml", toy=SPEC.replace("configurations:", "configurations:\n  before: {run: before.run}"))
    place.makeconftest("")
    place.runpytest_subprocess().assert_outcomes(passed=2, errors=2)
    place.runpytest_subprocess("-k", "before").assert_outcomes(passed=2, deselected=2)


def test_an_advisory_gate_that_is_an_error_warns_beside_a_blocking_one(place: pytest.Pytester) -> None:
    gate = "comparisons:\n  - {candidate: mine, baseline: golden, metrics: [RR@2], expect: no-regression, level: advisory}\n"
    place.makefile(".rankgate.yaml", toy=SPEC + gate)
    place.runpytest_subprocess().assert_outcomes(passed=3, warnings=1)
    place.runpytest_subprocess("-k", "golden").assert_outcomes(errors=1, deselected=2)


def test_folders_are_collected_and_what_is_wrong_with_a_spec_is_said(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("benchmarks")
    (folder / "toy.yaml").write_text(SPEC.replace("RR@2, min", "RRR@2, min"))
    pytester.runpytest_subprocess().assert_outcomes()
    ran = pytester.runpytest_subprocess("--rankgate", "benchmarks")
    ran.assert_outcomes(errors=1)
    assert "RRR@2" in ran.stdout.str() and "_program.py" not in ran.stdout.str()


@pytest.mark.parametrize("options", [[], ["-n2"]])
def test_on_github_gates_are_annotated_and_nothing_else_is_a_command(
    place: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(place.path))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(place.path / "summary.md"))
    place.makeconftest(CONFTEST.replace("if best", "if False"))
    ran = place.runpytest_subprocess(*options)
    ran.assert_outcomes(failed=2)
    commands = [line for line in ran.outlines if line.lstrip().startswith("::")]
    assert [line.split("::")[1].split(",title=")[0] for line in commands] == [
        "error file=toy.rankgate.yaml,line=11",
        "error file=toy.rankgate.yaml,line=12",
    ]
    assert (place.path / "summary.md").read_text().startswith("## toy: 2 failed")
    # An error of a retriever may quote what it read.
    raising = 'if (_ for _ in ()).throw(ValueError("\\n::set-env name=PATH::x"))'
    place.makeconftest(CONFTEST.replace("if best", raising))
    ran = place.runpytest_subprocess(*options)
    ran.assert_outcomes(errors=2)
    assert "set-env" in ran.stdout.str()
    assert not [line for line in ran.outlines if line.lstrip().startswith("::set-env")]


def test_what_init_writes_passes_and_is_what_blessing_writes(pytester: pytest.Pytester) -> None:
    subprocess.run([rankgate.find_rankgate_bin(), "init", "--pytest"], check=True)
    pytester.runpytest_subprocess().assert_outcomes(passed=6, warnings=0)
    golden = {path: path.read_bytes() for path in pytester.path.glob("golden/**/*.*")}
    pytester.runpytest_subprocess("--rankgate-bless").assert_outcomes(passed=6, warnings=0)
    assert {path: path.read_bytes() for path in pytester.path.glob("golden/**/*.*")} == golden


def test_init_prints_what_to_paste_into_a_conftest_that_is_there(pytester: pytest.Pytester) -> None:
    conftest = pytester.mkdir("benchmarks") / "conftest.py"
    conftest.write_text("import os\n")
    command = [rankgate.find_rankgate_bin(), "init", "--pytest"]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "benchmarks/conftest.py is there already. Paste these lines into it:" in ran.stderr
    assert conftest.read_text() == "import os\n" and '@rankgate.retriever("words")' in ran.stdout
    conftest.write_text("import os\n" + ran.stdout)
    pytester.runpytest_subprocess().assert_outcomes(passed=6, warnings=0)


def test_blessing_writes_golden_runs(place: pytest.Pytester) -> None:
    ran = place.runpytest_subprocess("--rankgate-bless")
    ran.assert_outcomes(passed=2)
    golden = place.path / "golden" / "toy" / "mine.run"
    assert golden.is_file()
    ran.stdout.fnmatch_lines(["*rankgate: golden files*"])
    blessed = golden.read_bytes()
    # Another answer, for which a threshold fails, is blessed by force alone.
    place.makeconftest(CONFTEST.replace("if best", "if False"))
    ran = place.runpytest_subprocess("--rankgate-bless-accept-loss")
    ran.assert_outcomes(errors=2)
    # Nothing of how far it was.
    ran.stdout.fnmatch_lines(["*ERROR at setup of*", "toy: mine is not blessed while its thresholds fail*"], consecutive=True)
    assert "asking" not in ran.stdout.str() and golden.read_bytes() == blessed
    ran.stdout.fnmatch_lines(["*`pytest --rankgate-bless-force` blesses it all the same*"])
    place.runpytest_subprocess("--rankgate-bless-force").assert_outcomes(failed=2)
    assert golden.read_bytes() != blessed


def test_errors_of_blessing_begin_with_what_was_raised(place: pytest.Pytester) -> None:
    place.makeconftest(CONFTEST.replace("    best =", "    raise OSError('no index')\n    best ="))
    ran = place.runpytest_subprocess("--rankgate-bless")
    ran.assert_outcomes(errors=2)
    ran.stdout.fnmatch_lines(
        [
            "*ERROR at setup of*",
            "toy: mine is not blessed: could not be set up: OSError: no index",
            "",
            "Retriever of `mine`. Traceback*",
        ],
        consecutive=True,
    )
    # The second one has its first line.
    ran.stdout.fnmatch_lines(["*(the rest stands at the first gate)"])


def test_what_is_not_blessed_of_one_spec_keeps_no_other_from_its_verdicts(place: pytest.Pytester) -> None:
    other = SPEC.replace("benchmark: toy", "benchmark: other")
    place.makefile(".rankgate.yaml", other=other)
    place.runpytest_subprocess("--rankgate-bless").assert_outcomes(passed=4)
    place.makefile(".rankgate.yaml", other=other.replace("first: best", "first: worst"))
    ran = place.runpytest_subprocess("--rankgate-bless", "-v")
    ran.assert_outcomes(passed=2, errors=2)
    ran.stdout.fnmatch_lines(["*`pytest --rankgate-bless-force` blesses it all the same"])


def test_the_variable_of_cargo_blesses_nothing_and_says_so(place: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKGATE_BLESS", "1")
    ran = place.runpytest_subprocess("-q")
    ran.assert_outcomes(passed=2)
    ran.stdout.fnmatch_lines(["RANKGATE_BLESS is for `cargo test`: nothing was blessed here; `pytest --rankgate-bless` does*"])
    assert not (place.path / "golden").exists()


@pytest.mark.parametrize("ci", [False, True])
@pytest.mark.parametrize("options", [[], ["-n", "2"]])
def test_a_message_that_another_gate_has_is_short(
    place: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: bool, options: list[str]
) -> None:
    # There, pytest shows the summary's lines whole.
    if ci:
        monkeypatch.setenv("CI", "true")
    place.makeconftest(CONFTEST.replace("if best", "if 1 // 0"))
    ran = place.runpytest_subprocess("--junitxml=junit.xml", *options)
    ran.assert_outcomes(errors=2)
    assert 'message="failed on setup with &quot;toy: mine ended in an error, so RR@2 could not be decided&quot;"' in (
        place.path / "junit.xml"
    ).read_text()
    # Both gates are errors by the same.
    assert ran.stdout.str().count("A query that fails is not scored as 0") == 1
    assert ran.stdout.str().count("Traceback (most recent call last)") == 1
    assert place.runpytest_subprocess("--maxfail=2", *options).stdout.str().count("A query that fails is not scored as 0") == 2


def test_a_deterministic_gate_says_that_both_builds_were_here(place: pytest.Pytester) -> None:
    place.makefile(".rankgate.yaml", toy=SPEC + "deterministic: true\n")
    conftest = CONFTEST.replace("import rankgate", "import rankgate\nbuilds = []").replace("    best =", "    builds.append(1)\n    best =")
    place.makeconftest(conftest.replace("if best", "if len(builds) == 1"))
    ran = place.runpytest_subprocess("-k", "deterministic and mine")
    ran.assert_outcomes(failed=1, deselected=2)
    assert "built twice in one process" in ran.stdout.str()


ANSWERS = """
import rankgate
@rankgate.retriever("mine")
def build(setup):
    documents = {document.text: document for document in setup.documents()}
    best = setup.params["first"] == "best"
    def answer(query, depth):
        found = documents[query]
        return rankgate.Response([(found.id, 2.0)], {"text": f"It is {found.text}.", "contexts": [found.id]})
    return answer
"""
JUDGE = """
import json, sys
sys.stdin.readline()
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    verdicts = [{"id": id, "context": 1, "verdict": "supported"} for id, _ in asked["claims"]] if "claims" in asked else None
    reply = {"claims": [asked["text"]]} if verdicts is None else {"verdicts": verdicts}
    print(json.dumps({"id": asked["id"], **reply}), flush=True)
"""


@pytest.mark.parametrize("options", [[], ["-n", "2"]])
def test_answers_are_scored_by_the_command_that_a_gate_prints(pytester: pytest.Pytester, options: list[str]) -> None:
    gate = "scores: {faithfulness: {file: columns/faithfulness.csv, for: [mine]}}\n"
    gate += "thresholds:\n  - {score: faithfulness, min: 0.9, level: advisory}\n  - {metric: RR@2, min: 0.9}\n"
    pytester.makefile(".rankgate.yaml", toy=SPEC.split("thresholds:")[0] + gate)
    pytester.makefile(".yaml", judge="command: [python3, judge.py]\nmodel: rules\nspec: toy.rankgate.yaml\n")
    pytester.makepyfile(judge=JUDGE)
    for answer, told in [("It is", "columns/faithfulness.csv is not there"), ("It was", "of another answer than today's")]:
        pytester.makeconftest(ANSWERS.replace("It is", answer))
        ran = pytester.runpytest_subprocess("-k", "faithfulness", *options)
        ran.assert_outcomes(errors=1)
        said = " ".join(ran.stdout.str().split())
        command = re.search(r"`rankgate (judge score [^`]*)`", said)
        assert told in said and command is not None, said
        typed = command[1].replace("--metric ...", "--metric Faithfulness").split()
        scored = subprocess.run([rankgate.find_rankgate_bin(), *typed], capture_output=True, text=True, check=True)
        assert scored.stdout.startswith("Faithfulness 1.0000 over 3 queries: columns/faithfulness.csv\n"), scored
        pytester.runpytest_subprocess(*options).assert_outcomes(passed=2)
    lines = (pytester.path / "target/rankgate/toy/mine.answers.jsonl").read_text().splitlines()
    assert json.loads(lines[0]) == {"query": "q1", "answer": "It was alpha.", "contexts": ["d1"]}


def test_the_pages_first_gates_are_whole(pytester: pytest.Pytester) -> None:
    # Somebody new types them as they stand in docs/python.md.
    root = Path(__file__).parents[2]
    page = (root / "docs/python.md").read_text()
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", page, re.M | re.S)
    for language, text in blocks:
        path = text.partition("\n")[0].removeprefix("# ")
        if language in ("python", "yaml") and path.endswith((".py", ".yaml")):
            file = pytester.path / path
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
    for folder in ("data", "benchmarks/data"):
        shutil.copytree(root / "examples/data/helpdesk", pytester.path / folder / "helpdesk")
    ran = pytester.runpytest_subprocess("-s")
    ran.assert_outcomes(passed=2, errors=1)
    (shown,) = (text for language, text in blocks if language == "text")
    assert shown in ran.stdout.str(), ran.stdout.str()
    pytester.runpytest_subprocess("--rankgate-bless").assert_outcomes(passed=3)
    pytester.runpytest_subprocess().assert_outcomes(passed=3)
    spec = pytester.path / "benchmarks/helpdesk.rankgate.yaml"
    spec.write_text(spec.read_text().replace("alpha: 0.5", "alpha: 1.0"))
    pytester.runpytest_subprocess().assert_outcomes(passed=1, failed=2)
