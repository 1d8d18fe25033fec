#!/usr/bin/env python3
"""One judge with known truth that misbehaves in eleven ways, asked by ragas, by deepeval and by rankgate: the same numbers
where it behaves, how often each asks, and what each makes of every way.

    cargo build -p rankgate-cli
    python3 -m venv ../venv
    ../venv/bin/pip install ragas==0.4.3 deepeval==4.3.1
    ../venv/bin/python tests/peers/misbehaviour.py target/debug/rankgate

No model is asked, and nothing leaves the machine: the judge is a server on loopback whose verdicts are rules. Prints the tables
of docs/rag.md, and ends with 1 where rankgate ends with 0 though nothing was measured, where the numbers of a judge that
behaves differ, or where the page has another table; `--write` puts them into the page.
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
import threading
import types
import urllib.request
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from page import kept, table

os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="YES", RAGAS_DO_NOT_TRACK="true", ERROR_REPORTING="NO")
logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")

# ragas 0.4.3 imports what langchain-community 0.4 has no more, and nothing here uses.
gone = types.ModuleType("langchain_community.chat_models.vertexai")
gone.ChatVertexAI = type("ChatVertexAI", (), {})
sys.modules.setdefault(gone.__name__, gone)

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "rag.md"
QUERIES = 30
# Of the two claims of each answer its context holds one.
TRUTH = 0.5
WAYS = [
    "it behaves",
    "a fence around each reply",
    "prose before each reply",
    "each reply is cut at `max-tokens`",
    "nothing but thoughts",
    "it refuses",
    "status 500",
    "status 401",
    "one verdict for both claims",
    "an empty list of verdicts",
    "a word that nobody asked for",
    "it always says yes",
]


def query(at):
    return f"What is due of order {at}?"


def claims_of(at):
    return [f"Fee {at} is due.", f"Card {at} is red."]


def context(at):
    return f"Of order {at} it is known: Fee {at} is due."


def fenced(prompt):
    return re.findall(r"<<<([0-9a-f]{16})\n(.*?)\n\1>>>", prompt, re.S)


class Judge(ThreadingHTTPServer):
    """The judge; counts what it is asked."""

    way, requests, tokens = WAYS[0], 0, 0

    def words(self, claims, contexts):
        """True, false, or a word that nobody asked for, for each claim."""
        said = [self.way == "it always says yes" or any(claim in text for text in contexts) for claim in claims]
        if self.way == "one verdict for both claims":
            said = said[:1]
        return [] if self.way == "an empty list of verdicts" else said

    def verdict(self, said, yes, no):
        return "mostly" if self.way == "a word that nobody asked for" else yes if said else no

    def say(self, body):
        prompt, form = body["messages"][0]["content"], body.get("form")
        if form is None and prompt.startswith("List the claims"):
            return {"claims": [part.strip() for part in re.findall(r"[^.]+\.", fenced(prompt)[1][1])]}
        if form is None:
            texts = [text for _, text in fenced(prompt)]
            listed = re.findall(r"^\[(\w+)\] (.*)$", texts[0], re.M)
            said = self.words([claim for _, claim in listed], [texts[1]])
            verdicts = [{"id": id, "context": 1, "verdict": self.verdict(one, "supported", "unsupported")} for (id, _), one in zip(listed, said)]
            return {"analysis": "Word by word.", "verdicts": verdicts}
        claims, contexts = body["claims"], body["contexts"]
        if form in ("statements", "claims", "truths"):
            return {form: claims}
        said = self.words(claims, contexts)
        if form == "ragas":
            listed = [{"statement": claim, "reason": "", "verdict": self.verdict(one, 1, 0)} for claim, one in zip(claims, said)]
            return {"statements": listed}
        return {"verdicts": [{"verdict": self.verdict(one, "yes", "no"), "reason": ""} for one in said]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        judge = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content, finish, message = json.dumps(judge.say(body)), "stop", {}
        if judge.way == "a fence around each reply":
            content = f"```json\n{content}\n```"
        if judge.way == "prose before each reply":
            content = f"Sure, here it is: {content}"
        if judge.way == "each reply is cut at `max-tokens`":
            content, finish = content[: len(content) // 2], "length"
        if judge.way == "nothing but thoughts":
            content, message = "", {"reasoning_content": "Hm."}
        if judge.way == "it refuses":
            content, message = "", {"refusal": "I will not."}
        status = {"status 500": 500, "status 401": 401}.get(judge.way, 200)
        read, written = len(body["messages"][0]["content"]) // 4, len(content) // 4
        judge.requests, judge.tokens = judge.requests + 1, judge.tokens + read + written
        reply = {"model": "rules", "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}],
                 "usage": {"prompt_tokens": read, "completion_tokens": written}}
        data = json.dumps(reply if status == 200 else {"error": {"message": "no"}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def ask(url, prompt, form, at):
    """A peer's question: its text as the peer wrote it, and beside it what the rules need."""
    body = {"messages": [{"role": "user", "content": prompt}], "form": form, "claims": claims_of(at), "contexts": [context(at)]}
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]


