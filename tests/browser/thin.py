"""Writes a spec whose collection has so few judgments that 500 documents are left to grade."""

import json
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
helpdesk = here.parent.parent / "examples" / "data" / "helpdesk"
folder = pathlib.Path(sys.argv[1]) / "thin"
folder.mkdir()

documents = [json.loads(line) for line in (helpdesk / "corpus.jsonl").read_text().splitlines()]
queries = [json.loads(line) for line in (helpdesk / "queries.jsonl").read_text().splitlines()][:50]
with open(folder / "queries.jsonl", "w") as file:
    file.writelines(json.dumps(query) + "\n" for query in queries)
(folder / "qrels").mkdir()
with open(folder / "qrels" / "test.tsv", "w") as file:
    file.write("query-id\tcorpus-id\tscore\n")
    file.writelines(f"{query['_id']}\tunseen\t1\n" for query in queries)
with open(folder / "corpus.jsonl", "w") as file:
    file.writelines(json.dumps(document) + "\n" for document in documents)
    file.write(json.dumps({"_id": "unseen", "title": "", "text": "Nobody returns this."}) + "\n")
# All 50 queries are drawn: 10 documents for each make 500 of them.
with open(folder / "mine.run", "w") as file:
    for at, query in enumerate(queries):
        for rank in range(10):
            document = documents[(at * 17 + rank * 5) % len(documents)]
            file.write(f"{query['_id']} Q0 {document['_id']} {rank + 1} {20 - rank} mine\n")
(folder / "thin.yaml").write_text(
    """version: 1
benchmark: thin
collection: {beir: .}
configurations: {mine: {run: mine.run}}
thresholds: [{metric: nDCG@10, min: 0.1, level: advisory}]
judge: {model: none-2025, judgments: judged.jsonl, humans: people.jsonl}
"""
)
