"""rank_bm25 over a corpus."""

import re

from rank_bm25 import BM25Okapi


def words(text):
    return re.findall(r"\w+", text.lower())


class Engine:
    def __init__(self, documents):
        self.ids = [id for id, _ in documents]
        self.index = BM25Okapi([words(text) for _, text in documents])

    def search(self, query, depth):
        scores = self.index.get_scores(words(query)).tolist()
        best = sorted((at for at in range(len(scores)) if scores[at] > 0), key=lambda at: (-scores[at], at))
        return [(self.ids[at], scores[at]) for at in best[:depth]]
