"""A pipeline in two halves, without a model: it finds help pages by their words, and answers with sentences of the first
three. It always answers the same.

It speaks rankgate's protocol: a query a line comes in, and its hits and the answer go out. `--titles` searches titles
alone, `--hasty` gets numbers wrong, and `--careless` cites the first page for all that it says.
"""

import json
import math
import pathlib
import re
import sys
from collections import Counter

STOP = set("a an and are at be by can do does for from how i if in is it my of on or the to what when where which with you your".split())
CORPUS = pathlib.Path(__file__).parent / "../data/helpdesk/corpus.jsonl"


def words(text):
    return [word[:5] for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in STOP]


def sentences(text):
    return [one.strip() for one in re.split(r"(?<=[.!?])\s+", text) if one.strip()]


class Search:
    def __init__(self, documents, titles):
        self.documents = documents
        self.counts = [Counter(words(one["title"] + ("" if titles else " " + one["text"]))) for one in documents]
        frequency = Counter(word for counts in self.counts for word in counts)
        self.weight = {word: math.log(1 + len(documents) / count) for word, count in frequency.items()}

    def __call__(self, query, depth):
        def score(counts):
            found = (self.weight[word] * counts[word] / (counts[word] + 1) for word in set(words(query)) if word in counts)
            return sum(found)

        scored = sorted((-score(counts), one["_id"]) for counts, one in zip(self.counts, self.documents))
        return [(name, -score) for score, name in scored[:depth] if score < 0]


def answer(query, pages):
    asked, found = set(words(query)), []
    for rank, page in enumerate(pages):
        # The title says what all of its sentences are about.
        title = len(asked & set(words(page["title"])))
        for at, sentence in enumerate(sentences(page["text"])):
            found.append((-(len(asked & set(words(sentence))) + title / 2), rank, at, sentence))
    best = sorted(one for one in found if one[0] <= -1)[:2]
    if not best:
        return {"text": "I do not know.", "declined": True}
    cited = [{"sentence": written(one[3]), "documents": [pages[one[1]]["_id"]]} for one in best]
    if "--careless" in sys.argv:
        cited = [{**one, "documents": [pages[0]["_id"]]} for one in cited]
    return {"text": " ".join(one["sentence"] for one in cited), "citations": cited}


def written(sentence):
    # Its one bad habit: a day is a day to it.
    text = sentence.replace("working days", "days")
    if "--hasty" in sys.argv:
        text = re.sub(r"\d+", lambda number: str(int(number.group()) + 1), text)
        text = re.sub(r"\b(can|will|must|may)\b", r"\1 not", text)
    return text


documents = [json.loads(line) for line in open(CORPUS, encoding="utf-8")]
by_id = {one["_id"]: one for one in documents}
search = Search(documents, "--titles" in sys.argv)
sys.stdin.readline()
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    hits = search(asked["text"], asked["depth"])
    pages = [by_id[name] for name, _ in hits[:3]]
    said = {**answer(asked["text"], pages), "contexts": [page["_id"] for page in pages]}
    hits = [{"id": name, "score": score} for name, score in hits]
    print(json.dumps({"id": asked["id"], "hits": hits, "answer": said}), flush=True)
