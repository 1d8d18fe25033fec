"""Shares of nuggets that answers hold against nuggetizer 0.0.5, on the same recorded assignments.

    python tests/peers/nuggets.py PROGRAM [ROUNDS]

Each round draws nuggets and assignments. nuggetizer scores them with its own code, and no model. A program that answers with the
assignments is the judge of a spec; `rankgate judge` asks it, and the means of `rankgate run` have to be those of nuggetizer. Every
query has a vital nugget: where there is none, nuggetizer scores 0 and rankgate leaves the query out.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

from nuggetizer.core.metrics import calculate_global_metrics

ROUNDS = 20
NAMES = {
    "NuggetAll": "all_score",
    "NuggetVital": "vital_score",
    "NuggetAllStrict": "strict_all_score",
    "NuggetVitalStrict": "strict_vital_score",
}
VERDICTS = {"support": "supported", "partial_support": "partial", "not_support": "unsupported"}

SPEC = """version: 1
benchmark: nuggets
collection: {json: collection.json}
configurations: {mine: {answers: answers.jsonl}}
judge: {command: [%s, judge.py], model: recorded, judgments: judged.jsonl}
thresholds:
- {metrics: [%s], min: 0, judged: raw, level: advisory}
"""

JUDGE = """import json, sys

recorded = json.load(open("recorded.json"))
sys.stdin.readline()
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    verdict = lambda text: recorded.get(text, "unsupported")
    verdicts = [{"id": id, "context": None, "verdict": verdict(text)} for id, text in asked["claims"]]
    print(json.dumps({"id": asked["id"], "verdicts": verdicts}), flush=True)
"""


def draw(seed):
    """Records as nuggetizer has them."""
    draws = random.Random(seed)
    records = []
    for query in range(draws.randint(5, 30)):
        nuggets = []
        for number in range(draws.randint(1, 12)):
            importance = "vital" if number == 0 else draws.choice(["vital", "okay"])
            assignment = draws.choice(list(VERDICTS))
            nuggets.append({"text": f"fact {number} of {query}", "importance": importance, "assignment": assignment})
        records.append({"qid": f"q{query:02}", "nuggets": nuggets})
    return records


def measure(program, records):
    """The means of rankgate."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        queries = [
            {
                "id": record["qid"],
                "text": f"question {record['qid']}",
                "judgments": {"d": 1},
                "nuggets": [{"text": one["text"], "vital": one["importance"] == "vital"} for one in record["nuggets"]],
            }
            for record in records
        ]
        (folder / "collection.json").write_text(json.dumps({"queries": queries}))
        contexts = [{"id": "d", "text": "What is known."}]
        answers = [{"query": one["id"], "answer": f"Answer to {one['id']}.", "contexts": contexts} for one in queries]
        (folder / "answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
        recorded = {one["text"]: VERDICTS[one["assignment"]] for record in records for one in record["nuggets"]}
        (folder / "recorded.json").write_text(json.dumps(recorded))
        (folder / "judge.py").write_text(JUDGE)
        (folder / "spec.yaml").write_text(SPEC % (json.dumps(sys.executable), ", ".join(NAMES)))
        for command in (["judge", "spec.yaml"], ["run", "spec.yaml", "--format", "json"]):
            ran = subprocess.run([program, *command], cwd=folder, capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                sys.exit(f"{' '.join(command)}\n{ran.stdout}{ran.stderr}")
        gates = json.loads(ran.stdout)["gates"]
        measured = [gate["finding"]["measured"] for gate in gates]
        return {one["metric"]: one["value"] for one in measured}


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    apart, compared = [], 0
    for seed in range(rounds):
        records = draw(seed)
        theirs, ours = calculate_global_metrics(records), measure(program, records)
        for metric, name in NAMES.items():
            compared += 1
            if abs(ours[metric] - theirs[name]) > 1e-12:
                apart.append(f"seed {seed}: {metric} {ours[metric]}, nuggetizer {theirs[name]}")
    print(f"{compared} means compared with nuggetizer 0.0.5, {len(apart)} of them differ")
    sys.exit("\n".join(apart) if apart else 0)


if __name__ == "__main__":
    main()
