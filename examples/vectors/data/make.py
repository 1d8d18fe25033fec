"""Makes the vectors of this folder: articles of shops, and queries near some of them.

    python3 make.py
"""

import json
import os
import random
import struct

DIMENSION, ARTICLES, QUERIES, KINDS = 48, 4000, 200, 60
# A shop, the share of the articles that it has.
SHOPS = {"north": 0.79, "south": 0.2, "island": 0.01}

random.seed(20261126)
centres = [[random.uniform(40, 215) for _ in range(DIMENSION)] for _ in range(KINDS)]


def near(centre, spread):
    return [min(255, max(0, round(random.gauss(number, spread)))) for number in centre]


def write(name, vectors):
    with open(name, "wb") as file:
        file.write(struct.pack("<II", len(vectors), DIMENSION))
        file.write(bytes(number for vector in vectors for number in vector))


articles = [near(random.choice(centres), 70) for _ in range(ARTICLES)]
shops = random.choices(list(SHOPS), list(SHOPS.values()), k=ARTICLES)
write("articles.u8bin", articles)
write("queries.u8bin", [near(random.choice(articles), 60) for _ in range(QUERIES)])
with open("corpus.jsonl", "w") as file:
    for row, shop in enumerate(shops):
        print(json.dumps({"_id": str(row), "text": "", "metadata": {"shop": shop}}), file=file)
with open("queries.jsonl", "w") as file:
    for row in range(QUERIES):
        shop = list(SHOPS)[row % len(SHOPS)]
        print(json.dumps({"_id": str(row), "text": "", "metadata": {"shop": shop}}), file=file)
# A header alone says that nothing is judged.
os.makedirs("qrels", exist_ok=True)
with open("qrels/test.tsv", "w") as file:
    print("query-id", "corpus-id", "score", sep="\t", file=file)
