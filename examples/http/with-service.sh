#!/usr/bin/env bash
# Runs a command with SEARCH_URL naming the search service, started for it on a free port of this machine and
# stopped afterwards:
#
#     ./with-service.sh rankgate run benchmarks
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ -d "$here/node_modules/minisearch" ] || (cd "$here" && npm ci --silent --no-audit --no-fund)

said=$(mktemp)
node "$here/server.js" "$here/../data/helpdesk/corpus.jsonl" > "$said" &
service=$!
trap 'kill "$service" 2> /dev/null || true; rm -f "$said"' EXIT
until [ -s "$said" ]; do
    kill -0 "$service" 2> /dev/null || { echo "the service did not start" >&2; exit 1; }
    sleep 0.1
done
SEARCH_URL=$(cat "$said") "$@"
