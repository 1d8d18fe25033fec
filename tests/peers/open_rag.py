"""Nuggets and citations of answers against open-rag-eval 0.3.0, and agreement of graders against truescore 0.7.4, on the same
recorded verdicts and grades.

    python tests/peers/open_rag.py PROGRAM [ROUNDS]

Each tool computes with its own code, and no model is asked. Of open-rag-eval two files are loaded by themselves: its package imports
the clients of every model. What it makes of citations is another thing than what rankgate does, and the script prints both, as
docs/rag.md has them.
"""

import importlib.util
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import types

# Of one peer's script: how nuggets are drawn and measured. It imports a package that need not be here.
sys.modules.setdefault("nuggetizer", types.ModuleType("nuggetizer"))
sys.modules.setdefault("nuggetizer.core", types.ModuleType("nuggetizer.core"))
stub = types.ModuleType("nuggetizer.core.metrics")
stub.calculate_global_metrics = None
sys.modules.setdefault("nuggetizer.core.metrics", stub)
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import nuggets  # noqa: E402
from truescore.agreement import cohen_kappa, quadratic_weighted_kappa  # noqa: E402

ROUNDS = 20
NAMES = {"NuggetAll": "All", "NuggetVital": "Vital", "NuggetAllStrict": "All Strict", "NuggetVitalStrict": "Vital Strict"}


def load(name):
    """One file of open-rag-eval without the packages of its models."""
    found = importlib.util.find_spec("open_rag_eval")
    root = pathlib.Path(found.submodule_search_locations[0])
    for package in ("open_rag_eval.metrics", "open_rag_eval.models", "open_rag_eval.data_classes"):
        module = types.ModuleType(package)
        module.__path__ = [str(root / package.split(".")[1])]
        sys.modules.setdefault(package, module)
    judges = types.ModuleType("open_rag_eval.models.llm_judges")
    judges.LLMJudgeModel = object
    sys.modules["open_rag_eval.models.llm_judges"] = judges
    return importlib.import_module(f"open_rag_eval.metrics.{name}")


