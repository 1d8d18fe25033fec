"""bm25s over a corpus."""

import bm25s


class Engine:
    def __init__(self, documents):
        self.ids = [id for id, _ in documents]
        self.index = bm25s.BM25(k1=1.2, b=0.75)
        self.index.index(self._words([text for _, text in documents]), show_progress=False)

    def _words(self, texts):
        return bm25s.tokenize(texts, stopwords="en", show_progress=False)

    def search(self, query, depth):
        depth = min(depth, len(self.ids))
        found, scores = self.index.retrieve(self._words([query]), k=depth, show_progress=False)
        pairs = zip(found[0].tolist(), scores[0].tolist())
        # Ties by place: the order of a partition is nobody's.
        best = sorted(((at, score) for at, score in pairs if score > 0), key=lambda pair: (-pair[1], pair[0]))
        return [(self.ids[at], score) for at, score in best]
