"""Stands in for a search service until SEARCH_URL is the address of your own.

    python3 benchmarks/server.py [PORT]
"""

import http.server, json, pathlib, re, sys


def words(text):
    return set(re.findall(r"[^\W_]+", text.lower()))


corpus = pathlib.Path(__file__).with_name("data") / "first" / "corpus.jsonl"
documents = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
index = [(document["_id"], words(f"{document['title']} {document['text']}")) for document in documents]


class Search(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        query = words(request["q"])
        hits = [{"id": id, "score": len(query & its)} for id, its in index if query & its]
        # Equal scores need an order of their own, or rankings change from run to run.
        hits.sort(key=lambda hit: (-hit["score"], hit["id"]))
        answer = json.dumps({"hits": hits[: request["limit"]]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8765), Search)
print(f"SEARCH_URL=http://127.0.0.1:{server.server_port}/search", flush=True)
server.serve_forever()
