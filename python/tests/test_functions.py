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


def test_a_reply_carries_its_stages() -> None:
    from rankgate._serve import _reply

    def fail(query: rankgate.Query) -> dict[str, Any]:
        return {"id": query.id, "error": "failed"}

    query = rankgate.Query("alpha", id="q1")
    staged = rankgate.Reply(["d2"], stages={"candidates": [("d1", 2), "d2"]}, times={"candidates": 1.5})
    expected = {"id": "q1", "hits": ["d2"], "stages": {"candidates": [["d1", 2.0], "d2"]}, "times": {"candidates": 1.5}}
    assert _reply(query, staged, fail) == expected
    used = rankgate.Reply(["d2"], usage={"tokens": 812, "cost": 0.5})
    assert _reply(query, used, fail) == {"id": "q1", "usage": {"tokens": 812, "cost": 0.5}, "hits": ["d2"]}
    several = rankgate.Reply(calls=[["d2"], [("d1", 2)]])
    assert _reply(query, several, fail) == {"id": "q1", "calls": [["d2"], [["d1", 2.0]]]}
    assert _reply(query, rankgate.Reply(["d2"], calls=[["d2"]]), fail) == {"id": "q1", "error": "failed"}
    written: Any = {"cost": "2 ct"}
    assert _reply(query, rankgate.Reply(["d2"], usage=written), fail) == {"id": "q1", "error": "failed"}
    assert _reply(query, rankgate.Reply(["d2"], stages={"candidates": "d1"}), fail) == {"id": "q1", "error": "failed"}


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
