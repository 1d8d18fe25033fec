// A search service: MiniSearch behind POST /search.
//
//     node server.js CORPUS        prints its address once it is ready; PORT chooses one
//
// Request:  {"q": "...", "limit": 20, "fuzzy": 0.2}
// Response: {"hits": [{"id": "refunds-3", "score": 12.5}, ...]}

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import MiniSearch from "minisearch";

const index = new MiniSearch({ idField: "_id", fields: ["title", "text"] });
const lines = readFileSync(process.argv[2], "utf8").split("\n").filter(Boolean);
index.addAll(lines.map((line) => JSON.parse(line)));

const search = ({ q, limit = 10, fuzzy = 0 }) => ({
  hits: index
    .search(q, { fuzzy })
    .slice(0, limit)
    .map(({ id, score }) => ({ id, score })),
});

const server = createServer(async (request, response) => {
  const answer = (status, value) =>
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
  if (request.method !== "POST" || request.url !== "/search") return answer(404, { error: "POST /search" });
  try {
    const parts = [];
    for await (const part of request) parts.push(part);
    answer(200, search(JSON.parse(Buffer.concat(parts).toString("utf8"))));
  } catch (error) {
    answer(400, { error: String(error) });
  }
});

server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
