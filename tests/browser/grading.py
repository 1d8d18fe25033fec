"""Grades on the page of `rankgate judge sample` as a person does; run by tests/browser/run."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from webdriver import Browser

SPEC = """version: 1
benchmark: toy
collection:
  inline:
    documents: {d1: alpha}
    queries: [{id: q1, text: alpha, relevant: [d1]}, {id: q2, text: beta, relevant: [d1]}]
configurations: {mine: {builtin: bm25}}
thresholds: [{metric: RR, min: 0.1}]
"""
JUDGE = """command: [none]
model: rules
spec: toy.yaml
criteria: {brief: {question: Is it brief?, scale: [no, yes]}}
"""
# The names of the buttons that are seen.
SEEN = """return [...document.querySelectorAll('.grades button[id^=grade-]')]
    .filter((button) => button.getClientRects().length).map((button) => button.querySelector('span').textContent)"""
SCALES = {
    "Grade how well an answer is one to the query": ["something else", "not answered", "partly answered", "answered"],
    "Grade an answer by one criterion": ["no", "yes"],
}


class GradingInBrowser(unittest.TestCase):
    def test_each_question_has_its_own_scale_and_rubric(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "toy.yaml").write_text(SPEC)
        (folder / "judge.yaml").write_text(JUDGE)
        lines = [json.dumps({"query": id, "answer": f"It is {id}."}) + "\n" for id in ("q1", "q2")]
        (folder / "answers.jsonl").write_text("".join(lines))
        command = [os.environ["RANKGATE"], "judge", "sample", "answers.jsonl", "--metric", "AnswerRelevance,Criterion(brief)"]
        subprocess.run([*command, "--queries", "2", "--page", "grade.html"], cwd=folder, check=True, capture_output=True)
        browser = self.enterContext(Browser())
        browser.open((folder / "grade.html").as_uri())
        kinds = []
        for done in range(4):
            rubric = browser.run("return document.getElementById('guidelines').textContent")
            (kind,) = [one for one in SCALES if rubric.startswith(one)]
            kinds.append(kind)
            self.assertEqual(browser.run(SEEN), SCALES[kind])
            # A button that is hidden takes no click, and its key no press.
            for off in range(len(SCALES[kind]), 4):
                browser.run(f"document.getElementById('grade-{off}').click()")
                browser.run(f"document.dispatchEvent(new KeyboardEvent('keydown', {{key: '{off}', bubbles: true}}))")
            self.assertIn(f"{done} of 4", browser.run("return document.getElementById('done').textContent"))
            browser.run("document.getElementById('grade-1').click()")
        self.assertIn("all 4 graded", browser.run("return document.getElementById('done').textContent"))
        self.assertEqual(sorted(kinds), sorted([*SCALES] * 2))


if __name__ == "__main__":
    unittest.main()
