"""Programs that speak the protocol, and programs that do not: `child.py HOW [ARGUMENT]`.

Uses nothing but the standard library.
"""

import json
import os
import subprocess
import sys
import time

out = sys.stdout.buffer


def raw(data):
    out.write(data)
    out.flush()


def say(message):
    raw(json.dumps(message).encode() + b"\n")


def complain(text):
    sys.stderr.write(text)
    sys.stderr.flush()


def hello():
    told = json.loads(sys.stdin.readline())
    say({"rankgate": 1, "name": "child"})
    return told


def requests():
    for line in sys.stdin:
        yield json.loads(line)


def right(query):
    """The document that is relevant for the query."""
    return "d" + query["id"][1:]


def answer(query, hits=None):
    say({"id": query["id"], "hits": [[right(query), 1.0]] if hits is None else hits})


def remember(pid, name):
    with open(name, "w") as file:
        file.write(str(pid))


def sleeper():
    """A process that outlives whoever started it."""
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])


def main(how, argument=None):
    if how == "good":
        hello()
        for query in requests():
            answer(query)
    elif how == "sets":
        # Twenty documents with one score, in the order of a set: another one in each process.
        hello()
        order = list({f"doc-{n}" for n in range(20)})
        for query in requests():
            answer(query, [[right(query), 2.0], *([document, 1.0] for document in order)])
    elif how == "shapes":
        hello()
        for n, query in enumerate(requests()):
            found = right(query)
            answer(query, [[{"id": found, "score": 2, "title": "x"}, {"id": 7, "score": 1}], [[found, 2]], [found, 7], []][n % 4])
    elif how == "told":
        told = hello()
        for query in requests():
            told["query"] = query
            told["cwd"] = os.getcwd()
            told["mode"] = os.environ.get("MODE")
            with open("told.json", "w") as file:
                json.dump(told, file)
            answer(query)
    elif how == "backwards":
        hello()
        queries = requests()
        while True:
            batch = [query for _, query in zip(range(2), queries)]
            if not batch:
                break
            for query in reversed(batch):
                answer(query)
    elif how == "pieces":
        hello()
        for query in requests():
            for byte in json.dumps({"id": query["id"], "hits": [right(query)]}).encode() + b"\r\n\n":
                raw(bytes([byte]))
    elif how == "says-error":
        hello()
        for query in requests():
            say({"id": query["id"], "error": "index of\nyesterday"})
    elif how == "wrong-hits":
        hello()
        for query in requests():
            answer(query, [["d1"]])
    elif how == "dead-at-start":
        raise ImportError("No module named 'torch'")
    elif how == "version":
        sys.stdin.readline()
        say({"rankgate": 2})
        time.sleep(600)
    elif how == "chatty":
        print("Loading the model ...", flush=True)
        hello()
        time.sleep(600)
    elif how == "silent":
        complain("loading\n")
        time.sleep(600)
    elif how == "dead-in-answer":
        hello()
        query = next(requests())
        complain("out of memory\n")
        raw(b'{"id": "' + query["id"].encode() + b'", "hits": [["d1", 1')
        sys.exit(0)
    elif how == "dead-later":
        hello()
        queries = requests()
        answer(next(queries))
        next(queries)
        sys.exit(3)
    elif how == "orphan":
        # What it started holds its standard output open.
        hello()
        remember(sleeper().pid, argument)
        next(requests())
        os._exit(4)
    elif how == "wrong-id":
        hello()
        for query in requests():
            say({"id": "q99", "hits": []})
    elif how == "twice":
        hello()
        for query in requests():
            line = json.dumps({"id": query["id"], "hits": []}).encode() + b"\n"
            raw(line + line)
    elif how == "junk":
        hello()
        for query in requests():
            print("debug: asking for", query["text"], flush=True)
    elif how == "nan":
        hello()
        for query in requests():
            answer(query, [[right(query), float("nan")]])
    elif how == "not-utf-8":
        hello()
        for query in requests():
            raw(b'{"id": "q1", "hits": ["caf\xe9"]}\n')
    elif how == "huge":
        hello()
        next(requests())
        block = b"x" * (1 << 20)
        raw(b'{"id": "q1", "hits": ["')
        for _ in range(70):
            raw(block)
        time.sleep(600)
    elif how == "flood":
        hello()
        line = ("noise " * 200 + "\n") * 100
        for query in requests():
            for _ in range(50):
                complain(line)
            if query["id"] == "q4" and argument == "fail":
                complain("\033[31mthe last words\033[0m\n")
                sys.exit(1)
            answer(query)
    elif how == "long-ids":
        hello()
        for query in requests():
            answer(query, [[right(query) + "x" * (1 << 20), 2.0], [right(query), 1.0]])
    elif how == "many":
        hello()
        for query in requests():
            count = query["depth"]
            answer(query, [["x%d" % n, count - n] for n in range(count - 1)] + [[right(query), 0]])
    elif how == "exits-early":
        # It takes the end of its work for the end of the conversation.
        hello()
        queries = requests()
        answer(next(queries))
        answer(next(queries))
        sys.exit(0)
    elif how in ("bad-exit", "last-words", "once-more", "crashes-at-the-end"):
        hello()
        for query in requests():
            answer(query)
        complain("cannot save the cache\n")
        if how == "last-words":
            print("all done", flush=True)
        elif how == "once-more":
            answer(query)
        elif how == "crashes-at-the-end":
            os.kill(os.getpid(), 9)
        else:
            sys.exit(3)
    elif how == "two-lists":
        hello()
        for query in requests():
            raw(b'{"id": "' + query["id"].encode() + b'", "hits": ["d1"], "hits": []}\n')
    elif how == "slow":
        # It and what it started do not mind that standard input ends.
        hello()
        remember(os.getpid(), argument)
        remember(sleeper().pid, argument + ".child")
        complain("thinking\n")
        time.sleep(600)
    elif how == "stays":
        hello()
        remember(os.getpid(), argument)
        remember(sleeper().pid, argument + ".child")
        for query in requests():
            answer(query)
        time.sleep(600)
    elif how == "deaf":
        # It closes its standard input before it says hello, so that no request gets through.
        sys.stdin.readline()
        os.close(0)
        say({"rankgate": 1})
        time.sleep(600)
    elif how == "dumb":
        # It closes its standard output.
        hello()
        next(requests())
        os.close(1)
        time.sleep(600)
    elif how == "secret":
        hello()
        complain("token " + os.environ["MODE"] + "\n")
        for query in requests():
            say({"id": query["id"], "error": "no access with " + os.environ["MODE"]})
    else:
        sys.exit("unknown: " + how)


main(*sys.argv[1:])
