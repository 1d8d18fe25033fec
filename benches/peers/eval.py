#!/usr/bin/env python3
"""Time `rankgate eval` and its peers as whole processes on the same files, in turns.

    python3 -m venv VENV && VENV/bin/pip install pytrec-eval-terrier ir-measures ranx
    cargo build --release -p rankgate-cli
    cargo bench --bench synthetic -- target/synthetic --queries 7000 --depth 1000
    VENV/bin/python benches/peers/eval.py target/synthetic [--rounds 3] [--json FILE]

Prints the median seconds of the rounds, how many times longer than rankgate each took, and the peak of
its resident memory. A peer that is not installed is left out and named; so is `trec_eval`, which is in
no registry, unless the variable TREC_EVAL says where it is. Each computes the same measures, and their
means of nDCG@10 are printed beside the times: they have to agree, but for ties that a peer orders
otherwise.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREC = ["map", "recip_rank", "ndcg", "Rprec", "bpref"]
TREC += [f"ndcg_cut_{k}" for k in (5, 10, 100)] + [f"P_{k}" for k in (5, 10, 100)]
TREC += [f"recall_{k}" for k in (10, 100, 1000)] + [f"success_{k}" for k in (1, 5, 10)]
IR = "AP RR nDCG Rprec Bpref nDCG@5 nDCG@10 nDCG@100 P@5 P@10 P@100 R@10 R@100 R@1000 Success@1 Success@5 Success@10"
RANX = "map mrr ndcg r-precision bpref ndcg@5 ndcg@10 ndcg@100 precision@5 precision@10 precision@100"
RANX += " recall@10 recall@100 recall@1000 hit_rate@1 hit_rate@5 hit_rate@10"


def pytrec_eval(qrels, run):
    import pytrec_eval

    with open(qrels) as file:
        judged = pytrec_eval.parse_qrel(file)
    with open(run) as file:
        ranked = pytrec_eval.parse_run(file)
    measures = {name.rpartition("_")[0] + "." + name.rpartition("_")[2] if name[-1].isdigit() else name for name in TREC}
    scores = pytrec_eval.RelevanceEvaluator(judged, measures).evaluate(ranked)
    return statistics.fmean(query["ndcg_cut_10"] for query in scores.values())


def ir_measures(qrels, run):
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in IR.split()]
    judged = ir_measures.read_trec_qrels(str(qrels))
    scores = ir_measures.calc_aggregate(measures, judged, ir_measures.read_trec_run(str(run)))
    return scores[ir_measures.parse_measure("nDCG@10")]


def ranx(qrels, run):
    from ranx import Qrels, Run, evaluate

    judged, ranked = Qrels.from_file(str(qrels), kind="trec"), Run.from_file(str(run), kind="trec")
    return float(evaluate(judged, ranked, RANX.split(), make_comparable=True)["ndcg@10"])


PEERS = {"pytrec_eval": pytrec_eval, "ir_measures": ir_measures, "ranx": ranx}


def commands(folder):
    """What is run, by name: the command, and whether its output says nDCG@10 in the manner of trec_eval."""
    qrels, run = folder / "qrels", folder / "a.run"
    rankgate = os.environ.get("RANKGATE", ROOT / "target" / "release" / "rankgate")
    wanted = [argument for name in TREC for argument in ("-m", name)]
    found = {"rankgate": [rankgate, "--quiet", "eval", qrels, run, "--format", "trec_eval", *wanted]}
    trec_eval = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
    if trec_eval:
        found["trec_eval -m all_trec"] = [trec_eval, "-c", "-m", "all_trec", qrels, run]
    for name in PEERS:
        there = subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True)
        if there.returncode == 0:
            found[name] = [sys.executable, __file__, folder, "--peer", name]
    missing = {"trec_eval -m all_trec", *PEERS} - found.keys()
    if missing:
        print("not installed, left out: " + ", ".join(sorted(missing)), file=sys.stderr)
    found["wc -l"] = ["wc", "-l", run]
    return found


def measured(command):
    """Seconds, peak resident memory in MB, and standard output of a process."""
    read, write = os.pipe()
    start = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=write)
    os.close(write)
    with os.fdopen(read) as pipe:
        output = pipe.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    return seconds, usage.ru_maxrss / 1024, output


def ndcg(output):
    for line in output.splitlines():
        columns = line.split()
        if len(columns) == 3 and columns[0] == "ndcg_cut_10" and columns[1] == "all":
            return f"{float(columns[2]):.4f}"
    return ""


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--json", type=pathlib.Path)
    arguments.add_argument("--peer", choices=PEERS)
    arguments = arguments.parse_args()
    if arguments.peer:
        mean = PEERS[arguments.peer](arguments.folder / "qrels", arguments.folder / "a.run")
        print(f"ndcg_cut_10 all {mean:.4f}")
        return
    found = commands(arguments.folder)
    times = {name: [] for name in found}
    memory, values = {}, {}
    for _ in range(arguments.rounds):
        for name, command in found.items():
            seconds, peak, output = measured(command)
            times[name].append(seconds)
            memory[name] = max(memory.get(name, 0), peak)
            values[name] = ndcg(output)
    ours = statistics.median(times["rankgate"])
    print("| | seconds | against rankgate | peak memory | nDCG@10 |\n|---|---:|---:|---:|---:|")
    for name in sorted(found, key=lambda name: statistics.median(times[name])):
        median = statistics.median(times[name])
        print(f"| `{name}` | {median:.2f} | {median / ours:.1f} | {memory[name]:,.0f} MB | {values[name]} |")
    if arguments.json:
        arguments.json.write_text(json.dumps({"seconds": times, "megabytes": memory}, indent=1))


if __name__ == "__main__":
    main()
