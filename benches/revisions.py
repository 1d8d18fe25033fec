#!/usr/bin/env python3
"""Whether gates, `eval` and `compare` take longer than in an earlier commit, in the processor's seconds.

    python3 benches/revisions.py --rev 8f596c98 [--rev REV...] [NAME=PROGRAM...] [--debug] [--rounds 5] [--below FOLDER]

Builds the command of each commit in a clone below FOLDER (by default target/revisions), with a target of its own and the
profile `release`, or with `--debug` as `cargo test` builds its dependencies; a PROGRAM is taken as it is. All of them run in
turns on the same files: nine gates on 7,000 queries, and `eval` and `compare` of two runs with 100 documents a query.
Medians of user and system time of whole processes, and their ratios to the first.
"""

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

import gates

ROOT = pathlib.Path(__file__).resolve().parents[1]
QUERIES = 7_000
COMMANDS = {
    "nine gates": ["run", "spec.yaml"],
    "`eval` of a run": ["eval", "qrels.txt", "new.run"],
    "`compare` of two": ["compare", "qrels.txt", "old.run", "new.run"],
}


def build(revision, below, debug):
    """The program of a commit."""
    commit = subprocess.run(["git", "rev-parse", revision], cwd=ROOT, check=True, capture_output=True, text=True)
    folder = below / commit.stdout.strip()[:12]
    if not folder.is_dir():
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
        subprocess.run(["git", "checkout", "--quiet", commit.stdout.strip()], cwd=folder, check=True)
    environment = {**os.environ, "CARGO_TARGET_DIR": str(folder / "target")}
    profile = [] if debug else ["--release"]
    subprocess.run(["cargo", "build", "-p", "rankgate-cli", *profile], cwd=folder, check=True, env=environment)
    return folder / "target" / ("debug" if debug else "release") / "rankgate"


def seconds(program, command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, *command], cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(f"{program} {' '.join(command)}\n{done.stdout}{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("programs", nargs="*", metavar="NAME=PROGRAM")
    arguments.add_argument("--rev", action="append", default=[], help="a commit; may be given several times")
    arguments.add_argument("--debug", action="store_true", help="without optimization")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--queries", type=int, default=QUERIES)
    arguments.add_argument("--below", type=pathlib.Path, default=ROOT / "target" / "revisions")
    options = arguments.parse_args()
    programs = {revision: build(revision, options.below, options.debug) for revision in options.rev}
    for named in options.programs:
        name, _, program = named.partition("=")
        programs[name] = pathlib.Path(program).resolve()
    if not programs:
        arguments.error("name a commit or a program")
    times = {(name, what): [] for name in programs for what in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        gates.write(pathlib.Path(folder), options.queries)
        for _ in range(options.rounds):
            for what, command in COMMANDS.items():
                for name, program in programs.items():
                    times[name, what].append(seconds(str(program), command, folder))
    first = next(iter(programs))
    print(f"{options.queries} queries, medians of {options.rounds} rounds, seconds of the processor\n")
    print("| | " + " | ".join(COMMANDS) + " |\n|---|" + "---:|" * len(COMMANDS))
    for name in programs:
        middle = {what: statistics.median(times[name, what]) for what in COMMANDS}
        ratio = {what: middle[what] / statistics.median(times[first, what]) for what in COMMANDS}
        print(f"| {name} | " + " | ".join(f"{middle[what]:.2f} ({ratio[what]:.2f})" for what in COMMANDS) + " |")


if __name__ == "__main__":
    main()
