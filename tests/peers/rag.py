#!/usr/bin/env python3
"""Faithfulness of the same recorded judgments by ragas, by deepeval and by rankgate, side by side.

    cargo build --features cli
    python3 -m venv ../venv && ../venv/bin/pip install ragas==0.4.3 deepeval==4.3.1
    ../venv/bin/python tests/peers/rag.py target/debug/rankgate

No model is asked and no network used: each tool's own code computes its score from answers that a script gives. Where
everything is well all three say the same; each other line says why they differ. Any number that is another than the one
written below ends the script with 1.
"""

import asyncio
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import types

os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="YES", RAGAS_DO_NOT_TRACK="true", ERROR_REPORTING="NO")

NAN = math.nan
# What it is, the claims, the verdicts that come back; then ragas, deepeval, and rankgate with abstentions taken for 0
# and for 1. A verdict is `yes`, `no` (contradicted), `idk` (not there), or `none`, which a reply leaves out.
CASES = [
    ("all is well", ["yes", "yes", "no", "yes"], 0.75, 0.75, [0.75, 0.75], ""),
    ("nothing is supported", ["no", "no"], 0.0, 0.0, [0.0, 0.0], ""),
    ("not in the contexts", ["yes", "idk"], 0.5, 1.0, [0.5, 0.5], "deepeval passes what the contexts do not say (`borderline`, once `idk`)"),
    ("a verdict is missing", ["yes", "none", "none", "none"], 1.0, 1.0, [0.0, 1.0], "both divide by the verdicts that came; here a list of another length is none"),
    ("no verdict came", ["none", "none"], NAN, 1.0, [0.0, 1.0], "ragas leaves it out of the mean, deepeval says 1"),
    ("no claims", [], NAN, 1.0, [0.0, 1.0], "ragas leaves it out of the mean, deepeval says 1; here it is neither 0 nor 1"),
]


def by_ragas(verdicts):
    # ragas 0.4.3 imports what langchain-community 0.4 has no more, and nothing here uses.
    gone = types.ModuleType("langchain_community.chat_models.vertexai")
    gone.ChatVertexAI = type("ChatVertexAI", (), {})
    sys.modules.setdefault(gone.__name__, gone)
    from ragas.metrics._faithfulness import Faithfulness, NLIStatementOutput, StatementFaithfulnessAnswer

    came = [
        StatementFaithfulnessAnswer(statement=f"claim {at}", reason="", verdict=int(verdict == "yes"))
        for at, verdict in enumerate(verdicts)
        if verdict != "none"
    ]
    return float(Faithfulness()._compute_score(NLIStatementOutput(statements=came)))


# Once `idk`; the word for what the contexts do not say.
WORDS = {"idk": "borderline"}


def by_deepeval(verdicts):
    from deepeval.metrics import FaithfulnessMetric
    from deepeval.metrics.faithfulness.schema import Claims, Truths, Verdicts
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.test_case import LLMTestCase

    class Scripted(DeepEvalBaseLLM):
        def load_model(self):
            return self

        def get_model_name(self):
            return "scripted"

        def generate(self, prompt, schema=None):
            if schema is Claims:
                return Claims(claims=[f"claim {at}" for at in range(len(verdicts))])
            if schema is Truths:
                return Truths(truths=["a truth"])
            if schema is Verdicts:
                return Verdicts(verdicts=[{"verdict": WORDS.get(one, one), "reason": None} for one in verdicts if one != "none"])
            raise TypeError(schema)

        async def a_generate(self, prompt, schema=None):
            return self.generate(prompt, schema)

    metric = FaithfulnessMetric(model=Scripted(), include_reason=False, async_mode=False)
    case = LLMTestCase(input="a question", actual_output="an answer", retrieval_context=["a context"])
    return float(metric.measure(case, _show_indicator=False))


JUDGE = """
import json, sys
verdicts = json.loads(sys.argv[1])
words = {"yes": "supported", "no": "contradicted", "idk": "unsupported"}
sys.stdin.readline()
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["task"] == "claims":
        said = {"claims": [f"claim {at}" for at in range(len(verdicts))]}
    else:
        said = {"verdicts": [{"id": claim[0], "context": None, "verdict": words[verdict]}
                             for claim, verdict in zip(asked["claims"], verdicts) if verdict != "none"]}
    print(json.dumps({"id": asked["id"], **said}), flush=True)
"""


def by_rankgate(rankgate, verdicts):
    """The value with what has no verdict taken for 0 and for 1: the file of judgments says which claims these are."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "judge.py").write_text(JUDGE)
        (folder / "collection.json").write_text(
            json.dumps({"queries": [{"id": "q1", "text": "a question", "judgments": {"d1": 1}}]})
        )
        answer = {"query": "q1", "answer": "an answer", "contexts": [{"id": "d1", "text": "a context"}]}
        (folder / "answers.jsonl").write_text(json.dumps(answer) + "\n")
        command = json.dumps([sys.executable, "judge.py", json.dumps(verdicts)])
        (folder / "toy.yaml").write_text(
            "version: 1\nbenchmark: toy\ncollection: {json: collection.json}\nconfigurations: {mine: {answers: answers.jsonl}}\n"
            f"judge: {{model: script, judgments: judged.jsonl, command: {command}, abstain-at-most: 1}}\n"
            "thresholds: [{metric: Faithfulness, min: 0, judged: raw, level: advisory}]\n"
        )
        asked = subprocess.run([rankgate, "--quiet", "judge", folder / "toy.yaml"], capture_output=True, text=True)
        run = subprocess.run(
            [rankgate, "--quiet", "run", folder / "toy.yaml", "--format", "json"], capture_output=True, text=True
        )
        try:
            finding = json.loads(run.stdout)["gates"][0]["finding"]
        except (ValueError, KeyError, IndexError):
            sys.exit(f"{asked.stdout}{asked.stderr}\n{run.stdout}{run.stderr}")
        if finding["kind"] == "undecided":
            # The judge's program gave no list: nothing is on file, and nothing is scored.
            return [0.0, 1.0] if "no judgment" in finding["reason"] else finding["reason"]
        counted = finding["answers"]
        value = finding["measured"]["value"]
        open_share = 1.0 if counted["without_claims"] else counted["abstained"] / max(1, counted["claims"])
        return [value, value + open_share]


def same(ours, theirs):
    return (math.isnan(ours) and math.isnan(theirs)) or abs(ours - theirs) < 1e-9


def main():
    rankgate = pathlib.Path(sys.argv[1]).resolve()
    wrong = 0
    print(f"{'':22}{'ragas':>7}{'deepeval':>10}{'rankgate':>12}")
    for name, verdicts, ragas, deepeval, expected, why in CASES:
        seen = by_ragas(verdicts), by_deepeval(verdicts), by_rankgate(rankgate, verdicts)
        good = same(seen[0], ragas) and same(seen[1], deepeval) and all(map(same, seen[2], expected))
        low, high = seen[2]
        ours = f"{low:.2f}" if low == high else f"{low:.2f}..{high:.2f}"
        print(f"{name:22}{seen[0]:7.2f}{seen[1]:10.2f}{ours:>12}  {why}{'' if good else '   ANOTHER NUMBER'}")
        wrong += not good
    sys.exit(wrong > 0)


asyncio.set_event_loop(asyncio.new_event_loop())
main()