def by_ragas(url):
    from langchain_core.outputs import Generation, LLMResult
    from ragas import SingleTurnSample
    from ragas.llms.base import BaseRagasLLM
    from ragas.metrics import Faithfulness
    from ragas.run_config import RunConfig

    class Model(BaseRagasLLM):
        at = 0

        def generate_text(self, prompt, n=1, temperature=None, stop=None, callbacks=None):
            text = prompt.to_string()
            form = "ragas" if "StatementFaithfulnessAnswer" in text or '"verdict"' in text else "statements"
            said = ask(url, text, form, self.at)
            return LLMResult(generations=[[Generation(text=said) for _ in range(n)]])

        async def agenerate_text(self, prompt, n=1, temperature=None, stop=None, callbacks=None):
            return self.generate_text(prompt, n)

        def is_finished(self, response):
            return True

    def score(at):
        model = Model(run_config=RunConfig(max_retries=1))
        model.at = at
        sample = SingleTurnSample(user_input=query(at), response=" ".join(claims_of(at)), retrieved_contexts=[context(at)])
        return float(asyncio.run(Faithfulness(llm=model).single_turn_ascore(sample)))

    return score


def by_deepeval(url):
    from deepeval.metrics import FaithfulnessMetric
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.test_case import LLMTestCase

    class Model(DeepEvalBaseLLM):
        at = 0

        def load_model(self):
            return self

        def get_model_name(self):
            return "rules"

        def generate(self, prompt):
            form = "verdicts" if "verdicts" in prompt else "claims" if "AI output" in prompt else "truths"
            return ask(url, prompt, form, self.at)

        async def a_generate(self, prompt):
            return self.generate(prompt)

    def score(at):
        model = Model()
        model.at = at
        case = LLMTestCase(input=query(at), actual_output=" ".join(claims_of(at)), retrieval_context=[context(at)])
        return float(FaithfulnessMetric(model=model, include_reason=False, async_mode=False).measure(case, _show_indicator=False))

    return score


def mean_of(score):
    """The mean over what came to a number, as both tools take it, in words."""
    scores = []
    for at in range(QUERIES):
        try:
            scores.append(score(at))
        except Exception:  # ragas' `evaluate` makes NaN of it, deepeval's `evaluate` leaves the case out when told to go on
            scores.append(math.nan)
    known = [one for one in scores if not math.isnan(one)]
    if not known:
        return "no score"
    mean = f"{sum(known) / len(known):.4f}".rstrip("0").rstrip(".")
    return mean if len(known) == QUERIES else f"{mean} of {len(known)} answers"


