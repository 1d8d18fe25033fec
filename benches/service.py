#!/usr/bin/env python3
"""What a server costs, held against its bars.

    cargo build --release -p rankgate-serve
    python3 benches/service.py target/release/rankgate-serve [--database postgres://...]

Prints, each with its bar: seconds until it is ready, memory when idle, time of pushes of reports of 1,000 queries one after
the other (99%), pushes a second by eight clients, time of an evaluation of a million rows, time of a trend of 10,000
reports (200 distinct rankings) after a push, commits included, and again; bytes kept of a report whose ranking is known; the
first trend with 338 alarms, and the first after a restart. A report is made of crates/rankgate-report/src/report/example.json.
"""

import gzip
import hashlib
import http.client
import json
import os
import pathlib
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = json.loads((ROOT / "crates/rankgate-report/src/report/example.json").read_text())
QUERIES = 1000


def commit(number):
    return f"{number:040x}"


def report(number, scores, benchmark):
    """A report of a commit, as bytes; what places it stands at its beginning."""
    ranking = hashlib.sha256(repr(scores).encode()).hexdigest()
    history = {"commit": commit(number), "queries": "q", "judgments": "j", "corpus": "c", "definitions": "d",
               "configurations": [{"name": "bm25", "depth": 100, "ranking": ranking, "gated": ["nDCG@10"]}]}
    one = {"schema": EXAMPLE["schema"], "benchmark": benchmark, "history": history}
    one |= {key: value for key, value in EXAMPLE.items() if key not in one}
    one["metrics"] = ["nDCG@10"]
    measured = dict(EXAMPLE["configurations"][0]["outcome"]["measured"])
    template = {key: value for key, value in measured["queries"][0].items() if key != "golden"}
    measured["queries"] = [template | {"id": f"q{place:05}", "scores": {"nDCG@10": score}}
                           for place, score in enumerate(scores)]
    measured |= {"unanswered": [], "segments": [], "curves": []}
    measured["metrics"] = [{"metric": "nDCG@10", "value": statistics.fmean(scores), "interval": None,
                            "interval_kind": "too-few-units"}]
    one["collection"] = EXAMPLE["collection"] | {"queries": len(scores)}
    one["configurations"] = [EXAMPLE["configurations"][0] | {"outcome": {"measured": measured}}]
    return json.dumps(one).encode()


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)

    def send(self, method, path, body=b"", headers={}):
        begun = time.perf_counter()
        try:
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
        except (BrokenPipeError, ConnectionResetError):
            # The server ends connections on which nothing comes for a while.
            self.connection.close()
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
        said = answer.read()
        took = time.perf_counter() - begun
        if answer.status not in (200, 201):
            raise SystemExit(f"{path}: {answer.status} {said[:500]}")
        return took, said


def start(serve, folder, more):
    begun = time.perf_counter()
    server = subprocess.Popen([serve, "--data", folder, "--open", "--listen", "127.0.0.1:0", *more], stdout=subprocess.PIPE,
                              text=True)
    port = int(server.stdout.readline().rsplit(":", 1)[1])
    Client(port).send("GET", "/ready")
    return server, port, time.perf_counter() - begun


