#!/usr/bin/env python3
"""Cuts data/pages.jsonl into chunks, three times: windows, sentences, paragraphs.

Each chunk is a line of JSON with its id, its text and where it lies: document, and first and last character. A chunker that
does not know where its chunks lie leaves start and end out, and rankgate looks for the text in the document.
"""

import json
import pathlib
import re

HERE = pathlib.Path(__file__).parent


def windows(text, width=200, step=100):
    """Every hundred characters a window of two hundred, as splitters with an overlap of a half do."""
    return [(start, min(start + width, len(text))) for start in range(0, max(len(text) - step, 1), step)]


def sentences(text):
    return [match.span() for match in re.finditer(r"\S.*?[.!?](?=\s|$)", text, re.S)]


def paragraphs(text):
    return [match.span() for match in re.finditer(r"\S.*?(?=\n\n|$)", text, re.S)]


def main():
    pages = [json.loads(line) for line in (HERE / "data/pages.jsonl").read_text().splitlines()]
    for chunker in (windows, sentences, paragraphs):
        lines = []
        for page in pages:
            for number, (start, end) in enumerate(chunker(page["text"]), 1):
                text = page["text"][start:end]
                place = {"document": page["_id"], "start": start, "end": end}
                lines.append(json.dumps({"_id": f"{page['_id']}#{number}", "text": text, **place}))
        (HERE / f"data/{chunker.__name__}.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
