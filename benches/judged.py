#!/usr/bin/env python3
"""What 10,000 judgments of a model on file cost a run of gates.

    cargo build --release -p rankgate-cli
    python3 benches/judged.py target/release/rankgate

Writes a collection of 1,250 queries and 10,000 documents with a frozen run of eight documents a query that nobody judged,
and has them judged by way of batch files, without a model. Then the same gate is decided by people's judgments alone and
by the model's as well, in turns. Prints the median wall and processor times of fifteen runs of each, and how much more
the second takes.
"""

import json
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

QUERIES, JUDGED, ROUNDS = 1250, 8, 15

SPEC = """version: 1
benchmark: judged
collection: {{trec: {{queries: queries.tsv, qrels: qrels.txt, corpus: corpus.jsonl}}}}
configurations: {{mine: {{run: mine.run}}}}
judge: {{model: none-2026-01-01, judgments: judged.jsonl, grade: {{what: holes, depth: 10}}}}
thresholds: [{{metric: nDCG@10, min: 0.01{judged}}}]
"""


def write(folder):
    rng = random.Random(1)
    words = [f"word{number}" for number in range(3000)]
    text = lambda count: " ".join(rng.choices(words, k=count))
    documents = QUERIES * JUDGED
    with open(folder / "corpus.jsonl", "w") as corpus:
        for document in range(documents):
            corpus.write(json.dumps({"_id": f"d{document}", "title": text(5), "text": text(150)}) + "\n")
    with open(folder / "queries.tsv", "w") as queries, open(folder / "qrels.txt", "w") as qrels, \
            open(folder / "mine.run", "w") as run:
        for query in range(QUERIES):
            queries.write(f"q{query}\t{text(6)}\n")
            own = range(query * JUDGED, (query + 1) * JUDGED)
            for rank, document in enumerate(own, 1):
                run.write(f"q{query} Q0 d{document} {rank} {100 - rank} x\n")
            other = (query + 1) * JUDGED % documents
            run.write(f"q{query} Q0 d{other} {JUDGED + 1} 1 x\n")
            qrels.write(f"q{query} 0 d{other} 2\n")
    (folder / "people.yaml").write_text(SPEC.format(judged=""))
    (folder / "model.yaml").write_text(SPEC.format(judged=", judged: raw, level: advisory"))


def judge(rankgate, folder):
    run = lambda *arguments: subprocess.run([rankgate, "judge", "model.yaml", *arguments], cwd=folder,
                                            capture_output=True, text=True)
    asked = run("--requests", "requests.jsonl")
    if asked.returncode:
        sys.exit(asked.stdout + asked.stderr)
    with open(folder / "responses.jsonl", "w") as responses:
        for number, line in enumerate((folder / "requests.jsonl").read_text().splitlines()):
            said = json.dumps({"analysis": "It is about the subject and says little of what is asked. " * 3,
                               "grade": number % 4})
            body = {"model": "none", "choices": [{"index": 0, "finish_reason": "stop",
                                                  "message": {"role": "assistant", "content": said}}],
                    "usage": {"prompt_tokens": 900, "completion_tokens": 60}}
            responses.write(json.dumps({"custom_id": json.loads(line)["custom_id"],
                                        "response": {"status_code": 200, "body": body}}) + "\n")
    read = run("--responses", "responses.jsonl")
    if read.returncode:
        sys.exit(read.stdout + read.stderr)
    return sum(1 for _ in open(folder / "judged.jsonl")) - 1


def timed(rankgate, folder, spec):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([rankgate, "run", spec], cwd=folder, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    rankgate = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        write(folder)
        items = judge(rankgate, folder)
        times = {"people.yaml": [], "model.yaml": []}
        for _ in range(ROUNDS):
            for spec, all_of_it in times.items():
                all_of_it.append(timed(rankgate, folder, spec))
    median = lambda spec, which: 1000 * statistics.median(one[which] for one in times[spec])
    for which, name in ((0, "wall"), (1, "processor")):
        people, model = median("people.yaml", which), median("model.yaml", which)
        print(f"{items} judgments, {name} time: {people:.0f} ms without, {model:.0f} ms with, {model - people:.0f} ms more")


if __name__ == "__main__":
    main()
