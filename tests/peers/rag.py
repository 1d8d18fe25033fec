#!/usr/bin/env python3
"""The metrics of answers on the same recorded judgments by ragas, by deepeval and by rankgate, side by side; and what a
model's reply is to TruLens, to UMBRELA and to rankgate.

    cargo build -p rankgate-cli
    python3 -m venv ../venv
    ../venv/bin/pip install ragas==0.4.3 deepeval==4.3.1
    ../venv/bin/pip install trulens-feedback==2.16.0
    ../venv/bin/pip install --no-deps umbrela==0.0.7
    ../venv/bin/python tests/peers/rag.py target/debug/rankgate

No model is asked and no network used: each tool computes its score by its own code from replies that stand here. Prints
the tables of docs/rag.md, and ends with 1 where a number is another than the one written here, or the page has another
table; `--write` puts them into the page.
"""

import asyncio
import json
import logging
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import warnings

from page import kept, table

os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="YES", RAGAS_DO_NOT_TRACK="true", ERROR_REPORTING="NO")
logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "rag.md"
NAN = math.nan
# What is recorded of an item: `yes`, `no` (contradicted), `idk` (it is not there), or `none`, which the reply leaves out.
# A reply of several lists leaves nothing out elsewhere. Then what ragas, deepeval and rankgate make of it; of rankgate
# with what has no verdict taken for 0 and for 1. A `-` has no such metric.
ERROR, APART = "error", "apart"
CASES = [
    ("Faithfulness", [
        ("three of four claims are supported", {"answer": ["yes", "yes", "no", "yes"]}, 0.75, 0.75, 0.75, ""),
        ("no claim is", {"answer": ["no", "no"]}, 0, 0, 0, ""),
        ("the contexts do not mention one of two", {"answer": ["yes", "idk"]}, 0.5, 1, 0.5,
         "deepeval counts what is not mentioned (`borderline`, once `idk`) as faithful"),
        ("three of four verdicts are missing", {"answer": ["yes", "none", "none", "none"]}, 1, 1, (0, 1),
         "both divide by the verdicts that came; a list of another length is an abstention"),
        ("no verdict comes", {"answer": ["none", "none"]}, NAN, 1, (0, 1),
         "ragas leaves it out of the mean, deepeval says 1"),
        ("the answer has no claims", {"answer": []}, NAN, 1, (0, 1),
         "ragas leaves it out of the mean, deepeval says 1; neither 0 nor 1 is known"),
        ("\"I do not know\"", {"answer": ["idk"], "declined": True}, 0, 1, APART,
         "to both an answer like any other; declined answers are counted apart"),
    ]),
    ("ContextRecall", [
        ("two of three claims of the reference are in the contexts", {"reference": ["yes", "no", "yes"]}, 2 / 3, 2 / 3, 2 / 3, ""),
        ("none is", {"reference": ["no"]}, 0, 0, 0, ""),
        ("two of three verdicts are missing", {"reference": ["yes", "none", "none"]}, 1, 1, (0, 1),
         "both divide by the verdicts that came"),
        ("no verdict comes", {"reference": ["none"]}, NAN, 0, (0, 1), "ragas leaves it out of the mean, deepeval says 0"),
        ("nothing was retrieved, and the model says yes", {"reference": ["yes"], "contexts": 0}, 1, ERROR, 0,
         "ragas asks all the same; deepeval refuses the case; nobody need be asked"),
        ("the query has no reference", {"reference": None}, ERROR, ERROR, APART, "counted apart in every message"),
    ]),
    ("ContextAP@4", [
        ("the first and the last of four are relevant", {"contexts": ["yes", "no", "no", "yes"]}, 0.75, 0.75, 0.75, ""),
        ("none is", {"contexts": ["no", "no"]}, 0, 0, 0, ""),
        ("the verdict on the first of two is missing", {"contexts": ["none", "yes"]}, ERROR, 1, (0.5, 1),
         "ragas leaves it out of the mean; deepeval moves the second up to rank 1"),
        ("nothing was retrieved", {"contexts": []}, 0, ERROR, 0, "deepeval refuses the case"),
    ]),
    ("ContextShare@4", [
        ("two of four contexts are relevant", {"contexts": ["yes", "no", "no", "yes"]}, "-", 0.5, 0.5, "deepeval's contextual relevancy"),
        ("two were retrieved, both relevant", {"contexts": ["yes", "yes"]}, "-", 1, 0.5,
         "deepeval divides by what was retrieved, and not by 4"),
        ("one of four is relevant, in three statements", {"contexts": ["yes", "no", "no", "no"], "statements": [3, 1, 1, 1]}, "-", 0.5, 0.25,
         "deepeval counts statements: a longer context weighs more"),
        ("nothing was retrieved", {"contexts": []}, "-", ERROR, 0, "deepeval refuses the case"),
    ]),
    ("AnswerRelevance", [
        ("it answers what was asked", {"grade": 3, "answer": ["yes", "yes"]}, "-", 1, 1, ""),
        ("it answers half of it", {"grade": 2, "answer": ["yes", "no"]}, "-", 0.5, 2 / 3,
         "deepeval: the share of the answer's statements that are relevant; here a grade of the whole, 0 to 3"),
        ("no statements are found", {"grade": "cannot_tell", "answer": []}, "-", 1, (0, 1), "deepeval says 1 of an empty list"),
        ("it is empty", {"grade": 0, "answer": [], "text": ""}, "-", ERROR, 0, "deepeval refuses the case"),
        ("\"I do not know\"", {"grade": 0, "answer": ["idk"], "declined": True}, "-", 1, APART,
         "deepeval counts `borderline` (once `idk`) as relevant"),
    ]),
    ("AnswerCorrectness", [
        ("answer and reference share all of two claims", {"answer": ["yes", "yes"], "reference": ["yes", "yes"]}, 1, "-", 1, "ragas' F1, without the similarity of embeddings"),
        ("they share one of two", {"answer": ["yes", "no"], "reference": ["yes", "no"]}, 0.5, "-", 0.5, ""),
        ("one claim of the answer says two of the reference's three", {"answer": ["yes", "no"], "reference": ["yes", "yes", "no"]}, 0.5, "-", 4 / 7,
         "ragas takes the recall's hits from the answer's claims (1 of 2), and not from the reference's (2 of 3)"),
        ("two claims of the answer say one of the reference's two", {"answer": ["yes", "yes", "no"], "reference": ["yes", "no"], "factual": True}, 0.67, "-", 4 / 7,
         "the same in ragas' `FactualCorrectness`, which is rounded to two decimals"),
        ("the verdict on the answer's wrong claim is missing", {"answer": ["yes", "none"], "reference": ["yes", "no"]}, 2 / 3, "-", (0, 2 / 3),
         "ragas counts the claims that it was given"),
        ("neither has a claim", {"answer": [], "reference": []}, 1, "-", (0, 1), "ragas says 1; neither 0 nor 1 is known"),
        ("the answer is empty", {"answer": [], "reference": ["no", "no"], "text": ""}, 0, "-", 0, ""),
    ]),
]

