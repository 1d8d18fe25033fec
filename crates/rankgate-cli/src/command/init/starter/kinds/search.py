"""Answers queries over standard input and output, one a line: replace `search` by a call of your own.

Standard output is for answers alone. Whatever else there is to say goes to standard error.
"""

import json, re, sys


def words(text):
    return set(re.findall(r"[^\W_]+", text.lower()))


with open("data/first/corpus.jsonl", encoding="utf-8") as lines:
    documents = [json.loads(line) for line in lines]
index = [(document["_id"], words(f"{document['title']} {document['text']}")) for document in documents]


def search(text, depth):
    """The documents that share most words with the query: pairs of id and score, best first."""
    query = words(text)
    found = [(id, len(query & its)) for id, its in index if query & its]
    # Equal scores need an order of their own, or rankings change from run to run.
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:depth]


hello = json.loads(sys.stdin.readline())  # names the benchmark and the configuration
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    query = json.loads(line)
    print(json.dumps({"id": query["id"], "hits": search(query["text"], query["depth"])}), flush=True)