def memory(server, what):
    lines = pathlib.Path(f"/proc/{server.pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(what)).split()[1]) / 1024


def bar(what, value, unit, limit, most=True):
    holds = value <= limit if most else value >= limit
    print(f"{what:<58} {value:>8.1f} {unit:<4} {'<=' if most else '>='} {limit:g}  {'holds' if holds else 'DOES NOT HOLD'}",
          flush=True)


def main(serve, *more):
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    rng = random.Random(1)
    scores = lambda: [round(rng.random(), 6) for _ in range(QUERIES)]
    folder = tempfile.mkdtemp()
    server, port, ready = start(serve, folder, more)
    bar("ready", ready * 1000, "ms", 300)
    time.sleep(1)
    bar("memory when idle", memory(server, "VmRSS"), "MB", 40)
    client = Client(port)
    packed = {"Content-Encoding": "gzip"}

    one = scores()
    known = [gzip.compress(report(number, one, "known"), 1) for number in range(1, 402)]
    new = [gzip.compress(report(number, scores(), "new"), 1) for number in range(1, 202)]
    plain = [report(number, one, "plain") for number in range(1, 202)]
    print(f"a report of {QUERIES} queries has {len(plain[0]) / 1e6:.2f} MB, gzipped {len(known[0]) / 1e3:.0f} kB")
    def pushed(what, bodies, headers):
        path = "/v1/projects/bench/reports"
        client.send("POST", path, bodies[0], headers)
        took = sorted(client.send("POST", path, body, headers)[0] for body in bodies[1:201])
        bar(f"push of 1,000 queries, {what}: 99%", took[int(len(took) * .99) - 1] * 1000, "ms", 50)
        print(f"{'    median':<58} {statistics.median(took) * 1000:>8.1f} ms", flush=True)
    pushed("gzipped, a ranking that is known", known, packed)
    pushed("gzipped, a new ranking each", new, packed)
    pushed("as it is, a ranking that is known", plain, {})

    many = [gzip.compress(report(number, one, "load"), 1) for number in range(1, 1602)]
    client.send("POST", "/v1/projects/bench/reports", many[0], packed)
    def push(bodies):
        own = Client(port)
        for body in bodies:
            own.send("POST", "/v1/projects/bench/reports", body, packed)
    threads = [threading.Thread(target=push, args=(many[1 + side::8],)) for side in range(8)]
    begun = time.perf_counter()
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    bar("pushes of 1,000 queries a second, eight clients", 1600 / (time.perf_counter() - begun), "/s", 200, most=False)

    documents = [f"document-{number}" for number in range(100_000)]
    lists = [rng.sample(documents, 1000) for _ in range(1000)]
    asked = json.dumps({"queries": [{"query_text": f"query {place}", "relevant_docs": rng.sample(one, 10)}
                                    for place, one in enumerate(lists)], "retrieved": lists}).encode()
    took = [client.send("POST", "/v1/evaluate", asked) for _ in range(5)]
    bar(f"evaluate of a million rows ({len(asked) / 1e6:.0f} MB)", min(time for time, _ in took) * 1000, "ms", 500)
    own = [json.loads(said)["latency_ms"] for _, said in took]
    print(f"{'    by its own clock':<58} {min(own):>8.1f} ms", flush=True)

    states = [[round(min(1, max(0, value + rng.uniform(-.02, .02))), 6) for value in one[:162]] for _ in range(200)]
    line = [{"commit": commit(number), "parent": commit(number - 1) if number else None, "time": number,
             "subject": f"Change {number}"} for number in range(10_009)]
    learn = lambda commits, project="trend": client.send("POST", f"/v1/projects/{project}/commits",
                                                         json.dumps({"branch": "main", "commits": commits}).encode())
    learn(line[:10_000])
    bodies = [gzip.compress(report(number, states[number * 200 // 10_009], "trend"), 1) for number in range(10_009)]
    threads = [threading.Thread(target=lambda side: [None for own in [Client(port)] for body in bodies[side:10_000:8]
                                                     if own.send("POST", "/v1/projects/trend/reports", body, packed)
                                                     is None], args=(side,)) for side in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    path = "/v1/projects/trend/trends?benchmark=trend"
    took, said = client.send("GET", path)
    print(f"{'trend of 10,000 reports, after a start':<58} {took * 1000:>8.1f} ms   ({len(said) / 1e6:.1f} MB)")
    after = []
    for number in range(10_000, 10_009):
        learn(line[number - 50:number + 1])
        client.send("POST", "/v1/projects/trend/reports", bodies[number], packed)
        after.append(client.send("GET", path)[0] * 1000)
    bar("trend of 10,000 reports, after a push of a commit: median", statistics.median(after), "ms", 100)
    print(f"{'    at most, of nine':<58} {max(after):>8.1f} ms", flush=True)
    file = pathlib.Path(folder) / "rankgate.db"
    print(f"a database of {file.stat().st_size / 1e6:.0f} MB" if file.exists() else "a database elsewhere")
    if file.exists():
        database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        sql = "SELECT AVG(LENGTH(gzip)), COUNT(*) FROM report JOIN blob USING (project, sha256) WHERE benchmark = 'trend' AND base IS "
        for base, what in (("NULL", "kept whole"), ("NOT NULL", "kept as what differs")):
            size, count = database.execute(sql + base).fetchone()
            print(f"{f'    {count} reports of 162 queries {what}':<58} {size / 1e3:>8.2f} kB")
    pushed("a known ranking, into all of that", [gzip.compress(report(number, one, "late"), 1) for number in range(1, 202)],
           packed)
    pushed("a new ranking each, into all of that",
           [gzip.compress(report(number, scores(), "later"), 1) for number in range(1, 202)], packed)
    bar("trend of 10,000 reports, again", min(client.send("GET", path)[0] for _ in range(5)) * 1000, "ms", 100)
    print(f"{'memory at most':<58} {memory(server, 'VmHWM'):>8.1f} MB")
    print(f"{'the program':<58} {pathlib.Path(serve).stat().st_size / 1e6:>8.1f} MB")

    alarms(client, one, learn)
    server.terminate()
    server.wait()
    server, port, _ = start(serve, folder, more)
    took, said = Client(port).send("GET", "/v1/projects/alarms/trends")
    bar(f"trend of {len(json.loads(said)['histories'][0]['alarms'])} alarms, the first after a restart", took * 1000, "ms", 160)
    server.terminate()
    server.wait()


def alarms(client, scores, learn):
    """Every other commit loses, each time by another ranking, and the next takes it back."""
    values = scores[:162]
    for number in range(2 * 338 + 1):
        lost = [max(0, round(value - .2 - number / 1e5, 6)) for value in values] if number % 2 else values
        client.send("POST", "/v1/projects/alarms/reports", report(number, lost, "alarms"))
    learn([{"commit": commit(number), "parent": commit(number - 1) if number else None, "time": number, "subject": ""}
           for number in range(2 * 338 + 1)], "alarms")
    took, _ = client.send("GET", "/v1/projects/alarms/trends")
    print(f"{'trend of 338 alarms, the first':<58} {took * 1000:>8.1f} ms", flush=True)


main(*sys.argv[1:])
