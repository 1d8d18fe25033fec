"""Writes a collection of MS MARCO's size in the layout of BEIR: seeded, words by Zipf's law, nothing of the real one.

    python3 benches/passages.py /tmp/passages                  # 8,841,823 documents, 3 GB, 509,962 queries, 6,980 judged
    python3 benches/passages.py /tmp/small --documents 100000

Documents have 21 to 90 words of 200,000; one in a thousand is a near copy of an earlier one, as many are copies. Queries are words of the document that is
relevant to them.
"""

import argparse
import itertools
import json
import os
import random

arguments = argparse.ArgumentParser()
arguments.add_argument("folder")
arguments.add_argument("--documents", type=int, default=8_841_823)
arguments.add_argument("--queries", type=int, default=509_962)
arguments.add_argument("--judged", type=int, default=6_980)
given = arguments.parse_args()
chance = random.Random(1)
letters = "etaoinshrdlcum"
vocabulary = set()
while len(vocabulary) < 200_000:
    vocabulary.add("".join(chance.choices(letters, k=chance.randint(2, 10))))
vocabulary = sorted(vocabulary)
chance.shuffle(vocabulary)
# Frequent words are short.
vocabulary.sort(key=len)
weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(vocabulary))))
# Words are drawn ten million at a time, which is what takes long, and texts are cut from there at random places.
drawn = chance.choices(vocabulary, cum_weights=weights, k=10_000_000)
places = len(drawn) - 30
os.makedirs(os.path.join(given.folder, "qrels"), exist_ok=True)
asked, every = [], max(given.documents // given.queries, 1)
with open(os.path.join(given.folder, "corpus.jsonl"), "w") as corpus:
    before = ["nothing", "yet"]
    for number in range(given.documents):
        # Three cuts: two texts that share one of them are no copies.
        words = []
        for _ in range(3):
            at = int(chance.random() * places)
            words += drawn[at : at + 7 + at % 24]
        if number % 1000 == 998:
            words = before + ["again"]
        elif number % 1000 == 999:
            words = list(before)
        before = words if number % 1000 < 998 else before
        corpus.write('{"_id": "%d", "title": "", "text": "%s", "metadata": {}}\n' % (number, " ".join(words)))
        if number % every == 0 and len(asked) < given.queries:
            asked.append((number, " ".join(words[at % 9 : at % 9 + 12 : 2])))
with open(os.path.join(given.folder, "queries.jsonl"), "w") as queries:
    for number, text in asked:
        queries.write(json.dumps({"_id": f"q{number}", "text": text, "metadata": {}}) + "\n")
with open(os.path.join(given.folder, "qrels", "dev.tsv"), "w") as judged:
    judged.write("query-id\tcorpus-id\tscore\n")
    for number, _ in chance.sample(asked, min(given.judged, len(asked))):
        judged.write(f"q{number}\t{number}\t1\n")
