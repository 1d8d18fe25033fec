#!/usr/bin/env bash
# Runs a command with JUDGE_URL naming the server of server.py, started for it on a free port of this machine and
# stopped afterwards:
#
#     ./with-judge.sh rankgate judge benchmarks/helpdesk.yaml
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

said=$(mktemp)
python3 "$here/server.py" > "$said" &
server=$!
trap 'kill "$server" 2> /dev/null || true; rm -f "$said"' EXIT
until [ -s "$said" ]; do
    kill -0 "$server" 2> /dev/null || { echo "the server did not start" >&2; exit 1; }
    sleep 0.1
done
JUDGE_URL=$(cat "$said") "$@"
