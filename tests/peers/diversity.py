"""The nine measures of diversity against pyndeval (ndeval 4.5), per query and to twelve digits, on random judgments by subtopic.

    python tests/peers/diversity.py PROGRAM [ROUNDS]

`rankgate eval` reads the judgments in TREC's form and in BEIR's with a fourth column. The judgments are drawn as those of
tests/reference/diversity are, with other seeds; what pyndeval says is corrected where its measures are not what they are called
(tests/reference/make_diversity.py).
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "reference"))
import make_diversity  # noqa: E402

ROUNDS = 20


def ask(program, qrels, run, metrics):
    command = [program, "eval", qrels, run, "-m", ",".join(metrics), "--per-query", "--format", "json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{answer.stderr}")
    return json.loads(answer.stdout)


def name_of(program, qrels, run, metric, known={}):
    """How rankgate writes a metric: alpha=1 for alpha=1.0, and no parameter that has its usual value."""
    if metric not in known:
        (known[metric],) = ask(program, qrels, run, [metric])["mean"]
    return known[metric]


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    compared, apart = 0, []
    for seed in range(rounds):
        qrels, run = make_diversity.data(random.Random(seed))
        expected = list(make_diversity.entries(qrels, run))
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            trec, beir, ranked = folder / "qrels.txt", folder / "qrels.tsv", folder / "a.run"
            trec.write_text("".join(f"{q} {s} {d} {g}\n" for q, s, d, g in qrels))
            rows = "".join(f"{q}\t{d}\t{g}\t{s}\n" for q, s, d, g in qrels)
            beir.write_text("query-id\tcorpus-id\tscore\tsubtopic\n" + rows)
            ranked.write_text("".join(f"{q} Q0 {d} {r} {s} run\n" for r, (q, d, s) in enumerate(run, 1)))
            metrics = [entry["metric"] for entry in expected]
            names = {metric: name_of(program, trec, ranked, metric) for metric in metrics}
            scores = ask(program, trec, ranked, metrics)["per_query"]
            if scores != ask(program, beir, ranked, metrics)["per_query"]:
                apart.append(f"seed {seed}: TREC's form and BEIR's differ")
        for entry in expected:
            for query, theirs in entry["values"].items():
                ours = scores[query][names[entry["metric"]]]
                compared += 1
                if abs(ours - theirs) > 1e-12 * abs(theirs):
                    apart.append(f"seed {seed}: {entry['metric']} of {query}: {ours}, and {theirs} by {entry['source']}")
    print(f"{rounds} rounds, {compared} values, {len(apart)} apart")
    print("\n".join(apart[:20]))
    sys.exit(bool(apart) or compared == 0)


if __name__ == "__main__":
    main()
