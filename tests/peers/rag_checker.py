"""Use of contexts and sensitivity to noise against ragchecker 0.1.9, on the same recorded verdicts.

    python tests/peers/rag_checker.py PROGRAM [ROUNDS]

Each round draws claims of references and answers, and of each context whether it entails them. ragchecker computes with its own
`computation.py`, which is loaded by itself: its package imports the clients of every model. A program that answers with the verdicts is
the judge of a spec. By it contexts together entail what one of them does.

Where no context entails a claim of the reference, ragchecker scores a use of 0 and rankgate leaves the query out: means of ragchecker are
over the other queries.
"""

import importlib
import importlib.util
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import types

ROUNDS = 20
NAMES = {
    "ContextUtilization": "context_utilization",
    "NoiseSensitivityInRelevant": "noise_sensitivity_in_relevant",
    "NoiseSensitivityInIrrelevant": "noise_sensitivity_in_irrelevant",
    "ContextRecall": "claim_recall",
    "Faithfulness": "faithfulness",
    "AnswerCorrectness": "f1",
}

SPEC = """version: 1
benchmark: diagnosed
collection: {json: collection.json}
configurations: {mine: {answers: answers.jsonl}}
judge: {command: [%s, judge.py], model: recorded, judgments: judged.jsonl}
thresholds:
- {metrics: [%s], min: 0, judged: raw, level: advisory}
- {metrics: [%s], max: 1, judged: raw, level: advisory}
"""

JUDGE = """import json, sys

recorded = json.load(open("recorded.json"))
sys.stdin.readline()
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"id": asked["id"]}
    if asked.get("task") == "claims":
        # Probes are texts of which nothing is recorded.
        answer["claims"] = recorded["claims"].get(asked["document"]["text"], [])
    elif "task" in asked:
        entails = lambda context, text: text in recorded["entails"].get(context, [])
        word = lambda text: "supported" if any(entails(one, text) for one in asked["contexts"]) else "unsupported"
        answer["verdicts"] = [{"id": id, "context": None, "verdict": word(text)} for id, text in asked["claims"]]
    else:
        answer["grade"] = 0
    print(json.dumps(answer), flush=True)
"""


def load():
    """Two files of ragchecker without the packages of its models."""
    root = pathlib.Path(importlib.util.find_spec("ragchecker").submodule_search_locations[0])
    package = types.ModuleType("ragchecker")
    package.__path__ = [str(root)]
    sys.modules["ragchecker"] = package
    return importlib.import_module("ragchecker.computation"), importlib.import_module("ragchecker.container")


def draw(seed):
    """Records of queries: claims of both sides, and who entails what."""
    draws = random.Random(seed)
    records = []
    for query in range(draws.randint(8, 20)):
        parts = [f"Part {at} of {query}." for at in range(draws.randint(1, 4))]
        said = [f"Claim {at} of {query}." for at in range(draws.randint(1, 5))]
        contexts = [f"context {at} of {query}" for at in range(draws.randint(1, 5))]
        chosen = lambda claims, share: [claim for claim in claims if draws.random() < share]
        records.append(
            {
                "id": f"q{query:02}",
                "parts": parts,
                "said": said,
                "entails": {context: chosen(parts, 0.25) + chosen(said, 0.35) for context in contexts},
                "correct": chosen(said, 0.5),
                "made": chosen(parts, 0.5),
            }
        )
    # A reference that some context entails, so that there is a mean.
    first = records[0]
    first["entails"][next(iter(first["entails"]))].append(first["parts"][0])
    return records


def theirs(records, computation, container):
    word = lambda entailed: "Entailment" if entailed else "Neutral"
    scores = {metric: [] for metric in NAMES}
    for record in records:
        matrix = lambda claims: [[word(claim in said) for said in record["entails"].values()] for claim in claims]
        result = container.RAGResult(
            query_id=record["id"],
            query="",
            gt_answer="",
            response="",
            answer2response=[word(claim in record["correct"]) for claim in record["said"]],
            response2answer=[word(part in record["made"]) for part in record["parts"]],
            retrieved2response=matrix(record["said"]),
            retrieved2answer=matrix(record["parts"]),
        )
        is_used = any(part in said for part in record["parts"] for said in record["entails"].values())
        for metric, name in NAMES.items():
            computation.METRIC_FUNC_MAP[name](result)
            if metric != "ContextUtilization" or is_used:
                scores[metric].append(float(result.metrics[name]))
    return {metric: sum(all_scores) / len(all_scores) for metric, all_scores in scores.items()}


def ours(program, records):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        queries, answers, claims, entails = [], [], {}, {}
        for record in records:
            text, reference = f"Answer to {record['id']}.", "\n".join(record["parts"])
            queries.append(
                {"id": record["id"], "text": f"question {record['id']}", "judgments": {"d": 1}, "reference": record["parts"]}
            )
            contexts = [{"id": f"d{at}", "text": context} for at, context in enumerate(record["entails"])]
            answers.append({"query": record["id"], "answer": text, "contexts": contexts})
            claims[text] = record["said"]
            entails.update(record["entails"])
            entails[reference], entails[text] = record["correct"], record["made"]
        (folder / "collection.json").write_text(json.dumps({"queries": queries}))
        (folder / "answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
        (folder / "recorded.json").write_text(json.dumps({"claims": claims, "entails": entails}))
        (folder / "judge.py").write_text(JUDGE)
        high = [metric for metric in NAMES if not metric.startswith("Noise")]
        low = [metric for metric in NAMES if metric.startswith("Noise")]
        (folder / "spec.yaml").write_text(SPEC % (json.dumps(sys.executable), ", ".join(high), ", ".join(low)))
        for command in (["judge", "spec.yaml"], ["run", "spec.yaml", "--format", "json"]):
            ran = subprocess.run([program, *command], cwd=folder, capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                sys.exit(f"{' '.join(command)}\n{ran.stdout}{ran.stderr}")
        measured = [gate["finding"]["measured"] for gate in json.loads(ran.stdout)["gates"]]
        return {one["metric"]: one["value"] for one in measured}


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    computation, container = load()
    apart, compared = [], 0
    for seed in range(rounds):
        records = draw(seed)
        expected, found = theirs(records, computation, container), ours(program, records)
        for metric, name in NAMES.items():
            compared += 1
            if abs(found[metric] - expected[metric]) > 1e-12:
                apart.append(f"seed {seed}: {metric} {found[metric]}, ragchecker's {name} {expected[metric]}")
    print(f"{compared} means compared with ragchecker 0.1.9, {len(apart)} of them differ")
    sys.exit("\n".join(apart) if apart else 0)


if __name__ == "__main__":
    main()
