"""A small WebDriver client: chromedriver over HTTP, with the standard library alone."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# W3C WebDriver's key for the id of an element.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Space": "\ue00d", "ArrowDown": "\ue015",
        "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "Escape": "\ue00c"}


class Browser:
    """A headless Chromium that is driven by chromedriver; a context manager that ends both."""

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="rankgate-browser-")
        self.log = open(f"{self.profile}/chromedriver.log", "w+")
        # Port 0: the system chooses, and the log says which.
        self.driver = subprocess.Popen(
            [shutil.which("chromedriver"), "--port=0"], stdout=self.log, stderr=subprocess.STDOUT
        )
        try:
            self.url = f"http://127.0.0.1:{self._port()}"
            self._open_session()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            if hasattr(self, "session"):
                self._call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=20)
            self.log.close()
            shutil.rmtree(self.profile, ignore_errors=True)

    def _port(self):
        for _ in range(200):
            self.log.seek(0)
            for line in self.log.read().splitlines():
                if "started successfully on port" in line:
                    return int(line.split("port")[1].strip(" ."))
            if self.driver.poll() is not None:
                break
            time.sleep(0.05)
        self.log.seek(0)
        raise RuntimeError("chromedriver did not start: " + self.log.read())

    def _open_session(self):
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 "--hide-scrollbars", f"--user-data-dir={self.profile}/profile"]
        options = {"args": flags, "binary": shutil.which("chromium") or "/usr/bin/chromium"}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        body = {"capabilities": {"alwaysMatch": wanted}}
        self.session = self._request("POST", f"{self.url}/session", body)["sessionId"]
        self._focus()

    def _focus(self):
        # Only the tab in front gets keys.
        self.devtools("Page.bringToFront")
        # A window that nobody looks at has no focus in some versions, and what is focused in it is not told so.
        self.devtools("Emulation.setFocusEmulationEnabled", enabled=True)

    def _request(self, method, url, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {url}: {error.read().decode()[:800]}") from None

    def _call(self, method, path, body=None):
        return self._request(method, f"{self.url}/session/{self.session}{path}", body)

    def open(self, url):
        self._call("POST", "/url", {"url": url})
        self._focus()

    def run(self, script, *arguments):
        """Runs a function's body in the page and returns its value."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def until(self, script, expected):
        """The value of the function's body once it is as expected, or what it is after some seconds."""
        for _ in range(100):
            value = self.run(script)
            if value == expected:
                break
            time.sleep(0.05)
        return value

    def find(self, selector):
        body = {"using": "css selector", "value": selector}
        return self._call("POST", "/element", body)[ELEMENT]

    def click(self, selector):
        self._call("POST", f"/element/{self.find(selector)}/click", {})

    def write(self, selector, text):
        self._call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, *keys):
        """Presses keys one after the other, wherever the focus is, once the page has it."""
        assert self.until("return document.hasFocus()", True), "the page has no focus"
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def tab(self):
        """The tab at hand."""
        return self._call("GET", "/window")

    def new_tab(self):
        return self._call("POST", "/window/new", {"type": "tab"})["handle"]

    def switch(self, tab):
        self._call("POST", "/window", {"handle": tab})
        self._focus()

    def close(self, tab):
        """Closes a tab; another one is to be switched to."""
        self.switch(tab)
        self._call("DELETE", "/window")

    def devtools(self, command, **parameters):
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def prefer(self, scheme):
        """Prefers light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.devtools("Emulation.setEmulatedMedia", media="", features=features)

    def resize(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=False)

    def entries(self, kind):
        """What was logged since the last call: `browser` for the console, `performance` for the network."""
        return self._call("POST", "/se/log", {"type": kind})

    def screenshot(self, path, tallest=6000):
        """The whole page, as far down as `tallest` pixels."""
        size = self.run("return [document.documentElement.clientWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": min(size[1], tallest), "scale": 1}
        taken = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(taken["data"]))

    def print(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._call("POST", "/print", {"background": False})))
