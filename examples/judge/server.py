"""A server that speaks as OpenAI's does, and behind it no model but a rule: a deliberately mediocre judge.

It grades a document by the share of the query's longer words that the document has in the same form: 0 below a
fifth, 1 below half, 2 below four fifths, 3 above. It knows no synonyms and no grammar, and whatever repeats the query
convinces it. It always answers the same, needs no network, and prints its address.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def words(text):
    return {word for word in re.findall(r"[a-z0-9]+", text.lower()) if len(word) > 3}


def judge(prompt):
    # Query and document stand within fences, the last two of the prompt.
    fenced = re.findall(r"^<<<(\w+)\n(.*?)\n\1>>>$", prompt, re.DOTALL | re.MULTILINE)
    query, document = [text for _, text in fenced][-2:]
    asked = words(query)
    found = asked & words(document)
    share = len(found) / max(1, len(asked))
    grade = sum(share >= cut for cut in (0.2, 0.5, 0.8))
    analysis = f"The document has {len(found)} of {len(asked)} words: {' '.join(sorted(found)) or 'none'}."
    return {"analysis": analysis, "grade": grade}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = request["messages"][-1]["content"]
        content = json.dumps(judge(prompt))
        answer = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": "overlap-1",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
            "usage": {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(content) // 4},
        }
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit()
