"""`evaluate` and `compare`: every form of input, and the command's own numbers in every bit."""

import json
import math
import subprocess
from pathlib import Path
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
        with pytest.raises(rankgate.RankgateError, match=words):
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


def test_peers_agree() -> None:
    peer = pytest.importorskip("pytrec_eval")
    # Queries without ties, which peers order by other rules.
    theirs = peer.RelevanceEvaluator(QRELS, {"map", "ndcg_cut", "recip_rank"}).evaluate(RUN)
    ours = rankgate.RelevanceEvaluator(QRELS, {"map", "ndcg_cut_10", "recip_rank"}).evaluate(RUN)
    assert ours.keys() == theirs.keys()
    for query, scores in ours.items():
        for measure, score in scores.items():
            assert score == pytest.approx(theirs[query][measure], abs=1e-12)


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


def test_a_reply_carries_its_scores() -> None:
    from rankgate._serve import _reply

    def fail(query: rankgate.Query) -> dict[str, Any]:
        return {"id": query.id, "error": "failed"}

    query = rankgate.Query("alpha", id="q1")
    scored = rankgate.Reply(["d2"], scores={"tokens": 812, "cost": 0.5})
    assert _reply(query, scored, fail) == {"id": "q1", "scores": {"tokens": 812.0, "cost": 0.5}, "hits": ["d2"]}
    written: Any = {"cost": "2 ct"}
    assert _reply(query, rankgate.Reply(["d2"], scores=written), fail) == {"id": "q1", "error": "failed"}


def test_limits_that_nothing_can_break_are_refused() -> None:
    qrels = {f"q{n}": {"good": 1} for n in range(12)}
    good, bad = ({f"q{n}": {id: 1.0} for n in range(12)} for id in ("good", "bad"))
    bad = {query: {**hits, "good": 0.5} for query, hits in bad.items()}
    with pytest.raises(rankgate.RankgateError, match="no two values of nDCG@10 differ by more than 2.*did you mean 0.02"):
        rankgate.compare(qrels, good, bad, ["nDCG@10"], expect="non-inferiority", margin=2)
    with pytest.raises(rankgate.RankgateError, match="needs `margin`.*margin=0.02"):
        rankgate.compare(qrels, good, bad, ["nDCG@10"], expect="equivalence")


def test_a_pass_says_what_to_know_and_errors_name_no_files_of_ours() -> None:
    qrels = {f"q{n}": {"good": 1} for n in range(4)}
    good = {f"q{n}": {"good": 1.0} for n in range(4)}
    bad = {f"q{n}": {"bad": 1.0, "good": 0.5} for n in range(4)}
    found = rankgate.compare(qrels, good, bad, ["RR@1"], expect="no-regression")
    assert found.passed and any("may be real" in caution for caution in found.cautions), found.cautions
    with pytest.raises(rankgate.RankgateError) as raised:
        rankgate.evaluate(qrels, {"other": {"good": 1.0}}, ["RR@1"])
    assert "/" not in str(raised.value).replace("0/", ""), str(raised.value)


def test_answers_that_are_no_ranking_are_refused_in_one_text() -> None:
    from rankgate._serve import _described, _hits

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
            _hits(answer)
        assert _described(raised.value) == told
    taken: list[Any] = [["d1", "d2"], ("d1", "d2"), iter(["d1", "d2"]), (id for id in ("d1", "d2")), numpy.array(["d1", "d2"])]
    for answer in taken:
        assert _hits(answer) == ["d1", "d2"]
    assert _hits(ids[0]) == ["1", "2"] and _hits(zip(ids[0], scores[0])) == [["1", 2.0], ["2", 1.0]]


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
    with pytest.raises(rankgate.RankgateError, match="none of its 2 results is judged, so AP has no value"):
        rankgate.evaluate(QRELS, {"q1": {"<b>": 1.0}, "q2": {"y": 1.0}}, ["AP"])
    found = rankgate.evaluate(QRELS, {"q1": {"d1": 1.0}, "<i>": {"d1": 1.0}}, ["AP"])
    assert "3 judged queries; 2 unanswered" in str(found) and "note: run: 1 query of the run not judged" in found._repr_html_()


def test_a_comparison_shows_its_cautions() -> None:
    comparison = rankgate.compare(QRELS, WHOLE, WHOLE, ["AP"])
    import dataclasses

    other = dataclasses.replace(comparison, cautions=("a < b",), notes=("c & d",))
    assert "<p>caution: a &lt; b</p><p>note: c &amp; d</p>" in other._repr_html_()
    assert str(other).endswith("\ncaution: a < b\nnote: c & d")


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
    with pytest.raises(rankgate.RankgateError, match="P.5,10 stands for P@5, P@10"):
        rankgate.RelevanceEvaluator(QRELS, {"map", "P.5,10"}).evaluate(RUN)


def test_a_comparison_takes_what_its_errors_advise() -> None:
    qrels = {f"q{n}": {"good": 1} for n in range(60)}
    old = {query: {"good": 1.0} for query in qrels}
    half = {f"q{n}": {"good": 1.0} for n in range(30)}
    with pytest.raises(rankgate.RankgateError, match=r"`min_coverage=0\.\d+`") as raised:
        rankgate.compare(qrels, old, half)
    assert "--" not in str(raised.value)
    assert rankgate.compare(qrels, old, half, min_coverage=0.5).differences[0].losses == 30
    with pytest.raises(rankgate.RankgateError, match="expect='no_regression' is none of no-regression, .*did you mean 'no-regression'"):
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
        with pytest.raises(rankgate.RankgateError, match=words):
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
        with pytest.raises(rankgate.RankgateError, match=words):
            rankgate.evaluate(frame, RUN, METRICS)
    if library != "pyarrow":
        with pytest.raises(rankgate.RankgateError, match="qrels: a Series is one column: pass the frame"):
            rankgate.evaluate(module.Series([1, 2]), RUN, METRICS)
    if library == "polars":
        query, document, grade = zip(*rows(QRELS), strict=True)
        lazy = make({"query_id": query, "doc_id": document, "relevance": grade}).lazy()
        assert rankgate.evaluate(lazy, RUN, METRICS).mean == rankgate.evaluate(QRELS, RUN, METRICS).mean
