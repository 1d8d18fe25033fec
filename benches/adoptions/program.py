"""Answers queries by the protocol of programs: program.py CORPUS."""

import json
import sys

from engine import Engine

with open(sys.argv[1], encoding="utf-8") as lines:
    documents = [json.loads(line) for line in lines]
engine = Engine([(one["_id"], f"{one.get('title', '')}. {one['text']}") for one in documents])
sys.stdin.readline()
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    query = json.loads(line)
    print(json.dumps({"id": query["id"], "hits": engine.search(query["text"], query["depth"])}), flush=True)
