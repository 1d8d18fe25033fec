#!/usr/bin/env bash
# Makes .venv/ with Spark from PyPI. Needs python3 (3.10 or newer); Spark itself needs Java 17 or newer.
set -euo pipefail
cd "$(dirname "$0")"

if ! cmp -s requirements.txt .venv/installed.txt; then
    python3 -m venv --clear .venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
    cp requirements.txt .venv/installed.txt
fi
