# %% [markdown]
# # nDCG@10 of a run that is Parquet: three ways, and what two of them get wrong

# %%
import os
import shlex
import subprocess
import sys

import duckdb
import polars as pl

RUN, JUDGMENTS = f"{sys.argv[1]}/new/*.parquet", f"{sys.argv[1]}/judgments/*.parquet"

# %% [markdown]
# ## rankgate, of the rows that are here
#
# One table of both sides goes in as a stream of Arrow, and a line for each query comes back as another.

# %%
run, judgments = pl.scan_parquet(RUN), pl.scan_parquet(JUDGMENTS)


def scored(run, judgments, *options):
    """The lines of `rankgate score`, as a frame; what it refuses is an error with its message."""
    rows = pl.concat(
        [run.select("query", "document", "score"), judgments.select("query", "document", "grade")], how="diagonal"
    )
    command = [*shlex.split(os.environ.get("RANKGATE", "rankgate")), "score", "--arrow", *options]
    done = subprocess.run(command, input=ipc(rows.collect()), capture_output=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.decode().strip())
    return pl.read_ipc_stream(done.stdout)


def ipc(frame):
    import io

    stream = io.BytesIO()
    frame.write_ipc_stream(stream)
    return stream.getvalue()


lines = scored(run, judgments, "-m", "nDCG@10,Judged@10")
print(lines.filter(pl.col("query").is_in(["0", "1", "9", "10"])))
judged = lines.filter(pl.col("best_grade").is_not_null())
exact = judged["nDCG@10"].mean()

# %% [markdown]
# ## The usual SQL
#
# What many write: a window for the ranks, a join with the judgments, a mean.

# %%
duckdb.sql("SET threads = 1")  # with more of them ties come in another order each time
usual = duckdb.sql(f"""
    WITH ranked AS (SELECT *, row_number() OVER (PARTITION BY query ORDER BY score DESC) AS rank FROM '{RUN}'),
    gains AS (SELECT query, rank, grade, row_number() OVER (PARTITION BY query ORDER BY grade DESC) AS best
              FROM ranked JOIN '{JUDGMENTS}' USING (query, document)),
    each AS (SELECT query, sum(grade / log2(rank + 1)) FILTER (rank <= 10) AS dcg,
                    sum(grade / log2(best + 1)) FILTER (best <= 10) AS ideal FROM gains GROUP BY query)
    SELECT avg(dcg / ideal) FROM each
""").fetchall()[0][0]

# %% [markdown]
# Three mistakes are in it. Each by itself, done in Polars:


# %%
def ndcg(run, judgments, ties=True, ideal_of_all=True, unanswered=True):
    """nDCG@10 by expressions; the mistakes can be chosen."""
    order, falling = (["score", "text"], True) if ties else (["score"], True)
    discount = lambda place: 1 / (place + 1).log(2)
    ranked = (
        run.with_columns(text=pl.col("document").cast(pl.String))
        .sort(order, descending=falling, maintain_order=True)
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("query"))
    )
    found = ranked.join(judgments, on=["query", "document"])
    best = judgments if ideal_of_all else found
    ideal = (
        best.sort("grade", descending=True)
        .with_columns(place=pl.int_range(1, pl.len() + 1).over("query"))
        .filter(pl.col("place") <= 10)
        .group_by("query")
        .agg(ideal=(pl.col("grade") * discount(pl.col("place"))).sum())
    )
    gain = (
        found.filter(pl.col("rank") <= 10)
        .group_by("query")
        .agg(gain=(pl.col("grade") * discount(pl.col("rank"))).sum())
    )
    answered = ideal.join(run.select("query").unique(), on="query")
    each = (ideal if unanswered else answered).join(gain, on="query", how="left").with_columns(pl.col("gain").fill_null(0))
    each = each.with_columns(score=pl.when(pl.col("ideal") > 0).then(pl.col("gain") / pl.col("ideal")).otherwise(0.0))
    return each.select(pl.col("score").mean()).collect().item()


# %%
told = [
    ("rankgate", exact, ""),
    ("the usual SQL", usual, "all three below at once"),
    ("ties as they come", ndcg(run, judgments, ties=False), "the order of rows in the files decides"),
    ("ideal of what was retrieved", ndcg(run, judgments, ideal_of_all=False), "the best of a bad answer is taken for the best"),
    ("unanswered queries left out", ndcg(run, judgments, unanswered=False), "a join drops them"),
    ("none of these", ndcg(run, judgments), ""),
]
for what, value, why in told:
    print(f"{what:28} {value:.4f} {value - exact:+.4f}  {why}".rstrip())
assert abs(told[-1][1] - exact) < 1e-12

# %% [markdown]
# ## What no expression says
#
# A document that a query has twice is two documents to any of them, and gains twice.

# %%
twice = pl.concat([run, run.filter(pl.col("query") == 1)])
print(f"with query 1 twice: {ndcg(twice, judgments):.4f}, and rankgate says")
try:
    scored(twice, judgments)
except ValueError as refused:
    print(refused)
ties, unjudged = lines["tied_scores"].sum(), 1 - judged["Judged@10"].mean()
print(f"{ties:,} documents tie with a neighbour; {unjudged:.0%} of the first ten are not judged")