def run(program, folder, *command):
    ran = subprocess.run([program, *command], cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def compare_nuggets(program, rounds):
    """Means over queries, which have to be equal."""
    theirs = load("autonugget_metric").AutoNuggetMetric(model=None)
    apart, compared = [], 0
    for seed in range(rounds):
        records = nuggets.draw(seed)
        scores = []
        for record in records:
            columns = [[one[key] for one in record["nuggets"]] for key in ("text", "importance", "assignment")]
            scores.append(theirs._evaluate_answer(*columns))
        ours = nuggets.measure(program, records)
        for metric, name in NAMES.items():
            compared += 1
            mean = sum(score[name] for score in scores) / len(scores)
            if abs(ours[metric] - mean) > 1e-12:
                apart.append(f"seed {seed}: {metric} {ours[metric]}, open-rag-eval {mean}")
    print(f"{compared} means of nuggets compared with open-rag-eval 0.3.0, {len(apart)} of them differ")
    return apart


# What is recorded: of each sentence the cited pages and what each says of it. `x` was not retrieved.
CITATIONS = [
    ("each sentence cites one page, which says all, a part or nothing of it", [{"a": 1}, {"b": 0.5}, {"c": 0}]),
    ("a sentence cites a page that says all of it and one that says nothing", [{"a": 1, "b": 0}]),
    ("one page is cited for two sentences, one of which it says", [{"a": 1}, {"a": 0}, {"b": 1}]),
    ("one of two sentences cites nothing", [{"a": 1}, {}]),
    ("one of two sentences cites a page that was not retrieved", [{"a": 1}, {"x": 0}]),
    ("no sentence cites anything", [{}, {}]),
]
SUPPORT = {1: ("full_support", "supported"), 0.5: ("partial_support", "partial"), 0: ("no_support", "unsupported")}
PAGES = ["a", "b", "c"]


def their_citations(sentences):
    """open-rag-eval's precision and recall, with a model that answers as recorded."""
    module = load("citation_metric")
    said = [SUPPORT[support][0] for cited in sentences for page, support in cited.items() if page in PAGES]

    class Recorded:
        def parse(self, *_, **__):
            value = module.CitationSupport(support=said.pop(0))
            return {"response": value, "metadata": {}}

    parts = [types.SimpleNamespace(text=f"Sentence {at}.", citations=list(cited)) for at, cited in enumerate(sentences)]
    retrieved = types.SimpleNamespace(retrieved_passages={page: f"page {page}" for page in PAGES})
    result = types.SimpleNamespace(
        retrieval_result=retrieved, generation_result=types.SimpleNamespace(generated_answer=parts)
    )
    scores = module.CitationMetric(Recorded()).compute(result)
    return scores["weighted_precision"], scores["weighted_recall"]


SPEC = """version: 1
benchmark: citations
collection: {json: collection.json}
configurations: {mine: {answers: answers.jsonl}}
judge: {command: [%s, judge.py], model: recorded, judgments: judged.jsonl}
thresholds:
- {metrics: [CitationPrecision, CitationRecall], min: 0, judged: raw, level: advisory}
"""

JUDGE = """import json, sys

recorded = json.load(open("recorded.json"))
sys.stdin.readline()
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    page = asked["contexts"][0]
    verdict = lambda text: recorded.get(f"{page}/{text}", "unsupported")
    verdicts = [{"id": id, "context": None, "verdict": verdict(text)} for id, text in asked["claims"]]
    print(json.dumps({"id": asked["id"], "verdicts": verdicts}), flush=True)
"""


def our_citations(program, sentences):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        query = {"id": "q", "text": "question", "judgments": {"a": 1}}
        (folder / "collection.json").write_text(json.dumps({"queries": [query]}))
        cited = [{"sentence": f"Sentence {at}.", "documents": list(cited)} for at, cited in enumerate(sentences)]
        text = " ".join(one["sentence"] for one in cited)
        contexts = [{"id": page, "text": f"page {page}"} for page in PAGES]
        answer = {"query": "q", "answer": text, "contexts": contexts, "citations": cited}
        (folder / "answers.jsonl").write_text(json.dumps(answer) + "\n")
        recorded = {
            f"page {page}/Sentence {at}.": SUPPORT[support][1]
            for at, cited in enumerate(sentences)
            for page, support in cited.items()
        }
        (folder / "recorded.json").write_text(json.dumps(recorded))
        (folder / "judge.py").write_text(JUDGE)
        (folder / "spec.yaml").write_text(SPEC % json.dumps(sys.executable))
        if any(sentences):
            run(program, folder, "judge", "spec.yaml")
        gates = json.loads(run(program, folder, "run", "spec.yaml", "--format", "json"))["gates"]
        values = {gate["finding"]["measured"]["metric"]: gate["finding"]["measured"]["value"] for gate in gates}
        return values["CitationPrecision"], values["CitationRecall"]


def show_citations(program):
    """The table of docs/rag.md."""
    print("| what is recorded | open-rag-eval: precision, recall | rankgate: precision, recall |")
    print("| --- | --- | --- |")
    for what, sentences in CITATIONS:
        both = [", ".join(f"{value:.4g}" for value in values) for values in (their_citations(sentences), our_citations(program, sentences))]
        print(f"| {what} | {both[0]} | {both[1]} |")


GRADED = """version: 1
benchmark: graded
collection: {json: collection.json}
configurations: {mine: {run: mine.run}}
judge: {command: [%s, judge.py], model: recorded, judgments: judged.jsonl, grade: {what: all}}
thresholds:
- {metric: nDCG@5, min: 0, judged: raw, level: advisory}
"""

GRADER = """import json, sys

recorded = json.load(open("recorded.json"))
sys.stdin.readline()
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], "grade": recorded.get(asked["document"]["id"], 0)}), flush=True)
"""


def compare_agreement(program, rounds):
    """Cohen's kappa and that with quadratic weights, which have to be equal."""
    apart, compared = [], 0
    for seed in range(rounds):
        draws = random.Random(seed)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            queries, documents, recorded, lines, pairs = [], [], {}, [], []
            for query in range(draws.randint(3, 12)):
                judgments = {}
                for rank in range(5):
                    document = f"d{query}-{rank}"
                    people = draws.randint(0, 3)
                    judge = min(3, max(0, people + draws.choice([-1, 0, 0, 1])))
                    judgments[document], recorded[document] = people, judge
                    pairs.append((people, judge))
                    documents.append({"id": document, "text": f"text {document}"})
                    lines.append(f"q{query} Q0 {document} {rank + 1} {9 - rank} mine")
                queries.append({"id": f"q{query}", "text": f"question {query}", "judgments": judgments})
            (folder / "collection.json").write_text(json.dumps({"queries": queries, "documents": documents}))
            (folder / "mine.run").write_text("\n".join(lines) + "\n")
            (folder / "recorded.json").write_text(json.dumps(recorded))
            (folder / "judge.py").write_text(GRADER)
            (folder / "spec.yaml").write_text(GRADED % json.dumps(sys.executable))
            run(program, folder, "judge", "spec.yaml")
            check = json.loads(run(program, folder, "judge", "spec.yaml", "--check", "--format", "json"))[0]
        people, judge = zip(*pairs)
        theirs = {"kappa": cohen_kappa(judge, people), "quadratic_kappa": quadratic_weighted_kappa(judge, people)}
        for name, value in theirs.items():
            compared += 1
            ours = check["agreement"][name]["value"]
            if abs(ours - value) > 1e-12:
                apart.append(f"seed {seed}: {name} {ours}, truescore {value}")
    print(f"{compared} coefficients of agreement compared with truescore 0.7.4, {len(apart)} of them differ")
    return apart


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    apart = compare_nuggets(program, rounds) + compare_agreement(program, rounds)
    show_citations(program)
    sys.exit("\n".join(apart) if apart else 0)


if __name__ == "__main__":
    main()
