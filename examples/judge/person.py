"""Stands in for a person: reads what `rankgate pool` lists, and grades it.

The authors of the helpdesk collection looked through every document that is listed here and found none of them
relevant enough to be judged (examples/data/helpdesk/README.md), so that all of them get 0. A real person opens the
page that `rankgate pool --page` writes.
"""

import json
import sys

for line in sys.stdin:
    pair = json.loads(line)
    pair["grade"] = 0
    print(json.dumps(pair, ensure_ascii=False))
