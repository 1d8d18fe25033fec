"""`evaluate` and `compare`: every form of input, and the command's own numbers in every bit."""

import json
import math
import re
import subprocess
import warnings
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rankgate

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2, "d1": 1}, "q3": {"d9": 1}}
RUN = {"q1": {"d2": 0.5, "d1": 1 / 3}, "q2": {"d3": 7.25, "d4": 1.0, "d1": 0.1}}
# One that answers all queries.
WHOLE = RUN | {"q3": {"d9": 1.0}}
METRICS = ["ndcg_cut_10", "AP", "RR@10"]


def rows(values: dict[str, Any]) -> list[tuple[str, str, float]]:
    return [(query, document, value) for query, found in values.items() for document, value in found.items()]


def test_scores_are_the_commands_in_every_bit(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(json.dumps(QRELS))
    (tmp_path / "run").write_text(json.dumps(RUN))
    command = [rankgate.find_rankgate_bin(), "eval", "qrels", "run", "-m", "nDCG@10,AP,RR@10", "--per-query", "--format", "json"]
    told = json.loads(subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout)
    found = rankgate.evaluate(QRELS, RUN, METRICS)
    assert found.per_query == told["per_query"] and found.mean == told["mean"]
    assert found["ndcg_cut_10"] == found["nDCG@10"] == told["mean"]["nDCG@10"]
    assert (found.queries, found.unanswered) == (3, 1)
    assert rankgate.evaluate(tmp_path / "qrels", str(tmp_path / "run"), METRICS).per_query == found.per_query
    assert rankgate.evaluate(rows(QRELS), rows(RUN), METRICS).per_query == found.per_query
    assert "nDCG@10" in found._repr_html_()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_are_taken(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame

    def frame(values: dict[str, Any], name: str) -> Any:
        query, document, value = zip(*rows(values), strict=True)
        return make({"query_id": list(query), "doc_id": list(document), name: list(value)})

    expected = rankgate.evaluate(QRELS, RUN, METRICS).per_query
    assert rankgate.evaluate(frame(QRELS, "relevance"), frame(RUN, "score"), METRICS).per_query == expected
    if library == "pandas":
        monkeypatch.setattr("rankgate._inputs._writes_parquet", lambda frame, path: False)
        assert rankgate.evaluate(frame(QRELS, "relevance"), frame(RUN, "score"), METRICS).per_query == expected


def test_what_is_wrong_is_one_exception_and_never_a_score() -> None:
    wrong: list[tuple[Any, Any, list[str], str]] = [
        (QRELS, {"q1": {"d1": math.nan}}, METRICS, "expected a finite number, found nan"),
        ({"q1": {"d1": 0.5}}, RUN, METRICS, "expected a whole number, found 0.5"),
        (QRELS, RUN, ["nDGC@10"], "nDGC@10"),
        (QRELS, "nowhere.run", METRICS, "nowhere.run"),
        (QRELS, [("q1", "d1", 1.0), ("q1", "d1", 2.0)], METRICS, "twice"),
    ]
    for qrels, run, metrics, words in wrong:
        with pytest.raises(rankgate.InputError, match=words):
            rankgate.evaluate(qrels, run, metrics)


def test_a_comparison_is_a_gate() -> None:
    qrels = {f"q{n}": {"good": 1} for n in range(10)}
    old = {f"q{n}": {"good": 2.0, "bad": 1.0} for n in range(10)}
    new = {f"q{n}": {"bad": 2.0, "good": 1.0} for n in range(10)}
    result = rankgate.compare(qrels, old, new, ["RR@10", "P_1"], expect="no-regression")
    assert result.passed is False and "FAILED" in result.message
    assert result["P_1"].difference == -1.0 and result["RR@10"].conclusion == "worse"
    assert (result["RR@10"].wins, result["RR@10"].losses) == (0, 10)
    assert rankgate.compare(qrels, old, new, "RR@10").passed is None
    assert "<table>" in result._repr_html_()


def test_results_are_frames() -> None:
    pytest.importorskip("pandas")
    scores = rankgate.evaluate(QRELS, RUN, METRICS)
    assert scores.to_pandas().loc["q2", "nDCG@10"] == scores.per_query["q2"]["nDCG@10"]
    compared = rankgate.compare(QRELS, RUN | {"q3": {"d9": 2.0, "d8": 3.0}}, {"q1": {"d1": 1.0}, "q2": {"d4": 1.0}, "q3": {"d9": 1.0}}, METRICS)
    assert list(compared.to_pandas().index) == [one.metric for one in compared.differences]


def test_pytrec_eval_agrees() -> None:
    peer = pytest.importorskip("pytrec_eval")
    random = Random(5)
    documents = [f"d{n}" for n in range(60)]
    qrels = {f"q{n}": {id: random.choice([0, 0, 1, 2]) for id in random.sample(documents, 20)} for n in range(12)}
    # One query is not answered. No two scores are equal.
    run = {f"q{n}": {id: random.random() for id in random.sample(documents, 40)} for n in range(11)}
    # Of other levels, version 10 of `trec_eval` and 9, which pytrec_eval has, give other values.
    measures = set(rankgate.supported_measures) - {"iprec_at_recall"} | {"iprec_at_recall.0.0,1.0", "ndcg_cut.1,3,5", "P_7"}
    theirs = peer.RelevanceEvaluator(qrels, measures).evaluate(run)
    ours = rankgate.RelevanceEvaluator(qrels, measures).evaluate(run)
    assert ours.keys() == theirs.keys() and len(ours) == 11
    for query, scores in ours.items():
        assert scores.keys() == theirs[query].keys() >= {"ndcg_cut_1", "ndcg_cut_3", "ndcg_cut_5", "P_7", "recall_1000", "gm_map", "map"}
        for measure, score in scores.items():
            assert score == pytest.approx(theirs[query][measure], abs=1e-12), measure
    for measure in ours["q0"]:
        columns = [[found[query][measure] for query in run] for found in (ours, theirs)]
        expected = peer.compute_aggregated_measure(measure, columns[1])
        assert rankgate.compute_aggregated_measure(measure, columns[0]) == pytest.approx(expected, rel=1e-12), measure


def test_files_are_parsed_as_pytrec_eval_does() -> None:
    peer = pytest.importorskip("pytrec_eval")
    run = ["q1 Q0 d1 1 2.5 x\n", "q1 Q0 d2 2 -1e3 x\n", "q2\tQ0\td1\t1\t0\tx\n"]
    qrels = ["q1 0 d1 2\n", "q2 0 d1 -1\n"]
    assert rankgate.parse_run(run) == peer.parse_run(run) == {"q1": {"d1": 2.5, "d2": -1000.0}, "q2": {"d1": 0.0}}
    assert rankgate.parse_qrel(qrels) == peer.parse_qrel(qrels) == {"q1": {"d1": 2}, "q2": {"d1": -1}}
    wrong = {"q1 0 d1": "line 3: expected `QUERY 0 DOCUMENT GRADE`, found 'q1 0 d1'", "q1 0 d1 3": "query 'q1' has the document 'd1' twice"}
    for line, words in wrong.items():
        with pytest.raises(rankgate.InputError, match=words):
            rankgate.parse_qrel([*qrels, line])


def test_nicknames_stand_for_their_measures() -> None:
    found = rankgate.RelevanceEvaluator(QRELS, ["official"]).evaluate(RUN)
    names = {"map", "gm_map", "Rprec", "bpref", "recip_rank", "num_ret", "num_rel", "num_rel_ret"}
    assert {name for name in found["q1"] if not name.startswith(("P_", "iprec_at_recall_"))} == names
    assert rankgate.RelevanceEvaluator(QRELS, ["map"]).evaluate({}) == {}


def test_ir_measures_agrees() -> None:
    peer = pytest.importorskip("ir_measures")
    metrics = [peer.nDCG @ 10, peer.AP, peer.RR @ 10]
    theirs = peer.calc_aggregate(metrics, QRELS, RUN)
    ours = rankgate.evaluate(QRELS, RUN, metrics)
    for metric in metrics:
        assert ours[str(metric)] == pytest.approx(theirs[metric], abs=1e-12)
    qrels = [peer.Qrel(*row) for row in rows(QRELS)]
    assert rankgate.evaluate(qrels, [peer.ScoredDoc(*row) for row in rows(RUN)], metrics).mean == ours.mean


def test_ranx_agrees() -> None:
    peer = pytest.importorskip("ranx")
    run = RUN | {"q3": {"d7": 1.0}}
    qrels = {query: {id: grade for id, grade in found.items() if grade} for query, found in QRELS.items()}
    theirs = peer.evaluate(peer.Qrels(qrels), peer.Run(run), ["ndcg@10", "mrr"])
    ours = rankgate.evaluate(peer.Qrels(qrels), peer.Run(run), ["ndcg@10", "mrr"])
    for metric, value in theirs.items():
        assert ours[metric] == pytest.approx(value, abs=1e-12)


def test_a_response_carries_its_scores() -> None:
    from rankgate._serve import _reply

    def fail(query: rankgate.Query) -> dict[str, Any]:
        return {"id": query.id, "error": "failed"}

    query = rankgate.Query("alpha", id="q1")
    scored = rankgate.Response(["d2"], scores={"tokens": 812, "cost": 0.5})
    assert _reply(query, scored, fail) == {"id": "q1", "scores": {"tokens": 812.0, "cost": 0.5}, "hits": ["d2"]}
    written: Any = {"cost": "2 ct"}
    assert _reply(query, rankgate.Response(["d2"], scores=written), fail) == {"id": "q1", "error": "failed"}


def test_limits_that_nothing_can_break_are_refused() -> None:
    qrels = {f"q{n}": {"good": 1} for n in range(12)}
    good, bad = ({f"q{n}": {id: 1.0} for n in range(12)} for id in ("good", "bad"))
    bad = {query: {**hits, "good": 0.5} for query, hits in bad.items()}
    with pytest.raises(rankgate.InputError, match="no two values of nDCG@10 differ by more than 2.*did you mean 0.02"):
        rankgate.compare(qrels, good, bad, ["nDCG@10"], expect="non-inferiority", margin=2)
    with pytest.raises(rankgate.InputError, match="needs `margin`.*margin=0.02"):
        rankgate.compare(qrels, good, bad, ["nDCG@10"], expect="equivalence")


def test_a_pass_says_what_to_know_and_errors_name_no_files_of_ours() -> None:
    qrels = {f"q{n}": {"good": 1} for n in range(4)}
    good = {f"q{n}": {"good": 1.0} for n in range(4)}
    bad = {f"q{n}": {"bad": 1.0, "good": 0.5} for n in range(4)}
    found = rankgate.compare(qrels, good, bad, ["RR@1"], expect="no-regression")
    assert found.passed and any("may be real" in warning for warning in found.warnings), found.warnings
    with pytest.raises(rankgate.InputError) as raised:
        rankgate.evaluate(qrels, {"other": {"good": 1.0}}, ["RR@1"])
    assert "/" not in str(raised.value).replace("0/", ""), str(raised.value)


def test_answers_that_are_no_ranking_are_refused_in_one_text() -> None:
    from rankgate._hits import read_hits
    from rankgate._serve import _A_LIST, _described

    class Hit:
        pass

    kind = "a retriever returns a list of (id, score), best first, found "
    apart = "a hit is (id, score), found a{}; where a library returns ids and scores apart: `list({})`"
    refused: list[tuple[Any, str]] = [
        ({("d1", 1.0)}, kind + "a set: its order is no ranking"),
        (frozenset({"d1"}), kind + "a frozenset: its order is no ranking"),
        ({"d1": 1.0}, kind + "a dict: its order is no ranking"),
        ({"d1": 1.0}.items(), kind + "a dict_items: its order is no ranking"),
        ({"d1": 1.0}.values(), kind + "a dict_values: its order is no ranking"),
        (None, "a retriever returns a list of (id, score), found None"),
        ("d1", "a retriever returns a list of (id, score), found a str"),
        ([("d1", math.nan)], "a score is nan, and scores are finite numbers"),
        ([(1.0, "d1")], "a hit is (id, score), and its id is a float, which is neither text nor a whole number"),
        ([("d1", "high")], "a hit is (id, score), and its score is a str, which is no number"),
        ([("d1", 1.0, 2)], "a hit is (id, score), found a tuple of 3"),
        ([Hit()], "a hit is (id, score) or an id, found a Hit"),
        ([{"id": "d1"}], "a hit is (id, score) or an id, found a dict"),
        ((["d1", "d2", "d3"], [3.0, 2.0, 1.0]), apart.format(" list", "zip(ids, scores)")),
        (([[1, 2, 3]], [[3.0, 2.0, 1.0]]), apart.format(" list", "zip(ids[0], scores[0])")),
    ]
    numpy = pytest.importorskip("numpy")
    ids, scores = numpy.array([[1, 2]]), numpy.array([[2.0, 1.0]])
    refused += [
        ((ids, scores), apart.format("n array", "zip(ids[0], scores[0])")),
        ((ids[0], scores[0]), apart.format("n array", "zip(ids, scores)")),
        # An array of one number passes for a number.
        (numpy.array([[7]]), apart.format("n array", "zip(ids, scores)")),
    ]
    for answer, told in refused:
        with pytest.raises(Exception) as raised:
            read_hits(answer, _A_LIST)
        assert _described(raised.value) == told
    taken: list[Any] = [["d1", "d2"], ("d1", "d2"), iter(["d1", "d2"]), (id for id in ("d1", "d2")), numpy.array(["d1", "d2"])]
    for answer in taken:
        assert read_hits(answer, _A_LIST) == ["d1", "d2"]
    assert read_hits(ids[0], _A_LIST) == ["1", "2"] and read_hits(zip(ids[0], scores[0]), _A_LIST) == [["1", 2.0], ["2", 1.0]]


def test_errors_are_told_alike_and_without_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    from rankgate import _serve

    def fail(*_: Any, **__: Any) -> None:
        raise SystemError("two threads parse")

    try:
        try:
            raise KeyError("inner")
        except KeyError:
            raise ValueError(f"no {object()}")  # noqa: B904
    except ValueError as error:
        assert _serve._described(error) == "ValueError: no <object object>"
        # Python 3.11 has one state for all threads that parse, and pytest parses in another.
        monkeypatch.setattr("ast.parse", fail)
        told = _serve._traceback(error)
    assert "raise KeyError" in told and "raise ValueError" in told and "^^^" not in told


def test_a_run_of_another_collection_is_an_error() -> None:
    with pytest.raises(rankgate.InputError, match="none of its 2 results is judged, so AP has no value"):
        rankgate.evaluate(QRELS, {"q1": {"<b>": 1.0}, "q2": {"y": 1.0}}, ["AP"])
    found = rankgate.evaluate(QRELS, {"q1": {"d1": 1.0}, "<i>": {"d1": 1.0}}, ["AP"])
    assert "3 judged queries; 2 unanswered" in str(found) and "\nnote: run: queries that are not judged: 1" in str(found)
    assert "<p>note: run: queries that are not judged: 1" in found._repr_html_()


def test_a_comparison_shows_its_warnings() -> None:
    comparison = rankgate.compare(QRELS, WHOLE, WHOLE, ["AP"])
    import dataclasses

    other = dataclasses.replace(comparison, warnings=("a < b",), notes=("c & d",))
    assert "<p>warning: a &lt; b</p><p>note: c &amp; d</p>" in other._repr_html_()
    assert str(other).endswith("\nwarning: a < b\nnote: c & d")


def test_metrics_have_all_of_their_names() -> None:
    found = rankgate.evaluate(QRELS, RUN, ["map", "AP", "P.5,10", "ndcg_cut_10"])
    assert found["map"] == found["AP"] == found.mean["AP"] and found["ndcg_cut_10"] == found.mean["nDCG@10"]
    assert found["P_5"] == found.mean["P@5"] and list(found.mean) == ["AP", "P@5", "P@10", "nDCG@10"]
    assert rankgate.evaluate(QRELS, RUN, "ndcg_cut_10, map")["ndcg@10"] == found["nDCG@10"]
    for absent in ("R@100", "P.5,10", "no metric"):
        with pytest.raises(KeyError, match="was asked for; there are AP"):
            found[absent]
    assert rankgate.compare(QRELS, WHOLE, WHOLE, ["map", "AP"])["map"].metric == "AP"


def test_queries_keep_their_ids_for_scripts_of_pytrec_eval() -> None:
    qrels: Any = {1: {10: 1}, 2: {10: 1}}
    run: Any = {1: {10: 0.5}}
    found: Any = rankgate.RelevanceEvaluator(qrels, {"map", "AP"}).evaluate(run)
    assert found == {1: {"map": 1.0, "AP": 1.0}}
    with pytest.raises(rankgate.InputError, match="AP,RR stands for AP, RR"):
        rankgate.RelevanceEvaluator(QRELS, {"map", "AP,RR"}).evaluate(RUN)


def test_a_comparison_takes_what_its_errors_advise() -> None:
    qrels = {f"q{n}": {"good": 1} for n in range(60)}
    old = {query: {"good": 1.0} for query in qrels}
    half = {f"q{n}": {"good": 1.0} for n in range(30)}
    with pytest.raises(rankgate.InputError, match=r"`min_coverage=0\.\d+`") as raised:
        rankgate.compare(qrels, old, half)
    assert "--" not in str(raised.value)
    assert rankgate.compare(qrels, old, half, min_coverage=0.5).differences[0].losses == 30
    with pytest.raises(rankgate.InputError, match="expect='no_regression' is none of no-regression, .*did you mean 'no-regression'"):
        wrong: Any = "no_regression"
        rankgate.compare(qrels, old, old, expect=wrong)


def test_inputs_that_are_none_are_named() -> None:
    wrong: list[tuple[Any, Any, Any, str]] = [
        ("", RUN, None, "qrels: the path is empty"),
        ("q1 0 d1 1\n", RUN, None, "qrels: a text is the path of a file"),
        ({}, RUN, None, "qrels: there are no judgments"),
        ({"q1": {}}, RUN, None, "qrels: there are no judgments"),
        ([], RUN, None, "qrels: there are no judgments"),
        (QRELS, RUN, [], "metrics: no metric is named"),
        (QRELS, RUN, " ", "metrics: no metric is named"),
    ]
    for qrels, run, metrics, words in wrong:
        with pytest.raises(rankgate.InputError, match=words):
            rankgate.evaluate(qrels, run, metrics)
    assert rankgate.evaluate(QRELS, RUN).mean == rankgate.evaluate(QRELS, RUN, None).mean
    assert rankgate.compare(QRELS, WHOLE, WHOLE, None).differences[0].metric == "nDCG@10"
    lists = [list(row) for row in rows(QRELS)]
    assert rankgate.evaluate(lists, RUN, "AP").mean == rankgate.evaluate(QRELS, RUN, "AP").mean


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_that_are_none_are_named(library: str) -> None:
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    expected = {
        "q": "qrels: no column is called query, qid, .* or queryid; there are q, doc_id, relevance: rename",
        "query_id": "qrels: there are no judgments",
    }
    for column, words in expected.items():
        frame = make({column: [], "doc_id": [], "relevance": []})
        with pytest.raises(rankgate.InputError, match=words):
            rankgate.evaluate(frame, RUN, METRICS)
    if library != "pyarrow":
        with pytest.raises(rankgate.InputError, match="qrels: a Series is one column: pass the frame"):
            rankgate.evaluate(module.Series([1, 2]), RUN, METRICS)
    if library == "polars":
        query, document, grade = zip(*rows(QRELS), strict=True)
        lazy = make({"query_id": query, "doc_id": document, "relevance": grade}).lazy()
        assert rankgate.evaluate(lazy, RUN, METRICS).mean == rankgate.evaluate(QRELS, RUN, METRICS).mean


def test_an_evaluation_is_a_mapping_and_of_one_metric_a_number() -> None:
    found = rankgate.evaluate(QRELS, WHOLE, ["RR@10", "P@1"])
    # The first document of q1 is judged 0, its second one 1.
    assert dict(found) == found.mean == {"RR@10": pytest.approx(5 / 6), "P@1": pytest.approx(2 / 3)}
    assert len(found) == 2 and list(found) == ["RR@10", "P@1"] and "P_1" in found and found.get("AP") is None
    assert float(rankgate.evaluate(QRELS, WHOLE, "P@1")) == found["P@1"]
    with pytest.raises(TypeError, match="there are RR@10, P@1"):
        float(found)


def test_lists_and_sets_are_taken() -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d3": 1, "d1": 1}}
    run = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 7.25, "d4": 1.0, "d1": 0.5}}
    expected = rankgate.evaluate(qrels, run, METRICS).per_query
    assert expected["q1"]["RR@10"] == 0.5
    sets = {"q1": {"d1"}, "q2": frozenset(["d3", "d1"])}
    lists: list[Any] = [
        {"q1": ["d2", "d1"], "q2": ("d3", "d4", "d1")},
        {"q1": [("d2", 2.0), ("d1", 1.0)], "q2": [["d3", 7.25], ["d4", 1], ["d1", 0.5]]},
        # Scores count where there are any.
        {"q1": [("d1", 1.0), ("d2", 2.0)], "q2": (hit for hit in ["d3", "d4", "d1"])},
        # Equal ones keep the order of the list, whatever the ids.
        {"q1": [("d2", 1.0), ("d1", 1.0), ("d0", 0.5)], "q2": [("d1", 0.5), ("d3", 7.25), ("d4", 7.25)]},
        {"q1": [("d2", 1.0), ("d1", 1.0)], "q2": [("d3", 1), ("d4", 1), ("d1", 1)]},
    ]
    rising = "run: scores rise along the list in 1 of 2 answers, first in that to "
    for one, warning in zip(lists, (None, None, "'q1'", "'q2'", None)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert rankgate.evaluate(sets, one, METRICS).per_query == expected
        assert [str(one.message).split(": documents")[0] for one in caught] == ([rising + warning] if warning else [])
    wrong: list[tuple[Any, str]] = [
        (["d1", "d1"], "run: query 'q1' has the document 'd1' twice"),
        (["d1", ("d2", 0.5)], "run: query 'q1': some hits have a score, and others have none"),
        (None, "run: query 'q1': a ranking is a list of .*, found None"),
        ("d1", "run: query 'q1': a ranking is a list of .*, found a str"),
        ([("d1", math.inf)], "run: query 'q1': a score is inf"),
    ]
    for answer, words in wrong:
        with pytest.raises(rankgate.InputError, match=words):
            rankgate.evaluate(qrels, {"q1": answer}, METRICS)


def test_swapped_arguments_are_named() -> None:
    swapped: list[tuple[Any, Any]] = [
        (RUN, QRELS),
        ({"q1": ["d1", "d2"]}, {"q1": {"d1"}}),
        ({"q1": {"d1": 3, "d2": 2}}, {"q1": {"d1"}}),
        (rows(RUN), rows(QRELS)),
    ]
    for qrels, run in swapped:
        with pytest.raises(rankgate.InputError, match=r"Did you swap the arguments\? The order is \(qrels, run\)"):
            rankgate.evaluate(qrels, run, METRICS)
        with pytest.raises(rankgate.InputError, match=r"The order is \(qrels, baseline, candidate\)"):
            rankgate.compare(qrels, run, run)
    with pytest.raises(rankgate.InputError, match="found 0.5$"):
        rankgate.evaluate({"q1": {"d1": 0.5}}, RUN, METRICS)


def test_swapped_frames_and_rows_are_named() -> None:
    pandas, peer = pytest.importorskip("pandas"), pytest.importorskip("ir_measures")
    columns = ["query_id", "doc_id"]
    frames = [pandas.DataFrame(rows(RUN), columns=[*columns, "score"]), pandas.DataFrame(rows(QRELS), columns=[*columns, "relevance"])]
    named = [[peer.ScoredDoc(*row) for row in rows(RUN)], [peer.Qrel(*row) for row in rows(QRELS)]]
    for run, qrels in (frames, named):
        with pytest.raises(rankgate.InputError, match="Did you swap the arguments"):
            rankgate.evaluate(run, qrels, METRICS)


def test_a_retriever_without_a_name_is_refused_where_it_stands() -> None:
    wrong: Any = rankgate.retriever
    with pytest.raises(TypeError, match=r'@rankgate.retriever\("build"\)'):
        def build(setup: rankgate.Setup) -> None: ...

        wrong(build)


def test_a_function_is_asked_for_each_judged_query(tmp_path: Path) -> None:
    asked: list[rankgate.Query] = []

    def search(query: rankgate.Query, depth: int) -> Any:
        asked.append(query)
        assert depth == 7
        return rankgate.Response(["d2", "d1"]) if query.id == "q1" else [("d3", 0.5)]

    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td3\t2\n")
    lines = [
        {"_id": "q1", "text": "alpha", "metadata": {"kind": "short"}},
        {"_id": "q2", "text": "beta"},
        {"_id": "unjudged", "text": "gamma"},
    ]
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = rankgate.evaluate(tmp_path, search, "RR@10", depth=7)
    assert found.per_query == {"q1": {"RR@10": 0.5}, "q2": {"RR@10": 1.0}}
    assert [(str(one), one.id, one.metadata) for one in asked] == [("alpha", "q1", {"kind": "short"}), ("beta", "q2", {})]
    spec = f"version: 1\nbenchmark: toy\ncollection: {{beir: {tmp_path}, split: dev}}\nconfigurations: {{bm25: {{builtin: bm25}}}}\n"
    (tmp_path / "spec.yaml").write_text(spec + "thresholds: [{metric: RR@10, min: 0.5}]\n")
    assert rankgate.evaluate(str(tmp_path / "spec.yaml"), search, "RR@10", depth=7) == found
    qrels = {"q1": {"d1"}, "q2": {"d3"}}
    assert rankgate.evaluate(qrels, search, "RR@10", queries={"q1": "alpha", "q2": "beta"}, depth=7) == found


def test_a_function_that_cannot_be_asked_is_an_error() -> None:
    def search(query: str, depth: int) -> Any:
        return None

    with pytest.raises(rankgate.InputError, match="pass `queries`, or the path of a collection"):
        rankgate.evaluate(QRELS, search)
    with pytest.raises(rankgate.InputError, match="run: query 'q1': a ranking is a list .*, found None"):
        rankgate.evaluate(QRELS, search, queries={"q1": "alpha"})
    with pytest.raises(rankgate.InputError, match="`queries` are for a function"):
        rankgate.evaluate(QRELS, RUN, queries={"q1": "alpha"})
    with pytest.raises(rankgate.InputError, match="nowhere"):
        rankgate.evaluate("nowhere", search)


def test_a_comparison_asserts_what_it_was_asked() -> None:
    qrels = {f"q{n}": {"good"} for n in range(10)}
    old, new = ({query: ids for query in qrels} for ids in (["good", "bad"], ["bad", "good"]))
    rankgate.compare(qrels, old, old, "RR@10", expect="no-regression").assert_passed()
    with pytest.raises(AssertionError, match="FAILED"):
        rankgate.compare(qrels, old, new, "RR@10", expect="no-regression").assert_passed()
    found = rankgate.compare(qrels, old, new, "RR@10")
    assert found["RR@10"].p_value == pytest.approx(2 / 2**10)
    with pytest.raises(rankgate.InputError, match="pass `expect`"):
        found.assert_passed()
    few = {query: old[query] if query in ("q0", "q1") else new[query] for query in qrels}
    assert rankgate.compare(qrels, new, few, "RR@10")["RR@10"].conclusion == "not_significant"


def test_exceptions_have_kinds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nowhere"):
        rankgate.evaluate(QRELS, "nowhere")
    monkeypatch.setenv("RANKGATE", str(tmp_path / "nothing"))
    with pytest.raises(rankgate.ProgramError, match="the variable RANKGATE names"):
        rankgate.evaluate(QRELS, RUN)
    program = tmp_path / "broken"
    program.write_text("#!/bin/sh\nexit 101\n")
    program.chmod(0o755)
    monkeypatch.setenv("RANKGATE", str(program))
    with pytest.raises(rankgate.ProgramError, match="ended with status 101"):
        rankgate.evaluate(QRELS, RUN)
    assert issubclass(rankgate.ProgramError, rankgate.RankgateError) and issubclass(rankgate.InputError, rankgate.RankgateError)


def test_the_readme_of_the_package_runs() -> None:
    readme = Path(__file__).parents[1] / "README.md"
    blocks = re.findall(r"^```python\n(.*?)^```", readme.read_text(), re.M | re.S)
    space: dict[str, Any] = {}
    for block in blocks:
        exec(block, space)
    space["test_search"]()
    assert len(blocks) == 3 and space["result"]["RR@10"].difference == 0.5
