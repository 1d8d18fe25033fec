"""Search for the helpdesk of three shops, each of which must see its own pages alone.

    search.py [--mend]

It speaks rankgate's protocol (docs/protocol.md). `find` filters by tenant. `similar`, which helps where words are misspelt,
was added later, and its filter was forgotten; `--mend` puts it there.
"""

import difflib, json, re, sys
from pathlib import Path


def words(text):
    return re.findall(r"\w+", text.lower())


with open(Path(__file__).parent / "data" / "corpus.jsonl", encoding="utf-8") as lines:
    pages = [json.loads(line) for line in lines]
for page in pages:
    page["words"] = set(words(page["title"] + " " + page["text"]))
tenant_of = {page["_id"]: page["metadata"]["tenant"] for page in pages}
known = sorted(set.union(*(page["words"] for page in pages)))


def rank(wanted, pages):
    scored = [(page["_id"], len(wanted & page["words"])) for page in pages]
    return sorted((pair for pair in scored if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))


def find(text, tenant):
    own = [page for page in pages if page["metadata"]["tenant"] == tenant]
    return rank(set(words(text)), own)


def similar(text, tenant):
    near = {match for word in words(text) for match in difflib.get_close_matches(word, known, 2)}
    if "--mend" in sys.argv:
        return rank(near, [page for page in pages if page["metadata"]["tenant"] == tenant])
    return rank(near, pages)


def search(text, tenant):
    misspelt = any(word not in known for word in words(text) if len(word) > 3)
    return similar(text, tenant) if misspelt else find(text, tenant)


json.loads(sys.stdin.readline())
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    query = json.loads(line)
    tenant = query["metadata"]["tenant"]
    hits = search(query["text"], tenant)[: query["depth"]]
    leaks = sum(tenant_of[page] != tenant for page, _ in hits[:5])
    print(json.dumps({"id": query["id"], "hits": hits, "scores": {"leaks": leaks}}), flush=True)
