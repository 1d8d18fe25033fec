#!/usr/bin/env python3
"""Adopt rankgate in published packages, as their maintainers would, and measure what that takes and what it sees.

    cargo build --release -p rankgate-cli
    python3 benches/adoptions.py [NAME...] [--checkout FOLDER] > table.md

Four crates (bm25, probly-search, instant-distance, nucleo-matcher) are fetched by cargo, two packages (bm25s, rank_bm25) by
pip. Each searches the help centre of examples/data, with gates on its own golden run; `benches/adoptions/NAME` holds what
its maintainer has, and `break.sed` the change that makes it worse. Printed are the lines that the adoption adds, the
seconds of a run that is built, the bytes and lines of golden files, the lines of their diff once a document joins the
corpus, the megabytes of the test and of rankgate's libraries, and, below the table, what the gates say of the change.
`--checkout` takes rankgate from another folder: an earlier state of it. RANKGATE names a program in place of the one that is
built there.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
HERE = ROOT / "benches" / "adoptions"
DATA = ROOT / "examples" / "data" / "helpdesk"
CRATES = {"bm25": "=2.3.2", "probly-search": "=2.0.1", "instant-distance": "=0.6.1", "nucleo-matcher": "=0.3.1"}
PACKAGES = {"bm25s": "bm25s==0.3.16", "rank_bm25": "rank-bm25==0.2.2"}
SPEC = """version: 1
benchmark: helpdesk
collection: {beir: ../data}
configurations:
  mine: {RETRIEVER}
metrics: [nDCG@10, R@100, RR@10]
comparisons:
  - {candidate: mine, baseline: golden, metrics: [nDCG@10, R@100], expect: no-regression}
snapshot: true
deterministic: true
"""
MANIFEST = """[package]
name = "adopted"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
NAME = "VERSION"
"""
# What the adoption adds to it.
ADDED = """
[dev-dependencies]
rankgate = { path = "CHECKOUT" }

