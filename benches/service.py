#!/usr/bin/env python3
"""Pushes a second that a server takes from eight clients.

    cargo build --release -p rankgate-serve
    python3 benches/service.py target/release/rankgate-serve [--database postgres://...]

Each client sends reports of 100 queries on one connection for ten seconds; each report is of another commit. Prints the pushes a
second, the time of the slowest in a hundred, the time of the first trend of all reports and of the same again. Ends with 1 below
200 pushes a second.
"""

import http.client
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

CLIENTS, SECONDS, QUERIES, WANTED = 8, 10, 100, 200


def report(commit, rng):
    scores = [round(rng.random(), 4) for _ in range(QUERIES)] if commit % 100 == 0 else BASE
    queries = [{"id": f"q{place:03}", "text": "what about it?", "scores": {"nDCG@10": score}}
               for place, score in enumerate(scores)]
    history = {"commit": f"{commit:040x}", "queries": "q", "judgments": "j", "corpus": "c", "definitions": "d",
               "configurations": [{"name": "bm25", "depth": 100, "ranking": str(hash(tuple(scores))), "gated": ["nDCG@10"]}]}
    return json.dumps({"schema": SCHEMA, "benchmark": "helpdesk", "history": history, "metrics": ["nDCG@10"],
                       "configurations": [{"name": "bm25", "outcome": {"measured": {"queries": queries}}}],
                       "gates": [{"verdict": "passed"}]}).encode()


ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "crates/rankgate-report/src/report/example.json").read_text())["schema"]
BASE = [round(random.Random(7).random(), 4) for _ in range(QUERIES)]


def client(number, port, headers, until, times):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    rng, commit = random.Random(number), number * 1_000_000 + 1
    while time.monotonic() < until:
        body, begun = report(commit, rng), time.monotonic()
        connection.request("POST", f"/v1/reports?project=shop&time={commit}", body, headers)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 201, text
        times.append(time.monotonic() - begun)
        commit += 1


def main():
    program, *more = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([program, "--data", folder, "--listen", "127.0.0.1:0", *more], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        token = server.stdout.readline().rsplit(" ", 1)[1].strip()
        port = int(server.stdout.readline().rsplit(":", 1)[1])
        headers = {"Authorization": f"Bearer {token}"}
        times, until = [], time.monotonic() + SECONDS
        clients = [threading.Thread(target=client, args=(number, port, headers, until, times)) for number in range(CLIENTS)]
        [one.start() for one in clients]
        [one.join() for one in clients]
        rate = len(times) / SECONDS
        print(f"{rate:.0f} pushes a second by {CLIENTS} clients; 99% within {sorted(times)[len(times) * 99 // 100] * 1e3:.0f} ms")
        for which in ("first", "again"):
            connection, begun = http.client.HTTPConnection("127.0.0.1", port, timeout=600), time.monotonic()
            connection.request("GET", "/v1/projects/shop/alarms?benchmark=helpdesk", headers=headers)
            assert connection.getresponse().read()
            print(f"alarms of {len(times)} reports, {which}: {time.monotonic() - begun:.2f} s")
        server.terminate()
        server.wait()
    return 0 if rate >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
