"""Specs under pytest, each in a test run of its own."""

import subprocess

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
  late: {retriever: mine, params: {first: worst}, ignore: too slow}
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
    ran.assert_outcomes(passed=2, skipped=2)
    assert (place.path / "built").read_text() == "1"
    assert "toy.rankgate.yaml.toy.mine" in (place.path / "junit.xml").read_text()


def test_a_node_and_words_of_names_select(place: pytest.Pytester) -> None:
    place.runpytest_subprocess("toy.rankgate.yaml::toy::mine::RR@2").assert_outcomes(passed=1)
    place.runpytest_subprocess("-k", "mine and not RR").assert_outcomes(passed=1, deselected=3)
    place.runpytest_subprocess("-m", "not rankgate").assert_outcomes(deselected=4)


def test_a_turn_comes_with_those_before_it(pytester: pytest.Pytester) -> None:
    spec = """version: 1
benchmark: toy
collection:
  turns: {conversation: talk, answer: said}
  inline:
    queries:
      - {id: a, text: first, talk: t, turn: 1, said: yes it is, relevant: [d0]}
      - {id: b, text: then, talk: t, turn: 2, relevant: [d1]}
configurations: {mine: {retriever: mine}}
thresholds: [{metric: RR@2, min: 1}]
"""
    pytester.makefile(".rankgate.yaml", toy=spec)
    pytester.makeconftest("""
import rankgate
@rankgate.retriever("mine")
def build(setup):
    def search(query, depth):
        assert query.history in [(), (rankgate.Turn("first", "yes it is"),)], query.history
        return [f"d{len(query.history)}"]
    return search
""")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_a_failure_is_the_message_alone(place: pytest.Pytester) -> None:
    ran = place.runpytest_subprocess("--rankgate-include-ignored", "-x", "-k", "late")
    ran.assert_outcomes(failed=1)
    text = ran.stdout.str()
    assert "toy: late is below its threshold on" in text and "pytest_plugin.py" not in text


def test_what_a_retriever_raises_is_an_error_with_its_traceback(place: pytest.Pytester) -> None:
    place.makeconftest(CONFTEST.replace("if best", "if 1 // 0"))
    ran = place.runpytest_subprocess("-k", "RR")
    ran.assert_outcomes(errors=1, skipped=1)
    ran.stdout.fnmatch_lines(["*ERRORED: query*ZeroDivisionError*", "Traceback*", "*conftest.py*", "ZeroDivisionError*"])
    place.makeconftest(CONFTEST.replace('setup.params["first"] == "best"', "True"))
    ran = place.runpytest_subprocess()
    ran.assert_outcomes(errors=2, skipped=2)
    ran.stdout.fnmatch_lines(["*nothing reads the parameters first*"])
    place.makeconftest("")
    place.runpytest_subprocess().stdout.fnmatch_lines(
        ["*no retriever is registered as 'mine'*", "*none is registered at all*", '*@rankgate.retriever("mine")*']
    )


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
    ran.stdout.fnmatch_lines(["*ERRORED: toy: query*ZeroDivisionError*", "Traceback*", "*conftest.py*", "ZeroDivisionError*"])


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
    place.runpytest_subprocess().assert_outcomes(passed=2, skipped=2)


def test_an_advisory_gate_warns(place: pytest.Pytester) -> None:
    advisory = SPEC.replace("min: 0.75}\n", "min: 0.75, level: advisory}\n")
    place.makefile(".rankgate.yaml", toy=advisory)
    ran = place.runpytest_subprocess("--rankgate-include-ignored", "-k", "late")
    # One more says that every gate is advisory.
    ran.assert_outcomes(passed=2, warnings=3)


def test_cautions_and_warnings_of_what_passes_are_shown(place: pytest.Pytester) -> None:
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


def test_a_spec_without_a_gate_warns(place: pytest.Pytester) -> None:
    place.makefile(".rankgate.yaml", toy=SPEC.split("thresholds:")[0])
    place.makepyfile("def test_one(): pass")
    ran = place.runpytest_subprocess()
    ran.assert_outcomes(passed=1)
    ran.stdout.fnmatch_lines(["*RankgateWarning: toy has no gate: nothing of it is tested*"])