[[test]]
name = "retrieval"
harness = false
"""
# A document about much of what others are about, which many rankings take in.
JOINED = {
    "_id": "new-1",
    "title": "Orders, returns and payments at a glance",
    "text": "Track an order, return a parcel, pay by card, change the delivery address, cancel, get a refund or an invoice.",
}
# Lines of a message.
SHOWN = 24


def megabytes(files):
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def lines(*texts):
    return sum(len(text.splitlines()) for text in texts)


class Adoption:
    """A package's folder with the gates in it, under git."""

    def __init__(self, name, folder, checkout):
        self.name, self.folder, self.checkout = name, folder, checkout
        self.environment = {**os.environ, "NO_COLOR": "1", "CARGO_TERM_COLOR": "never", "PYTHONDONTWRITEBYTECODE": "1"}
        for variable in ("CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "INSTA_UPDATE"):
            self.environment.pop(variable, None)
        shutil.copytree(DATA, folder / "data")
        (folder / "benchmarks").mkdir()
        self.write()
        self.git("init", "--quiet")

    def git(self, *arguments):
        identity = ["-c", "user.name=adopter", "-c", "user.email=adopter@example.org", "-c", "core.autocrlf=false"]
        command = ["git", *identity, *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def gates(self, **variables):
        """Runs the gates: whether they pass, what is printed, and the seconds."""
        begun = time.monotonic()
        done = subprocess.run(
            self.command(bless="RANKGATE_BLESS" in variables),
            cwd=self.folder,
            env={**self.environment, **variables},
            capture_output=True,
            text=True,
        )
        return done.returncode == 0, done.stdout + done.stderr, time.monotonic() - begun

    def bless(self):
        passed, printed, _ = self.gates(RANKGATE_BLESS="1")
        if not passed or not self.golden():
            sys.exit(f"{self.name} could not be blessed:\n{printed}")
        self.git("add", "--all", "--", ".", ":!Cargo.lock")
        self.git("commit", "--quiet", "--message", "Bless")

    def golden(self):
        """Its golden files, at the root of a crate or beside the spec."""
        return [file for file in self.folder.rglob("golden/**/*") if file.is_file()]

    def measure(self):
        self.bless()
        passed, printed, seconds = self.gates()
        if not passed:
            sys.exit(f"{self.name} does not pass as it was blessed:\n{printed}")
        golden = self.golden()
        sizes = (sum(file.stat().st_size for file in golden), lines(*(file.read_text() for file in golden)))
        with (self.folder / "data" / "corpus.jsonl").open("a", encoding="utf-8") as corpus:
            corpus.write(json.dumps(JOINED) + "\n")
        self.bless()
        changed = [line.split("\t") for line in self.git("show", "--numstat", "--format=", "--", ":(glob)**/golden/**").splitlines()]
        diff = sum(int(added) + int(removed) for added, removed, _ in changed)
        self.source().write_text(self.broken())
        passed, message, _ = self.gates()
        if passed:
            sys.exit(f"{self.name}: nothing is said of what was broken:\n{message}")
        return [lines(*self.added()), f"{seconds:.1f}", sizes[0], sizes[1], diff, *self.weight()], message

    def broken(self):
        script = HERE / self.name / "break.sed"
        text = self.source().read_text()
        changed = subprocess.run(["sed", "-f", script], input=text, check=True, capture_output=True, text=True).stdout
        if changed == text:
            sys.exit(f"{script} changes nothing")
        return changed


class Crate(Adoption):
    def write(self):
        manifest = MANIFEST.replace("NAME", self.name).replace("VERSION", CRATES[self.name])
        self.files = {
            "Cargo.toml": manifest + ADDED.replace("CHECKOUT", str(self.checkout)),
            "tests/retrieval.rs": (HERE / "retrieval.rs").read_text(),
            "benchmarks/helpdesk.yaml": SPEC.replace("RETRIEVER", "retriever: engine"),
        }
        for path, text in {**self.files, "src/lib.rs": (HERE / self.name / "lib.rs").read_text()}.items():
            (self.folder / path).parent.mkdir(exist_ok=True)
            (self.folder / path).write_text(text)
        # One for all crates: what they have in common is built once.
        self.target = self.folder.parent / "target"
        self.environment["CARGO_TARGET_DIR"] = str(self.target)
        subprocess.run(["cargo", "test", "--no-run", "--quiet"], cwd=self.folder, env=self.environment, check=True)

    def command(self, bless):
        return ["cargo", "test", "--quiet", "--test", "retrieval"]

    def source(self):
        return self.folder / "src" / "lib.rs"

    def added(self):
        return [ADDED, self.files["tests/retrieval.rs"], self.files["benchmarks/helpdesk.yaml"]]

    def weight(self):
        built = self.target / "debug" / "deps"
        tests = [file for file in built.glob("retrieval-*") if not file.suffix]
        newest = max(tests, key=lambda file: file.stat().st_mtime)
        # Of each library the newest: another checkout may have left its own.
        libraries = {}
        for file in sorted(built.glob("librankgate*.rlib"), key=lambda file: file.stat().st_mtime):
            libraries[file.name.rpartition("-")[0]] = file
        return [f"{megabytes([newest]):.0f}", f"{megabytes(libraries.values()):.0f}"]


class Package(Adoption):
    def write(self):
        python = self.folder.parent / "venv" / "bin" / "python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PACKAGES[self.name]], check=True)
        command = f"command: [{python}, ../program.py, ../data/corpus.jsonl]"
        self.files = {
            "program.py": (HERE / "program.py").read_text(),
            "benchmarks/helpdesk.yaml": SPEC.replace("RETRIEVER", command),
        }
        for path, text in {**self.files, "engine.py": (HERE / self.name / "engine.py").read_text()}.items():
            (self.folder / path).write_text(text)

    def command(self, bless):
        program = os.environ.get("RANKGATE", self.checkout / "target" / "release" / "rankgate")
        return [program, "bless" if bless else "run", "benchmarks/helpdesk.yaml"]

    def source(self):
        return self.folder / "engine.py"

    def added(self):
        return list(self.files.values())

    def weight(self):
        return ["-", "-"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("names", nargs="*", metavar="NAME", help="which packages; all by default")
    arguments.add_argument("--checkout", type=pathlib.Path, default=ROOT, help="where rankgate is")
    given = arguments.parse_args()
    names = given.names or [*CRATES, *PACKAGES]
    unknown = [name for name in names if name not in CRATES and name not in PACKAGES]
    if unknown:
        arguments.error(f"unknown package {unknown[0]}; known are {', '.join([*CRATES, *PACKAGES])}")
    columns = ["package", "lines added", "seconds of a run", "bytes of golden files", "their lines",
               "lines of their diff, one document more", "MB of the test", "MB of rankgate"]
    print(" | ".join(columns))
    print("|".join(["---"] * len(columns)))
    messages = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            kind = Crate if name in CRATES else Package
            (pathlib.Path(folder) / name).mkdir()
            adoption = kind(name, pathlib.Path(folder) / name, given.checkout.resolve())
            row, messages[name] = adoption.measure()
            print(" | ".join(map(str, [name, *row])), flush=True)
    for name, message in messages.items():
        change = (HERE / name / "break.sed").read_text().strip()
        shown = [line.rstrip() for line in message.splitlines() if line.strip()]
        # What comes before is the report of all metrics, or what cargo says of its own.
        begun = next((at for at, line in enumerate(shown) if line.startswith(("gates", "failures:", "---- "))), 0)
        print(f"\n`{name}`, `{change}`:\n\n```text\n" + "\n".join(shown[begun : begun + SHOWN]) + "\n```")


if __name__ == "__main__":
    main()
