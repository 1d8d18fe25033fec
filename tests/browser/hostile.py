"""Puts markup into every text of a report that comes from data: hostile.py REPORT.json HOSTILE.json"""

import json
import sys

# In front of every text, so that ids stay different and in order.
MARKUP = (
    "</script></style><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
    "<!-- \"'><svg onload=window.hacked=3>]]> \u202e\u2028\ufeff\u0007\n&lt;"
)
# Words of the model itself.
KEEP = {"kind", "verdict", "expect", "bound", "state", "direction", "evidence", "segment"}


def hostile(value, key=""):
    if isinstance(value, dict):
        # The reason of any other finding is a word of the model.
        keys = {"reason": "undecided"} if value.get("kind") == "undecided" else {}
        # And so is who makes a claim.
        if "verdict" in value:
            keys["source"] = "kind"
        # What to do next and why is said in rows; the labels of other rows are words of the model.
        if key == "advice":
            keys.update(label="text", value="text")
        return {name: hostile(inner, keys.get(name, name)) for name, inner in value.items()}
    if isinstance(value, list):
        return [hostile(inner, key) for inner in value]
    texts = {"text", "query", "document", "description", "source", "undecided", "warning", "warnings",
             "unanswered", "file", "category", "documents", "diff"}
    if isinstance(value, str) and (key in texts or key == "id") and key not in KEEP:
        return MARKUP + value
    return value


def main(source, target):
    with open(source) as file:
        report = hostile(json.load(file))
    report["warnings"] = [{"kind": "benchmark", "text": MARKUP}]
    report["titles"] = {MARKUP + id: MARKUP + title for id, title in report["titles"].items()}
    for configuration in report["configurations"]:
        for segment in configuration["outcome"]["measured"]["segments"]:
            if segment["key"] == "category":
                segment["value"] = MARKUP + segment["value"]
    with open(target, "w") as file:
        json.dump(report, file)


main(*sys.argv[1:])
