"""Uses the server's pages as people do; run by tests/browser/run, against a server with the history of examples/service."""

import json
import os
import pathlib
import sys
import unittest
import urllib.request

from webdriver import Browser

SERVER = os.environ["SERVER"]
PROJECT = "/projects/shop"
TREND = PROJECT + "/trend?benchmark=shop&configuration=words"
PAGES = ["/", PROJECT, TREND, PROJECT + "/alarms", PROJECT + "/reports/30", PROJECT + "/compare?a=1&b=30",
         PROJECT + "/reports/999", PROJECT + "/labels", "/sign-in"]
# Where pictures go, for whoever wants to look at them.
PICTURES = os.environ.get("PICTURES")


class ServiceInBrowser(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser().__enter__()
        cls.addClassCleanup(cls.browser.__exit__)

    def setUp(self):
        self.browser.resize(1280, 900)
        self.browser.prefer("light")
        self.script(True)

    def script(self, allowed):
        self.browser.devtools("Emulation.setScriptExecutionDisabled", value=not allowed)

    def open(self, path):
        self.browser.open("about:blank")
        self.browser.entries("browser"), self.browser.entries("performance")
        self.browser.open(SERVER + path)

    def text(self, selector="body"):
        return self.browser.run("return document.querySelector(arguments[0]).innerText", selector)

    def path(self):
        return self.browser.run("return location.pathname + location.search")

    def follow(self, text):
        """Clicks the link with a text."""
        found = self.browser.run(
            "const link = [...document.links].find((one) => one.innerText === arguments[0]);"
            "if (link) link.id = 'followed'; return link && link.pathname", text)
        self.assertTrue(found, f"no link {text}")
        self.browser.click("#followed")
        self.browser.until("return location.pathname", found)

    def requested(self):
        """Where requests went since the page was opened."""
        messages = [json.loads(entry["message"])["message"] for entry in self.browser.entries("performance")]
        sent = [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith(("data:", "about:"))]

    def test_the_page_works_without_script(self):
        self.script(False)
        self.open("/")
        self.follow("shop")
        self.assertEqual(self.path(), PROJECT)
        self.assertIn("3 alarms stand", self.text())
        self.follow("shop, words")
        self.assertEqual(self.path(), TREND)
        self.assertIn("Rewrite the tokenizer", self.text())
        self.assertTrue(self.browser.run("return document.querySelectorAll('svg.plot').length > 0"))
        # Two reports are compared: the newest with the one before, which answers alike.
        self.open(PROJECT)
        self.browser.click("form[action$=compare] button")
        there = PROJECT + "/compare"
        self.assertEqual(self.browser.until("return location.pathname", there), there)
        self.assertIn("no query has another RR@10", self.text())
        self.open(PROJECT + "/compare?a=1&b=30")
        self.assertIn("queries that moved most", self.text())
        # A report can be read.
        self.open(PROJECT + "/reports/30")
        self.assertIn("RR@10", self.text("#metrics ~ *"))
        self.follow("shop")
        self.assertEqual(self.path(), PROJECT)
        # An alarm is acknowledged, with the keyboard alone.
        self.open(PROJECT + "/alarms")
        before = self.browser.run("return document.querySelectorAll('form textarea').length")
        self.assertEqual(before, 3)
        for _ in range(60):
            self.browser.press("Tab")
            if self.browser.run("return document.activeElement.tagName") == "TEXTAREA":
                break
        self.browser.press(*"as agreed")
        self.browser.press("Tab")
        self.browser.press("Enter")
        self.assertEqual(self.browser.until("return location.pathname", PROJECT + "/alarms"), PROJECT + "/alarms")
        self.assertEqual(self.browser.until("return document.querySelectorAll('form textarea').length", 2), 2)
        self.assertIn("as agreed", self.text())
        told = json.load(urllib.request.urlopen(f"{SERVER}/v1{PROJECT}/alarms"))
        self.assertEqual(told["standing"], 2)
        self.assertIn("as agreed", [alarm.get("note") for alarm in told["alarms"]])

    def notes(self):
        return self.browser.run("return [...document.querySelectorAll('form textarea')].map((one) => one.value)")

    def test_a_note_is_asked_for_and_others_that_were_typed_stay(self):
        self.open(PROJECT + "/alarms")
        self.assertEqual(self.notes(), ["", "", ""])
        acknowledge = "form:has(textarea) button"
        # Without a note nothing is sent.
        self.browser.click(acknowledge)
        self.assertEqual(self.path(), PROJECT + "/alarms")
        fields = self.browser.run(
            "[...document.querySelectorAll('form textarea')].forEach((one, at) => one.id = `note-${at}`);"
            "return document.querySelectorAll('textarea:invalid').length")
        self.assertEqual(fields, 3)
        self.browser.write("#note-1", "typed for another one")
        self.browser.write("#note-0", "agreed with those who pay")
        self.browser.click(acknowledge)
        self.assertEqual(self.browser.until("return document.querySelectorAll('form textarea').length", 2), 2)
        self.assertEqual(self.notes(), ["typed for another one", ""])
        # Whoever did it is told, and goes on from there.
        focused = self.browser.until("return document.activeElement.getAttribute('role')", "status")
        self.assertEqual(focused, "status")
        self.assertIn("is acknowledged: agreed with those who pay", self.text("[role=status]"))
        # It can be taken back.
        self.browser.click("td form button")
        self.assertEqual(self.browser.until("return document.querySelectorAll('form textarea').length", 3), 3)
        self.assertIn("is not acknowledged: it stands", self.text("[role=status]"))
        self.assertIn("typed for another one", self.notes())
        told = json.load(urllib.request.urlopen(f"{SERVER}/v1{PROJECT}/alarms"))
        self.assertEqual(told["standing"], 3)

    def test_a_held_key_grades_one_document(self):
        pairs = [{"query": f"q{at}", "query_text": "late fee", "document": "d",
                  "document_text": "Title\nfirst\n\n- second"} for at in range(9)]
        body = "".join(json.dumps(pair) + "\n" for pair in pairs).encode()
        # Once for each run of this test: grades stay.
        address = f"{PROJECT}/labels/held"
        urllib.request.urlopen(urllib.request.Request(f"{SERVER}/v1{address}", body, method="PUT"))
        self.open(address + "?who=anna")
        self.assertEqual(self.text("article").split("\n"), ["Title", "first", "", "- second"])
        held = {"key": "3", "code": "Digit3", "windowsVirtualKeyCode": 51, "text": "3"}
        done = "return document.querySelector('main > p').innerText"
        for at in range(16):
            self.browser.devtools("Input.dispatchKeyEvent", type="keyDown", autoRepeat=at > 0, **held)
            self.assertEqual(self.browser.until(done, "1 of 9 graded"), "1 of 9 graded")
        self.browser.devtools("Input.dispatchKeyEvent", type="keyUp", key="3", code="Digit3", windowsVirtualKeyCode=51)
        self.browser.press("2")
        self.assertEqual(self.browser.until(done, "2 of 9 graded"), "2 of 9 graded")

    def test_nothing_is_loaded_from_elsewhere_and_nothing_is_complained_of(self):
        for path in PAGES:
            with self.subTest(path):
                self.open(path)
                self.assertEqual([url for url in self.requested() if url != SERVER + path], [])
                console = [entry["message"] for entry in self.browser.entries("browser")]
                # That a page is not there is said by its status.
                self.assertEqual([line for line in console if "404" not in line], [])

    def test_no_page_is_wider_than_its_window(self):
        for width in [1280, 768, 390, 320]:
            self.browser.resize(width, 900)
            for path in PAGES:
                with self.subTest(f"{path} at {width}"):
                    self.open(path)
                    wide = self.browser.run("return document.documentElement.scrollWidth")
                    self.assertLessEqual(wide, width)

    def test_what_is_pressed_is_labelled_and_large_enough_for_a_finger(self):
        self.browser.resize(390, 900)
        for path in PAGES:
            with self.subTest(path):
                self.open(path)
                faults = self.browser.run(
                    """return [...document.querySelectorAll('form input:not([type=hidden]), form select, form textarea, form button')]
                    .filter((one) => one.offsetHeight < 24 || (one.tagName !== 'BUTTON' && !one.labels.length)
                                     || (one.tagName === 'BUTTON' && !one.innerText))
                    .map((one) => one.outerHTML)"""
                )
                self.assertEqual(faults, [])
                titles = self.browser.run("return [document.title.length > 3, document.querySelectorAll('h1').length]")
                self.assertEqual(titles, [True, 1])

    def test_pictures_for_whoever_looks(self):
        for scheme, width in [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]:
            self.browser.prefer(scheme)
            for number, path in enumerate(PAGES):
                self.browser.resize(width, 900)
                self.open(path)
                ground = self.browser.run("return getComputedStyle(document.body).backgroundColor")
                self.assertEqual(ground, "rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 28)")
                if PICTURES:
                    height = self.browser.run("return document.documentElement.scrollHeight")
                    self.browser.resize(width, min(height, 4000))
                    name = f"{number}-{scheme}-{width}.png"
                    self.browser.screenshot(pathlib.Path(PICTURES) / name)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
