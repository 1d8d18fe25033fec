"""A retriever in Python: bm25s over a corpus in JSON lines.

    search.py CORPUS [--stem]

It speaks the protocol of docs/protocol.md in rankgate's repository: a hello each way, then one JSON line
for each query. Standard output is for the protocol alone; standard error is free.
"""

import json
import sys

import bm25s
import Stemmer

corpus = sys.argv[1]
stemmer = Stemmer.Stemmer("english") if "--stem" in sys.argv else None


def tokens(texts):
    return bm25s.tokenize(texts, stopwords=None, stemmer=stemmer, return_ids=False, show_progress=False)


# Load and index first: the answer to the hello says that queries may come.
hello = json.loads(sys.stdin.readline())
with open(corpus, encoding="utf-8") as lines:
    documents = [json.loads(line) for line in lines]
index = bm25s.BM25()
index.index(tokens([f"{d.get('title', '')} {d['text']}" for d in documents]), show_progress=False)
print(json.dumps({"rankgate": 1}), flush=True)

for line in sys.stdin:  # ends when everything was asked
    query = json.loads(line)
    words = tokens([query["text"]])[0]
    scores = index.get_scores(words) if words else []
    # Documents without any of the words have a score of 0: they were not found. Equal scores stay in the
    # order of the corpus, so that the ranking is the same every time.
    found = sorted((i for i, score in enumerate(scores) if score > 0), key=lambda i: -scores[i])
    hits = [(documents[i]["_id"], float(scores[i])) for i in found[: query["depth"]]]
    print(json.dumps({"id": query["id"], "hits": hits}), flush=True)
