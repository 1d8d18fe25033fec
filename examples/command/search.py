"""A retriever for rankgate in twenty lines: BM25 over a corpus in JSON lines.

    search.py CORPUS

It speaks the protocol of docs/protocol.md: a hello each way, then one line per query.
Standard output is for the protocol alone; whatever else there is to say goes to standard error.
"""

import collections, json, math, re, sys


def words(text):
    return re.findall(r"\w+", text.lower())


# Load and index first: the hello says that queries may come.
with open(sys.argv[1], encoding="utf-8") as lines:
    documents = [json.loads(line) for line in lines]
counts = [collections.Counter(words(d.get("title", "") + " " + d["text"])) for d in documents]
lengths = [sum(count.values()) for count in counts]
average = sum(lengths) / len(lengths)
frequency = collections.Counter(word for count in counts for word in count)


def score(query, count, length):
    total = 0.0
    for word in words(query):
        idf = math.log(1 + (len(documents) - frequency[word] + 0.5) / (frequency[word] + 0.5))
        total += idf * count[word] * 2.2 / (count[word] + 1.2 * (0.25 + 0.75 * length / average))
    return total


hello = json.loads(sys.stdin.readline())
print(json.dumps({"rankgate": 1}), flush=True)
print(f"{len(documents)} documents for {hello['benchmark']}", file=sys.stderr)

for line in sys.stdin:  # ends when rankgate has asked everything
    query = json.loads(line)
    scores = [(d["_id"], score(query["text"], c, n)) for d, c, n in zip(documents, counts, lengths)]
    best = sorted((pair for pair in scores if pair[1] > 0), key=lambda pair: -pair[1])
    print(json.dumps({"id": query["id"], "hits": best[: query["depth"]]}), flush=True)
