"""The retriever `words` of first.rankgate.yaml. Put your own search in its place."""

import re

import rankgate


def words(text):
    return set(re.findall(r"[^\W_]+", text.lower()))


@rankgate.retriever("words")
def build(setup):
    # pytest calls this function once for each configuration, and once more for `deterministic`. If a model takes
    # long to load, load it in a function with functools.cache.
    index = [(page.id, words(f"{page.title or ''} {page.text}")) for page in setup.documents()]

    def search(query, depth):
        """Returns the documents that share most words with the query, as pairs of id and score, best first."""
        wanted = words(query)
        found = [(id, len(wanted & its)) for id, its in index if wanted & its]
        # Equal scores need a fixed order, or rankings change from run to run.
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:depth]

    return search