@pytest.mark.parametrize(
    ("hit", "said"),
    [
        ('("d1", float("nan"))', "ValueError: the score of 'd1' is nan, and scores are finite numbers"),
        ('(1.0, "d1")', "TypeError: a hit is (id, score), and in (1.0, 'd1') the id is neither text nor a whole number"),
        ('("d1", "high")', "TypeError: a hit is (id, score), and in ('d1', 'high') the score is no number"),
        ('("d1", 1.0, 2)', "TypeError: a hit is (id, score), found ('d1', 1.0, 2)"),
    ],
)
def test_a_hit_that_is_none_is_named(place: pytest.Pytester, hit: str, said: str) -> None:
    place.makeconftest(CONFTEST.replace("(documents[query], 2.0)", hit))
    ran = place.runpytest_subprocess()
    ran.assert_outcomes(errors=2, skipped=2)
    assert said in ran.stdout.str()


def test_a_name_that_nobody_registered_is_named_with_those_there_are(place: pytest.Pytester) -> None:
    place.makeconftest(CONFTEST.replace('retriever("mine")', 'retriever("mime")'))
    ran = place.runpytest_subprocess()
    ran.stdout.fnmatch_lines(["*no retriever is registered as 'mine'; did you mean 'mime'?*", "*registered are 'mime'*"])
    assert "use `cargo test`" not in ran.stdout.str()


def test_an_advisory_gate_that_is_errored_warns_beside_a_blocking_one(place: pytest.Pytester) -> None:
    gate = "comparisons:\n  - {candidate: mine, baseline: golden, metrics: [RR@2], expect: no-regression, level: advisory}\n"
    place.makefile(".rankgate.yaml", toy=SPEC + gate)
    place.runpytest_subprocess().assert_outcomes(passed=3, skipped=2, warnings=1)
    place.runpytest_subprocess("-k", "golden").assert_outcomes(errors=1, deselected=4)


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
    ran.assert_outcomes(failed=2, skipped=2)
    commands = [line for line in ran.outlines if line.lstrip().startswith("::")]
    assert [line.split("::")[1].split(",title=")[0] for line in commands] == [
        "error file=toy.rankgate.yaml,line=12",
        "error file=toy.rankgate.yaml,line=13",
    ]
    assert (place.path / "summary.md").read_text().startswith("## toy: 2 failed")
    # An error of a retriever may quote what it read.
    raising = 'if (_ for _ in ()).throw(ValueError("\\n::set-env name=PATH::x"))'
    place.makeconftest(CONFTEST.replace("if best", raising))
    ran = place.runpytest_subprocess(*options)
    ran.assert_outcomes(errors=2, skipped=2)
    assert "set-env" in ran.stdout.str()
    assert not [line for line in ran.outlines if line.lstrip().startswith("::set-env")]


def test_what_init_writes_passes_and_is_what_blessing_writes(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    subprocess.run([rankgate.find_rankgate_bin(), "init", "--pytest"], check=True)
    pytester.runpytest_subprocess().assert_outcomes(passed=8, warnings=5)
    golden = {path: path.read_bytes() for path in pytester.path.glob("golden/**/*.*")}
    pytester.runpytest_subprocess("--rankgate-bless").assert_outcomes(passed=8, warnings=5)
    assert {path: path.read_bytes() for path in pytester.path.glob("golden/**/*.*")} == golden


def test_blessing_writes_golden_runs(place: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    ran = place.runpytest_subprocess("--rankgate-bless")
    ran.assert_outcomes(passed=2, skipped=2)
    assert (place.path / "golden" / "toy" / "mine.run").is_file()
    ran.stdout.fnmatch_lines(["*rankgate: golden files*"])


JUDGED = """\
version: 1
benchmark: judged
collection:
  inline:
    documents: {d1: one, d2: two}
    queries: [{id: q1, text: one, relevant: [d1]}, {id: q2, text: two, relevant: [d2]}]
configurations: {mine: {run: mine.run}}
thresholds:
  - {metric: RR@2, min: 0.1}
  - {metric: nDCG@2, min: 0.1, judged: corrected}
judge: {endpoint: "${JUDGE_URL}", model: tiny, judgments: judged.jsonl, humans: humans.jsonl}
"""


def test_a_gate_that_nobody_could_judge_here_is_skipped(pytester: pytest.Pytester) -> None:
    pytester.makefile(".rankgate.yaml", judged=JUDGED)
    (pytester.path / "mine.run").write_text("q1 Q0 d1 1 2 m\nq1 Q0 d2 2 1 m\nq2 Q0 d2 1 2 m\n")
    pytester.runpytest_subprocess().assert_outcomes(passed=1, errors=1)
    asked = pytester.run(find_rankgate_bin(), "judge", "judged.rankgate.yaml", "--ci")
    assert asked.ret == 3
    ran = pytester.runpytest_subprocess("-rs")
    ran.assert_outcomes(passed=1, skipped=1)
    ran.stdout.fnmatch_lines(["SKIPPED*not judged here, since `JUDGE_URL` is not set*"])
