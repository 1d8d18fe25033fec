"""A pipeline behind rankgate: two sources of candidates, their fusion, a reranker.

    search.py CORPUS [--candidates N] [--query-words N] [--until words|trigrams|fused]

With --until it returns the ranking of that stage. Two knobs stand for what teams change for speed: how many candidates each source
returns (20), and how many words of a query the reranker reads (all).
"""

import argparse, collections, json, math, re, sys

parser = argparse.ArgumentParser()
parser.add_argument("corpus")
parser.add_argument("--candidates", type=int, default=20)
parser.add_argument("--query-words", type=int, default=None)
parser.add_argument("--until", choices=["words", "trigrams", "fused"])
options = parser.parse_args()

with open(options.corpus, encoding="utf-8") as lines:
    documents = [json.loads(line) for line in lines]


def stem(word):
    for end in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(end) and len(word) > len(end) + 2:
            return word[: -len(end)]
    return word


def words(text):
    return [stem(word) for word in re.findall(r"\w+", text.lower())]


def trigrams(text):
    text = f"  {text.lower()} "
    return [text[at : at + 3] for at in range(len(text) - 2)]


class Bm25:
    """BM25 over whatever a function makes of a text."""

    def __init__(self, texts, split):
        self.counts = [collections.Counter(split(text.lower())) for text in texts]
        self.lengths = [sum(count.values()) for count in self.counts]
        self.average = sum(self.lengths) / len(texts)
        self.frequency = collections.Counter(term for count in self.counts for term in count)

    def score(self, terms, at):
        total, count = 0.0, self.counts[at]
        norm = 1.2 * (0.25 + 0.75 * self.lengths[at] / self.average)
        for term in terms:
            if count[term]:
                idf = math.log(1 + (len(self.counts) - self.frequency[term] + 0.5) / (self.frequency[term] + 0.5))
                total += idf * count[term] * 2.2 / (count[term] + norm)
        return total

    def search(self, terms, limit):
        scored = ((self.score(terms, at), at) for at in range(len(documents)))
        best = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1]))
        return [at for _, at in best[:limit]]


texts = [d.get("title", "") + " " + d["text"] for d in documents]
by_words, by_trigrams = Bm25(texts, words), Bm25(texts, trigrams)
by_title = Bm25([d.get("title", "") for d in documents], words)


def fuse(*rankings):
    """Reciprocal rank fusion."""
    scores = collections.Counter()
    for ranking in rankings:
        for rank, at in enumerate(ranking, 1):
            scores[at] += 1 / (60 + rank)
    return [at for at, _ in sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))]


def rerank(query, candidates):
    query = " ".join(query.split()[: options.query_words])
    scored = [
        (by_words.score(words(query), at) + by_title.score(words(query), at) + 0.5 * by_trigrams.score(trigrams(query), at), at)
        for at in candidates
    ]
    return [at for _, at in sorted(scored, key=lambda pair: (-pair[0], pair[1]))]


def ids(ranking):
    return [documents[at]["_id"] for at in ranking]


sys.stdin.readline()
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    query = json.loads(line)
    text = query["text"]
    found = by_words.search(words(text), options.candidates), by_trigrams.search(trigrams(text), options.candidates)
    fused = fuse(*found)[: options.candidates]
    if options.until is None:
        ranking = rerank(text, fused)
    else:
        ranking = {"words": found[0], "trigrams": found[1], "fused": fused}[options.until]
    print(json.dumps({"id": query["id"], "hits": ids(ranking)[: query["depth"]]}), flush=True)