ASKED, ANSWER, REFERENCE = "The asked question?", "The answer of the machine.", "The reference of the people."


def claims(of, verdicts):
    return [f"{of} claim {at}" for at in range(len(verdicts or []))]


def contexts_of(case):
    contexts = case.get("contexts", 1)
    return [f"context number {at}." for at in range(contexts if isinstance(contexts, int) else len(contexts))]


def text_of(case):
    return case.get("text", "I do not know." if case.get("declined") else ANSWER)


def came(of, verdicts):
    return [one for one in zip(claims(of, verdicts), verdicts) if one[1] != "none"]


# ragas 0.4.3 imports what langchain-community 0.4 has no more, and nothing here uses.
gone = types.ModuleType("langchain_community.chat_models.vertexai")
gone.ChatVertexAI = type("ChatVertexAI", (), {})
sys.modules.setdefault(gone.__name__, gone)


def ragas_model(case):
    """A model that says what is recorded; which question it is, the form of the answer tells."""
    from langchain_core.outputs import Generation, LLMResult
    from ragas.llms.base import BaseRagasLLM
    from ragas.run_config import RunConfig

    def say(prompt):
        form, asked = prompt.rsplit("Now perform the same with the following input", 1)
        answer, reference = case.get("answer"), case.get("reference")
        if "ContextRecallClassification" in form:
            return {"classifications": [{"statement": one, "reason": "", "attributed": int(said == "yes")} for one, said in came("reference", reference)]}
        if "StatementFaithfulnessAnswer" in form:
            of, verdicts = ("reference", reference) if "reference claim" in asked else ("answer", answer)
            return {"statements": [{"statement": one, "reason": "", "verdict": int(said == "yes")} for one, said in came(of, verdicts)]}
        if '"claims"' in form:
            of = "reference" if REFERENCE in asked else "answer"
            return {"claims": claims(of, case.get(of))}
        if '"TP"' in form:
            of = lambda name, verdicts, wanted: [{"statement": one, "reason": ""} for one, said in came(name, verdicts) if (said == "yes") == wanted]
            return {"TP": of("answer", answer, True), "FP": of("answer", answer, False), "FN": of("reference", reference, False)}
        if '"verdict"' in form:
            at = int(re.search(r"context number (\d+)", asked)[1])
            said = case["contexts"][at]
            return {"reason": "none came"} if said == "none" else {"reason": "", "verdict": int(said == "yes")}
        if '"statements"' in form:
            of = "reference" if REFERENCE in asked else "answer"
            return {"statements": claims(of, case.get(of))}
        raise ValueError(prompt)

    class Scripted(BaseRagasLLM):
        def generate_text(self, prompt, n=1, temperature=None, stop=None, callbacks=None):
            text = json.dumps(say(prompt.to_string()))
            return LLMResult(generations=[[Generation(text=text) for _ in range(n)]])

        async def agenerate_text(self, prompt, n=1, temperature=None, stop=None, callbacks=None):
            return self.generate_text(prompt, n)

        def is_finished(self, response):
            return True

    # What it says once it says always.
    return Scripted(run_config=RunConfig(max_retries=1))


