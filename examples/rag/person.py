"""Stands in for a person: reads what `rankgate sample` lists, and grades it. A claim is supported (2), not there (1) or
contradicted (0); a cited page says all of a sentence (2), a part (1) or nothing (0); an answer is graded from 0 to 3. It looks more closely than the judge: what has half of a claim's
words already contradicts it, and an answer that is one sentence too long is a grade worse. A real person opens the
page that `rankgate sample --page` writes.
"""

import json
import re
import sys

import rules

CITED = {"supported": 2, "contradicted": 1, "unsupported": 0}
GRADES = {"supported": 2, "unsupported": 1, "contradicted": 0}

for line in sys.stdin:
    pair = json.loads(line)
    if pair["document"].startswith("criterion/"):
        # Somebody who has less time than the judge.
        _, answer = pair["document_text"].split("\n\nAnswer:\n", 1)
        pair["grade"] = rules.brevity(answer, 1)
        print(json.dumps(pair, ensure_ascii=False))
        continue
    # What grades mean stands first.
    _, asked = pair["document_text"].split("\n\n", 1)
    if asked.startswith("Answer:\n"):
        answer = asked.removeprefix("Answer:\n")
        pair["grade"] = max(0, rules.relevance(pair["query_text"], answer) - (len(rules.claims(answer)) > 2))
    elif asked.startswith("Sentence:\n"):
        sentence, page = asked.removeprefix("Sentence:\n").split("\n\nContexts:\n", 1)
        pair["grade"] = CITED[rules.support(sentence, [page.removeprefix("[1]\n")], 0.5)[0]]
    else:
        claim, contexts = asked.removeprefix("Claim:\n").split("\n\nContexts:\n", 1)
        contexts = re.split(r"^\[\d+\]\n", contexts, flags=re.MULTILINE)[1:]
        pair["grade"] = GRADES[rules.support(claim, contexts, 0.5)[0]]
    print(json.dumps(pair, ensure_ascii=False))
