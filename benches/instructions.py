#!/usr/bin/env python3
"""Count what the compiler makes of rankgate's own crates for a test that adds it: LLVM's instructions before optimization.

    python3 benches/instructions.py [--rev A --rev B] [--largest 20]

A build without optimization takes most of its time for these, and other work on the machine does not change their number, as it
changes seconds. Builds the crate of `benches/harness.py --compile` and prints, by crate: functions, instructions, and the share
that is code of the standard library compiled for our types. `--largest` lists the functions that take most, all instances together.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import tempfile

import harness

CRATES = ["rankgate_core", "rankgate_report", "rankgate"]
FLAGS = "--emit=llvm-ir -Ccodegen-units=1 -Cdebuginfo=0 -Csymbol-mangling-version=v0"


def functions(path):
    """Each function's mangled name with its number of instructions."""
    name, count = None, 0
    with open(path, errors="replace") as lines:
        for line in lines:
            if line.startswith("define "):
                name, count = re.search(r'@"?([\w.$]+)"?\(', line).group(1), 0
            elif line.startswith("}") and name:
                yield name, count
                name = None
            elif name and line.startswith("  "):
                count += 1


def readable(names):
    """Names without hashes and without what they are generic over (`c++filt` of binutils knows Rust's)."""
    shown = subprocess.run(["c++filt", "-i"], input="\n".join(names), capture_output=True, text=True, check=True)
    for name in shown.stdout.split("\n"):
        depth, kept = 0, ""
        for part in re.split(r"(::<|<|(?<!-)>)", re.sub(r"\[[0-9a-f]+\]", "", name)):
            if part == "::<" or (part == "<" and depth):
                depth += 1
            elif part == ">" and depth:
                depth -= 1
            elif not depth:
                kept += part
        yield re.sub(r"\{closure#\d+\}", "{closure}", kept)


def measure(root, largest):
    with tempfile.TemporaryDirectory() as folder:
        crate = harness.CRATE = pathlib.Path(folder) / "crate"
        harness.fresh_crate()
        harness.write(f'rankgate = {{ path = "{root}" }}\n')
        environment = dict(os.environ, RUSTFLAGS=FLAGS, CARGO_TARGET_DIR=str(crate / "target"), CARGO_INCREMENTAL="0")
        subprocess.run(["cargo", "build", "--quiet", "--tests"], cwd=crate, env=environment, check=True)
        by_name, total = collections.Counter(), 0
        print("| crate | functions | instructions | of these the standard library's |\n|---|---:|---:|---:|")
        for name in CRATES:
            (path,) = (crate / "target/debug/deps").glob(f"{name}-*.ll")
            found = list(functions(path))
            names = list(readable([one for one, _ in found]))
            count = sum(count for _, count in found)
            foreign = sum(n for (_, n), shown in zip(found, names) if re.match(r"<*&?(mut )?(core|alloc|std)::", shown))
            print(f"| {name.replace('_', '-')} | {len(found):,} | {count:,} | {foreign / count:.0%} |")
            total += count
            for (_, count), shown in zip(found, names):
                by_name[shown] += count
        print(f"| all | | {total:,} | |\n")
        for shown, count in by_name.most_common(largest):
            print(f"{count:9,}  {shown[:110]}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--rev", action="append", default=[])
    arguments.add_argument("--largest", type=int, default=0)
    arguments = arguments.parse_args()
    if not arguments.rev:
        measure(harness.ROOT, arguments.largest)
    for rev in arguments.rev:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["git", "clone", "--quiet", harness.ROOT, folder], check=True)
            subprocess.run(["git", "checkout", "--quiet", rev], cwd=folder, check=True)
            print(f"{rev}:\n")
            measure(folder, arguments.largest)


if __name__ == "__main__":
    main()