class Rankgate:
    """The command in a folder with thirty answers and what people say of them."""

    def __init__(self, command, folder, url):
        self.command, self.folder, self.url = command, pathlib.Path(folder), url
        self.folder.mkdir(parents=True)
        queries = [{"id": f"q{at}", "text": query(at)} for at in range(QUERIES)]
        documents = [{"id": f"d{at}", "text": context(at)} for at in range(QUERIES)]
        (self.folder / "collection.json").write_text(json.dumps({"queries": queries, "documents": documents}))
        lines = [json.dumps({"query": f"q{at}", "answer": " ".join(claims_of(at)), "contexts": [f"d{at}"]}) + "\n" for at in range(QUERIES)]
        (self.folder / "answers.jsonl").write_text("".join(lines))
        (self.folder / "toy.yaml").write_text(
            "version: 1\nbenchmark: toy\ncollection: {json: collection.json}\nconfigurations: {mine: {answers: answers.jsonl}}\n"
            f"judge: {{model: rules, endpoint: '{url}', judgments: judged.jsonl, humans: people.jsonl}}\n"
            "thresholds: [{metric: Faithfulness, min: 0.4, judged: corrected}]\n"
        )

    def run(self, *arguments):
        done = subprocess.run([self.command, *arguments], cwd=self.folder, capture_output=True, text=True)
        return done.returncode, done.stdout, " ".join((done.stdout + done.stderr).split())

    def judge(self):
        return self.run("judge", "toy.yaml", "--concurrency", "1")

    def probes(self):
        """How many probes have a wrong answer, in words, and nothing where none has."""
        _, _, said = self.run("judge", "toy.yaml", "--check", "--require-probes")
        wrong = re.search(r"probes: (\d+ of \d+) have a wrong answer", said)
        return f"(probes: {wrong[1]} wrong)" if wrong else ""

    def people(self):
        """People say the truth."""
        _, listed, _ = self.run("sample", "toy.yaml", "--queries", str(QUERIES))
        lines = []
        for line in filter(lambda line: line.startswith("{"), listed.splitlines()):
            item = json.loads(line)
            claim, contexts = re.search(r"Claim:\n(.*?)\n\nContexts:\n(.*)", item["document_text"], re.S).groups()
            lines.append(json.dumps({**item, "grade": 2 if claim in contexts else 1}) + "\n")
        (self.folder / "anna.jsonl").write_text("".join(lines))
        if lines:
            self.run("sample", "toy.yaml", "--merge", "anna.jsonl")

    def gate(self):
        status, out, _ = self.run("run", "toy.yaml", "--format", "json")
        return status, json.loads(out)["gates"][0]


def told(judged, gate):
    """What rankgate says, in a few words: what became of the gate, and what of the replies."""
    finding, words = gate["finding"], [gate["verdict"]]
    words.append(f"{finding['measured']['value']:.4g}" if "measured" in finding else "")
    corrected = finding.get("corrected", {})
    if abs(corrected.get("leniency", 0)) > 0.01:
        words.append(f"(by people; the judge alone says {corrected['uncorrected']:.4g})")
    state = re.search(r"the last answer is (\w+)|answered (\d+ \w+)", judged)
    if state:
        words.append(f"({state[1] or state[2]})")
    return " ".join(filter(None, words))


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    judge = Judge(("127.0.0.1", 0), Handler)
    threading.Thread(target=judge.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{judge.server_address[1]}/v1"
    wrong, rows, calls = [], [], []

    def counted(work):
        judge.requests = judge.tokens = 0
        said = work()
        return said, judge.requests, judge.tokens

    with tempfile.TemporaryDirectory() as folder:
        ragas, deepeval = by_ragas(url), by_deepeval(url)
        for number, judge.way in enumerate(WAYS):
            here = Rankgate(command, f"{folder}/{number}", url)
            seen = [counted(lambda score=score: mean_of(score)) for score in (ragas, deepeval)]
            (status, _, judged), requests, tokens = counted(here.judge)
            here.people()
            ran, gate = here.gate()
            said = " ".join(filter(None, [told(judged, gate), here.probes()]))
            rows.append([judge.way, *[one for one, *_ in seen], said, f"{status}, {ran}"])
            if gate["verdict"] == "errored" and 0 in (status, ran):
                wrong.append(f"{judge.way}: rankgate ends with {status} and {ran} though nothing was measured")
            if number == 0:
                first = [*[(asked, read) for _, asked, read in seen], (requests, tokens)]
                again = [lambda: mean_of(ragas), lambda: mean_of(deepeval), here.judge]
                again = [counted(work)[1] for work in again]
                calls = [
                    [name, str(asked), f"{read:,}", str(second)]
                    for name, (asked, read), second in zip(["ragas", "deepeval", "rankgate"], first, again)
                ]
                numbers = {one for one, *_ in seen} | {said.removeprefix("passed ")}
                if numbers != {f"{TRUTH:.1f}"}:
                    wrong.append(f"the judge behaves, and the numbers are {numbers}")
    ways = table(["what the judge does", "ragas", "deepeval", "rankgate", "its statuses"], rows)
    asked = table(["tool", "requests", "tokens", "requests of a second run"], calls)
    print(asked, ways, sep="\n", flush=True)
    for name, text in [("calls", asked), ("ways", ways)]:
        if not kept(PAGE, name, text, "--write" in sys.argv[2:]):
            wrong.append(f"{PAGE} has another table of {name}: --write")
    sys.exit("\n".join(wrong) or 0)


main()
