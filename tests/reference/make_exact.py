"""Writes crates/rankgate-exact/tests/faiss.json: the nearest neighbours that faiss's flat indexes find.

    pip install faiss-cpu numpy
    python3 tests/reference/make_exact.py crates/rankgate-exact/tests/faiss.json

The vectors are made of a linear congruential generator that `flat_search_equals_faiss` has too. Their numbers are whole
64ths, so that float32 holds them, and every twentieth vector is a copy of the one before it, so that some distances tie.
"""

import json
import sys

import faiss
import numpy as np

ROWS, QUERIES, DIMENSION, K = 2000, 20, 32, 15


def numbers(seed, count):
    state, out = seed, []
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append((state >> 33) % 256)
    return np.array(out)


def vectors(seed, rows):
    all = ((numbers(seed, rows * DIMENSION) - 128) / 64).astype(np.float32).reshape(rows, DIMENSION)
    all[19::20] = all[18::20]
    return all


def main(path):
    base, queries = vectors(1, ROWS), vectors(2, QUERIES)
    out = {"faiss": faiss.__version__}
    flat = faiss.IndexFlatL2(DIMENSION)
    flat.add(base)
    squares, ids = flat.search(queries, K)
    out["l2"] = {"ids": ids.tolist(), "distances": np.sqrt(squares.astype(np.float64)).tolist()}
    flat = faiss.IndexFlatIP(DIMENSION)
    flat.add(base)
    products, ids = flat.search(queries, K)
    out["inner-product"] = {"ids": ids.tolist(), "distances": (-products.astype(np.float64)).tolist()}
    unit = lambda all: (all / np.linalg.norm(all.astype(np.float64), axis=1, keepdims=True)).astype(np.float32)
    flat = faiss.IndexFlatIP(DIMENSION)
    flat.add(unit(base))
    cosines, ids = flat.search(unit(queries), K)
    out["cosine"] = {"ids": ids.tolist(), "distances": (1 - cosines.astype(np.float64)).tolist()}
    bits = lambda seed, rows: numbers(seed, rows * DIMENSION).astype(np.uint8).reshape(rows, DIMENSION)
    flat = faiss.IndexBinaryFlat(DIMENSION * 8)
    flat.add(bits(3, ROWS))
    counts, ids = flat.search(bits(4, QUERIES), K)
    out["hamming"] = {"ids": ids.tolist(), "distances": counts.astype(float).tolist()}
    with open(path, "w") as file:
        json.dump(out, file)
        file.write("\n")


main(sys.argv[1])
