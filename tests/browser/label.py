"""Grades on the labelling page as a person does; run by tests/browser/run."""

import json
import os
import pathlib
import unittest

from webdriver import Browser

PAGE = pathlib.Path(os.environ["REPORTS"]) / "label.html"
PAIRS = 500


class LabelsInBrowser(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser().__enter__()
        cls.addClassCleanup(cls.browser.__exit__)

    def setUp(self):
        self.browser.resize(1280, 900)
        self.browser.prefer("light")
        self.open()
        self.browser.run("localStorage.clear()")
        self.open()
        self.data = json.loads(self.browser.run("return document.getElementById('data').textContent"))

    def tearDown(self):
        console = [entry["message"] for entry in self.browser.entries("browser")]
        self.assertEqual(console, [], "the console is empty")

    def open(self):
        # A page of its own each time: a link to the same one would not load it again.
        self.browser.open("about:blank")
        self.browser.entries("browser"), self.browser.entries("performance")
        self.browser.open(PAGE.as_uri())

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0]).innerText", selector)

    def pressed(self):
        return self.browser.run(
            "return [...document.querySelectorAll('.grades [aria-pressed=true]')].map((one) => one.id)"
        )

    def saved(self):
        """What the page gives to whoever saves, line by line."""
        text = self.browser.run(
            """let saved = null;
            const create = URL.createObjectURL;
            URL.createObjectURL = (blob) => { saved = blob; return create(blob) };
            const stop = (event) => { if (event.target.download) event.preventDefault() };
            document.addEventListener('click', stop);
            document.getElementById('save').click();
            document.removeEventListener('click', stop);
            URL.createObjectURL = create;
            return saved.text()"""
        )
        return [json.loads(line) for line in text.splitlines()]

    def test_five_hundred_documents_are_graded_with_the_keyboard_alone(self):
        self.assertEqual(len(self.data["pairs"]), PAIRS)
        keys = ["0123c"[at * 7 % 5] for at in range(PAIRS)]
        for start in range(0, PAIRS, 100):
            self.browser.press(*keys[start : start + 100])
        self.assertEqual(self.text("#done"), f"all {PAIRS} graded: save them")
        lines = self.saved()
        self.assertEqual(len(lines), PAIRS)
        of = {(line["query"], line["document"]): line for line in lines}
        for pair, key in zip(self.data["pairs"], keys):
            line = of[pair["query"], pair["document"]]
            self.assertEqual(line["grade"], None if key == "c" else int(key))
            self.assertEqual(line["document_sha256"], pair["document_sha256"])
            self.assertEqual(line["query_sha256"], pair["query_sha256"])

    def test_a_reload_in_the_middle_loses_nothing(self):
        self.browser.click("#who")
        self.browser.press(*"Anna 3", "Enter")
        self.browser.press(*"0123c" * 20)
        before = self.saved()
        self.assertEqual((len(before), before[0]["who"]), (100, "Anna 3"))
        shown = self.text("#document")
        self.open()
        self.assertEqual(self.text("#done"), f"100 of {PAIRS} graded")
        self.assertEqual(self.text("#document"), shown, "it goes on where it was")
        self.assertEqual(self.saved(), before)

    def test_a_grade_can_be_looked_at_and_changed(self):
        self.browser.press("2", "1")
        self.browser.press("ArrowLeft")
        self.assertEqual(self.pressed(), ["grade-1"])
        self.browser.press("ArrowLeft")
        self.assertEqual(self.pressed(), ["grade-2"])
        self.browser.press("3")
        # On to the next one that has none.
        self.assertEqual(self.pressed(), [])
        first, second = self.data["pairs"][:2]
        grades = {(line["query"], line["document"]): line["grade"] for line in self.saved()}
        self.assertEqual(grades, {(first["query"], first["document"]): 3, (second["query"], second["document"]): 1})
        # A digit in the name is no grade, nor is one with a modifier.
        self.browser.click("#who")
        self.browser.press(*"0123")
        self.assertEqual(len(self.saved()), 2)

    def test_buttons_and_tab_do_what_keys_do(self):
        self.browser.click("#grade-3")
        self.browser.click("#unsure")
        self.assertEqual(sorted(str(line["grade"]) for line in self.saved()), ["3", "None"])
        self.browser.run("document.getElementById('grade-1').focus()")
        self.browser.press("Enter")
        self.assertEqual(len(self.saved()), 3)

    def test_words_of_the_query_are_marked_and_nothing_says_who_found_it(self):
        marks = 0
        for pair in self.data["pairs"][:30]:
            words = pair["query_text"].lower().split()
            shown = self.browser.run("return [...document.querySelectorAll('mark')].map((one) => one.textContent)")
            marks += len(shown)
            for mark in shown:
                self.assertTrue(any(mark.lower()[:4] in word for word in words), f"{mark}: {words}")
            self.browser.press("ArrowRight")
        self.assertGreater(marks, 10)
        page = PAGE.read_text()
        for name in ("stemmed", "trigrams", "overlap-1"):
            self.assertNotIn(f'"{name}"', page)
        ids = [(pair["query"], pair["document"]) for pair in self.data["pairs"]]
        self.assertNotEqual(ids, sorted(ids))

    def test_nothing_is_requested_but_the_page(self):
        self.browser.press("1", "2")
        messages = [json.loads(entry["message"])["message"] for entry in self.browser.entries("performance")]
        requests = [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]
        asked = {url for url in requests if not url.startswith("data:") and url != "about:blank"}
        self.assertEqual(asked, {PAGE.as_uri()})

    def test_it_fits_a_phone_and_the_dark(self):
        for scheme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 28)")):
            self.browser.prefer(scheme)
            for width, height in ((375, 740), (320, 568), (1280, 900)):
                self.browser.resize(width, height)
                self.browser.press("1")
                found = self.browser.run(
                    """const bar = document.querySelector('.bar').getBoundingClientRect();
                    const small = [...document.querySelectorAll('button')].filter((one) => one.offsetHeight < 44);
                    return [document.documentElement.scrollWidth <= innerWidth, bar.bottom <= innerHeight + 1,
                            bar.height < innerHeight / 2, small.length,
                            getComputedStyle(document.body).backgroundColor]"""
                )
                self.assertEqual(found, [True, True, True, 0, ground], f"{scheme}, {width} pixels")

    def test_a_browser_that_keeps_nothing_is_told(self):
        self.browser.run("Storage.prototype.setItem = () => { throw new Error('full') }")
        self.browser.press("1")
        self.assertIn("keeps nothing", self.text("#told"))
        self.assertEqual(len(self.saved()), 1)


if __name__ == "__main__":
    unittest.main()
