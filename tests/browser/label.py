"""Grades on the labelling page as a person does; run by tests/browser/run."""

import json
import os
import pathlib
import time
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

    def load(self, *lines, name="saved.jsonl"):
        """Chooses a file, as somebody does who goes on at another machine, and what the page says of it."""
        self.browser.run(
            """document.getElementById('told').textContent = '';
            const files = new DataTransfer();
            files.items.add(new File([arguments[0]], arguments[1]));
            const input = document.getElementById('file');
            input.files = files.files;
            input.dispatchEvent(new Event('change'))""",
            "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines), name)
        for _ in range(100):
            if self.text("#told"):
                break
            time.sleep(0.05)
        return self.text("#told")

    def anew(self, change):
        """The page written anew, at another address: what of its data changed."""
        data = json.loads(json.dumps(self.data))
        change(data)
        start, rest = PAGE.read_text().split('id="data">', 1)
        _, end = rest.split("</script>", 1)
        text = json.dumps(data).replace("<", "\\u003c")
        path = PAGE.with_name("label-anew.html")
        path.write_text(f'{start}id="data">{text}</script>{end}')
        self.addCleanup(path.unlink)
        return path

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

    def test_two_tabs_of_one_page_keep_what_each_graded(self):
        self.browser.press("1", "1", "1")
        first = self.browser.tab()
        second = self.browser.new_tab()
        self.browser.switch(second)
        self.open()
        self.browser.press("2", "2")
        self.assertEqual(self.text("#done"), f"5 of {PAIRS} graded")
        self.browser.switch(first)
        # This tab is told of what the other one did, and goes on behind it.
        self.assertEqual(self.browser.until("return document.getElementById('done').innerText",
                                            f"5 of {PAIRS} graded"), f"5 of {PAIRS} graded")
        self.browser.press("3")
        self.open()
        self.assertEqual(sorted(line["grade"] for line in self.saved()), [1, 1, 1, 2, 2, 3])
        self.browser.close(second)
        self.browser.switch(first)

    def test_a_held_key_grades_one_document(self):
        held = {"key": "3", "code": "Digit3", "windowsVirtualKeyCode": 51, "text": "3"}
        for at in range(16):
            self.browser.devtools("Input.dispatchKeyEvent", type="keyDown", autoRepeat=at > 0, **held)
        self.browser.devtools("Input.dispatchKeyEvent", type="keyUp", key="3", code="Digit3", windowsVirtualKeyCode=51)
        self.assertEqual(len(self.saved()), 1)
        # Nor does Enter, held on a button.
        self.browser.run("document.getElementById('grade-1').focus()")
        held = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
        for at in range(16):
            self.browser.devtools("Input.dispatchKeyEvent", type="keyDown", autoRepeat=at > 0, **held)
        self.browser.devtools("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter",
                              windowsVirtualKeyCode=13)
        self.assertEqual(len(self.saved()), 2)

    def test_a_page_written_anew_goes_on_with_what_was_graded(self):
        self.browser.click("#who")
        self.browser.press(*"Anna", "Enter")
        self.browser.press(*"012c" * 5)
        before = self.saved()
        graded = [pair for pair in self.data["pairs"]
                  if [pair["query"], pair["document"]] in [[line["query"], line["document"]] for line in before]]
        self.assertEqual((len(before), len(graded)), (20, 20))

        def change(data):
            # One document more, another text of one that was graded, and another order.
            data["id"] = "rankgate-another"
            data["pairs"] = data["pairs"][::-1]
            changed = next(pair for pair in data["pairs"] if pair["document"] == graded[0]["document"]
                           and pair["query"] == graded[0]["query"])
            changed.update(document_text="another text", document_sha256="0" * 64)
            data["pairs"].append({"query": "q", "query_text": "new", "document": "new", "document_text": "new"})

        self.browser.open(self.anew(change).as_uri())
        self.assertEqual(self.text("#done"), f"19 of {PAIRS + 1} graded")
        self.assertIn("Grades of Anna from an earlier page", self.text("#told"))
        first = (graded[0]["query"], graded[0]["document"])
        expected = [line for line in before if (line["query"], line["document"]) != first]
        self.assertEqual(self.saved(), expected)
        # The page that was graded has all of them yet.
        self.open()
        self.assertEqual(self.saved(), before)

    def test_a_saved_file_goes_on_at_another_machine(self):
        self.browser.click("#who")
        self.browser.press(*"Anna", "Enter")
        self.browser.press(*"0123c")
        before = self.saved()
        self.browser.run("localStorage.clear()")
        self.open()
        self.assertEqual(self.saved(), [])
        foreign = {"query": "nowhere", "document": "d", "grade": 1}
        pair = self.data["pairs"][9]
        changed = {"query": pair["query"], "document": pair["document"], "document_sha256": "0" * 64, "grade": 1}
        told = self.load(*before, foreign, changed)
        self.assertEqual(told, "Loaded 5 of 7 grades from saved.jsonl. Of another text than here: 1. Not on this page: 1.")
        self.assertEqual(self.saved(), before)
        self.assertEqual(self.browser.run("return document.getElementById('who').value"), "Anna")
        self.open()
        self.assertEqual(self.saved(), before, "they are kept")
        # What is graded here stays.
        other = {**before[0], "grade": 1 if before[0]["grade"] == 2 else 2}
        self.assertEqual(self.load(other), "Loaded 0 of 1 grades from saved.jsonl. Graded otherwise here, which stays: 1.")
        self.assertEqual(self.saved(), before)

    def test_a_file_that_is_none_loads_nothing_and_says_which_line(self):
        first, second = ({"query": pair["query"], "document": pair["document"]} for pair in self.data["pairs"][:2])
        good = {**first, "grade": 1, "who": "Anna"}
        for line, why in [
            ("not json\n", "saved.jsonl, line 2: not JSON: not json"),
            ({"query": "q1", "grade": 1}, "line 2: no query or no document"),
            (second, "line 2: no grade"),
            ({**second, "grade": 4}, "line 2: the grade is none of 0 to 3, nor null"),
            ({**second, "grade": "1"}, "line 2: the grade is none of 0 to 3, nor null"),
            ({**first, "grade": 2}, "line 2: a second grade of one document"),
            ({**second, "grade": 2, "who": "Ben"}, "grades of several people: Anna, Ben"),
        ]:
            with self.subTest(why):
                told = self.load(good, line)
                self.assertIn("Nothing was loaded.", told)
                self.assertIn(why, told)
                self.assertEqual(self.saved(), [])
        self.browser.click("#who")
        self.browser.press(*"Ben", "Enter")
        self.assertIn("has the grades of Anna, and this page those of Ben", self.load(good))
        self.assertEqual(self.saved(), [])

    def test_lines_stay_and_whoever_listens_hears_what_comes_next(self):
        def change(data):
            data["pairs"] = [
                {"query": "q", "query_text": "one", "document": "a", "document_text": "title\nfirst\n\n- second"},
                {"query": "q", "query_text": "two", "document": "b", "document_text": "\u05e9\u05dc\u05d5\u05dd"},
            ]

        self.browser.open(self.anew(change).as_uri())
        self.assertEqual(self.text("#document").split("\n"), ["title", "first", "", "- second"])
        self.browser.press("2")
        heard = self.browser.run("return document.querySelector('[role=status]').textContent")
        self.assertEqual(heard, "1 of 2 graded. Query: two. Document: \u05e9\u05dc\u05d5\u05dd")
        # A text of another direction begins at the right.
        left = self.browser.run("""const range = document.createRange();
            range.selectNodeContents(document.getElementById('document'));
            return range.getBoundingClientRect().left - document.getElementById('document').getBoundingClientRect().left""")
        self.assertGreater(left, 300)

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