def ragas_metric(metric, case):
    from ragas.metrics import AnswerCorrectness, ContextPrecision, FactualCorrectness, Faithfulness, LLMContextRecall

    model = ragas_model(case)
    if case.get("factual"):
        return FactualCorrectness(llm=model)
    return {
        "Faithfulness": lambda: Faithfulness(llm=model),
        "ContextRecall": lambda: LLMContextRecall(llm=model),
        "ContextAP@4": lambda: ContextPrecision(llm=model),
        "AnswerCorrectness": lambda: AnswerCorrectness(llm=model, weights=[1.0, 0.0]),
    }[metric]()


def ragas_sample(case):
    from ragas import SingleTurnSample

    reference = None if case.get("reference", "") is None else REFERENCE
    return SingleTurnSample(user_input=ASKED, response=text_of(case), reference=reference, retrieved_contexts=contexts_of(case))


def by_ragas(metric, case):
    if metric not in ("Faithfulness", "ContextRecall", "ContextAP@4", "AnswerCorrectness"):
        return "-"
    try:
        return float(asyncio.run(ragas_metric(metric, case).single_turn_ascore(ragas_sample(case))))
    except Exception:  # whatever it is, ragas' `evaluate` makes NaN of it
        return ERROR


def by_deepeval(metric, case):
    from deepeval import metrics
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.test_case import LLMTestCase

    made = {
        "Faithfulness": metrics.FaithfulnessMetric,
        "ContextRecall": metrics.ContextualRecallMetric,
        "ContextAP@4": metrics.ContextualPrecisionMetric,
        "ContextShare@4": metrics.ContextualRelevancyMetric,
        "AnswerRelevance": metrics.AnswerRelevancyMetric,
    }.get(metric)
    if made is None:
        return "-"
    words = {"idk": "borderline"}  # the word of today for what was `idk`
    verdict = lambda said, **more: {"verdict": words.get(said, said), "reason": "", **more}
    asked_of = iter(zip(case["contexts"], case.get("statements", [1] * 9))) if metric == "ContextShare@4" else None
    listed = {"Faithfulness": "answer", "ContextRecall": "reference", "ContextAP@4": "contexts", "AnswerRelevance": "answer"}

    class Scripted(DeepEvalBaseLLM):
        def load_model(self):
            return self

        def get_model_name(self):
            return "scripted"

        def generate(self, prompt, schema=None):
            name = schema.__name__
            if name in ("Claims", "Statements"):
                return schema(**{name.lower(): claims("answer", case["answer"])})
            if name == "Truths":
                return schema(truths=["a truth"])
            if asked_of is not None:
                said, statements = next(asked_of)
                return schema(verdicts=[verdict(said, statement="one") for _ in range(statements)])
            return schema(verdicts=[verdict(said) for said in case[listed[metric]] if said != "none"])

        async def a_generate(self, prompt, schema=None):
            return self.generate(prompt, schema)

    reference = None if case.get("reference", "") is None else REFERENCE
    asked = LLMTestCase(input=ASKED, actual_output=text_of(case), expected_output=reference, retrieval_context=contexts_of(case) or None)
    try:
        return float(made(model=Scripted(), include_reason=False, async_mode=False).measure(asked, _show_indicator=False))
    except Exception:  # a case that it refuses has no score
        return ERROR


