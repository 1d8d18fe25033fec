#!/usr/bin/env python3
"""Exact search of `rankgate neighbours` beside numpy's blocked product and faiss's flat index, on the same cores.

    cargo build --release -p rankgate-cli
    pip install numpy faiss-cpu
    python3 benches/peers/exact.py target/release/rankgate --rows 200000 --queries 1000 --dimension 768

All three read the same `.fbin` files and find the 100 nearest by inner product. Time is that of the processor (user and
system, all threads) and of the clock; memory is the largest resident set of each process. Ids are compared with faiss's.
"""

import argparse
import os
import struct
import subprocess
import sys
import tempfile

K = 100
PEERS = {
    "numpy": """
import sys, numpy as np
def read(path):
    rows, dimension = np.fromfile(path, np.uint32, 2)
    return np.memmap(path, np.float32, "r", 8, (int(rows), int(dimension)))
base, queries, k, step = read(sys.argv[1]), np.array(read(sys.argv[2])), int(sys.argv[3]), 8192
best = np.full((len(queries), 0), 0, np.float32); ids = np.zeros((len(queries), 0), np.int64)
for first in range(0, len(base), step):
    scores = queries @ base[first:first + step].T
    best = np.concatenate([best, scores], 1)
    ids = np.concatenate([ids, np.broadcast_to(np.arange(first, first + scores.shape[1]), scores.shape)], 1)
    keep = np.argpartition(-best, min(k, best.shape[1]) - 1, 1)[:, :k]
    best, ids = np.take_along_axis(best, keep, 1), np.take_along_axis(ids, keep, 1)
order = np.argsort(-best, 1, kind="stable")
np.take_along_axis(ids, order, 1).astype(np.int32).tofile(sys.argv[4])
""",
    "faiss": """
import sys, numpy as np, faiss
def read(path):
    rows, dimension = np.fromfile(path, np.uint32, 2)
    return np.fromfile(path, np.float32, -1, "", 8).reshape(int(rows), int(dimension))
base, queries = read(sys.argv[1]), read(sys.argv[2])
flat = faiss.IndexFlatIP(base.shape[1]); flat.add(base)
flat.search(queries, int(sys.argv[3]))[1].astype(np.int32).tofile(sys.argv[4])
""",
}


def vectors(path, rows, dimension, seed):
    import numpy as np

    random = np.random.default_rng(seed)
    with open(path, "wb") as file:
        file.write(struct.pack("<II", rows, dimension))
        for first in range(0, rows, 10000):
            random.standard_normal((min(10000, rows - first), dimension), np.float32).tofile(file)


def measured(command):
    """Wall and processor seconds, and MiB, of a child."""
    times = os.times()
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} ended with {status}")
    return os.times().elapsed - times.elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rankgate")
    parser.add_argument("--rows", type=int, default=200000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--dimension", type=int, default=768)
    parser.add_argument("--folder", help="where the vectors are written, instead of a folder that is removed")
    arguments = parser.parse_args()
    import numpy as np

    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        base, queries = f"{folder}/base.fbin", f"{folder}/query.fbin"
        vectors(base, arguments.rows, arguments.dimension, 1)
        vectors(queries, arguments.queries, arguments.dimension, 2)
        size = os.path.getsize(base) / 2**20
        print(f"{arguments.queries} x {arguments.rows} x {arguments.dimension} float32, {size:.0f} MiB, load {os.getloadavg()[0]:.1f}")
        found, rows = {}, {}
        commands = {name: [sys.executable, "-c", script, base, queries, str(K), f"{folder}/{name}"] for name, script in PEERS.items()}
        output = f"{folder}/rankgate.ibin"
        commands["rankgate"] = [arguments.rankgate, "neighbours", base, queries, "--k", str(K), "--distance", "inner-product", "-o", output]
        for name, command in commands.items():
            rows[name] = measured(command)
            if name == "rankgate":
                found[name] = np.fromfile(output, np.int32, arguments.queries * K, "", 8)
            else:
                found[name] = np.fromfile(f"{folder}/{name}", np.int32)
            found[name] = found[name].reshape(arguments.queries, K)
        print(f"{'':10}{'wall s':>10}{'CPU s':>10}{'of numpy':>10}{'MiB':>10}  same ids as faiss")
        for name, (wall, processor, memory) in rows.items():
            same = np.mean([len(np.intersect1d(*pair)) / K for pair in zip(found[name], found["faiss"])])
            ratio = processor / rows["numpy"][1]
            print(f"{name:10}{wall:10.1f}{processor:10.1f}{ratio:10.2f}{memory:10.0f}  {same:.6f}")


main()
