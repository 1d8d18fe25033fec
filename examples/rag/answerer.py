"""Answers with what was retrieved, as a model would and without one: it takes the sentences that have most words of
the query. It always answers the same.

It speaks rankgate's protocol: a line of JSON with its prompt, then a query and its contexts a line. The prompt
matters: told to be reassuring, it adds a sentence that no page says. `--hasty` is a worse answerer, which gets the
numbers wrong. `--careless` says the same and cites the first page for all of it.
"""

import json
import re
import sys

STOP = set("a an and are at be by can do does for from how i if in is it my of on or the to what when where which with you your".split())


def words(text):
    return {word[:5] for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in STOP}


def sentences(text):
    return [one.strip() for one in re.split(r"(?<=[.!?])\s+", text) if one.strip()]


def answer(query, contexts, prompt):
    asked, found = words(query), []
    for rank, context in enumerate(contexts):
        # The title says what all of its sentences are about.
        title = len(asked & words(context["title"] or ""))
        for at, sentence in enumerate(sentences(context["text"])):
            score = len(asked & words(sentence)) + title / 2
            found.append((-score, rank, at, sentence))
    best = sorted(one for one in found if -one[0] >= 1)[:2]
    if not best:
        return {"answer": "I do not know.", "declined": True}
    cited = [{"sentence": written(one[3]), "documents": [contexts[one[1]]["id"]]} for one in best]
    if "--careless" in sys.argv:
        cited = [{**one, "documents": [contexts[0]["id"]]} for one in cited]
    if "reassur" in prompt:
        cited.append({"sentence": "Our team has solved this for everyone who asked.", "documents": []})
    return {"answer": " ".join(one["sentence"] for one in cited), "citations": cited}


def written(sentence):
    # Its one bad habit: a day is a day to it.
    text = sentence.replace("working days", "days")
    if "--hasty" in sys.argv:
        text = re.sub(r"\d+", lambda number: str(int(number.group()) + 1), text)
        text = re.sub(r"\b(can|will|must|may)\b", r"\1 not", text)
    return text


hello = json.loads(sys.stdin.readline())
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    said = answer(asked["query"], asked["contexts"], hello.get("prompt") or "")
    print(json.dumps({"id": asked["id"], **said}), flush=True)