class Rankgate:
    """The command with a folder in which nothing stands but what is recorded."""

    def __init__(self, command, folder):
        self.command, self.folder = command, pathlib.Path(folder)

    def run(self, *arguments):
        done = subprocess.run([self.command, "--quiet", *arguments], cwd=self.folder, capture_output=True, text=True)
        return done.stdout, done.stdout + done.stderr

    def write(self, metric, queries, gates, reply="json-schema"):
        listed = [{"id": name, "text": ASKED, **query["collection"]} for name, query in queries.items()]
        documents = [{"id": f"d{at}", "text": f"context number {at}."} for at in range(9)]
        documents.append({"id": "other", "text": "what was not retrieved"})
        (self.folder / "collection.json").write_text(json.dumps({"queries": listed, "documents": documents}))
        lines = [json.dumps({"query": name, **query["answer"]}) + "\n" for name, query in queries.items()]
        (self.folder / "answers.jsonl").write_text("".join(lines))
        (self.folder / "toy.yaml").write_text(
            "version: 1\nbenchmark: toy\ncollection: {json: collection.json}\nconfigurations: {mine: {answers: answers.jsonl}}\n"
            "judge: {model: recorded, endpoint: 'http://127.0.0.1:9', judgments: judged.jsonl, abstain-at-most: 1, "
            f"reply: {reply}, grade: {{what: holes, depth: 4}}}}\n"
            f"thresholds: [{', '.join(gates)}]\n"
        )

    def judge(self, say):
        """Answers in the batch form until nothing more is asked; `say` makes a model's reply of a prompt."""
        for _ in range(4):
            (self.folder / "asked.jsonl").unlink(missing_ok=True)
            told = self.run("judge", "toy.yaml", "--requests", "asked.jsonl")[1]
            asked = self.folder / "asked.jsonl"
            requests = [json.loads(line) for line in asked.read_text().splitlines()] if asked.exists() else []
            if not requests:
                return
            lines = []
            for request in requests:
                message = {"role": "assistant", "content": say(request["body"]["messages"][0]["content"])}
                body = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9999, "completion_tokens": 9}}
                lines.append(json.dumps({"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}}) + "\n")
            (self.folder / "said.jsonl").write_text("".join(lines))
            told = self.run("judge", "toy.yaml", "--responses", "said.jsonl")[1]
        sys.exit(f"still asked for: {told}")

    def gate(self):
        out, told = self.run("run", "toy.yaml", "--format", "json")
        try:
            return json.loads(out)["gates"][0]
        except (ValueError, KeyError, IndexError):
            sys.exit(told)

    def value(self, metric, cases, by_people):
        """What has no verdict taken for 0 and for 1: two numbers, or `apart`."""
        queries = {}
        for at, case in enumerate(cases):
            contexts = [f"d{at}" for at in range(len(contexts_of(case)))]
            verdicts = case["contexts"] if by_people else []
            known = {f"d{at}": int(said == "yes") for at, said in enumerate(verdicts) if said != "none"}
            collection = {"judgments": {**known, "other": 1}}
            if case.get("reference") is not None:
                # A text with its claims: those of the reference are asked for like the answer's.
                collection["reference"] = REFERENCE
            queries[f"q{at}"] = {"collection": collection, "answer": {"answer": text_of(case), "contexts": contexts, "declined": bool(case.get("declined"))}}
        judged = not by_people or any("none" in case["contexts"] for case in cases)
        gate = lambda low: f"{{metric: '{metric}', min: {low}" + (", judged: raw, level: advisory}" if judged else "}")
        case = cases[0]

        def say(best):
            better = lambda said: "yes" if best and said == "none" else said

            def reply(prompt):
                if "List the claims" in prompt:
                    of = "reference" if re.search(r"Text:\n<<<\w+\n" + re.escape(REFERENCE), prompt) else "answer"
                    return json.dumps({"claims": claims(of, case.get(of))})
                if "Say of each claim" in prompt:
                    asked = re.findall(r"^\[([ar]\d+)\] (answer|reference) claim (\d+)", prompt, re.M)
                    supports = {"yes": "supported", "no": "contradicted", "idk": "unsupported"}
                    said = [(name, better(case[of][int(at)])) for name, of, at in asked]
                    return json.dumps({"analysis": "", "verdicts": [{"id": name, "context": None, "verdict": supports[one]} for name, one in said if one != "none"]})
                if "Grade how well an answer" in prompt:
                    grade = 3 if best and case["grade"] == "cannot_tell" else case["grade"]
                    return json.dumps({"analysis": "", "grade": grade})
                # A document of which people said nothing, and the model nothing that can be read.
                return json.dumps({"analysis": "", "grade": 3}) if best else "none came"

            return reply

        def one(best, low=0):
            self.write(metric, queries, [gate(low)])
            if judged:
                self.judge(say(best))
            return self.gate()

        ends = []
        for best in (False, True):
            (self.folder / "judged.jsonl").unlink(missing_ok=True)
            finding = one(best)["finding"]
            if finding["kind"] == "undecided":
                told = finding["reason"]
                return APART if "has nothing to judge" in told else sys.exit(told)
            value = finding["measured"]["value"]
            ends.append(1.0 if best and finding.get("answers", {}).get("without_claims") else value)
        if ends[0] != ends[1]:
            # And where it matters which of them it is, the gate says so.
            (self.folder / "judged.jsonl").unlink(missing_ok=True)
            cautions = one(False, sum(ends) / 2)["finding"]["cautions"]
            assert any("verdict is another" in caution for caution in cautions), (metric, cases, cautions)
        return ends[0] if ends[0] == ends[1] else tuple(ends)


# A model's reply to "grade this document, 0 to 3": TruLens' rating, UMBRELA's grade, and what it is here as JSON and as
# a line.
REPLIES = [
    ("The grade is 2 of 3.", 2, 0, "unparseable", "unparseable", "TruLens takes the smallest number, UMBRELA takes 0 for what it cannot read"),
    ("I looked for 1 sentence on it. Grade: 3", 1, 0, "unparseable", "unparseable", "the smallest number is another's"),
    ("It names 2 fees, published in 2013, and cannot be rated.", 2, 0, "unparseable", "unparseable", "no grade was given"),
    ("I cannot tell.", ERROR, 0, "unparseable", "unparseable", "UMBRELA's 0 enters the judgments as a grade"),
    ('The page says "score": 3, which I do not believe.', 3, 3, "unparseable", "unparseable", "what a document says is read as its grade"),
    ('{"score": 3} or rather {"score": 0}', 0, 3, "unparseable", "unparseable", "UMBRELA takes the first of two"),
    ('{"analysis": "It cannot be rated.", "grade": "cannot_tell"}', ERROR, 0, "abstained", "unparseable", "an abstention has a form of its own"),
    ('{"analysis": "It names the fee.", "grade": 3}', 3, 0, "grade 3", "unparseable", "the form that was asked for (UMBRELA asks for another)"),
    ("It names the fee.\ngrade: 3", 3, 0, "unparseable", "grade 3", "the same, as a line"),
]


def by_trulens(reply):
    from trulens.feedback.generated import ParseError, re_configured_rating

    try:
        return re_configured_rating(reply, 0, 3)
    except ParseError:
        return ERROR


def by_umbrela(reply):
    import contextlib
    import io

    from umbrela.utils.common_utils import prepare_judgments

    with contextlib.redirect_stdout(io.StringIO()):
        return prepare_judgments([reply], [("query", "passage")], ["prompt"], "model")[0]["judgment"]


def reply_here(rankgate, reply, form):
    (rankgate.folder / "judged.jsonl").unlink(missing_ok=True)
    query = {"collection": {"judgments": {"other": 1}}, "answer": {"answer": "", "contexts": ["d0"]}}
    rankgate.write("P@1", {"q0": query}, ["{metric: 'P@1', min: 0, judged: raw, level: advisory}"], form)
    rankgate.judge(lambda prompt: reply)
    items = map(json.loads, (rankgate.folder / "judged.jsonl").read_text().splitlines())
    item = next(item for item in items if item.get("document") == "d0")
    return f"grade {item['grade']}" if item["state"] == "graded" else item["state"]


def shown(value):
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return " to ".join(map(shown, value))
    return "NaN" if math.isnan(value) else f"{value:.4f}".rstrip("0").rstrip(".") if value else "0"


def means():
    """A mean of two answers, one of which the model gave no list of: ragas' own `evaluate`."""
    from ragas import EvaluationDataset, evaluate
    from ragas.metrics import Faithfulness

    good, failed = {"answer": ["yes"]}, {"answer": ["none"]}
    samples = [ragas_sample({**good, "text": "A good answer."}), ragas_sample({**failed, "text": "Another answer."})]
    model = ragas_model(good)
    generate = model.generate_text

    def of_each(prompt, *rest, **more):
        mine = ragas_model(failed) if "another claim" in prompt.to_string() or "Another answer." in prompt.to_string() else None
        if mine and "StatementFaithfulnessAnswer" not in prompt.to_string():
            from langchain_core.outputs import Generation, LLMResult
            return LLMResult(generations=[[Generation(text=json.dumps({"statements": ["another claim"]}))]])
        return mine.generate_text(prompt) if mine else generate(prompt)

    model.generate_text = of_each
    result = evaluate(EvaluationDataset(samples), metrics=[Faithfulness(llm=model)], show_progress=False)
    return float(result._repr_dict["faithfulness"])


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    write = "--write" in sys.argv[2:]
    wrong, rows, replies = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        rankgate = Rankgate(command, folder)
        for metric, cases in CASES:
            for name, case, *expected, why in cases:
                by_people = metric.startswith(("ContextAP", "ContextShare"))
                seen = [by_ragas(metric, case), by_deepeval(metric, case), rankgate.value(metric, [case], by_people)]
                rows.append([f"`{metric}`", name, *map(shown, seen), why])
                if list(map(shown, seen)) != list(map(shown, expected)):
                    wrong.append(f"{metric}, {name}: expected {', '.join(map(shown, expected))}")
        for reply, *expected, why in REPLIES:
            seen = [by_trulens(reply), by_umbrela(reply)]
            seen += [reply_here(rankgate, reply, form) for form in ("json-schema", "line")]
            replies.append([f"`{reply}`".replace("\n", "⏎"), *map(shown, seen), why])
            if seen != expected:
                wrong.append(f"{reply}: expected {expected}")
    mean = means()
    if mean != 1.0:
        wrong.append(f"ragas' mean of 1 and a failure was 1, and is {mean}")
    scores = table(["metric", "what is recorded", "ragas", "deepeval", "rankgate", ""], rows)
    replies = table(["a model's reply", "TruLens", "UMBRELA", "`json-schema`", "`line`", ""], replies)
    print(scores, replies, f"ragas' mean of 1 and of a list that did not come: {shown(mean)}", sep="\n")
    for name, text in [("scores", scores), ("replies", replies)]:
        if not kept(PAGE, name, text, write):
            wrong.append(f"{PAGE} has another table of {name}: --write")
    sys.exit("\n".join(wrong) or 0)


main()
