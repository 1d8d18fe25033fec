"""What the "model" of server.py and the person of person.py go by: sentences are claims, and a context supports a
claim of which it has the words.
"""

import re


def words(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def claims(text):
    return [one.strip() for one in re.split(r"(?<=[.!?])\s+", text) if one.strip()]


def support(claim, contexts, share):
    """What is said of a claim, and the number of the context that decides."""
    asked = words(claim)
    for at, context in enumerate(contexts, 1):
        if " ".join(asked) in " ".join(words(context)):
            return "supported", at
    there = [len([word for word in asked if word in words(context)]) for context in contexts]
    best = max(range(len(contexts)), key=lambda at: there[at])
    if there[best] >= share * len(asked):
        # Its words are there, in another order or with something between them.
        return "contradicted", best + 1
    return "unsupported", None


def brevity(answer, sentences):
    """Whether an answer has no more than so many sentences, or one more, as a grade."""
    return max(0, min(2, 2 - (len(claims(answer)) - sentences)))


def relevance(query, answer):
    """How many of the query's longer words the answer has, as a grade."""
    asked = {word[:4] for word in words(query) if len(word) > 3}
    said = {word[:4] for word in words(answer)}
    share = len(asked & said) / max(1, len(asked))
    return sum(share >= cut for cut in (0.2, 0.5, 0.8))
