"""What `retriever: words` in first.rankgate.yaml stands for: put your own search in the place of this one."""

import re

import rankgate


def words(text):
    return set(re.findall(r"[^\W_]+", text.lower()))


@rankgate.retriever("words")
def build(setup):
    # It is built once for each configuration, and once more for `deterministic`: what takes long to load
    # and is the same for all goes behind functools.cache.
    index = [(page.id, words(f"{page.title or ''} {page.text}")) for page in setup.documents()]

    def search(query, depth):
        """The documents that share most words with the query: pairs of id and score, best first."""
        wanted = words(query)
        found = [(id, len(wanted & its)) for id, its in index if wanted & its]
        # Equal scores need an order of their own, or rankings change from run to run.
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:depth]

    return search
