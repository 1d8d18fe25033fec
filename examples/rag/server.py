"""A server that speaks as OpenAI's does, and behind it no model but the rules of rules.py. It finds claims, says which
of them contexts support, and grades answers. It always answers the same, needs no network, and prints its address.
"""

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import rules


def judge(prompt):
    # What is asked about stands within fences.
    fenced = re.findall(r"^<<<(\w+)\n(.*?)\n\1>>>$", prompt, re.DOTALL | re.MULTILINE)
    first, second = [text for _, text in fenced][-2:]
    if prompt.startswith("List the claims"):
        return {"claims": rules.claims(second)}
    if prompt.startswith("Grade an answer by one criterion"):
        return {"analysis": "By its sentences.", "grade": rules.brevity(second, 2)}
    if prompt.startswith("Grade how well"):
        return {"analysis": "By its words.", "grade": rules.relevance(first, second)}
    cited = prompt.startswith("Say of each sentence")
    contexts = re.split(r"^\[\d+\]\n", second, flags=re.MULTILINE)[1:]
    verdicts = []
    for line in re.findall(r"^\[([\w.]+)\] (.*)$", first, re.MULTILINE):
        verdict, context = rules.support(line[1], contexts, 0.7)
        if cited and verdict == "contradicted":
            # Of a document that a sentence cites it is asked how much of the sentence it says.
            verdict = "partial"
        verdicts.append({"id": line[0], "context": context, "verdict": verdict})
    return {"analysis": "By their words.", "verdicts": verdicts}


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
    pass
