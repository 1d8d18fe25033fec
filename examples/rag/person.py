"""Stands in for a person: reads what `rankgate judge sample` lists, and grades it. It looks more closely than the judge: what
has half of a claim's words already contradicts it. A real person opens the page that `--page` writes.
"""

import json
import re
import sys

import rules

GRADES = {"supported": 2, "unsupported": 1, "contradicted": 0}
CITED = {"supported": 2, "contradicted": 1, "unsupported": 0}

for line in sys.stdin:
    pair = json.loads(line)
    shown = pair["document_text"]
    if shown.startswith("Claim:\n"):
        claim, contexts = shown.removeprefix("Claim:\n").split("\n\nContexts:\n", 1)
        contexts = re.split(r"^\[\d+\]\n", contexts, flags=re.MULTILINE)[1:]
        grade = GRADES[rules.support(claim, contexts, 0.5)[0]]
    elif shown.startswith("Sentence:\n"):
        sentence, page = shown.removeprefix("Sentence:\n").split("\n\nCited document:\n", 1)
        grade = CITED[rules.support(sentence, [page], 0.5)[0]]
    else:
        asked, answer = shown.split("\n\nAnswer:\n", 1)
        is_brevity = asked.startswith("Does the answer come to the point")
        grade = rules.brevity(answer, 1) if is_brevity else rules.relevance(pair["query_text"], answer)
    print(json.dumps({**pair, "grade": grade}, ensure_ascii=False))
